//! Which statements wait, and how long at least.

use super::checker::Checker;
use super::constants::any;
use crate::ir::{
    Block, DrivenKind, Expr, ExprKind, FieldRef, FieldSetting, LoopEnd, Meta, Over, StackId,
    StackLayer, Statement, StatementKind, Type, VarId,
};
use crafty_value::Value;
use std::collections::BTreeSet;

/// Whether every way through a block waits, or leaves the loop that the block is the body of.
pub(super) fn always(block: &Block) -> bool {
    block.statements.iter().any(surely)
}

fn surely(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Wait(_) | StatementKind::Expect { .. } => true,
        StatementKind::Stop | StatementKind::Exit | StatementKind::Fail(_) => true,
        StatementKind::If { arms, otherwise } => {
            let surely_one = arms
                .iter()
                .any(|(c, _)| matches!(c.kind, ExprKind::Constant(Value::Bool(true))));
            arms.iter().all(|(_, b)| always(b))
                && (surely_one || otherwise.as_ref().is_some_and(always))
        }
        StatementKind::Repeat { pace, body, .. } if pace.ended_by == LoopEnd::Answer => {
            always(body)
        }
        StatementKind::Try {
            body, otherwise, ..
        } => always(body) && always(otherwise),
        StatementKind::Open {
            body, otherwise, ..
        } => always(body) && otherwise.as_ref().is_none_or(|(_, b)| always(b)),
        StatementKind::Repeat {
            pace, count: None, ..
        } => pace.every.is_some(),
        _ => false,
    }
}

/// Whether it reads when stream data of ours left.
fn reads_stream(e: &Expr, streamed: &BTreeSet<VarId>) -> bool {
    any(e, &mut |e| match &e.kind {
        ExprKind::Field {
            packet,
            field: FieldRef::Meta(Meta::Ts | Meta::LastTs | Meta::TsSource),
            ..
        } => streamed.contains(packet),
        _ => false,
    })
}

impl Checker<'_> {
    /// Whether a statement may wait, so that handlers can run inside it.
    pub fn may_wait(&self, statement: &Statement) -> bool {
        let block = |b: &Block| b.statements.iter().any(|s| self.may_wait(s));
        let stamp = |e: &Expr| reads_stream(e, &self.streamed);
        match &statement.kind {
            StatementKind::Wait(_) | StatementKind::Expect { .. } => true,
            StatementKind::On { linger, .. } => linger.is_some(),
            StatementKind::Open {
                stack,
                body,
                otherwise,
            } => {
                self.opening_waits(*stack)
                    || block(body)
                    || otherwise.as_ref().is_some_and(|(_, b)| block(b))
            }
            StatementKind::If { arms, otherwise } => {
                arms.iter().any(|(c, b)| stamp(c) || block(b))
                    || otherwise.as_ref().is_some_and(block)
            }
            StatementKind::Foreach { pace, body, .. }
            | StatementKind::Repeat { pace, body, .. } => pace.every.is_some() || block(body),
            StatementKind::Try {
                body, otherwise, ..
            } => block(body) || block(otherwise),
            StatementKind::Set { value, .. }
            | StatementKind::Print(value)
            | StatementKind::Fail(value) => stamp(value),
            StatementKind::Update { path, value, .. } => stamp(value) || path.iter().any(stamp),
            StatementKind::Record { value, labels, .. } => {
                stamp(value) || labels.iter().any(|(_, e)| stamp(e))
            }
            StatementKind::Assert(condition, message) => {
                stamp(condition) || message.as_ref().is_some_and(stamp)
            }
            _ => false,
        }
    }

    /// A connection waits for its handshake, a question for its answer; any other stack for an
    /// address that is known only at run time.
    fn opening_waits(&self, stack: StackId) -> bool {
        self.stack(stack).layers.iter().any(|layer| match layer {
            StackLayer::Driven(driven)
                if driven.kind == DrivenKind::Tcp || driven.kind.is_session() =>
            {
                true
            }
            StackLayer::Driven(driven) => driven.options.iter().any(|(_, value)| match value {
                FieldSetting::Value(e) => e.ty == Type::Ip && !self.is_constant(e),
                _ => false,
            }),
            StackLayer::Literal(_) => false,
        })
    }

    /// Nanoseconds that a block waits on every way through it, as far as is known.
    pub fn least_wait(&self, block: &Block) -> i64 {
        block
            .statements
            .iter()
            .fold(0, |sum: i64, s| sum.saturating_add(self.least(s)))
    }

    fn least(&self, statement: &Statement) -> i64 {
        match &statement.kind {
            StatementKind::Wait(length) => self.nanoseconds(length).unwrap_or(0).max(0),
            StatementKind::Repeat {
                count: Some(count),
                pace,
                body,
                ..
            } if pace.until.is_none() && pace.span.is_none() => {
                let every = pace
                    .every
                    .as_ref()
                    .and_then(|e| self.nanoseconds(e))
                    .unwrap_or(0);
                let each = every.max(self.least_wait(body));
                if leaves(body) {
                    0
                } else {
                    self.int(count).unwrap_or(0).max(0).saturating_mul(each)
                }
            }
            StatementKind::Foreach {
                over: Over::Range(low, high),
                pace,
                body,
                ..
            } if pace.until.is_none() && pace.span.is_none() => {
                let rounds = self
                    .int(low)
                    .zip(self.int(high))
                    .map_or(0, |(a, b)| b.saturating_sub(a).saturating_add(1).max(0));
                let every = pace
                    .every
                    .as_ref()
                    .and_then(|e| self.nanoseconds(e))
                    .unwrap_or(0);
                if leaves(body) {
                    0
                } else {
                    rounds.saturating_mul(every.max(self.least_wait(body)))
                }
            }
            StatementKind::If {
                arms,
                otherwise: Some(otherwise),
            } => arms
                .iter()
                .map(|(_, b)| self.least_wait(b))
                .chain([self.least_wait(otherwise)])
                .min()
                .unwrap_or(0),
            StatementKind::Open { body, .. } => self.least_wait(body),
            _ => 0,
        }
    }
}

/// Whether a `stop` somewhere inside may cut the loop short.
fn leaves(block: &Block) -> bool {
    block.statements.iter().any(|s| match &s.kind {
        StatementKind::Stop
        | StatementKind::Exit
        | StatementKind::Fail(_)
        | StatementKind::Close(_)
        | StatementKind::Abort(_) => true,
        StatementKind::If { arms, otherwise } => {
            arms.iter().any(|(_, b)| leaves(b)) || otherwise.as_ref().is_some_and(leaves)
        }
        StatementKind::Foreach { body, .. } | StatementKind::Repeat { body, .. } => leaves(body),
        StatementKind::Try {
            body, otherwise, ..
        } => leaves(body) || leaves(otherwise),
        StatementKind::Open { body, .. } => leaves(body),
        StatementKind::Expect {
            arms, otherwise, ..
        } => arms.iter().any(|(_, b)| leaves(b)) || otherwise.as_ref().is_some_and(leaves),
        _ => false,
    })
}
