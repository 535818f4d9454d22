//! The walk over the statements: pc, clock, variables, sends. One round reads what the round before found about things that lie
//! ahead in the text (stops, handlers, ends of blocks); rounds go on until nothing rises.

use super::tag::{Pair, Tag};
use super::{Labels, Rule, SiteLabels, allowed, range, site_mut};
use crate::diagnostic::Report;
use crate::ir::*;
use crafty_policy::Mode;
use std::collections::BTreeMap;

/// Where a statement stands.
#[derive(Clone, Default)]
pub(super) struct Place {
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
    /// Labels of lingers that hold the end of the block.
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

pub(super) struct Pass<'p> {
    pub(super) program: &'p Program,
    mode: Mode,
    off: Option<Rule>,
    pub(super) known: range::Known,
    vars: Vec<Pair>,
    labels: Vec<Label>,
    sites: Vec<SiteLabels>,
    pub(super) reports: Vec<Report>,
    /// The clock of the main line.
    clock: Tag,
    failing: Option<Tag>,
    /// By handler: the clock at the end of its block; what its `exit`, `fail` and `assert` depend on.
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
    changed: bool,
}

impl<'p> Pass<'p> {
    pub(super) fn new(program: &'p Program, mode: Mode, off: Option<Rule>) -> Pass<'p> {
        let clean = |n: u32| vec![Tag::clean(); n as usize];
        Pass {
            program,
            mode,
            off,
            known: range::of_constants(program),
            vars: vec![Pair::default(); program.variables.len()],
            labels: vec![Label::Clean; program.expressions as usize],
            sites: vec![SiteLabels::default(); program.sites as usize],
            reports: Vec::new(),
            clock: Tag::clean(),
            failing: None,
            handler_clock: clean(program.handlers),
            handler_end: clean(program.handlers),
            stops: BTreeMap::new(),
            loop_clock: BTreeMap::new(),
            closes: clean(program.stacks.len() as u32),
            patterns: BTreeMap::new(),
            streams: BTreeMap::new(),
            changed: false,
        }
    }

    /// Walks the program once; tells whether anything rose.
    pub(super) fn round(&mut self) -> bool {
        self.changed = false;
        self.clock = Tag::clean();
        self.reports.clear();
        self.block(&self.program.body, &Place::default());
        self.changed
    }

    pub(super) fn finish(self) -> Labels {
        Labels { expressions: self.labels, sites: self.sites, reports: self.reports }
    }

    pub(super) fn on(&self, rule: Rule) -> bool {
        self.off != Some(rule)
    }

    pub(super) fn variable(&self, var: VarId) -> Pair {
        self.vars[var.0 as usize].clone()
    }

    pub(super) fn note_expression(&mut self, id: ExprId, label: Label) {
        let held = &mut self.labels[id.0 as usize];
        self.changed |= label > *held;
        *held = label.max(*held);
    }

    pub(super) fn may_fail(&mut self, tag: &Tag) {
        let mut failing = self.failing.take().unwrap_or_default();
        failing.raise(tag);
        self.failing = Some(failing);
    }

    /// What decides whether this statement has its effect at all: its own operations, which may fail first.
    fn may_be_skipped(&self, span: Span) -> Tag {
        match &self.failing {
            Some(failing) if self.on(Rule::FailureRaisesPc) => failing.step(span, "this has no effect if an operation in it fails"),
            _ => Tag::clean(),
        }
    }

    pub(super) fn is_stream(&self, packet: VarId) -> bool {
        self.streams.get(&packet).copied().unwrap_or(false)
    }

    /// The clock where a statement stands: a handler runs at the time of a packet.
    pub(super) fn clock_at(&self, place: &Place) -> Tag {
        match place.handler {
            Some(handler) => Tag::source(Label::Event, place.block, "a handler runs when a packet comes").join(&self.handler_clock[handler.0 as usize]),
            None => self.clock.clone(),
        }
    }

    /// The clock of the main line rises; handlers take no time.
    pub(super) fn clock_rises(&mut self, tag: &Tag, place: &Place) {
        if place.handler.is_none() {
            self.clock.raise(tag);
        }
    }

    /// Statements in order: an operation that may fail decides over the rest of its block.
    fn block(&mut self, block: &'p Block, place: &Place) -> Ended {
        let mut place = Place { block: block.span, ..place.clone() };
        let mut failed: Option<Tag> = None;
        let mut handlers = Vec::new();
        for statement in &block.statements {
            self.failing = None;
            let inner = self.statement(statement, &place, &mut handlers);
            for tag in [self.failing.take(), inner].into_iter().flatten() {
                let tag = tag.step(statement.span, "the rest of the block is skipped if this fails").join(&place.pc);
                if self.on(Rule::FailureRaisesPc) {
                    place.pc.raise(&tag);
                }
                failed = Some(failed.unwrap_or_default().join(&tag));
            }
        }
        self.linger(&handlers, &place);
        Ended { pc: place.pc, failed }
    }

    /// Handlers end with their block; its linger is skipped when it failed.
    fn linger(&mut self, handlers: &[(HandlerId, bool, bool)], place: &Place) {
        for (handler, lingers, counts) in handlers {
            if *lingers && self.on(Rule::LingerTakesFailure) {
                self.clock_rises(&place.pc, place);
            }
            if *lingers && *counts {
                self.clock_rises(&Tag::source(Label::Event, place.block, "the linger ends when its handler has had its matches"), place);
            }
            let life = self.clock.join(&place.pc);
            self.changed |= self.handler_clock[handler.0 as usize].raise(&life);
        }
    }

    /// What a nested block left matters here only inside a `try`, which its failures end as a whole.
    fn escaping(&self, ended: Ended, place: &Place) -> Option<Tag> {
        if place.in_try { ended.failed } else { None }
    }

    fn statement(&mut self, statement: &'p Statement, place: &Place, handlers: &mut Vec<(HandlerId, bool, bool)>) -> Option<Tag> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Set { var, value } => self.set(*var, value, span, place),
            StatementKind::Update { var, path, op, value } => self.update(*var, path, *op, value, span, place),
            StatementKind::Send { send, into } => self.send(send, *into, place),
            StatementKind::Open { stack, body, otherwise } => return self.open(*stack, body, otherwise.as_ref(), place),
            StatementKind::If { arms, otherwise } => return self.branch(arms, otherwise.as_ref(), place),
            StatementKind::Foreach { var, over, pace, body } => return self.foreach(*var, over, pace, body, span, place),
            StatementKind::Repeat { count, counter, pace, body } => return self.repeat(count.as_ref(), *counter, pace, body, span, place),
            StatementKind::Wait(duration) => self.wait(duration, place),
            StatementKind::On { handler, linger, count, arm, body } => {
                self.handler(*handler, [linger.as_ref(), count.as_ref()], arm, body, place);
                handlers.push((*handler, linger.is_some(), count.is_some()));
            }
            StatementKind::Expect { timeout, arms, otherwise } => return self.expect(timeout, arms, otherwise.as_ref(), span, place),
            StatementKind::Try { body, error, otherwise } => return self.attempt(body, *error, otherwise, place),
            StatementKind::Stop => self.stop(span, place),
            StatementKind::Exit => self.ends(&Tag::clean(), span, place),
            StatementKind::Close(stack) | StatementKind::Abort(stack) => self.close(*stack, span, place),
            StatementKind::Fail(why) => {
                self.all(why, place);
                self.ends(&Tag::clean(), span, place);
            }
            StatementKind::Print(value) => {
                self.all(value, place);
            }
            StatementKind::Record { value, labels, .. } => {
                self.all(value, place);
                labels.iter().for_each(|(_, e)| drop(self.all(e, place)));
            }
            StatementKind::Assert(condition, message) => {
                let tag = self.all(condition, place);
                message.iter().for_each(|m| drop(self.all(m, place)));
                self.ends(&tag, span, place);
            }
        }
        None
    }

    fn set(&mut self, var: VarId, value: &Expr, span: Span, place: &Place) {
        let pair = self.value(value, place);
        self.assign(var, pair, span, place, Rule::AssignTakesPc);
    }

    /// Raises a variable by what it is given and by the pc; a step is added to the way.
    fn assign(&mut self, var: VarId, pair: Pair, span: Span, place: &Place, rule: Rule) {
        let pc = if self.on(rule) { place.pc.step(span, "assigned only under this condition") } else { Tag::clean() };
        let name = &self.program.variables[var.0 as usize].name;
        let skipped = self.may_be_skipped(span);
        let structure = pair.structure.step(span, format!("`{name}` takes its size from it")).join(&pc).join(&skipped);
        let content = pair.content.step(span, format!("`{name}` is set from it")).join(&pc).join(&skipped);
        let held = &mut self.vars[var.0 as usize];
        self.changed |= held.structure.raise(&structure);
        self.changed |= held.content.raise(&content);
    }

    fn update(&mut self, var: VarId, path: &[Expr], op: AssignOp, value: &Expr, span: Span, place: &Place) {
        let given = self.value(value, place);
        let mut keys = Tag::clean();
        for key in path {
            keys = keys.join(&self.all(key, place));
        }
        let keys_told = if self.on(Rule::KeyTellsStructure) { keys.clone() } else { Tag::clean() };
        let old = self.variable(var);
        let ty = &self.program.variables[var.0 as usize].ty;
        if !path.is_empty() && !matches!(ty, Type::Map(..)) {
            self.may_fail(&old.structure.join(&keys));
        }
        if op != AssignOp::Set && !matches!(value.ty, Type::Str | Type::Bytes | Type::Flags(_)) && !grows(ty, path.len()) {
            self.may_fail(&given.all().join(&old.all()).join(&keys));
        }
        let structure = if path.is_empty() { given.structure.clone() } else { keys_told.clone() };
        let pair = Pair { structure, content: given.all().join(&keys_told) };
        self.assign(var, pair, span, place, if path.is_empty() { Rule::AssignTakesPc } else { Rule::ContainerTakesPc });
    }

    fn send(&mut self, send: &'p Send, into: Option<VarId>, place: &Place) {
        let mut content = Tag::clean();
        for literal in &send.layers {
            content = content.join(&self.literal(literal, place));
        }
        self.may_fail(&content);
        self.judge(send.site, &content, send.span, place);
        if let Some(var) = into {
            let stream = self.goes_into_stream(send);
            self.streams.insert(var, stream);
            self.assign(var, Pair::both(content), send.span, place, Rule::AssignTakesPc);
        }
    }

    /// What a literal layer shows of values: all of its fields, lengths included.
    fn literal(&mut self, literal: &'p Literal, place: &Place) -> Tag {
        let mut content = Tag::clean();
        for (_, value) in &literal.fields {
            content = content.join(&self.field_value(value, place));
        }
        content
    }

    fn field_value(&mut self, value: &'p FieldValue, place: &Place) -> Tag {
        match value {
            FieldValue::Value(expr) => self.all(expr, place),
            FieldValue::Auto(None, _) => Tag::clean(),
            FieldValue::Auto(Some(offset), span) => {
                let tag = self.all(offset, place);
                if tag.label > Label::Clean && self.mode != Mode::True {
                    self.report_auto(&tag, *span);
                }
                tag
            }
            FieldValue::Options(options, _) => {
                let mut tag = Tag::clean();
                for expr in options.iter().flat_map(|o| &o.args) {
                    tag = tag.join(&self.all(expr, place));
                }
                tag
            }
        }
    }

    /// Whether a send may leave: its content and its guard against the mode.
    fn judge(&mut self, site: SiteId, content: &Tag, span: Span, place: &Place) {
        let pc = if self.on(Rule::SendTakesPc) { place.pc.join(&self.may_be_skipped(span)) } else { Tag::clean() };
        let guard = if place.handler.is_some() { pc } else { pc.join(&self.clock) };
        let held = site_mut(&mut self.sites, site);
        held.content = held.content.max(content.label);
        held.guard = held.guard.max(guard.label);
        held.in_handler |= place.handler.is_some();
        held.span = span;
        let most = allowed(self.mode);
        if content.label > most {
            self.report_content(content, span);
        } else if guard.label > most {
            self.report_guard(&guard, span);
        }
    }

    fn goes_into_stream(&self, send: &Send) -> bool {
        match send.onto {
            Onto::Above(stack, at) => self.driven_at(stack, at) == Some(DrivenKind::Tcp),
            _ => false,
        }
    }

    /// The driven layer at a place of a stack, its parents' layers counted first.
    fn driven_at(&self, stack: StackId, at: usize) -> Option<DrivenKind> {
        match self.layers(stack).get(at) {
            Some(StackLayer::Driven(driven)) => Some(driven.kind),
            _ => None,
        }
    }

    fn layers(&self, stack: StackId) -> Vec<&'p StackLayer> {
        let info = &self.program.stacks[stack.0 as usize];
        let mut layers = info.parent.map_or_else(Vec::new, |parent| self.layers(parent));
        layers.extend(&info.layers);
        layers
    }

    fn open(&mut self, stack: StackId, body: &'p Block, otherwise: Option<&'p (Option<VarId>, Block)>, place: &Place) -> Option<Tag> {
        let info = &self.program.stacks[stack.0 as usize];
        let content = self.opening(info, place);
        let waits = info.layers.iter().any(is_tcp);
        let known = content.1;
        let mut inner = place.clone();
        inner.stacks.push(stack);
        inner.pc.raise(&self.may_be_skipped(info.span));
        if waits || !known {
            self.judge(info.site, &content.0, info.span, place);
            let opened = Tag::source(Label::Event, info.span, "the stack opens when the peer answers");
            self.clock_rises(&opened, place);
            inner.pc.raise(&opened);
        }
        inner.pc.raise(&self.closes[stack.0 as usize].clone());
        let failing = self.failing.take();
        let ended = self.block(body, &inner);
        self.closing(info, &ended, place);
        let failed_open = self.recover(info.span, otherwise, &inner);
        self.failing = failing;
        let escaped = self.escaping(ended, place);
        join_options(escaped, failed_open)
    }

    /// `else e` of a stack: it runs because of what the network did.
    fn recover(&mut self, span: Span, otherwise: Option<&'p (Option<VarId>, Block)>, place: &Place) -> Option<Tag> {
        let (error, block) = otherwise?;
        let mut inner = place.clone();
        inner.pc.raise(&Tag::source(Label::Event, span, "the stack could not open or broke"));
        if let Some(var) = error {
            self.assign(*var, Pair::default(), span, &inner, Rule::AssignTakesPc);
        }
        let ended = self.block(block, &inner);
        self.escaping(ended, place)
    }

    /// What the opening shows, and whether all of it is known before the start.
    fn opening(&mut self, info: &'p StackInfo, place: &Place) -> (Tag, bool) {
        let (mut content, mut known) = (Tag::clean(), true);
        for layer in &info.layers {
            match layer {
                StackLayer::Literal(literal) => content = content.join(&self.literal(literal, place)),
                StackLayer::Driven(driven) => {
                    for (option, value) in &driven.options {
                        let tag = self.field_value(value, place);
                        known &= self.known_before_start(value) || !matches!(option.name, "dst" | "src");
                        content = if option.on_wire { content.join(&tag) } else { content };
                    }
                }
            }
        }
        (content, known)
    }

    fn known_before_start(&self, value: &FieldValue) -> bool {
        match value {
            FieldValue::Value(expr) => self.expr_known(expr),
            _ => false,
        }
    }

    fn expr_known(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Var(var) => range::is_known_before_start(self.program, *var),
            ExprKind::Binary(_, a, b) | ExprKind::At(a, b) => self.expr_known(a) && self.expr_known(b),
            ExprKind::Call { args, .. } => args.iter().all(|a| self.expr_known(a)),
            _ => false,
        }
    }

    /// FIN or RST shows whether an error happened.
    fn closing(&mut self, info: &'p StackInfo, ended: &Ended, place: &Place) {
        if !info.layers.iter().any(is_tcp) {
            return;
        }
        if self.on(Rule::CloseIsSend) {
            let end = Place { pc: ended.pc.clone(), ..place.clone() };
            self.judge(info.site, &Tag::clean(), info.span, &end);
        }
        self.clock_rises(&Tag::source(Label::Event, info.span, "closing waits for the peer"), place);
    }

    fn close(&mut self, stack: StackId, span: Span, place: &Place) {
        let info = &self.program.stacks[stack.0 as usize];
        self.judge(info.site, &Tag::clean(), span, place);
        let pc = place.pc.step(span, "the stack is closed under this condition");
        self.changed |= self.closes[stack.0 as usize].raise(&pc);
        self.clock_rises(&pc, place);
    }

    fn branch(&mut self, arms: &'p [(Expr, Block)], otherwise: Option<&'p Block>, place: &Place) -> Option<Tag> {
        let mut inner = place.clone();
        let before = self.clock.clone();
        let mut after = before.clone();
        let mut escaped = None;
        for (condition, _) in arms {
            let tag = self.all(condition, place).step(condition.span, "a branch depends on it");
            if self.on(Rule::BranchRaisesPc) {
                inner.pc.raise(&tag);
            }
        }
        inner.pc.raise(&self.may_be_skipped(arms.first().map_or(place.block, |(condition, _)| condition.span)));
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

    fn foreach(&mut self, var: VarId, over: &'p Over, pace: &'p Pace, body: &'p Block, span: Span, place: &Place) -> Option<Tag> {
        let (count, item) = match over {
            Over::Range(low, high) => {
                if let Some(range) = range::of_loop(low, high, &self.known) {
                    self.known.insert(var, range);
                }
                let ends = self.all(low, place).join(&self.all(high, place));
                (ends.clone(), Pair::scalar(ends))
            }
            Over::Value(value) => {
                let pair = self.value(value, place);
                let item = if matches!(value.ty, Type::Map(..)) { pair.structure.clone() } else { pair.all() };
                (pair.structure, Pair::both(item))
            }
        };
        self.assign(var, item, span, place, Rule::AssignTakesPc);
        self.looped(count, pace, body, span, place)
    }

    fn repeat(&mut self, count: Option<&'p Expr>, counter: Option<VarId>, pace: &'p Pace, body: &'p Block, span: Span, place: &Place) -> Option<Tag> {
        let times = count.map_or_else(Tag::clean, |e| self.all(e, place));
        if let Some(var) = counter {
            let inner = Place { pc: place.pc.join(&times), ..place.clone() };
            self.assign(var, Pair::default(), span, &inner, Rule::AssignTakesPc);
            if let Some((_, high)) = count.and_then(|e| range::of(e, &self.known)) {
                self.known.insert(var, (1, high.max(1)));
            }
        }
        self.looped(times, pace, body, span, place)
    }

    /// A loop: how often it runs, its pauses, its stops. The clock at its head is that before it or that at its end.
    fn looped(&mut self, count: Tag, pace: &'p Pace, body: &'p Block, span: Span, place: &Place) -> Option<Tag> {
        let mut inner = place.clone();
        inner.loops.push(span);
        let count = count.step(span, "the number of rounds depends on it");
        if self.on(Rule::CountRaisesPc) {
            inner.pc.raise(&count);
        }
        let pause = pace.every.as_ref().map(|e| self.all(e, place));
        let limit = pace.span.as_ref().map(|e| self.all(e, place));
        let until = pace.until.as_ref().map(|e| self.all(e, place).step(e.span, "the loop ends on it"));
        inner.pc.raise(&until.unwrap_or_default());
        let stops = self.stops.get(&span).cloned().unwrap_or_default();
        inner.pc.raise(&stops);
        inner.pc.raise(&self.may_be_skipped(span));
        let failing = self.failing.take();
        let at_end = self.loop_clock.get(&span).cloned().unwrap_or_default();
        self.clock_rises(&at_end, place);
        if let Some(limit) = limit {
            inner.pc.raise(&limit);
            inner.pc.raise(&self.clock.clone());
        }
        let ended = self.block(body, &inner);
        if let Some(pause) = pause
            && self.on(Rule::WaitRaisesClock)
        {
            self.clock_rises(&ended.pc, place);
            self.clock_rises(&pause, place);
        }
        if self.on(Rule::StopRaisesLoop) {
            self.clock_rises(&stops, place);
        }
        let clock = self.clock.clone();
        self.changed |= self.loop_clock.entry(span).or_default().raise(&clock);
        self.failing = failing;
        self.escaping(ended, place)
    }

    fn wait(&mut self, duration: &Expr, place: &Place) {
        let tag = self.all(duration, place);
        if self.on(Rule::WaitRaisesClock) {
            let failing = self.failing.clone().unwrap_or_default();
            self.clock_rises(&tag.join(&place.pc).join(&failing), place);
        }
    }

    fn stop(&mut self, span: Span, place: &Place) {
        let Some(of) = place.loops.last() else { return };
        if self.on(Rule::StopRaisesLoop) {
            let pc = place.pc.step(span, "the loop stops under this condition");
            self.changed |= self.stops.entry(*of).or_default().raise(&pc);
        }
    }

    /// `fail`, `exit`, `assert`: all that comes after depends on whether they did.
    fn ends(&mut self, tag: &Tag, span: Span, place: &Place) {
        if !self.on(Rule::EndRaisesClock) {
            return;
        }
        let tag = tag.join(&place.pc).step(span, "the program ends under this condition");
        match place.handler {
            Some(handler) => self.changed |= self.handler_end[handler.0 as usize].raise(&tag),
            None => self.clock_rises(&tag, place),
        }
    }

    fn handler(&mut self, id: HandlerId, options: [Option<&'p Expr>; 2], arm: &'p Arm, body: &'p Block, place: &Place) {
        for option in options.into_iter().flatten() {
            self.all(option, place);
        }
        let ends = self.handler_end[id.0 as usize].clone();
        self.clock_rises(&ends, place);
        self.arm(arm, place);
        let skipped = self.may_be_skipped(arm.span);
        let failing = self.failing.take();
        let mut inner = Place { pc: place.pc.join(&skipped), handler: Some(id), in_try: false, loops: Vec::new(), ..place.clone() };
        if self.on(Rule::HandlerIsEvent) {
            inner.pc.raise(&Tag::source(Label::Event, arm.span, "a handler runs when a packet matches"));
        }
        if self.on(Rule::HandlerTakesClock) {
            inner.pc.raise(&self.handler_clock[id.0 as usize].clone());
        }
        self.block(body, &inner);
        self.failing = failing;
    }

    fn expect(&mut self, timeout: &'p Expr, arms: &'p [(Arm, Block)], otherwise: Option<&'p Block>, span: Span, place: &Place) -> Option<Tag> {
        let limit = self.all(timeout, place);
        arms.iter().for_each(|(arm, _)| self.arm(arm, place));
        let skipped = self.may_be_skipped(span);
        let failing = self.failing.take();
        let waited = Tag::source(Label::Event, span, "this waits for a packet");
        let mut inner = place.clone();
        inner.pc.raise(&waited);
        inner.pc.raise(&skipped);
        if self.on(Rule::ExpectRaisesClock) {
            self.clock_rises(&waited.join(&place.pc).join(&limit).join(&failing.clone().unwrap_or_default()), place);
        }
        let before = self.clock.clone();
        let mut after = before.clone();
        let mut escaped = None;
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

    /// A pattern lowers content to an event because everybody can see what it compares with: that must not be content itself.
    fn arm(&mut self, arm: &'p Arm, place: &Place) {
        self.patterns.insert(arm.packet, &arm.pattern);
        for test in arm.pattern.elements.iter().filter_map(conditions).flatten().flatten() {
            self.operand(test, place);
        }
        if let Some(filter) = &arm.filter {
            let failing = self.failing.take();
            let tag = self.all(filter, &Place { filtered: Some(arm.packet), ..place.clone() });
            self.failing = failing;
            self.pattern_tag(&tag, filter.span);
        }
    }

    fn operand(&mut self, test: &'p Test, place: &Place) {
        let ends = test.slice.iter().flat_map(|(from, to)| [from.as_ref(), to.as_ref()]).flatten();
        let operands = match &test.operand {
            Operand::Value(value) => vec![value],
            Operand::Range(low, high) => vec![low, high],
            Operand::Checksum(_) | Operand::Option(_) => Vec::new(),
        };
        for expr in ends.chain(operands) {
            let tag = self.all(expr, place);
            self.pattern_tag(&tag, expr.span);
        }
    }

    fn pattern_tag(&mut self, tag: &Tag, span: Span) {
        if tag.label > Label::Event && self.mode != Mode::True {
            self.report_pattern(tag, span);
        }
    }

    fn attempt(&mut self, body: &'p Block, error: Option<VarId>, otherwise: &'p Block, place: &Place) -> Option<Tag> {
        let ended = self.block(body, &Place { in_try: true, ..place.clone() });
        let mut inner = place.clone();
        if self.on(Rule::TryElseTakesFailure) {
            inner.pc.raise(&ended.pc);
            inner.pc.raise(&ended.failed.unwrap_or_default());
            // A wait in the body may meet the deadline or a broken stack, which depends on when it began.
            inner.pc.raise(&self.clock.clone());
        }
        if let Some(var) = error {
            self.assign(var, Pair::default(), otherwise.span, &inner, Rule::AssignTakesPc);
        }
        let ended = self.block(otherwise, &inner);
        self.escaping(ended, place)
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

fn conditions(element: &Element) -> Option<&Vec<Vec<Test>>> {
    match element {
        Element::Layer { conditions, .. } | Element::Driven { conditions, .. } => Some(conditions),
        Element::Any | Element::End => None,
    }
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
