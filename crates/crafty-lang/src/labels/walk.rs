//! The walk over the statements: pc, clock, variables, sends. One round reads what the round before
//! found about things that lie ahead in the text (stops, handlers, ends of blocks); rounds go on
//! until nothing rises.

mod arms;
mod assignment;
mod loops;
mod stacks;
mod statement;
mod worklist;

use super::answers;
use super::peers::PeerChoices;
use super::price::{self, Price};
use super::tag::{LabelPair, Tag};
use super::{ChosenBytes, FlowRule, Labels, SendCertainty, SiteLabels, allowed, range, site_mut};
use crate::ir::*;
use crafty_policy::ExfiltrationMode;
use crafty_syntax::diagnostic::Occurrence;
use std::collections::{BTreeMap, BTreeSet};

/// Where a statement is.
#[derive(Clone, Default)]
pub(super) struct LabelContext {
    /// What decided that we are here.
    pub pc: Tag,
    /// The handler that it is part of.
    pub handler: Option<HandlerId>,
    /// Whether a `try` around it (in the same handler or main program) takes its errors.
    pub in_try: bool,
    /// The packet under test, in a `where`.
    pub filtered: Option<VarId>,
    /// The driven blocks around it, innermost last.
    pub stacks: Vec<StackId>,
    /// The loops around it, innermost last, by place in the text.
    pub loops: Vec<Span>,
    /// The loop that a `stop` ends.
    pub stopped: Option<Span>,
    /// The block that it is in.
    pub block: Span,
}

/// What a block left behind.
#[derive(Default)]
pub(super) struct Ended {
    /// The pc at its end, failures included.
    pub pc: Tag,
    /// Under what it may have failed, if it may.
    pub failed: Option<Tag>,
}

/// A handler that a block holds: what the length of its linger tells, and whether it counts its
/// matches.
struct Held {
    handler: HandlerId,
    linger: Option<Tag>,
    counts: bool,
}

pub(super) struct Pass<'p> {
    pub(super) program: &'p Program,
    pub(super) mode: ExfiltrationMode,
    pub(super) certainty: SendCertainty,
    off: Option<FlowRule>,
    pub(super) known: range::Known,
    vars: Vec<LabelPair>,
    labels: Vec<Label>,
    sites: Vec<SiteLabels>,
    pub(super) reports: Vec<Occurrence>,
    /// The clock of the main program.
    clock: Tag,
    pub(super) failing: Option<Tag>,
    /// In a value that is only told: what decides whether a packet lacks what it reads.
    pub(super) lacking: Option<Tag>,
    /// What the sizes of values depend on that this statement makes and that may be too large.
    pub(super) growing: Tag,
    /// How much of the frame that is judged next events choose.
    chosen: ChosenBytes,
    /// By driven block: how much of its frames events choose by its head.
    heads: Vec<ChosenBytes>,
    /// Statements over whose being done content decides.
    decided: BTreeSet<Span>,
    /// What decides over the status at the end, beside the clock.
    ending: Tag,
    /// Places at which content becomes an event; the statement or block at hand; how often each
    /// variable is assigned.
    pub(super) prices: Vec<Price>,
    pub(super) within: Span,
    pub(super) assignments: Vec<u8>,
    /// Where variables are set from; those that only count.
    pub(super) definitions: BTreeMap<VarId, &'p Expr>,
    pub(super) serials: BTreeSet<VarId>,
    /// Variables that packets carry.
    pub(super) carried: BTreeSet<VarId>,
    /// By handler: the clock at the end of its block; what its `exit`, `fail` and `assert` depend
    /// on.
    handler_clock: Vec<Tag>,
    handler_end: Vec<Tag>,
    /// By loop: what its stops depend on; the clock at the end of its body.
    stops: BTreeMap<Span, Tag>,
    loop_clock: BTreeMap<Span, Tag>,
    /// By driven block: what its `close` and `abort` depend on.
    closes: Vec<Tag>,
    /// Patterns of matched packets; sent packets that went into a stream.
    pub(super) patterns: BTreeMap<VarId, &'p Pattern>,
    streams: BTreeMap<VarId, bool>,
    /// Packets of `on out`: segments of our own.
    pub(super) own: BTreeSet<VarId>,
    changed: bool,
    /// Whether some time is computed, and may lie anywhere.
    pub(super) times_computed: bool,
    /// Whether some pattern takes messages from a stream: how many bytes are left then is in bytes
    /// of the peer.
    pub(super) messages: bool,
    /// Which fields of own packets peers choose.
    pub(super) peers: PeerChoices,
    worklist: worklist::Worklist<'p>,
}

impl<'p> Pass<'p> {
    pub(super) fn new(
        program: &'p Program,
        mode: ExfiltrationMode,
        certainty: SendCertainty,
        off: Option<FlowRule>,
    ) -> Pass<'p> {
        let clean = |n: u32| vec![Tag::clean(); n as usize];
        Pass {
            program,
            mode,
            certainty,
            off,
            known: range::of_constants(program),
            vars: vec![LabelPair::default(); program.variables.len()],
            labels: vec![Label::Clean; program.expressions as usize],
            sites: vec![SiteLabels::default(); program.sites as usize],
            reports: Vec::new(),
            clock: Tag::clean(),
            failing: None,
            lacking: None,
            growing: Tag::clean(),
            chosen: ChosenBytes::Nothing,
            heads: vec![ChosenBytes::Nothing; program.stacks.len()],
            decided: BTreeSet::new(),
            ending: Tag::clean(),
            prices: Vec::new(),
            within: Span::default(),
            assignments: price::assignments(program),
            definitions: BTreeMap::new(),
            serials: answers::serials(program),
            carried: answers::carried(program),
            handler_clock: clean(program.handlers),
            handler_end: clean(program.handlers),
            stops: BTreeMap::new(),
            loop_clock: BTreeMap::new(),
            closes: clean(program.stacks.len() as u32),
            patterns: BTreeMap::new(),
            streams: BTreeMap::new(),
            own: BTreeSet::new(),
            changed: false,
            times_computed: false,
            messages: false,
            peers: PeerChoices::of(program),
            worklist: worklist::Worklist::default(),
        }
    }

    /// Walks the program once; tells whether anything rose.
    pub(super) fn round(&mut self) -> bool {
        self.changed = false;
        self.clock = Tag::clean();
        self.reports.clear();
        self.block(&self.program.body, &LabelContext::default());
        if self.changed {
            self.settle();
        }
        self.changed
    }

    pub(super) fn finish(self) -> Labels {
        Labels {
            expressions: self.labels,
            variables: self.vars.iter().map(|pair| pair.all().label).collect(),
            sites: self.sites,
            reports: self.reports,
            prices: self.prices,
            end: self.ending.join(&self.clock).label,
            decided: self.decided,
            early_end: self.off != Some(FlowRule::EndHasPrice),
        }
    }

    pub(super) fn on(&self, rule: FlowRule) -> bool {
        self.off != Some(rule)
    }

    pub(super) fn variable(&self, var: VarId) -> LabelPair {
        self.vars[var.0 as usize].clone()
    }

    pub(super) fn note_expression(&mut self, id: ExprId, label: Label) {
        let held = &mut self.labels[id.0 as usize];
        self.changed |= label > *held;
        *held = label.max(*held);
    }

    /// A time moved by a duration may lie anywhere: from then on distances of times may not fit.
    pub(super) fn computes_time(&mut self) {
        self.changed |= !self.times_computed;
        self.times_computed = true;
    }

    pub(super) fn may_fail(&mut self, tag: &Tag) {
        let mut failing = self.failing.take().unwrap_or_default();
        failing.raise(tag);
        self.failing = Some(failing);
    }

    /// What decides whether this statement has its effect at all: its own operations, which may
    /// fail first.
    fn may_be_skipped(&self, span: Span) -> Tag {
        let growing = self
            .growing
            .step(span, "this has no effect if a value in it grows too large");
        match &self.failing {
            Some(failing) if self.on(FlowRule::FailureRaisesPc) => failing
                .step(span, "this has no effect if an operation in it fails")
                .join(&growing),
            _ => growing,
        }
    }

    pub(super) fn is_stream(&self, packet: VarId) -> bool {
        self.streams.get(&packet).copied().unwrap_or(false)
    }

    /// The clock where a statement is: a handler runs at the time of a packet.
    pub(super) fn clock_at(&self, place: &LabelContext) -> Tag {
        match place.handler {
            Some(handler) => Tag::source(
                Label::Event,
                place.block,
                "a handler runs when a packet arrives",
            )
            .join(&self.handler_clock[handler.0 as usize]),
            None => self.clock.clone(),
        }
    }

    /// The clock of the main program rises; handlers take no time.
    pub(super) fn clock_rises(&mut self, tag: &Tag, place: &LabelContext) {
        if place.handler.is_none() {
            self.clock.raise(tag);
        }
    }

    /// Statements in order: an operation that may fail decides over the rest of its block.
    fn block(&mut self, block: &'p Block, place: &LabelContext) -> Ended {
        let mut place = LabelContext {
            block: block.span,
            ..place.clone()
        };
        let mut failed: Option<Tag> = None;
        let mut handlers = Vec::new();
        let around = (std::mem::take(&mut self.growing), self.within);
        for statement in &block.statements {
            self.failing = None;
            self.growing = Tag::clean();
            self.within = statement.span;
            if place.pc.label == Label::Content {
                self.decided.insert(statement.span);
            }
            self.worklist.meet(statement, &place, &self.clock);
            let inner = self.statement(statement, &place, &mut handlers);
            if self.growing.label > Label::Clean {
                self.ending.raise(&self.growing.join(&place.pc));
            }
            for tag in [self.failing.take(), inner].into_iter().flatten() {
                let tag = tag
                    .step(
                        statement.span,
                        "the rest of the block is skipped if this fails",
                    )
                    .join(&place.pc);
                if self.on(FlowRule::FailureRaisesPc) {
                    place.pc.raise(&tag);
                }
                failed = Some(failed.unwrap_or_default().join(&tag));
            }
        }
        if !place.in_try {
            self.ending.raise(&failed.clone().unwrap_or_default());
        }
        (self.growing, self.within) = around;
        self.linger(&handlers, &place);
        Ended {
            pc: place.pc,
            failed,
        }
    }

    /// Handlers end with their block; its linger is skipped when it failed.
    fn linger(&mut self, handlers: &[Held], place: &LabelContext) {
        for Held {
            handler,
            linger,
            counts,
        } in handlers
        {
            if let Some(linger) = linger
                && self.on(FlowRule::LingerTakesFailure)
            {
                self.clock_rises(&place.pc.join(linger), place);
            }
            if linger.is_some() && *counts {
                self.clock_rises(
                    &Tag::source(
                        Label::Event,
                        place.block,
                        "the linger ends when its handler has run `count` times",
                    ),
                    place,
                );
            }
            let life = self.clock.join(&place.pc);
            self.changed |= self.handler_clock[handler.0 as usize].raise(&life);
        }
    }

    /// What a nested block left matters here only inside a `try`, which its failures end as a
    /// whole.
    fn escaping(&self, ended: Ended, place: &LabelContext) -> Option<Tag> {
        if place.in_try { ended.failed } else { None }
    }
}

fn join_options(a: Option<Tag>, b: Option<Tag>) -> Option<Tag> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(&b)),
        (a, b) => a.or(b),
    }
}

fn is_tcp(layer: &StackLayer) -> bool {
    matches!(layer, StackLayer::Driven(driven) if driven.kind == DrivenKind::Tcp)
}

fn is_session(layer: &StackLayer) -> bool {
    matches!(layer, StackLayer::Driven(driven) if driven.kind.is_session())
}

fn conditions(element: &Element) -> Option<&Vec<Vec<FieldTest>>> {
    match element {
        Element::Layer { conditions, .. } | Element::Driven { conditions, .. } => Some(conditions),
        Element::Any | Element::End => None,
    }
}
