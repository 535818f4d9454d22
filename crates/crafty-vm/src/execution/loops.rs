//! Loops: their options, their grid, what they run over.

use crate::execution::halt::Halt;
use crate::execution::halt::{NextInstruction, StepResult};
use crate::execution::steps::{Instruction, LoopHead, LoopOver, ProgramCounter};
use crate::execution::thread::{
    Elements, ExecutionScope, Firsts, LoopItems, RunningLoop, Unwind, Wait,
};
use crate::machine::Machine;
use crate::stacks::open_block::CloseBy;
use crafty_lang::eval::{self, Raise};
use crafty_lang::ir::{ErrorKind, LoopEnd, Over, Span, VarId};
use crafty_value::{Duration, Time, Value};
use std::sync::Arc;

/// Rounds of loops that only time bounds at one moment of program time; more than any burst of
/// packets could need.
const MOST_ROUNDS: u32 = 100_000;

impl Machine {
    /// Evaluates the options of a loop, once.
    pub(crate) fn start_loop(&mut self, head: &LoopHead, span: Span) -> StepResult {
        let items = match &head.over {
            LoopOver::Count(count, _) => LoopItems::Count {
                done: 0,
                most: count.as_ref().map(|e| self.whole(e, span)).transpose()?,
            },
            LoopOver::Each(_, Over::Range(from, to)) => LoopItems::Range {
                next: Some(self.whole(from, span)?),
                last: self.whole(to, span)?,
            },
            LoopOver::Each((_, second), Over::Value(container)) => {
                let container = self.eval(container, span)?;
                LoopItems::Values(match second {
                    Some(_) => Elements::pairs(container),
                    None => Elements::of(container),
                })
            }
        };
        let every = head
            .pace
            .every
            .as_ref()
            .map(|e| self.duration(e, span))
            .transpose()?;
        let time = head
            .pace
            .span
            .as_ref()
            .map(|e| self.duration(e, span))
            .transpose()?;
        if every.is_some_and(|d| d <= Duration::ZERO) {
            return Err(Halt::of(
                Raise::new(ErrorKind::Range, "`every` must be longer than 0s").into(),
                span,
            ));
        }
        let start = self.threads.running().time;
        let until = time.map(|d| start.after(d));
        self.enter(ExecutionScope::Loop(RunningLoop {
            head: self.threads.running().pc,
            items,
            start,
            every,
            until,
            point: 0,
        }))
    }

    pub(crate) fn iterate(&mut self, span: Span) -> StepResult {
        let code = Arc::clone(&self.script.code);
        let head = match self.threads.running().scopes.last() {
            Some(ExecutionScope::Loop(cycle)) => cycle.head,
            _ => return Ok(NextInstruction::Next),
        };
        let Instruction::Loop(op) = &code.ops[head] else {
            return Ok(NextInstruction::Next);
        };
        let over = match &op.pace.until {
            Some(until) => eval::truth(&self.eval(until, span)?),
            None => false,
        };
        if matches!((&op.over, &op.pace.every), (LoopOver::Count(None, _), None)) && !over {
            self.note_round(span)?;
        }
        match if over { None } else { self.next_item() } {
            Some((item, held)) => {
                // All tries of an `ask` are one round: an answer to an earlier one counts.
                if op.pace.ended_by == LoopEnd::Answer && item != Value::Int(1) {
                    self.reception.inbox.over = false;
                }
                if let LoopOver::Each((var, _), _) | LoopOver::Count(_, Some(var)) = &op.over {
                    self.set_loop_variable(*var, item, span)?;
                }
                if let (LoopOver::Each((_, Some(second)), _), Some(held)) = (&op.over, held) {
                    self.set_loop_variable(*second, held, span)?;
                }
                Ok(NextInstruction::Next)
            }
            None => {
                self.threads.running_mut().scopes.pop();
                Ok(NextInstruction::Jump(op.end))
            }
        }
    }

    /// Whether the innermost loop is that of an `ask` that will ask once more.
    pub(crate) fn asks_again(&self) -> bool {
        let mut loops = self.threads.main.scopes.iter().rev();
        let innermost = loops.find_map(|scope| match scope {
            ExecutionScope::Loop(cycle) => Some(cycle),
            _ => None,
        });
        innermost.is_some_and(|cycle| !self.is_stopped(cycle.head) && cycle.items.are_left())
    }

    fn set_loop_variable(&mut self, var: VarId, value: Value, span: Span) -> Result<(), Halt> {
        let set = self.values.variables.set(var, value, span);
        set.map_err(|stop| Halt::of(stop, span))
    }

    /// Time alone bounds a loop without `count` and `every`; where none passes, since each round
    /// fails before its wait or waits no time at all, the loop is an error of its own.
    fn note_round(&mut self, span: Span) -> Result<(), Halt> {
        let line = self.threads.running_mut();
        if line.rounds.0 != line.time {
            line.rounds = (line.time, 0);
        }
        line.rounds.1 = line.rounds.1.saturating_add(1);
        if line.rounds.1 <= MOST_ROUNDS {
            return Ok(());
        }
        let message = format!("this loop ran {MOST_ROUNDS} times without any time passing");
        Err(Halt::of(Raise::new(ErrorKind::Range, message).into(), span))
    }

    /// The next element of the innermost loop, if its time is not over, and what goes with it.
    fn next_item(&mut self) -> Option<(Value, Option<Value>)> {
        let line = self.threads.running_mut();
        let now = line.time;
        let Some(ExecutionScope::Loop(cycle)) = line.scopes.last_mut() else {
            return None;
        };
        match cycle.until.is_some_and(|end| now >= end) {
            true => None,
            false => cycle.items.take(),
        }
    }

    /// The next point of the grid, never an earlier one.
    pub(crate) fn pause(&mut self, iterate: ProgramCounter, span: Span) -> StepResult {
        let paced = matches!(
            self.threads.running().scopes.last(),
            Some(ExecutionScope::Loop(RunningLoop { every: Some(_), .. }))
        );
        if !paced {
            return Ok(NextInstruction::Jump(iterate));
        }
        self.begin_wait(span)?;
        let line = self.threads.running_mut();
        let now = line.time;
        let Some(ExecutionScope::Loop(cycle)) = line.scopes.last_mut() else {
            return Ok(NextInstruction::Jump(iterate));
        };
        let until = cycle.next_point(now);
        line.pc = iterate;
        self.wait(Wait::Until(until))
    }

    /// Whether a `stop` ends the loop with this head.
    fn is_stopped(&self, head: ProgramCounter) -> bool {
        match &self.script.code.ops[head] {
            Instruction::Loop(op) => op.pace.ended_by == LoopEnd::Stop,
            _ => false,
        }
    }

    /// Ends the nearest loop.
    pub(crate) fn stop(&mut self) -> StepResult {
        let found =
            self.threads.running().scopes.iter().rposition(
                |s| matches!(s, ExecutionScope::Loop(cycle) if self.is_stopped(cycle.head)),
            );
        let Some(depth) = found else {
            return Ok(NextInstruction::Next);
        };
        let ExecutionScope::Loop(RunningLoop { head, .. }) = &self.threads.running().scopes[depth]
        else {
            return Ok(NextInstruction::Next);
        };
        let Instruction::Loop(op) = &self.script.code.ops[*head] else {
            return Ok(NextInstruction::Next);
        };
        let pc = op.end;
        self.threads.running_mut().unwind = Some(Unwind {
            depth,
            pc,
            close: CloseBy::Fin,
            error: None,
        });
        Ok(NextInstruction::Stay)
    }
}

impl Elements {
    /// Elements of an array, keys of a map.
    fn of(container: Value) -> Elements {
        Elements {
            items: match container {
                Value::Array(items) => items,
                Value::Map(map) => Arc::new(map.entries.keys().cloned().collect()),
                _ => Arc::new(Vec::new()),
            },
            firsts: Firsts::None,
            at: 0,
        }
    }

    /// Elements of an array with their positions, values of a map with their keys.
    fn pairs(container: Value) -> Elements {
        let (items, firsts) = match container {
            Value::Array(items) => (items, Firsts::Positions),
            Value::Map(map) => (
                Arc::new(map.entries.values().cloned().collect()),
                Firsts::Keys(map.entries.keys().cloned().collect()),
            ),
            _ => (Arc::new(Vec::new()), Firsts::Positions),
        };
        Elements {
            items,
            firsts,
            at: 0,
        }
    }

    fn take(&mut self) -> Option<(Value, Option<Value>)> {
        let item = self.items.get(self.at)?.clone();
        let first = match &self.firsts {
            Firsts::None => None,
            Firsts::Positions => Some(Value::Int(i64::try_from(self.at).ok()?)),
            Firsts::Keys(keys) => Some(keys.get(self.at)?.clone()),
        };
        self.at += 1;
        Some(match first {
            Some(first) => (first, Some(item)),
            None => (item, None),
        })
    }
}

impl LoopItems {
    /// Whether a counted loop has rounds to come.
    fn are_left(&self) -> bool {
        matches!(self, LoopItems::Count { done, most: Some(most) } if done < most)
    }

    fn take(&mut self) -> Option<(Value, Option<Value>)> {
        match self {
            LoopItems::Range { next, last } => {
                let n = (*next).filter(|n| *n <= *last)?;
                *next = n.checked_add(1);
                Some((Value::Int(n), None))
            }
            LoopItems::Values(elements) => elements.take(),
            LoopItems::Count { done, most } => {
                if most.is_some_and(|most| *done >= most) {
                    return None;
                }
                *done = done.checked_add(1)?;
                Some((Value::Int(*done), None))
            }
        }
    }
}

impl RunningLoop {
    /// The next point of the grid that is not before `now`, and after the one at which the
    /// iteration began.
    fn next_point(&mut self, now: Time) -> Time {
        let Some(every) = self.every else { return now };
        let passed = now.since(self.start).0;
        let reached = passed.div_euclid(every.0) + i64::from(passed.rem_euclid(every.0) != 0);
        self.point = reached.max(self.point.saturating_add(1));
        self.start
            .after(Duration(self.point.saturating_mul(every.0)))
    }
}
