//! A statement by its kind: who walks it.

use super::{Held, LabelContext, Pass, join_options};
use crate::ir::*;
use crate::labels::FlowRule;
use crate::labels::tag::Tag;

impl<'p> Pass<'p> {
    pub(super) fn statement(
        &mut self,
        statement: &'p Statement,
        place: &LabelContext,
        handlers: &mut Vec<Held>,
    ) -> Option<Tag> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Open {
                stack,
                body,
                otherwise,
            } => self.open(*stack, body, otherwise.as_ref(), place),
            StatementKind::If { arms, otherwise } => self.branch(arms, otherwise.as_ref(), place),
            StatementKind::Foreach {
                var,
                second,
                over,
                pace,
                body,
            } => self.foreach((*var, *second), over, pace, body, span, place),
            StatementKind::Repeat {
                count,
                counter,
                pace,
                body,
            } => self.repeat(count.as_ref(), *counter, pace, body, span, place),
            StatementKind::Expect {
                timeout,
                arms,
                otherwise,
            } => self.expect(timeout, arms, otherwise.as_ref(), span, place),
            StatementKind::Try {
                body,
                error,
                otherwise,
            } => self.attempt(body, *error, otherwise, place),
            kind => {
                self.contained(kind, span, place, handlers);
                None
            }
        }
    }

    /// A statement whose failure, if any, is its own: no block of it runs where it is.
    fn contained(
        &mut self,
        kind: &'p StatementKind,
        span: Span,
        place: &LabelContext,
        handlers: &mut Vec<Held>,
    ) {
        match kind {
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
            StatementKind::Wait(duration) => self.wait(duration, place),
            StatementKind::On { .. } => self.handler_begins(kind, place, handlers),
            StatementKind::Out(out) => self.out(out, span, place, handlers),
            StatementKind::Release(site) => self.release(*site, span, place),
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
            StatementKind::Open { .. }
            | StatementKind::If { .. }
            | StatementKind::Foreach { .. }
            | StatementKind::Repeat { .. }
            | StatementKind::Expect { .. }
            | StatementKind::Try { .. } => {}
        }
    }

    fn handler_begins(
        &mut self,
        kind: &'p StatementKind,
        place: &LabelContext,
        handlers: &mut Vec<Held>,
    ) {
        let StatementKind::On {
            handler,
            linger,
            count,
            arm,
            body,
        } = kind
        else {
            return;
        };
        let linger = linger.as_ref().map(|e| self.all(e, place));
        self.handler(*handler, count.as_ref(), arm, body, place);
        handlers.push(Held {
            handler: *handler,
            linger,
            counts: count.is_some(),
        });
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
    pub(super) fn ends(&mut self, tag: &Tag, span: Span, place: &LabelContext) {
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
