//! Loops and waits: how often they run, and how they move the clock.

use super::*;
use crate::eval::MAX_ELEMENTS;

impl<'p> Pass<'p> {
    pub(super) fn foreach(
        &mut self,
        (var, second): (VarId, Option<VarId>),
        over: &'p Over,
        pace: &'p LoopPace,
        body: &'p Block,
        span: Span,
        place: &LabelContext,
    ) -> Option<Tag> {
        let mut first = None;
        let (count, item) = match over {
            Over::Range(low, high) => {
                first = range::of(low, &self.known);
                if let Some(range) = range::of_loop(low, high, &self.known) {
                    self.known.insert(var, range);
                }
                let ends = self.all(low, place).join(&self.all(high, place));
                (ends.clone(), LabelPair::scalar(ends))
            }
            Over::Value(value) => {
                let pair = self.value(value, place);
                let map = matches!(value.ty, Type::Map(..));
                // Which keys there are, and at how many positions, the structure tells.
                let item = if map || second.is_some() {
                    pair.structure.clone()
                } else {
                    pair.all()
                };
                if let Some(second) = second {
                    let held = LabelPair::both(pair.all());
                    self.assign(second, held, span, place, FlowRule::AssignTakesPc);
                    if !map {
                        self.known.insert(var, (0, MAX_ELEMENTS as i128));
                    }
                }
                (pair.structure, LabelPair::both(item))
            }
        };
        self.assign(var, item, span, place, FlowRule::AssignTakesPc);
        let small = !self.on(FlowRule::SerialsAreSmall) || answers::counts_from_small(first);
        if matches!(over, Over::Range(..)) && small {
            self.may_be_serial(var, place);
        }
        self.looped(count, pace, body, span, place)
    }

    pub(super) fn repeat(
        &mut self,
        count: Option<&'p Expr>,
        counter: Option<VarId>,
        pace: &'p LoopPace,
        body: &'p Block,
        span: Span,
        place: &LabelContext,
    ) -> Option<Tag> {
        let times = count.map_or_else(Tag::clean, |e| self.all(e, place));
        if let Some(var) = counter {
            let inner = LabelContext {
                pc: place.pc.join(&times),
                ..place.clone()
            };
            self.assign(
                var,
                LabelPair::default(),
                span,
                &inner,
                FlowRule::AssignTakesPc,
            );
            self.may_be_serial(var, place);
            if let Some((_, high)) = count.and_then(|e| range::of(e, &self.known)) {
                self.known.insert(var, (1, high.max(1)));
            }
        }
        self.looped(times, pace, body, span, place)
    }

    /// The counter of a loop that runs once never comes to the same number again.
    fn may_be_serial(&mut self, var: VarId, place: &LabelContext) {
        if place.loops.is_empty() && place.handler.is_none() {
            self.serials.insert(var);
        }
    }

    /// A loop: how often it runs, its pauses, its stops. The clock at its head is that before it or
    /// that at its end.
    pub(super) fn looped(
        &mut self,
        count: Tag,
        pace: &'p LoopPace,
        body: &'p Block,
        span: Span,
        place: &LabelContext,
    ) -> Option<Tag> {
        let mut inner = place.clone();
        inner.loops.push(span);
        if pace.ended_by == LoopEnd::Stop {
            inner.stopped = Some(span);
        }
        let count = count.step(span, "the number of rounds depends on it");
        if self.on(FlowRule::CountRaisesPc) {
            inner.pc.raise(&count);
        }
        let stops = self.stops.get(&span).cloned().unwrap_or_default();
        // Evaluated in each round that there is.
        let rounds = inner.pc.join(&stops);
        self.within = body.span;
        self.computing_tells(&rounds, body, span, place);
        let pause = pace
            .every
            .as_ref()
            .map(|e| self.value_if(&rounds, e, place).all());
        let limit = pace.span.as_ref().map(|e| self.all(e, place));
        let until = pace.until.as_ref().map(|e| {
            self.value_if(&rounds, e, place)
                .all()
                .step(e.span, "the end of the loop depends on it")
        });
        inner.pc.raise(&until.unwrap_or_default());
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
            && self.on(FlowRule::WaitRaisesClock)
        {
            self.clock_rises(&ended.pc, place);
            self.clock_rises(&pause, place);
        }
        if self.on(FlowRule::StopRaisesLoop) {
            self.clock_rises(&stops, place);
        }
        let clock = self.clock.clone();
        self.changed |= self.loop_clock.entry(span).or_default().raise(&clock);
        self.failing = failing;
        self.escaping(ended, place)
    }

    /// Rounds that content decides over take time, and the clock tells how much: an event. What
    /// only prints stays free. Under `none` the program's time is its schedule.
    fn computing_tells(&mut self, rounds: &Tag, body: &Block, span: Span, place: &LabelContext) {
        let counted = self.mode == ExfiltrationMode::False && self.on(FlowRule::ComputingTells);
        if !counted || rounds.label < Label::Content || only_prints(body) {
            return;
        }
        let took = Tag::source(
            Label::Event,
            span,
            "the time that these rounds take reveals how many there are",
        );
        match place.handler {
            Some(handler) => self.changed |= self.handler_end[handler.0 as usize].raise(&took),
            None => self.clock_rises(&took, place),
        }
    }

    pub(super) fn wait(&mut self, duration: &Expr, place: &LabelContext) {
        let tag = self.all(duration, place);
        if self.on(FlowRule::WaitRaisesClock) {
            let failing = self.failing.clone().unwrap_or_default();
            self.clock_rises(&tag.join(&place.pc).join(&failing), place);
        }
    }

    pub(super) fn stop(&mut self, span: Span, place: &LabelContext) {
        let Some(of) = place.stopped else { return };
        if self.on(FlowRule::StopRaisesLoop) {
            let pc = place.pc.step(span, "the loop stops under this condition");
            self.changed |= self.stops.entry(of).or_default().raise(&pc);
        }
    }
}

/// Whether a block has no effect but print.
fn only_prints(block: &Block) -> bool {
    block
        .statements
        .iter()
        .all(|statement| match &statement.kind {
            StatementKind::Print(_) | StatementKind::Record { .. } => true,
            StatementKind::If { .. }
            | StatementKind::Foreach { .. }
            | StatementKind::Try { .. } => statement.blocks().into_iter().all(only_prints),
            _ => false,
        })
}
