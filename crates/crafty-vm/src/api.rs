//! What goes into a machine and what comes out of it. Plain data; decides nothing.

use core::net::IpAddr;
use crafty_lang::ir::{ErrorKind, Span};
use crafty_policy::{RefusalKind, Toll};
use crafty_value::{Duration, Mac, Net, Time, Value};
use std::collections::BTreeMap;

/// A frame of ours, numbered from 0 in the order in which frames are handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u64);

/// What frames of an interface begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkLayer {
    /// An Ethernet header; neighbours are resolved.
    Ethernet,
    /// The IP header (tunnels).
    RawIp,
    /// An Ethernet header of zeros; there are no neighbours.
    Loopback,
}

/// One interface of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceInfo {
    /// As the system calls it.
    pub name: String,
    /// Link address; zeros where there is none.
    pub mac: Mac,
    /// Largest IP datagram in bytes.
    pub mtu: u32,
    /// Own addresses with the length of their prefix.
    pub addresses: Vec<(IpAddr, u8)>,
    /// What its frames begin with.
    pub link: LinkLayer,
}

/// One route of the host. The longest prefix wins, then the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Destinations it is for.
    pub net: Net,
    /// Next hop; none if the destinations are neighbours.
    pub gateway: Option<IpAddr>,
    /// Index into [`Environment::interfaces`].
    pub interface: usize,
    /// The address that packets then come from.
    pub source: Option<IpAddr>,
}

/// The start conditions.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Interfaces that may be used.
    pub interfaces: Vec<InterfaceInfo>,
    /// Routes.
    pub routes: Vec<Route>,
    /// Neighbours that are known already, by interface.
    pub neighbours: BTreeMap<(usize, IpAddr), Mac>,
    /// Addresses of the host's other interfaces, each with its prefix length: its own as well.
    pub other_addresses: Vec<(IpAddr, u8)>,
    /// Whether the host's kernel answers ARP and ND for the addresses of its interfaces.
    pub kernel_answers: bool,
    /// For initial sequence numbers and identifiers.
    pub seed: u64,
}

/// A received frame. To be handed in by ascending time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Index into [`Environment::interfaces`].
    pub interface: usize,
    /// When it was on the wire.
    pub time: Time,
    /// From the first byte of the frame on, as far as captured.
    pub octets: Vec<u8>,
    /// Bytes on the wire; more than `octets` if the capture cut it.
    pub wire_len: usize,
    /// Whether its checksums are filled in (not so for local traffic that an adapter would
    /// complete).
    pub checksum_ready: bool,
}

/// Which clock says when a frame of ours was on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampSource {
    /// The adapter.
    Hardware,
    /// The driver.
    Software,
    /// The frame captured on its way out.
    Recapture,
    /// None: when it was handed out.
    Clock,
}

impl StampSource {
    /// As `ts_source` reads.
    pub fn word(self) -> &'static str {
        match self {
            StampSource::Hardware => "hardware",
            StampSource::Software => "software",
            StampSource::Recapture => "recapture",
            StampSource::Clock => "clock",
        }
    }
}

/// When a frame of ours was on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// On the clock of the received packets.
    pub time: Time,
    /// Which clock says so.
    pub source: StampSource,
}

/// A frame to send; the gate has passed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Its number, for [`crate::Machine::handle_stamp`].
    pub frame: FrameId,
    /// Index into [`Environment::interfaces`].
    pub interface: usize,
    /// The whole frame.
    pub octets: Vec<u8>,
    /// The place in the program that sent it (for what a stack sends automatically, the head of its
    /// block).
    pub line: Span,
    /// Not to be sent before.
    pub at: Time,
    /// Not to be sent from then on: the run's time is over.
    pub before: Time,
    /// How long the gate holds it back: until `at`.
    pub held: Duration,
    /// What it costs at the send call.
    pub toll: Toll,
}

/// Something that the program or the machine says.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// One line for standard output; what was received is marked, escaped and capped already.
    Print {
        /// Without the line end.
        text: String,
        /// The statement.
        span: Span,
        /// Program time.
        time: Time,
    },
    /// A named measurement.
    Record {
        /// Its name.
        name: String,
        /// What was measured; [`Value::Nothing`] where a packet lacks it, in labels too.
        value: Value,
        /// More names and values.
        labels: Vec<(String, Value)>,
        /// Whether the value or a label holds received bytes.
        received: bool,
        /// The statement.
        span: Span,
        /// Program time.
        time: Time,
    },
    /// An unhandled error, at its first occurrence at this place; the report has the count.
    Error {
        /// Its kind.
        kind: ErrorKind,
        /// What happened; may quote received bytes.
        message: String,
        /// Where.
        span: Span,
        /// Program time.
        time: Time,
    },
    /// `fail`, or an `assert` that did not hold.
    Failed {
        /// What the program says, shown as `print` would.
        message: String,
        /// The statement.
        span: Span,
        /// Program time.
        time: Time,
    },
    /// The gate dropped a frame.
    Dropped {
        /// The gate's stable name for why.
        reason: &'static str,
        /// Why and what would help, in a sentence.
        message: String,
        /// What sent it.
        span: Span,
        /// When.
        time: Time,
    },
    /// An `on out` of the program dropped a frame of a stack.
    Withheld {
        /// The frame; where its neighbour is not known yet, without its address.
        octets: Vec<u8>,
        /// The next frame that was sent.
        before: FrameId,
        /// The `on out`.
        span: Span,
        /// When it would have left.
        time: Time,
    },
    /// A warning; the program continues.
    Warning {
        /// A sentence.
        message: String,
        /// Where.
        span: Span,
    },
    /// The machine was this much late when a wait began: more than 1 ms, and more than ever before.
    /// The report has the count.
    Late {
        /// How much.
        by: Duration,
        /// The waiting statement.
        span: Span,
    },
    /// This `else` of an `expect` was taken, and something that was to be sent before was not sent;
    /// reported at its first occurrence at this place, the report has the count.
    Unasked {
        /// What was to be sent first.
        line: Span,
        /// Why it was not sent.
        why: String,
        /// The `expect`.
        span: Span,
        /// Program time.
        time: Time,
    },
    /// Frames that a pattern nearly took, or that would have matched and were not shown to the
    /// program: told at the first occurrence at this place.
    NearMiss {
        /// How many, why, and the fix.
        message: String,
        /// How many.
        count: u64,
        /// The pattern.
        span: Span,
        /// Program time.
        time: Time,
    },
    /// This `else` of an `expect` was taken although packets were lost before the program could see
    /// them.
    Uncertain {
        /// The `expect`.
        span: Span,
        /// Program time.
        time: Time,
    },
}

impl Event {
    /// Memory that it holds, in bytes, roughly.
    pub fn size(&self) -> usize {
        let inner = match self {
            Event::Print { text, .. } => text.len(),
            Event::Record {
                name,
                value,
                labels,
                ..
            } => {
                let labels = labels.iter().map(|(name, value)| name.len() + value.size());
                name.len() + value.size() + labels.sum::<usize>()
            }
            Event::Error { message, .. }
            | Event::Failed { message, .. }
            | Event::Dropped { message, .. }
            | Event::Warning { message, .. } => message.len(),
            Event::Withheld { octets, .. } => octets.len(),
            Event::Unasked { why, .. } => why.len(),
            Event::NearMiss { message, .. } => message.len(),
            Event::Late { .. } | Event::Uncertain { .. } => 0,
        };
        inner + size_of::<Event>()
    }
}

/// What received frames have led to, counted since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reactions {
    /// How often a handler, an `expect` or a driven stack above IP took one.
    pub taken: u64,
    /// Frames that the gate refused.
    pub refused: u64,
    /// Of which kind the last refusal was.
    pub refusal: Option<RefusalKind>,
}

/// How the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// 0 well, 1 the program failed, 4 frames were dropped by the gate, 5 no route or no neighbour,
    /// 6 time-out or cancelled.
    pub status: u8,
    /// Program time of the end.
    pub time: Time,
    /// Why, where the status is not 0.
    pub why: Option<String>,
}

/// Packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// How often something happened at a place of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceCount {
    /// What: an error's kind, a reason of the gate, a cap.
    pub what: String,
    /// Where.
    pub span: Span,
    /// How often.
    pub count: u64,
}

/// What a run amounts to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Program time 0.
    pub started: Time,
    /// Frames handed out.
    pub sent: Counts,
    /// Received frames that the program may see.
    pub received: Counts,
    /// Frames that were not for it.
    pub ignored: Counts,
    /// Frames lost before the program could see them.
    pub lost_captures: u64,
    /// Packets that the full inbox of `expect` did not keep.
    pub inbox_overflow: u64,
    /// Bytes of streams that were discarded unread because the buffer was full.
    pub untaken_bytes: u64,
    /// Frames that the gate dropped, by reason and place.
    pub dropped: Vec<PlaceCount>,
    /// Unhandled errors, exceeded size limits, failed `where`s, by place.
    pub errors: Vec<PlaceCount>,
    /// Waits that began more than 1 ms late.
    pub late: u64,
    /// The worst lateness.
    pub worst_lateness: Duration,
    /// `else`s of `expect` that lost packets make uncertain.
    pub uncertain: u64,
    /// `else`s of `expect` that were taken after something that was not sent.
    pub unasked: u64,
    /// Frames that a pattern nearly took, or that matched and were not shown to the program.
    pub near_misses: u64,
}
