//! Counting over the tree: each construct's least and most from those of its parts.

use super::amount::Amount;
use super::known::KnownValues;
use super::over_rate_report;
use crate::eval::cost::Allowance;
use crate::eval::evaluate;
use crate::ir::*;
use crate::traffic::layers::SentStack;
use crate::traffic::size::FRAME;
use crate::traffic::{KnownSets, frames_of};
use crafty_policy::Budget;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::{Duration, Value};

pub(super) struct TrafficCounter<'p> {
    program: &'p Program,
    values: &'p [Value],
    allowance: Allowance,
    pub known: KnownSets<'p>,
    budget: &'p Budget,
    pub reports: Vec<Occurrence>,
    pub handlers: Vec<(Span, Amount)>,
    pub uncounted: bool,
    /// Where the program takes hold of what its stacks send.
    pub own_segments: Vec<Span>,
    /// Whether a loop is computed by the run's own time.
    pub unlimited: bool,
}

/// How often a loop runs: least, most, and whether the most is known.
pub(super) struct Rounds {
    pub least: u64,
    pub most: u64,
    pub known: bool,
    /// Whether only the run's own time ends it.
    unlimited: bool,
}

impl<'p> TrafficCounter<'p> {
    pub fn new(
        program: &'p Program,
        values: &'p [Value],
        budget: &'p Budget,
    ) -> TrafficCounter<'p> {
        let (reports, handlers, own_segments) = (Vec::new(), Vec::new(), Vec::new());
        TrafficCounter {
            program,
            values,
            allowance: Allowance::default(),
            known: KnownSets::new(program, values),
            budget,
            reports,
            handlers,
            uncounted: false,
            own_segments,
            unlimited: false,
        }
    }

    pub fn block(&mut self, block: &Block) -> Amount {
        block.statements.iter().fold(Amount::default(), |sum, s| {
            let next = self.statement(s);
            sum.then(Amount {
                statements: next.statements.saturating_add(1),
                ..next
            })
        })
    }

    fn statement(&mut self, statement: &Statement) -> Amount {
        match &statement.kind {
            StatementKind::Send { send, .. } => self.send(send),
            StatementKind::Open {
                stack,
                body,
                otherwise,
            } => self.open(*stack, body, otherwise.as_ref()),
            StatementKind::If { arms, otherwise } => {
                self.either(arms.iter().map(|(_, b)| b), otherwise.as_ref())
            }
            StatementKind::Foreach {
                over, pace, body, ..
            } => {
                let rounds = self.rounds_over(over);
                self.looped(rounds, pace, body, statement.span)
            }
            StatementKind::Repeat {
                count, pace, body, ..
            } => {
                let rounds = self.rounds_of(count.as_ref(), pace);
                self.looped(rounds, pace, body, statement.span)
            }
            StatementKind::Wait(duration) => {
                self.waits(self.duration(duration).unwrap_or_default())
            }
            StatementKind::On { linger, body, .. } => {
                self.handler(linger.as_ref(), body, statement.span)
            }
            StatementKind::Out(out) => self.out(out, statement.span),
            StatementKind::Expect {
                timeout,
                arms,
                otherwise,
            } => {
                let ways = self.either(arms.iter().map(|(_, b)| b), otherwise.as_ref());
                self.waits(self.duration(timeout).unwrap_or_default())
                    .then(ways)
            }
            StatementKind::Try {
                body, otherwise, ..
            } => {
                let (body, otherwise) = (self.block(body), self.block(otherwise));
                body.or(Amount::default())
                    .then(otherwise.or(Amount::default()))
            }
            StatementKind::Stop
            | StatementKind::Exit
            | StatementKind::Fail(_)
            | StatementKind::Close(_)
            | StatementKind::Abort(_) => Amount {
                leaves: true,
                ..Amount::default()
            },
            _ => Amount::default(),
        }
    }

    fn waits(&self, time: Duration) -> Amount {
        Amount {
            waits: time,
            always_waits: time.0 > 0,
            ..Amount::default()
        }
    }

    fn either<'b>(
        &mut self,
        blocks: impl Iterator<Item = &'b Block>,
        otherwise: Option<&Block>,
    ) -> Amount {
        let last = otherwise.map_or_else(Amount::default, |b| self.block(b));
        blocks.fold(last, |so_far, block| so_far.or(self.block(block)))
    }

    /// A literal stack is one frame; on a driven `IP!` it may be cut.
    fn send(&mut self, send: &Send) -> Amount {
        let stream = matches!(send.onto, Onto::Above(stack, _) if self.has_tcp(stack))
            && send.layers.iter().all(|l| l.layer.name == "Bytes");
        if stream {
            self.uncounted = true;
            return Amount::default();
        }
        let size = frames_of(&self.known, send, &SentStack::of_send(self.program, send));
        let syn = send.layers.iter().any(|l| l.layer.name == "TCP") && self.may_be_syn(send);
        let syns = u64::from(syn);
        Amount {
            packets: size.frames,
            bytes: size.whole,
            syns: (0, syns),
            sends: [size.frames.1, size.whole.1, syns],
            ..Amount::default()
        }
    }

    fn may_be_syn(&self, send: &Send) -> bool {
        let tcp = send.layers.iter().filter(|l| l.layer.name == "TCP");
        tcp.flat_map(|l| {
            l.fields
                .iter()
                .filter(|(i, _)| l.layer.fields[*i].name == "flags")
        })
        .any(|(_, value)| match value {
            FieldSetting::Value(expr) => match self.constant(expr) {
                Some(Value::Flags(bits, _)) => bits & 2 != 0,
                Some(Value::Int(bits)) => bits & 2 != 0,
                _ => true,
            },
            _ => false,
        })
    }

    fn has_tcp(&self, stack: StackId) -> bool {
        self.program.stacks[stack.0 as usize]
            .layers
            .iter()
            .any(|l| matches!(l, StackLayer::Driven(d) if d.kind == DrivenKind::Tcp))
    }

    fn listens(&self, stack: StackId) -> bool {
        let driven = self.program.stacks[stack.0 as usize]
            .layers
            .iter()
            .filter_map(|l| {
                if let StackLayer::Driven(d) = l {
                    Some(d)
                } else {
                    None
                }
            });
        driven
            .flat_map(|d| &d.options)
            .any(|(option, value)| match value {
                FieldSetting::Value(expr) => {
                    option.name == "listen" && self.constant(expr) == Some(Value::Bool(true))
                }
                _ => false,
            })
    }

    /// A connection costs at least its SYN; how much more is the peer's and the path's doing.
    fn open(
        &mut self,
        stack: StackId,
        body: &Block,
        otherwise: Option<&(Option<VarId>, Block)>,
    ) -> Amount {
        let inner = self.block(body);
        let other = otherwise.map_or_else(Amount::default, |(_, b)| self.block(b));
        let tcp = self.has_tcp(stack);
        self.uncounted |= tcp;
        // One that listens sends no SYN without an ACK.
        let connects = tcp && !self.listens(stack);
        let opening = match (connects, self.questions(stack).filter(|_| !tcp)) {
            (true, _) => Amount {
                packets: (1, 1),
                bytes: (FRAME.0, FRAME.0),
                syns: (1, 1),
                always_waits: true,
                ..Amount::default()
            },
            (false, Some(questions)) => questions,
            (false, None) => {
                return Amount {
                    leaves: false,
                    ..inner
                };
            }
        };
        opening
            .then(inner.or(Amount::default()))
            .then(other.or(Amount::default()))
    }

    /// What a layer asks in datagrams.
    fn questions(&self, stack: StackId) -> Option<Amount> {
        let (driven, repeats) = self.program.stacks[stack.0 as usize]
            .layers
            .iter()
            .find_map(|layer| match layer {
                StackLayer::Driven(driven) => Some((driven, driven.kind.layer().repeats?)),
                _ => None,
            })?;
        let option = |name: &str| {
            driven
                .options
                .iter()
                .find(|(o, _)| o.name == name)
                .and_then(|(_, v)| {
                    if let FieldSetting::Value(e) = v {
                        Some(e)
                    } else {
                        None
                    }
                })
        };
        let unset = |name: &str| driven.kind.option(name)?.default_value();
        let tries = match (
            option(repeats.tries).and_then(|e| self.int(e)),
            unset(repeats.tries),
        ) {
            (Some(tries), _) | (None, Some(Value::Int(tries))) => tries.max(1),
            _ => 1,
        };
        let given = option(repeats.each).and_then(|e| self.duration(e));
        let each = match (given, unset(repeats.each)) {
            (Some(each), _) | (None, Some(Value::Duration(each))) => each,
            _ => Duration::ZERO,
        };
        let most = tries as u64;
        let waits = Duration(each.0.saturating_mul(tries));
        Some(Amount {
            packets: (1, most),
            bytes: (FRAME.0, most.saturating_mul(repeats.longest)),
            waits,
            always_waits: true,
            ..Amount::default()
        })
    }

    fn handler(&mut self, linger: Option<&Expr>, body: &Block, span: Span) -> Amount {
        let run = self.block(body);
        self.handlers.push((span, run));
        self.waits(linger.and_then(|e| self.duration(e)).unwrap_or_default())
    }

    /// What is duplicated or cut in two costs one frame more each time; a duplicate may be of a
    /// SYN.
    fn out(&mut self, out: &Out, span: Span) -> Amount {
        self.own_segments.push(span);
        if let Some(body) = &out.body {
            let run = self.block(body);
            self.handlers.push((span, run));
        }
        let times = out
            .count
            .as_ref()
            .and_then(|e| self.int_at_most(e))
            .and_then(|n| u64::try_from(n).ok());
        match (&out.action, times) {
            (OutAction::Drop | OutAction::Hold | OutAction::Delay(_), _) => Amount::default(),
            (OutAction::Duplicate, Some(n)) => Amount {
                packets: (0, 1),
                bytes: (0, FRAME.1),
                syns: (0, 1),
                ..Amount::default()
            }
            .times(0, n),
            (OutAction::Split(_), Some(n)) => Amount {
                packets: (0, 1),
                bytes: (0, FRAME.1),
                ..Amount::default()
            }
            .times(0, n),
            (_, None) => {
                self.uncounted = true;
                Amount::default()
            }
        }
    }

    pub(super) fn rounds_over(&mut self, over: &Over) -> Rounds {
        let (n, known) = match over {
            Over::Range(low, high) => match (self.int(low), self.int(high)) {
                (Some(low), Some(high)) => {
                    (high.saturating_sub(low).saturating_add(1).max(0), true)
                }
                _ => (0, false),
            },
            Over::Value(value) => match self.constant(value) {
                Some(Value::Array(items)) => (items.len() as i64, true),
                Some(Value::Map(map)) => (map.entries.len() as i64, true),
                _ => match &value.kind {
                    ExprKind::Array(items) => (items.len() as i64, true),
                    _ => (0, false),
                },
            },
        };
        let n = u64::try_from(n).unwrap_or(0);
        Rounds {
            least: if known { n } else { 0 },
            most: if known { n } else { 1 },
            known,
            unlimited: false,
        }
    }

    /// Without `count` a loop runs as often as its time allows.
    pub(super) fn rounds_of(&mut self, count: Option<&Expr>, pace: &LoopPace) -> Rounds {
        if let Some(count) = count {
            let most = self.int_at_most(count).and_then(|n| u64::try_from(n).ok());
            let least = self
                .int(count)
                .and_then(|n| u64::try_from(n).ok())
                .unwrap_or(0);
            return Rounds {
                least,
                most: most.unwrap_or(1),
                known: most.is_some(),
                unlimited: false,
            };
        }
        let unlimited = pace.span.is_none();
        let limit = pace
            .span
            .as_ref()
            .and_then(|e| self.duration(e))
            .unwrap_or(self.budget.max_duration);
        let every = pace
            .every
            .as_ref()
            .and_then(|e| self.duration(e))
            .filter(|e| e.0 > 0);
        match every {
            Some(every) => Rounds {
                least: 0,
                most: (limit.0.max(0) as u64).div_ceil(every.0 as u64),
                known: true,
                unlimited,
            },
            None => Rounds {
                least: 0,
                most: 1,
                known: false,
                unlimited,
            },
        }
    }

    fn looped(&mut self, rounds: Rounds, pace: &LoopPace, body: &Block, span: Span) -> Amount {
        let inner = self.block(body);
        let every = pace.every.as_ref().and_then(|e| self.duration(e));
        let may_end = pace.until.is_some() || pace.span.is_some() || inner.leaves;
        let least = match pace.ended_by {
            LoopEnd::Answer => rounds.least.min(1),
            LoopEnd::Stop if may_end => 0,
            LoopEnd::Stop => rounds.least,
        };
        self.pace(&inner, every, least, span);
        self.unlimited |= rounds.unlimited && inner.packets.1 > 0;
        if !rounds.known && inner.packets.1 > 0 {
            self.uncounted = true;
        }
        let pause = self.waits(every.map_or(Duration::ZERO, |e| {
            Duration(e.0.saturating_sub(inner.waits.0).max(0))
        }));
        let counted = if rounds.known {
            inner.then(pause)
        } else {
            Amount {
                packets: (0, 0),
                bytes: (0, 0),
                syns: (0, 0),
                sends: [0; 3],
                ..inner.then(pause)
            }
        };
        let all = Amount {
            leaves: false,
            ..counted
        }
        .times(least, rounds.most);
        // Without `count` or `for=` the run's own time ends the loop.
        let limit = || (rounds.unlimited).then_some(self.budget.max_duration);
        let bounded = pace
            .span
            .as_ref()
            .and_then(|e| self.duration(e))
            .or_else(limit);
        Amount {
            waits: bounded.map_or(all.waits, |limit| all.waits.min(limit)),
            leaves: pace.ended_by == LoopEnd::Answer && inner.leaves,
            ..all
        }
    }

    /// Packets of the busiest second that every way through a loop has.
    fn pace(&mut self, inner: &Amount, every: Option<Duration>, rounds: u64, span: Span) {
        let per_second = match every.filter(|e| e.0 > 0) {
            Some(every) => rounds.min(1_000_000_000u64.div_ceil(every.0 as u64)),
            None if !inner.always_waits && inner.waits.0 == 0 => rounds,
            None => return,
        };
        let sent = inner.packets.0.saturating_mul(per_second);
        self.reports.extend(over_rate_report(
            span,
            sent,
            self.budget.max_packets_per_secs,
            every,
        ));
    }

    /// The value of an expression that is known before the start.
    fn constant(&self, expr: &Expr) -> Option<Value> {
        let mut world = KnownValues(self.values, &self.allowance);
        evaluate(expr, &mut world)
            .ok()
            .filter(|v| *v != Value::Nothing)
    }

    fn int(&self, expr: &Expr) -> Option<i64> {
        match self.constant(expr)? {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// `min(x, constant)` is at most the constant.
    pub(super) fn int_at_most(&self, expr: &Expr) -> Option<i64> {
        self.int(expr).or_else(|| match &expr.kind {
            ExprKind::Call { builtin, args } if builtin.name == "min" => {
                args.iter().filter_map(|a| self.int(a)).min()
            }
            _ => None,
        })
    }

    fn duration(&self, expr: &Expr) -> Option<Duration> {
        match self.constant(expr)? {
            Value::Duration(d) => Some(d),
            _ => None,
        }
    }
}
