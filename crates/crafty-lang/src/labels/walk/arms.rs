//! Handlers, `expect` and `try`: blocks that run because something happened.

use super::super::price::{Moves, Outcomes, operands};
use super::*;

impl<'p> Pass<'p> {
    pub(super) fn handler(
        &mut self,
        id: HandlerId,
        count: Option<&'p Expr>,
        arm: &'p Arm,
        body: &'p Block,
        place: &LabelContext,
    ) {
        let matches = count;
        let count = count.map_or_else(Tag::clean, |e| {
            self.all(e, place)
                .step(e.span, "the number of matches depends on it")
        });
        let ends = self.handler_end[id.0 as usize].clone();
        self.clock_rises(&ends, place);
        self.arm(arm, place);
        let skipped = self.may_be_skipped(arm.span);
        let failing = self.failing.take();
        let mut inner = LabelContext {
            pc: place.pc.join(&skipped),
            handler: Some(id),
            in_try: false,
            loops: Vec::new(),
            stopped: None,
            ..place.clone()
        };
        if self.on(FlowRule::CountRaisesPc) {
            inner.pc.raise(&count);
        }
        if self.on(FlowRule::HandlerIsEvent) {
            let ran = Tag::source(
                Label::Event,
                arm.span,
                "a handler runs when a packet matches",
            );
            inner.pc.raise(&self.priced_handler(ran, arm, matches));
        }
        if self.on(FlowRule::HandlerTakesClock) {
            inner.pc.raise(&self.handler_clock[id.0 as usize].clone());
        }
        self.block(body, &inner);
        self.failing = failing;
    }

    /// `on out` changes which segments leave: a send site under what decides that it is here, and
    /// how often and how it acts. Its block is a handler like any other; the segments are ours, but
    /// much of them is the peer's choice.
    pub(super) fn out(
        &mut self,
        out: &'p Out,
        span: Span,
        place: &LabelContext,
        handlers: &mut Vec<Held>,
    ) {
        let mut content = Tag::source(
            Label::Event,
            span,
            "what a stack sends automatically answers what arrives",
        );
        let by = match &out.action {
            OutAction::Delay(by) | OutAction::Split(by) => Some(by),
            OutAction::Drop | OutAction::Hold | OutAction::Duplicate => None,
        };
        for expr in out.count.iter().chain(by) {
            content = content.join(&self.all(expr, place));
        }
        if self.on(FlowRule::OutIsSend) {
            self.judge(out.site, &content, span, place);
        }
        self.own.insert(out.arm.packet);
        match &out.body {
            Some(body) => {
                self.handler(out.handler, out.count.as_ref(), &out.arm, body, place);
                handlers.push(Held {
                    handler: out.handler,
                    linger: None,
                    counts: out.count.is_some(),
                });
            }
            None => self.arm(&out.arm, place),
        }
    }

    /// `release` sends what is held.
    pub(super) fn release(&mut self, site: SiteId, span: Span, place: &LabelContext) {
        if self.on(FlowRule::OutIsSend) {
            self.judge(
                site,
                &Tag::source(
                    Label::Event,
                    span,
                    "what is held depends on what a stack had to answer",
                ),
                span,
                place,
            );
        }
    }

    pub(super) fn expect(
        &mut self,
        timeout: &'p Expr,
        arms: &'p [(Arm, Block)],
        otherwise: Option<&'p Block>,
        span: Span,
        place: &LabelContext,
    ) -> Option<Tag> {
        let limit = self.all(timeout, place);
        arms.iter().for_each(|(arm, _)| self.arm(arm, place));
        let skipped = self.may_be_skipped(span);
        let failing = self.failing.take();
        let waited = Tag::source(Label::Event, span, "this waits for a packet");
        let waited = self.priced_arms(waited, arms, span);
        let mut inner = place.clone();
        inner.pc.raise(&waited);
        inner.pc.raise(&skipped);
        if self.on(FlowRule::ExpectRaisesClock) {
            self.clock_rises(
                &waited
                    .join(&place.pc)
                    .join(&limit)
                    .join(&failing.clone().unwrap_or_default()),
                place,
            );
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

    fn priced_handler(&mut self, ran: Tag, arm: &Arm, count: Option<&Expr>) -> Tag {
        let asks = self.on(FlowRule::EachPacketAsks);
        let outcomes = |moves| match moves {
            Moves::Always => Outcomes::Moving(count.cloned()),
            _ if asks => Outcomes::Handler(count.cloned()),
            _ => Outcomes::Arms(1),
        };
        match self.moves_of(arm) {
            Moves::Never => ran,
            moves => self.priced(ran, arm.span, outcomes(moves)),
        }
    }

    fn priced_arms(&mut self, waited: Tag, arms: &[(Arm, Block)], span: Span) -> Tag {
        let moving = arms
            .iter()
            .filter(|(arm, _)| self.moves_of(arm) > Moves::Never)
            .count() as u64;
        match moving {
            0 => waited,
            arms => self.priced(waited, span, Outcomes::Arms(arms)),
        }
    }

    fn priced(&mut self, tag: Tag, span: Span, outcomes: Outcomes) -> Tag {
        match self.on(FlowRule::TestHasPrice) {
            true => tag.at_price(self.price(span, outcomes)),
            false => tag,
        }
    }

    /// A pattern lowers content to an event because everybody can see what it compares with: that
    /// must not be content itself.
    pub(super) fn arm(&mut self, arm: &'p Arm, place: &LabelContext) {
        self.patterns.insert(arm.packet, &arm.pattern);
        self.takes_message(&arm.pattern);
        for test in arm
            .pattern
            .elements
            .iter()
            .filter_map(conditions)
            .flatten()
            .flatten()
        {
            self.operand(test, place);
        }
        if let Some(filter) = &arm.filter {
            let failing = self.failing.take();
            let tag = self.all(
                filter,
                &LabelContext {
                    filtered: Some(arm.packet),
                    ..place.clone()
                },
            );
            self.failing = failing;
            self.pattern_tag(&tag, filter.span);
        }
    }

    /// A pattern takes a message from a stream: from then on lengths of stream data tell of the
    /// bytes in it.
    fn takes_message(&mut self, pattern: &Pattern) {
        let takes = pattern.message().is_some();
        self.changed |= takes && !self.messages;
        self.messages |= takes;
    }

    /// What the length of a received packet tells; that of a segment of ours tells what the peer
    /// accepts.
    pub(in crate::labels) fn told_by_length(&self, packet: VarId) -> Label {
        let stream = self
            .patterns
            .get(&packet)
            .is_none_or(|pattern| pattern.is_stream());
        if stream && self.messages || self.own.contains(&packet) {
            Label::Content
        } else {
            Label::Event
        }
    }

    /// What the length of a received payload tells: behind a header of variable length that the
    /// stack does not run, how long that header says it is.
    pub(in crate::labels) fn told_by_payload(&self, packet: VarId) -> Label {
        let variable = self
            .patterns
            .get(&packet)
            .is_some_and(|p| has_variable_header(p));
        match variable && self.on(FlowRule::VariableHeaderTells) {
            true => Label::Content,
            false => self.told_by_length(packet),
        }
    }

    pub(super) fn operand(&mut self, test: &'p FieldTest, place: &LabelContext) {
        for expr in operands(test) {
            let tag = self.all(expr, place);
            self.pattern_tag(&tag, expr.span);
        }
    }

    pub(super) fn pattern_tag(&mut self, tag: &Tag, span: Span) {
        if tag.label > Label::Event && self.mode != ExfiltrationMode::True {
            self.report_pattern(tag, span);
        }
    }

    pub(super) fn attempt(
        &mut self,
        body: &'p Block,
        error: Option<VarId>,
        otherwise: &'p Block,
        place: &LabelContext,
    ) -> Option<Tag> {
        let ended = self.block(
            body,
            &LabelContext {
                in_try: true,
                ..place.clone()
            },
        );
        let mut inner = place.clone();
        if self.on(FlowRule::TryElseTakesFailure) {
            inner.pc.raise(&ended.pc);
            inner.pc.raise(&ended.failed.unwrap_or_default());
            // A wait in the body may meet the deadline or a broken stack, which depends on when it
            // began.
            inner.pc.raise(&self.clock.clone());
        }
        if let Some(var) = error {
            self.assign(
                var,
                LabelPair::default(),
                otherwise.span,
                &inner,
                FlowRule::AssignTakesPc,
            );
        }
        let ended = self.block(otherwise, &inner);
        self.escaping(ended, place)
    }
}

/// Whether a pattern reads past a header that says itself how long it is. What a driven stack
/// delivers has the length that the stack tells.
fn has_variable_header(pattern: &Pattern) -> bool {
    let last = pattern
        .elements
        .iter()
        .rposition(|e| matches!(e, Element::Layer { layer, .. } if layer.name == "Bytes"));
    let before = &pattern.elements[..last.unwrap_or(pattern.elements.len())];
    before.iter().any(|element| match element {
        Element::Layer { layer, .. } => {
            let varies = |f: &crafty_wire::Field| {
                f.width() == 0 || !matches!(f.when, crafty_wire::When::Always)
            };
            layer.fields.iter().any(varies)
        }
        Element::Any => true,
        Element::Driven { .. } | Element::End => false,
    })
}
