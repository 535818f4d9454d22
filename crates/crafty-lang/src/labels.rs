//! What each expression may reveal, and whether a send would reveal more than `exfiltration`
//! allows.
//!
//! Labels are inferred, never written: `clean`, `event` (that something matched, when, how many,
//! how long) and `content` (received bytes). Every variable has one pair of labels for the whole
//! program, since handlers and the main program share it: one for its structure (length, which
//! keys), one for what it holds. Every place has two more: `pc`, what decided that we are here, and
//! the clock, what decided when. The pass repeats until nothing rises, so it ends after a number of
//! rounds bounded by the lattice.
//!
//! The rules can be switched off one at a time ([`FlowRule`]), for the tests that show each of them to
//! be needed.

mod answers;
mod call;
pub mod ending;
mod expr;
mod failing;
pub mod origin;
mod packet_field;
mod peers;
pub mod presence;
pub mod price;
pub(crate) mod range;
mod report;
mod tag;
mod walk;

pub use ending::MAX_MEMORY;
pub use tag::Tag;

use crate::diagnostic::Occurrence;
use crate::ir::{Label, Program, SiteId, Span};
use crafty_policy::ExfiltrationMode;
use std::collections::BTreeSet;

/// A rule of the pass. Switching one off must make the two-run fuzzer find a leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowRule {
    /// An assigned variable takes the pc.
    AssignTakesPc,
    /// A container takes the pc at each write to it.
    ContainerTakesPc,
    /// A key tells about the container's structure.
    KeyTellsStructure,
    /// `has` and reading a map tell its structure.
    HasTellsStructure,
    /// Comparing keeps labels.
    CompareKeeps,
    /// Branches run under the label of their condition.
    BranchRaisesPc,
    /// Loops run under the label of their count.
    CountRaisesPc,
    /// A send is judged by its pc.
    SendTakesPc,
    /// The number of repeated bytes tells its label in their length.
    LengthTells,
    /// `length` of an own container tells its structure.
    OwnLengthTells,
    /// `wait` and pauses raise the clock.
    WaitRaisesClock,
    /// `expect` raises the clock.
    ExpectRaisesClock,
    /// A handler runs because a packet came.
    HandlerIsEvent,
    /// A handler lives as long as its block.
    HandlerTakesClock,
    /// An operation that failed skips the rest of its block.
    FailureRaisesPc,
    /// `fail`, `exit` and `assert` end the program.
    EndRaisesClock,
    /// `stop` ends its loop.
    StopRaisesLoop,
    /// The `else` of a `try` runs because its body failed.
    TryElseTakesFailure,
    /// A linger is skipped when the block failed.
    LingerTakesFailure,
    /// Closing a stream is a send.
    CloseIsSend,
    /// `on out` and `release` are sends: they decide which segments leave, and when.
    OutIsSend,
    /// How long the peer's words are, and how many, is the peer's word.
    CounterTellsStructure,
    /// A session asks again, or continues, by what it heard.
    SessionsReact,
    /// What `choose` and `one_of` let through is counted.
    ChoiceHasPrice,
    /// A test of content against something that changes is counted.
    TestHasPrice,
    /// What `auto` fills in is the peer's word.
    AutoTells,
    /// A checksum tells what it covers, what `auto` filled in too.
    ChecksumTellsAuto,
    /// `auto` is for the flow's own peer.
    AutoStaysHome,
    /// A neighbour that is resolved in the middle of a run tells by answering.
    NeighbourTells,
    /// Floats and durations overflow.
    FloatsOverflow,
    /// A value that grows may become too large.
    GrowthMayFail,
    /// A stack that a peer opened answers that peer.
    ServersAnswer,
    /// How much is left behind a header of variable length is in the header.
    VariableHeaderTells,
    /// How long a computation takes tells what it computed with.
    ComputingTells,
    /// Whether the gate let a packet leave tells what else took room in BUDGET.
    DropTells,
    /// What a path takes decides into which frames a datagram is cut.
    PathTells,
    /// A field that a header may lack decides over what reads it.
    AbsenceTells,
    /// A serial number is in bytes that no text has.
    SerialsAreSmall,
    /// A handler's test is made for each packet, not once.
    EachPacketAsks,
    /// How long something is that content measures is not a free test.
    LengthHasPrice,
    /// What events choose in the head of a block is in each of its frames.
    HeadsAreChosen,
    /// That a run ended early tells what filled its memory or used up its computing.
    EndHasPrice,
}

impl FlowRule {
    /// All rules.
    pub const ALL: &'static [FlowRule] = &[
        FlowRule::AssignTakesPc,
        FlowRule::ContainerTakesPc,
        FlowRule::KeyTellsStructure,
        FlowRule::HasTellsStructure,
        FlowRule::CompareKeeps,
        FlowRule::BranchRaisesPc,
        FlowRule::CountRaisesPc,
        FlowRule::SendTakesPc,
        FlowRule::LengthTells,
        FlowRule::OwnLengthTells,
        FlowRule::WaitRaisesClock,
        FlowRule::ExpectRaisesClock,
        FlowRule::HandlerIsEvent,
        FlowRule::HandlerTakesClock,
        FlowRule::FailureRaisesPc,
        FlowRule::EndRaisesClock,
        FlowRule::StopRaisesLoop,
        FlowRule::TryElseTakesFailure,
        FlowRule::LingerTakesFailure,
        FlowRule::CloseIsSend,
        FlowRule::OutIsSend,
        FlowRule::CounterTellsStructure,
        FlowRule::SessionsReact,
        FlowRule::ChoiceHasPrice,
        FlowRule::TestHasPrice,
        FlowRule::AutoTells,
        FlowRule::ChecksumTellsAuto,
        FlowRule::AutoStaysHome,
        FlowRule::NeighbourTells,
        FlowRule::FloatsOverflow,
        FlowRule::GrowthMayFail,
        FlowRule::ServersAnswer,
        FlowRule::VariableHeaderTells,
        FlowRule::ComputingTells,
        FlowRule::DropTells,
        FlowRule::PathTells,
        FlowRule::AbsenceTells,
        FlowRule::SerialsAreSmall,
        FlowRule::EachPacketAsks,
        FlowRule::LengthHasPrice,
        FlowRule::HeadsAreChosen,
        FlowRule::EndHasPrice,
    ];
}

/// What the pass found.
#[derive(Debug)]
pub struct Labels {
    /// By expression: what its value may reveal.
    pub expressions: Vec<Label>,
    /// By variable: what the value that it holds may reveal, its size included.
    pub variables: Vec<Label>,
    /// By site: what its content and its being sent may reveal.
    pub sites: Vec<SiteLabels>,
    /// Sends that reveal too much; patterns that compare with content.
    pub reports: Vec<Occurrence>,
    /// Places at which content becomes an event.
    pub prices: Vec<price::Price>,
    /// What the run's end tells: when it ends, and with which status.
    pub end: Label,
    /// Statements over whose being done content decides.
    pub decided: BTreeSet<Span>,
    /// Whether an early end counts.
    early_end: bool,
}

/// What a place that sends may reveal.
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteLabels {
    /// Its fields and payload.
    pub content: Label,
    /// Whether and when it is sent.
    pub guard: Label,
    /// Whether it is in a handler.
    pub in_handler: bool,
    /// How much of its bytes events choose.
    pub chosen: ChosenBytes,
    /// Where it is.
    pub span: Span,
}

/// How much of a frame's bytes events choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChosenBytes {
    /// Nothing.
    #[default]
    Nothing,
    /// So many bits: fields of fixed width, lengths.
    Bits(u64),
    /// All bytes that it has.
    Bytes,
}

impl ChosenBytes {
    /// Both.
    pub fn and(self, other: ChosenBytes) -> ChosenBytes {
        match (self, other) {
            (ChosenBytes::Bytes, _) | (_, ChosenBytes::Bytes) => ChosenBytes::Bytes,
            (ChosenBytes::Bits(a), ChosenBytes::Bits(b)) => ChosenBytes::Bits(a.saturating_add(b)),
            (ChosenBytes::Nothing, other) => other,
            (one, ChosenBytes::Nothing) => one,
        }
    }

    /// In bits, of a frame with so many bytes.
    pub fn bits(self, frame: usize) -> u64 {
        match self {
            ChosenBytes::Nothing => 0,
            ChosenBytes::Bits(bits) => bits.min(8 * frame as u64),
            ChosenBytes::Bytes => 8 * frame as u64,
        }
    }
}

impl SiteLabels {
    /// Whether something received decides over it.
    pub fn reacts(&self) -> bool {
        self.in_handler || self.content.max(self.guard) > Label::Clean
    }
}

/// Whether the gate is sure to let out what the main program sends, as far as limits and powers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendCertainty {
    /// Its worst case fits, and nothing that reacts takes room from it.
    Certain,
    /// What reacts may have taken the room.
    Uncertain,
}

/// Infers all labels and judges all sends under a mode.
pub fn infer(program: &Program, mode: ExfiltrationMode, certainty: SendCertainty) -> Labels {
    infer_without(program, mode, certainty, None)
}

/// The same with one rule switched off: only for showing that the rule is needed.
pub fn infer_without(
    program: &Program,
    mode: ExfiltrationMode,
    certainty: SendCertainty,
    off: Option<FlowRule>,
) -> Labels {
    let mut pass = walk::Pass::new(program, mode, certainty, off);
    while pass.round() {}
    pass.finish()
}

/// What may reach a send under a mode: for content and for guard alike.
pub fn allowed(mode: ExfiltrationMode) -> Label {
    match mode {
        ExfiltrationMode::None => Label::Clean,
        ExfiltrationMode::False => Label::Event,
        ExfiltrationMode::True => Label::Content,
    }
}

/// The site's labels in a table that is long enough.
fn site_mut(sites: &mut [SiteLabels], site: SiteId) -> &mut SiteLabels {
    &mut sites[site.0 as usize]
}
