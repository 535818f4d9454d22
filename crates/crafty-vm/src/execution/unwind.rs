//! Leaving blocks: at their end, by `stop`, `close` and `exit`, and by errors, which go to who
//! takes them.

use crate::api::Event;
use crate::execution::halt::{Halt, RaisedError};
use crate::execution::halt::{NextInstruction, StepResult};
use crate::execution::steps::Instruction;
use crate::execution::thread::{ExecutionScope, Unwind, Wait};
use crate::machine::Machine;
use crate::machine::conclusion::EndReason;
use crate::stacks::open_block::CloseBy;
use crafty_lang::eval::{EvalInterruption, Stop};
use crafty_lang::ir::{ErrorKind, Span, StackId};
use crafty_value::Value;
use std::sync::Arc;

impl Machine {
    /// Ends the innermost block: its linger, its handlers, its stack.
    pub(crate) fn leave(&mut self) -> StepResult {
        let around = self.threads.running().scopes.len();
        if self.threads.handler.is_none()
            && !self.threads.main.lingered
            && self.reception.lingers(around)
        {
            let span = self.script.code.spans[self.threads.main.pc];
            self.begin_wait(span)?;
            let since = self.threads.main.time;
            return self.wait(Wait::Linger { since });
        }
        self.threads.running_mut().lingered = false;
        let pc = self.threads.running().pc + 1;
        match self.threads.running().scopes.last() {
            Some(ExecutionScope::Stack { .. }) => {
                self.threads.running_mut().unwind = Some(Unwind {
                    depth: around - 1,
                    pc,
                    close: CloseBy::Fin,
                    error: None,
                });
                Ok(NextInstruction::Stay)
            }
            _ => {
                self.pop_scope();
                Ok(NextInstruction::Next)
            }
        }
    }

    /// Takes the innermost scope away, and the handlers that live in it.
    pub(crate) fn pop_scope(&mut self) {
        let line = self.threads.running_mut();
        line.scopes.pop();
        let depth = line.scopes.len();
        if self.threads.handler.is_none() {
            self.tell_misses_of_handlers(depth);
            self.reception.listeners.retain(|w| w.depth <= depth);
            self.rules_end(depth);
        }
    }

    pub(crate) fn unwind(&mut self) {
        let Some(unwind) = &self.threads.running().unwind else {
            return;
        };
        let (depth, by) = (unwind.depth, unwind.close);
        while self.threads.running().scopes.len() > depth {
            if let Some(ExecutionScope::Stack { id, .. }) = self.threads.running().scopes.last() {
                let id = *id;
                let around = self.threads.main.scopes.len();
                self.tell_misses_of_handlers(around.saturating_sub(1));
                self.reception.listeners.retain(|w| w.depth < around);
                self.rules_close(around);
                if !self.stack_closed(id, by) {
                    return;
                }
            }
            self.pop_scope();
        }
        let Some(Unwind { pc, error, .. }) = self.threads.running_mut().unwind.take() else {
            return;
        };
        let line = self.threads.running_mut();
        line.pc = pc;
        line.lingered = false;
        line.peer = None;
        if let Some((var, value)) = error {
            let span = self.script.code.spans[pc];
            if let Err(Stop::End(end)) = self.values.variables.set(var, value, span) {
                return self.end_by_limit(end, span);
            }
        }
        if self.conclusion.reason.is_some() && self.threads.main.scopes.is_empty() {
            self.finish();
        }
    }

    /// Ends the program: streams are closed with FIN, nothing lingers.
    pub(crate) fn end(&mut self, ending: EndReason, close: CloseBy) -> StepResult {
        self.threads.handler = None;
        self.reception.delivery = None;
        self.conclusion.reason.get_or_insert(ending);
        let last = self.script.code.ops.len() - 1;
        match self.threads.main.scopes.is_empty() {
            true => self.finish(),
            false => {
                self.threads.main.wait = None;
                self.threads.main.unwind = Some(Unwind {
                    depth: 0,
                    pc: last,
                    close,
                    error: None,
                });
            }
        }
        Ok(NextInstruction::Stay)
    }

    /// `close`, `abort`: leaves the driven block as `stop` leaves a loop; in a server's handler or
    /// arm it ends that peer.
    pub(crate) fn close(&mut self, stack: StackId, by: CloseBy) -> StepResult {
        if let Some(peer) = self.peer_of(stack) {
            self.stacks.end_peer(stack, &peer, by, self.clocks.now);
            return Ok(NextInstruction::Next);
        }
        let found = self
            .threads
            .running()
            .scopes
            .iter()
            .rposition(|s| matches!(s, ExecutionScope::Stack { id, .. } if *id == stack));
        let Some(depth) = found else {
            return Ok(NextInstruction::Next);
        };
        let ExecutionScope::Stack { end, .. } = self.threads.running().scopes[depth] else {
            return Ok(NextInstruction::Next);
        };
        self.threads.running_mut().unwind = Some(Unwind {
            depth,
            pc: end,
            close: by,
            error: None,
        });
        Ok(NextInstruction::Stay)
    }

    /// What becomes of a statement that did not get done.
    pub(crate) fn halted(&mut self, halt: Halt) {
        match halt {
            Halt::NeedStamp(packet) => self.await_stamp(packet),
            Halt::TooLarge(excess) => {
                self.note_cap(excess);
                self.skip();
            }
            Halt::End(end, span) => self.end_by_limit(end, span),
            Halt::Error(error) => self.raise(error),
        }
    }

    /// The run ends in the middle of a statement: no `try` takes it.
    pub(crate) fn end_by_limit(&mut self, end: EvalInterruption, span: Span) {
        let reason = match end {
            EvalInterruption::Deadline => {
                self.report_error(&self.past_deadline(span));
                EndReason::TimeOut
            }
            EvalInterruption::Cancelled => return self.cancel(),
            EvalInterruption::OutOfMemory { received, most } => {
                let message = out_of_memory(received, most);
                let time = self.threads.running().time;
                self.journal.record(Event::Failed {
                    message: message.clone(),
                    span,
                    time,
                });
                EndReason::Failed(message)
            }
        };
        let _ = self.end(reason, CloseBy::Reset);
    }

    /// Goes past a statement that was not done because of a cap: its blocks are skipped too.
    fn skip(&mut self) {
        let code = Arc::clone(&self.script.code);
        let pc = self.threads.running().pc;
        match &code.ops[pc] {
            Instruction::Branch { otherwise, .. } => self.threads.running_mut().pc = *otherwise,
            Instruction::Loop(op) => self.threads.running_mut().pc = op.end,
            Instruction::Open { end, .. } => self.threads.running_mut().pc = *end,
            Instruction::Expect(op) => self.threads.running_mut().pc = op.end,
            Instruction::Iterate => {
                let _ = self.stop();
            }
            _ => self.threads.running_mut().pc += 1,
        }
    }

    /// An error goes to who takes it.
    pub(crate) fn raise(&mut self, error: RaisedError) {
        if error.kind == ErrorKind::Deadline {
            return self.end_by_limit(EvalInterruption::Deadline, error.span);
        }
        let taker = self
            .threads
            .running()
            .scopes
            .iter()
            .rposition(|scope| handles(scope, &error));
        if let Some(depth) = taker {
            return self.hand_error(depth, &error);
        }
        let value_error = error.kind.is_value_error();
        self.report_error(&error);
        let block = self.threads.running().scopes.iter().rposition(|s| {
            matches!(
                s,
                ExecutionScope::Block { .. } | ExecutionScope::Stack { .. }
            )
        });
        match block {
            Some(depth) if value_error => self.end_block(depth),
            _ if self.threads.handler.is_some() => self.finish_handler(),
            _ => {
                let _ = self.end(Machine::ending_of(&error), CloseBy::Reset);
            }
        }
    }

    fn hand_error(&mut self, depth: usize, error: &RaisedError) {
        let value = Value::Error(Arc::new((
            error.kind.word().to_string(),
            error.message.clone(),
        )));
        let (var, pc) = match &self.threads.running().scopes[depth] {
            ExecutionScope::Try { error, handler } => (*error, *handler),
            ExecutionScope::Stack {
                otherwise: Some((error, pc)),
                ..
            } => (*error, *pc),
            _ => return,
        };
        self.threads.running_mut().wait = None;
        self.threads.running_mut().unwind = Some(Unwind {
            depth,
            pc,
            close: CloseBy::Reset,
            error: var.map(|var| (var, value)),
        });
    }

    /// A value error ends the block it is in; a handler stays, an iteration is over.
    fn end_block(&mut self, depth: usize) {
        let pc = match &self.threads.running().scopes[depth] {
            ExecutionScope::Block { end, .. } | ExecutionScope::Stack { end, .. } => *end,
            _ => return,
        };
        self.threads.running_mut().wait = None;
        self.threads.running_mut().unwind = Some(Unwind {
            depth,
            pc,
            close: CloseBy::Reset,
            error: None,
        });
    }

    pub(crate) fn past_deadline(&self, span: Span) -> RaisedError {
        RaisedError {
            kind: ErrorKind::Deadline,
            message: "`max_duration` is over".into(),
            span,
            stack: None,
        }
    }
}

/// Which memory is full, and how a program stays below.
fn out_of_memory(received: bool, most: usize) -> String {
    let whose = match received {
        true => "that depend on received data",
        false => "that do not depend on received data",
    };
    format!(
        "out of memory: the variables {whose} would hold more than {} MiB together; keep less in them: `m := remove(m, key)`, a part of bytes (`b[0:64]`), or a count instead of a list",
        most >> 20
    )
}

/// Which scope takes which error: a `try` all, a driven block with `else` the stack errors of its
/// own stack.
fn handles(scope: &ExecutionScope, error: &RaisedError) -> bool {
    match scope {
        ExecutionScope::Try { .. } => true,
        ExecutionScope::Stack {
            id,
            otherwise: Some(_),
            ..
        } => error.stack == Some(*id),
        _ => false,
    }
}
