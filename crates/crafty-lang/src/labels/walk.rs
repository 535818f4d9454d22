//! The walk over the statements: pc, clock, variables, sends. One round reads what the round before
//! found about things that lie ahead in the text (stops, handlers, ends of blocks); rounds go on
//! until nothing rises.

mod arms;
mod loops;
mod stacks;
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

/// Where a statement stands.
#[derive(Clone, Default)]
pub(super) struct LabelContext {
    /// What decided that we are here.
    pub pc: Tag,
    /// The handler that it is part of.
    pub handler: Option<HandlerId>,
    /// Whether a `try` around it (in the same handler or main line) takes its errors.
    pub in_try: bool,
    /// The packet under test, in a `where`.
    pub filtered: Option<VarId>,
    /// The driven blocks around it, innermost last.
    pub stacks: Vec<StackId>,
    /// The loops around it, innermost last, by place in the text.
    pub loops: Vec<Span>,
    /// The block that it stands in.
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
    /// The clock of the main line.
    clock: Tag,
    pub(super) failing: Option<Tag>,
    /// In a value that is only told: what decides whether a packet lacks what it reads.
    pub(super) lacking: Option<Tag>,
    /// What the sizes of values depend on that this statement makes and that may be too large.
    pub(super) growing: Tag,
    /// How much of the frame that is judged next events choose.
    chosen: ChosenBytes,
    /// Places at which content becomes an event; the statement or block at hand; how often each
    /// variable is assigned.
    pub(super) prices: Vec<Price>,
    pub(super) within: Span,
    pub(super) assignments: Vec<u8>,
    /// Where variables are set from; those that only count.
    pub(super) definitions: BTreeMap<VarId, &'p Expr>,
    pub(super) serials: BTreeSet<VarId>,
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
    /// Whether some pattern takes messages from a stream: how many bytes are left then stands in
    /// bytes of the peer.
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
            prices: Vec::new(),
            within: Span::default(),
            assignments: price::assignments(program),
            definitions: BTreeMap::new(),
            serials: answers::serials(program),
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

    /// The clock where a statement stands: a handler runs at the time of a packet.
    pub(super) fn clock_at(&self, place: &LabelContext) -> Tag {
        match place.handler {
            Some(handler) => Tag::source(
                Label::Event,
                place.block,
                "a handler runs when a packet comes",
            )
            .join(&self.handler_clock[handler.0 as usize]),
            None => self.clock.clone(),
        }
    }

    /// The clock of the main line rises; handlers take no time.
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
            self.worklist.meet(statement, &place, &self.clock);
            let inner = self.statement(statement, &place, &mut handlers);
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
                        "the linger ends when its handler has had its matches",
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

    fn statement(
        &mut self,
        statement: &'p Statement,
        place: &LabelContext,
        handlers: &mut Vec<Held>,
    ) -> Option<Tag> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Set { var, value } => {
                self.definitions.insert(*var, value);
                self.set(*var, value, span, place);
            }
            StatementKind::Update {
                var,
                path,
                op,
                value,
            } => self.update(*var, path, *op, value, span, place),
            StatementKind::Send { send, into } => self.send(send, *into, place),
            StatementKind::Open {
                stack,
                body,
                otherwise,
            } => return self.open(*stack, body, otherwise.as_ref(), place),
            StatementKind::If { arms, otherwise } => {
                return self.branch(arms, otherwise.as_ref(), place);
            }
            StatementKind::Foreach {
                var,
                second,
                over,
                pace,
                body,
            } => return self.foreach((*var, *second), over, pace, body, span, place),
            StatementKind::Repeat {
                count,
                counter,
                pace,
                body,
            } => return self.repeat(count.as_ref(), *counter, pace, body, span, place),
            StatementKind::Wait(duration) => self.wait(duration, place),
            StatementKind::On {
                handler,
                linger,
                count,
                arm,
                body,
            } => {
                let linger = linger.as_ref().map(|e| self.all(e, place));
                self.handler(*handler, count.as_ref(), arm, body, place);
                handlers.push(Held {
                    handler: *handler,
                    linger,
                    counts: count.is_some(),
                });
            }
            StatementKind::Out(out) => self.out(out, span, place, handlers),
            StatementKind::Release(site) => self.release(*site, span, place),
            StatementKind::Expect {
                timeout,
                arms,
                otherwise,
            } => return self.expect(timeout, arms, otherwise.as_ref(), span, place),
            StatementKind::Try {
                body,
                error,
                otherwise,
            } => return self.attempt(body, *error, otherwise, place),
            StatementKind::Stop => self.stop(span, place),
            StatementKind::Exit => self.ends(&Tag::clean(), span, place),
            StatementKind::Close(stack) | StatementKind::Abort(stack) => {
                self.close(*stack, span, place)
            }
            StatementKind::Fail(why) => {
                self.all(why, place);
                self.ends(&Tag::clean(), span, place);
            }
            StatementKind::Print(value) => self.says(value, place),
            StatementKind::Record { value, labels, .. } => {
                self.told(value, place);
                labels.iter().for_each(|(_, e)| drop(self.told(e, place)));
            }
            StatementKind::Assert(condition, message) => {
                let tag = self.all(condition, place);
                message.iter().for_each(|m| drop(self.all(m, place)));
                self.ends(&tag, span, place);
            }
        }
        None
    }

    fn set(&mut self, var: VarId, value: &Expr, span: Span, place: &LabelContext) {
        let pair = self.value(value, place);
        self.assign(var, pair, span, place, FlowRule::AssignTakesPc);
    }

    /// Raises a variable by what it is given and by the pc; a step is added to the way.
    fn assign(
        &mut self,
        var: VarId,
        pair: LabelPair,
        span: Span,
        place: &LabelContext,
        rule: FlowRule,
    ) {
        let pc = if self.on(rule) {
            place.pc.step(span, "assigned only under this condition")
        } else {
            Tag::clean()
        };
        let name = &self.program.variables[var.0 as usize].name;
        let skipped = self.may_be_skipped(span);
        let structure = pair
            .structure
            .step(span, format!("`{name}` takes its size from it"))
            .join(&pc)
            .join(&skipped);
        let content = pair
            .content
            .step(span, format!("`{name}` is set from it"))
            .join(&pc)
            .join(&skipped);
        let held = &mut self.vars[var.0 as usize];
        if held.structure.raise(&structure) | held.content.raise(&content) {
            self.changed = true;
            self.worklist.rose(var);
        }
    }

    fn update(
        &mut self,
        var: VarId,
        path: &[Expr],
        op: AssignOp,
        value: &Expr,
        span: Span,
        place: &LabelContext,
    ) {
        let given = self.value(value, place);
        let mut keys = Tag::clean();
        for key in path {
            keys = keys.join(&self.all(key, place));
        }
        let keys_told = if self.on(FlowRule::KeyTellsStructure) {
            keys.clone()
        } else {
            Tag::clean()
        };
        let old = self.variable(var);
        let ty = &self.program.variables[var.0 as usize].ty;
        if op != AssignOp::Set && *leaf(ty, path.len()) == Type::Time {
            self.computes_time();
        }
        if is_indexed(ty, path.len()) {
            let of = if path.len() > 1 {
                old.all()
            } else {
                old.structure.clone()
            };
            self.may_fail(&of.join(&keys));
        }
        if op != AssignOp::Set
            && !matches!(value.ty, Type::Str | Type::Bytes | Type::Flags(_))
            && !grows(ty, path.len())
        {
            self.may_fail(&given.all().join(&old.all()).join(&keys));
        }
        // A write over a variable's cap is not made: whether it was depends on how large the parts
        // are.
        let structure = if path.is_empty() {
            given.structure.clone()
        } else {
            keys_told.join(&given.structure)
        };
        let pair = LabelPair {
            structure,
            content: given.all().join(&keys_told),
        };
        self.assign(
            var,
            pair,
            span,
            place,
            if path.is_empty() {
                FlowRule::AssignTakesPc
            } else {
                FlowRule::ContainerTakesPc
            },
        );
    }

    fn branch(
        &mut self,
        arms: &'p [(Expr, Block)],
        otherwise: Option<&'p Block>,
        place: &LabelContext,
    ) -> Option<Tag> {
        let mut inner = place.clone();
        let before = self.clock.clone();
        let mut after = before.clone();
        let mut escaped = None;
        for (condition, _) in arms {
            let earlier = inner.pc.clone();
            let tag = self
                .value_if(&earlier, condition, place)
                .all()
                .step(condition.span, "a branch depends on it");
            if self.on(FlowRule::BranchRaisesPc) {
                inner.pc.raise(&tag);
            }
        }
        inner.pc.raise(
            &self.may_be_skipped(
                arms.first()
                    .map_or(place.block, |(condition, _)| condition.span),
            ),
        );
        // What the conditions may fail with belongs to this statement, not to the branches.
        let failing = self.failing.take();
        for block in arms.iter().map(|(_, block)| block).chain(otherwise) {
            self.clock = before.clone();
            let ended = self.block(block, &inner);
            escaped = join_options(escaped, self.escaping(ended, place));
            after.raise(&self.clock.clone());
        }
        self.clock = after;
        self.failing = failing;
        escaped
    }

    /// `fail`, `exit`, `assert`: all that comes after depends on whether they did.
    fn ends(&mut self, tag: &Tag, span: Span, place: &LabelContext) {
        if !self.on(FlowRule::EndRaisesClock) {
            return;
        }
        let tag = tag
            .join(&place.pc)
            .step(span, "the program ends under this condition");
        match place.handler {
            Some(handler) => self.changed |= self.handler_end[handler.0 as usize].raise(&tag),
            None => self.clock_rises(&tag, place),
        }
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

/// The type of what a path leads to.
fn leaf(ty: &Type, keys: usize) -> &Type {
    match ty {
        Type::Array(item) | Type::Map(_, item) if keys > 0 => leaf(item, keys - 1),
        _ => ty,
    }
}

/// Whether a path leads through an array, whose index may be wrong; maps take any key.
fn is_indexed(ty: &Type, keys: usize) -> bool {
    let mut ty = ty;
    for _ in 0..keys {
        ty = match ty {
            Type::Map(_, item) => item,
            _ => return true,
        };
    }
    false
}

/// Whether `+=` appends to a container, which cannot fail.
fn grows(ty: &Type, keys: usize) -> bool {
    let mut ty = ty;
    for _ in 0..keys {
        ty = match ty {
            Type::Array(item) | Type::Map(_, item) => item,
            _ => return false,
        };
    }
    matches!(ty, Type::Array(_))
}
