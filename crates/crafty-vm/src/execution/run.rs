//! One statement after the other, until the line of execution has to wait.

use crate::api::Event;
use crate::execution::halt::Halt;
use crate::execution::halt::NextInstruction;
use crate::execution::halt::StepResult;
use crate::execution::memory::VariableUpdate;
use crate::execution::steps::ExpectHead;
use crate::execution::steps::Instruction;
use crate::execution::thread::WaitingExpect;
use crate::execution::thread::{ExecutionScope, Wait};
use crate::machine::Machine;
use crate::machine::conclusion::EndReason;
use crate::stacks::open_block::CloseBy;
use crafty_lang::eval::{self, Raise, Stop, cost};
use crafty_lang::ir::{AssignOp, ErrorKind, Expr, Span, VarId};
use crafty_policy::ExfiltrationMode;
use crafty_value::{Duration, Value};
use std::sync::Arc;

/// What is computed in one go: some milliseconds.
const TURN: u64 = 4_000_000;

/// How late a statement may be before program time follows the clock.
const LATE: Duration = Duration::millis(1);

impl Machine {
    /// Runs the current line of execution until it waits or ends; false if the world should have a
    /// turn before it continues.
    pub(crate) fn run_line(&mut self) -> bool {
        let code = Arc::clone(&self.script.code);
        let until = self.meter.spent().saturating_add(TURN);
        while self.meter.spent() < until {
            if self.conclusion.outcome.is_some() || self.threads.running().wait.is_some() {
                return true;
            }
            if self.uplink.outbox.is_full() || self.journal.is_full() {
                return false;
            }
            if self.threads.running().unwind.is_some() {
                self.unwind();
                continue;
            }
            let pc = self.threads.running().pc;
            if matches!(code.ops[pc], Instruction::Done) {
                self.finish_handler();
                return true;
            }
            self.threads.running_mut().span = code.spans[pc];
            match self.charged_step(&code.ops[pc], code.spans[pc]) {
                Ok(NextInstruction::Next) => self.threads.running_mut().pc = pc + 1,
                Ok(NextInstruction::Jump(to)) => self.threads.running_mut().pc = to,
                Ok(NextInstruction::Stay) => {}
                Err(halt) => self.halted(halt),
            }
        }
        false
    }

    /// A step, and what it and the writes of the last one cost.
    fn charged_step(&mut self, op: &Instruction, span: Span) -> StepResult {
        let cost = cost::STATEMENT.saturating_add(self.values.variables.take_cost());
        self.meter
            .charge(cost)
            .map_err(|stop| Halt::of(stop, span))?;
        self.step(op, span)
    }

    fn step(&mut self, op: &Instruction, span: Span) -> StepResult {
        match op {
            Instruction::Set { var, value } => self.set(*var, value, span),
            Instruction::Update {
                var,
                path,
                op,
                value,
                append,
            } => self.update(*var, path, (*op, value, *append), span),
            Instruction::Remove { var, path, key } => self.remove(*var, path, key, span),
            Instruction::Send { send, into } => match self.made_late() {
                Some(by) => self.end_late(by, span),
                None => self.send(send, *into),
            },
            Instruction::Open {
                stack,
                otherwise,
                end,
            } => self.open(*stack, *otherwise, *end, span),
            Instruction::On(on) => {
                self.script.declassification.tests(on.arm.span);
                self.listen(on, span)
            }
            Instruction::Out(out) => self.interpose(out, span),
            Instruction::Release => self.release(),
            Instruction::Expect(expect) => {
                self.script.declassification.tests(span);
                self.expect(expect, span)
            }
            Instruction::Wait(time) => self.wait_for(time, span),
            other => self.step_in_flow(other, span),
        }
    }

    /// Statements that choose where to continue.
    fn step_in_flow(&mut self, op: &Instruction, span: Span) -> StepResult {
        match op {
            Instruction::Enter { end } => {
                let peer = self.threads.running_mut().peer.take();
                self.enter(ExecutionScope::Block { end: *end, peer })
            }
            Instruction::Leave => self.leave(),
            Instruction::Jump(to) => Ok(NextInstruction::Jump(*to)),
            Instruction::Branch {
                condition,
                otherwise,
            } => match eval::truth(&self.eval(condition, span)?) {
                true => Ok(NextInstruction::Next),
                false => Ok(NextInstruction::Jump(*otherwise)),
            },
            Instruction::Loop(head) => self.start_loop(head, span),
            Instruction::Iterate => self.iterate(span),
            Instruction::Pause(iterate) => self.pause(*iterate, span),
            Instruction::Try { error, handler } => self.enter(ExecutionScope::Try {
                error: *error,
                handler: *handler,
            }),
            other => self.step_saying(other, span),
        }
    }

    fn update(
        &mut self,
        var: VarId,
        path: &[Expr],
        (op, value, append): (AssignOp, &Expr, bool),
        span: Span,
    ) -> StepResult {
        let path = path
            .iter()
            .map(|e| self.eval(e, span))
            .collect::<Result<Vec<_>, _>>()?;
        let change = VariableUpdate::Assign {
            op,
            value: self.eval(value, span)?,
            append,
        };
        self.values
            .variables
            .update(var, &path, &change, span)
            .map_err(|stop| Halt::of(stop, span))?;
        Ok(NextInstruction::Next)
    }

    /// `m := remove(m, key)`, in place.
    fn remove(&mut self, var: VarId, path: &[Expr], key: &Expr, span: Span) -> StepResult {
        let path = path
            .iter()
            .map(|e| self.eval(e, span))
            .collect::<Result<Vec<_>, _>>()?;
        let change = VariableUpdate::Remove(self.eval(key, span)?);
        self.values
            .variables
            .update(var, &path, &change, span)
            .map_err(|stop| Halt::of(stop, span))?;
        Ok(NextInstruction::Next)
    }

    fn expect(&mut self, expect: &ExpectHead, span: Span) -> StepResult {
        let timeout = self.duration(&expect.timeout, span)?;
        let patterns = expect
            .arms
            .iter()
            .map(|(arm, _)| self.evaluate_pattern(arm, span))
            .collect::<Result<Vec<_>, _>>()?;
        self.begin_wait(span)?;
        self.start_expecting(WaitingExpect {
            pc: self.threads.main.pc,
            patterns,
            deadline: self.threads.running().time.after(timeout),
        });
        Ok(NextInstruction::Stay)
    }

    fn wait_for(&mut self, time: &Expr, span: Span) -> StepResult {
        let time = self.duration(time, span)?;
        self.begin_wait(span)?;
        let running = self.threads.running_mut();
        let until = running.time.after(time.max(Duration::ZERO));
        running.pc += 1;
        self.wait(Wait::Until(until))
    }

    /// Statements that say something or end something.
    fn step_saying(&mut self, op: &Instruction, span: Span) -> StepResult {
        match op {
            Instruction::Print(what) => {
                let text = self.printed(what, span)?;
                let time = self.threads.running().time;
                self.journal.record(Event::Print { text, span, time });
                Ok(NextInstruction::Next)
            }
            Instruction::Record {
                name,
                value,
                labels,
            } => self.record(name, value, labels, span),
            Instruction::Assert(condition, message) => {
                match eval::truth(&self.eval(condition, span)?) {
                    true => Ok(NextInstruction::Next),
                    false => self.fail(message.as_ref(), span),
                }
            }
            Instruction::Fail(why) => self.fail(Some(why), span),
            Instruction::Exit => self.end(EndReason::Done, CloseBy::Fin),
            Instruction::Stop => self.stop(),
            Instruction::Close { stack, by } => self.close(*stack, *by),
            _ => self.end_of_program(span),
        }
    }

    /// After the last statement, the linger of the handlers at top level.
    fn end_of_program(&mut self, span: Span) -> StepResult {
        if !self.threads.main.lingered && self.reception.lingers(0) {
            self.begin_wait(span)?;
            let since = self.threads.main.time;
            return self.wait(Wait::Linger { since });
        }
        self.end(EndReason::Done, CloseBy::Fin)
    }

    pub(crate) fn enter(&mut self, scope: ExecutionScope) -> StepResult {
        self.threads.running_mut().scopes.push(scope);
        Ok(NextInstruction::Next)
    }

    /// Waits; the step has been counted, or is made again when the wait is over.
    pub(crate) fn wait(&mut self, wait: Wait) -> StepResult {
        self.threads.running_mut().wait = Some(wait);
        Ok(NextInstruction::Stay)
    }

    fn set(&mut self, var: VarId, value: &Expr, span: Span) -> StepResult {
        let value = self.eval(value, span)?;
        self.values
            .variables
            .set(var, value, span)
            .map_err(|stop| Halt::of(stop, span))?;
        Ok(NextInstruction::Next)
    }

    /// A duration; the checker lets nothing else come here.
    pub(crate) fn duration(&mut self, expr: &Expr, span: Span) -> Result<Duration, Halt> {
        match self.eval(expr, span)? {
            Value::Duration(d) => Ok(d),
            _ => Err(Halt::of(
                Raise::new(ErrorKind::Range, "expected a duration").into(),
                span,
            )),
        }
    }

    pub(crate) fn whole(&mut self, expr: &Expr, span: Span) -> Result<i64, Halt> {
        match self.eval(expr, span)? {
            Value::Int(n) => Ok(n),
            _ => Err(Halt::of(
                Raise::new(ErrorKind::Range, "expected a whole number").into(),
                span,
            )),
        }
    }

    fn record(
        &mut self,
        name: &str,
        value: &Expr,
        labels: &[(String, Expr)],
        span: Span,
    ) -> StepResult {
        let received = |machine: &Machine, e: &Expr| {
            machine.script.program.from_network.get(e.id.0 as usize) == Some(&true)
        };
        let any = received(self, value) || labels.iter().any(|(_, e)| received(self, e));
        let measured = self.told(value, span)?;
        let mut with = Vec::with_capacity(labels.len());
        for (label, expr) in labels {
            with.push((label.clone(), self.told(expr, span)?));
        }
        let time = self.threads.running().time;
        self.journal.record(Event::Record {
            name: name.into(),
            value: measured,
            labels: with,
            received: any,
            span,
            time,
        });
        Ok(NextInstruction::Next)
    }

    fn fail(&mut self, why: Option<&Expr>, span: Span) -> StepResult {
        let message = why
            .map(|e| self.printed(e, span))
            .transpose()?
            .unwrap_or_else(|| "an assertion failed".into());
        let time = self.threads.running().time;
        self.journal.record(Event::Failed {
            message: message.clone(),
            span,
            time,
        });
        self.end(EndReason::Failed(message), CloseBy::Fin)
    }

    /// What every waiting statement does first: the deadline, stacks that broke, lateness.
    pub(crate) fn begin_wait(&mut self, span: Span) -> Result<(), Halt> {
        if let Some(error) = self.broken_stack(span) {
            return Err(Halt::Error(error));
        }
        self.catch_up(span);
        match self.threads.running().time >= self.clocks.deadline {
            true => Err(Halt::Error(self.past_deadline(span))),
            false => Ok(()),
        }
    }

    /// Program time follows the clock if the machine is more than 1 ms late.
    fn catch_up(&mut self, span: Span) {
        if self.script.mode == ExfiltrationMode::None {
            // Its time is its schedule: how long reactions took must not be read off a clock.
            return;
        }
        let by = self.clocks.now.since(self.threads.running().time);
        if by > LATE {
            let now = self.clocks.now;
            self.threads.running_mut().time = now;
            self.journal.report.late += 1;
            if by > self.journal.report.worst_lateness {
                self.journal.report.worst_lateness = by;
                self.journal.record(Event::Late { by, span });
            }
        }
    }

    /// Under `none`: how late the main program's next frame would be because a handler ran, if that
    /// is more than [`LATE`].
    fn made_late(&mut self) -> Option<Duration> {
        if self.script.mode != ExfiltrationMode::None || self.threads.handler.is_some() {
            return None;
        }
        let by = self.clocks.now.since(self.threads.main.time);
        if by <= LATE {
            self.clocks.reacted = false;
        }
        (by > LATE && self.clocks.reacted).then_some(by)
    }

    /// The moment of a frame would tell how long a reaction took.
    fn end_late(&mut self, by: Duration, span: Span) -> StepResult {
        let message = format!(
            "under `exfiltration: none` a frame would be sent {by} late because of a handler: its time would tell what the handler received"
        );
        let time = self.threads.main.time;
        self.journal.record(Event::Failed {
            message: message.clone(),
            span,
            time,
        });
        self.end(EndReason::Failed(message), CloseBy::Fin)
    }

    /// Evaluates for a statement.
    pub(crate) fn eval(&mut self, expr: &Expr, span: Span) -> Result<Value, Halt> {
        eval::evaluate(expr, &mut self.world()).map_err(|stop| Halt::of(stop, span))
    }

    /// A value of a record: [`Value::Nothing`] where a packet lacks it.
    fn told(&mut self, expr: &Expr, span: Span) -> Result<Value, Halt> {
        let told = eval::told(expr, &mut self.world()).map_err(|stop| Halt::of(stop, span))?;
        Ok(told.unwrap_or(Value::Nothing))
    }

    fn printed(&mut self, expr: &Expr, span: Span) -> Result<String, Halt> {
        let program = Arc::clone(&self.script.program);
        eval::printed(expr, &program.from_network, &mut self.world())
            .map_err(|stop: Stop| Halt::of(stop, span))
    }
}
