//! One statement after the other, until the line of execution has to wait.

use crate::api::Event;
use crate::code::{LoopOp, LoopOver, Op, Pc};
use crate::expecting::Expecting;
use crate::machine::{Ending, Machine};
use crate::memory::Change;
use crate::thread::{Halt, Items, Loop, Scope, Trouble, Unwind, Wait};
use crafty_lang::eval::{self, Raise, Stop};
use crafty_lang::ir::{ErrorKind, Expr, Label, Over, Span, StackId, VarId};
use crafty_value::{Duration, Time, Value};
use std::sync::Arc;

/// Where a step leads.
pub(crate) enum Flow {
    Next,
    Jump(Pc),
    /// The step has set a wait or an unwinding; it says itself where to go on.
    Stay,
}

type Step = Result<Flow, Halt>;

impl Machine {
    /// Runs the current line of execution until it waits or ends.
    pub(crate) fn run_line(&mut self) {
        while self.ending.is_none() && self.line().wait.is_none() && !self.outbox.is_full() {
            if self.line().unwind.is_some() {
                self.unwind();
                continue;
            }
            let code = Arc::clone(&self.code);
            let pc = self.line().pc;
            if matches!(code.ops[pc], Op::Done) {
                self.finish_handler();
                return;
            }
            self.line_mut().span = code.spans[pc];
            match self.step(&code.ops[pc], code.spans[pc]) {
                Ok(Flow::Next) => self.line_mut().pc = pc + 1,
                Ok(Flow::Jump(to)) => self.line_mut().pc = to,
                Ok(Flow::Stay) => {}
                Err(halt) => self.halted(halt),
            }
        }
    }

    fn step(&mut self, op: &Op, span: Span) -> Step {
        match op {
            Op::Set { var, value } => self.set(*var, value, span),
            Op::Update { var, path, op, value, append } => {
                let path = path.iter().map(|e| self.eval(e, span)).collect::<Result<Vec<_>, _>>()?;
                let change = Change { op: *op, value: self.eval(value, span)?, append: *append };
                self.memory.update(*var, &path, &change, span).map_err(|stop| Halt::of(stop, span))?;
                Ok(Flow::Next)
            }
            Op::Send { send, into } => self.send(send, *into),
            Op::Enter { end } => {
                let peer = self.line_mut().peer.take();
                self.enter(Scope::Block { end: *end, peer })
            }
            Op::Leave => self.leave(),
            Op::Jump(to) => Ok(Flow::Jump(*to)),
            Op::Branch { condition, otherwise } => match eval::truth(&self.eval(condition, span)?) {
                true => Ok(Flow::Next),
                false => Ok(Flow::Jump(*otherwise)),
            },
            Op::Loop(head) => self.start_loop(head, span),
            Op::Iterate => self.iterate(span),
            Op::Pause(iterate) => self.pause(*iterate, span),
            Op::Try { error, handler } => self.enter(Scope::Try { error: *error, handler: *handler }),
            Op::Open { stack, otherwise, end } => self.open(*stack, *otherwise, *end, span),
            Op::On(on) => self.listen(on, span),
            Op::Expect(expect) => {
                let timeout = self.duration(&expect.timeout, span)?;
                let patterns = expect.arms.iter().map(|(arm, _)| self.freeze(arm, span)).collect::<Result<Vec<_>, _>>()?;
                self.begin_wait(span)?;
                let deadline = self.line().time.after(timeout);
                let pc = self.main.pc;
                self.start_expecting(Expecting { pc, patterns, deadline });
                Ok(Flow::Stay)
            }
            Op::Wait(time) => {
                let time = self.duration(time, span)?;
                self.begin_wait(span)?;
                let until = self.line().time.after(time.max(Duration::ZERO));
                self.line_mut().pc += 1;
                self.wait(Wait::Until(until))
            }
            other => self.step_saying(other, span),
        }
    }

    /// Statements that say something or end something.
    fn step_saying(&mut self, op: &Op, span: Span) -> Step {
        match op {
            Op::Print(what) => {
                let text = self.printed(what, span)?;
                let time = self.line().time;
                self.say(Event::Print { text, span, time });
                Ok(Flow::Next)
            }
            Op::Record { name, value, labels } => self.record(name, value, labels, span),
            Op::Assert(condition, message) => match eval::truth(&self.eval(condition, span)?) {
                true => Ok(Flow::Next),
                false => self.fail(message.as_ref(), span),
            },
            Op::Fail(why) => self.fail(Some(why), span),
            Op::Exit => self.end(Ending::Done, false),
            Op::Stop => self.stop(),
            Op::Close { stack, reset } => self.close(*stack, *reset),
            _ => self.end_of_program(span),
        }
    }

    /// After the last statement, the linger of the handlers at top level.
    fn end_of_program(&mut self, span: Span) -> Step {
        if !self.main.lingered && self.lingers(0) {
            self.begin_wait(span)?;
            let since = self.main.time;
            return self.wait(Wait::Linger { since });
        }
        self.end(Ending::Done, false)
    }

    fn enter(&mut self, scope: Scope) -> Step {
        self.line_mut().scopes.push(scope);
        Ok(Flow::Next)
    }

    /// Waits; the step has been counted, or is made again when the wait is over.
    fn wait(&mut self, wait: Wait) -> Step {
        self.line_mut().wait = Some(wait);
        Ok(Flow::Stay)
    }

    fn set(&mut self, var: VarId, value: &Expr, span: Span) -> Step {
        let value = self.eval(value, span)?;
        self.memory.set(var, value, span).map_err(|stop| Halt::of(stop, span))?;
        Ok(Flow::Next)
    }

    /// A duration; the checker lets nothing else come here.
    pub(crate) fn duration(&mut self, expr: &Expr, span: Span) -> Result<Duration, Halt> {
        match self.eval(expr, span)? {
            Value::Duration(d) => Ok(d),
            _ => Err(Halt::of(Raise::new(ErrorKind::Range, "a duration is wanted").into(), span)),
        }
    }

    pub(crate) fn whole(&mut self, expr: &Expr, span: Span) -> Result<i64, Halt> {
        match self.eval(expr, span)? {
            Value::Int(n) => Ok(n),
            _ => Err(Halt::of(Raise::new(ErrorKind::Range, "a whole number is wanted").into(), span)),
        }
    }

    fn record(&mut self, name: &str, value: &Expr, labels: &[(String, Expr)], span: Span) -> Step {
        let received = |machine: &Machine, e: &Expr| machine.program.labels.get(e.id.0 as usize) == Some(&Label::Content);
        let any = received(self, value) || labels.iter().any(|(_, e)| received(self, e));
        let measured = self.eval(value, span)?;
        let mut with = Vec::with_capacity(labels.len());
        for (label, expr) in labels {
            with.push((label.clone(), self.eval(expr, span)?));
        }
        let time = self.line().time;
        self.say(Event::Record { name: name.into(), value: measured, labels: with, received: any, span, time });
        Ok(Flow::Next)
    }

    fn fail(&mut self, why: Option<&Expr>, span: Span) -> Step {
        let message = why.map(|e| self.printed(e, span)).transpose()?.unwrap_or_else(|| "an assertion does not hold".into());
        let time = self.line().time;
        self.say(Event::Failed { message: message.clone(), span, time });
        self.end(Ending::Failed(message), false)
    }

    /// Ends the program: streams are closed with FIN, nothing lingers (6.12).
    pub(crate) fn end(&mut self, ending: Ending, reset: bool) -> Step {
        self.handler = None;
        self.delivery = None;
        self.last_words.get_or_insert(ending);
        let last = self.code.ops.len() - 1;
        match self.main.scopes.is_empty() {
            true => self.finish(),
            false => {
                self.main.wait = None;
                self.main.unwind = Some(Unwind { depth: 0, pc: last, reset, error: None });
            }
        }
        Ok(Flow::Stay)
    }

    /// Ends the nearest loop (6.12).
    fn stop(&mut self) -> Step {
        let found = self.line().scopes.iter().rposition(|s| matches!(s, Scope::Loop(_)));
        let Some(depth) = found else { return Ok(Flow::Next) };
        let Scope::Loop(Loop { head, .. }) = &self.line().scopes[depth] else { return Ok(Flow::Next) };
        let Op::Loop(op) = &self.code.ops[*head] else { return Ok(Flow::Next) };
        let pc = op.end;
        self.line_mut().unwind = Some(Unwind { depth, pc, reset: false, error: None });
        Ok(Flow::Stay)
    }

    /// `close`, `abort`: leaves the driven block as `stop` leaves a loop; in a server's handler or arm it ends that peer (4.12).
    fn close(&mut self, stack: StackId, reset: bool) -> Step {
        if let Some(peer) = self.peer_of(stack) {
            self.stacks.end_peer(stack, &peer, reset, self.clock);
            return Ok(Flow::Next);
        }
        let found = self.line().scopes.iter().rposition(|s| matches!(s, Scope::Stack { id, .. } if *id == stack));
        let Some(depth) = found else { return Ok(Flow::Next) };
        let Scope::Stack { end, .. } = self.line().scopes[depth] else { return Ok(Flow::Next) };
        self.line_mut().unwind = Some(Unwind { depth, pc: end, reset, error: None });
        Ok(Flow::Stay)
    }

    /// Evaluates the options of a loop, once (6.9).
    fn start_loop(&mut self, head: &LoopOp, span: Span) -> Step {
        let items = match &head.over {
            LoopOver::Count(count, _) => Items::Count { done: 0, most: count.as_ref().map(|e| self.whole(e, span)).transpose()? },
            LoopOver::Each(_, Over::Range(from, to)) => Items::Range { next: Some(self.whole(from, span)?), last: self.whole(to, span)? },
            LoopOver::Each(_, Over::Value(container)) => Items::Values(elements(self.eval(container, span)?), 0),
        };
        let every = head.pace.every.as_ref().map(|e| self.duration(e, span)).transpose()?;
        let time = head.pace.span.as_ref().map(|e| self.duration(e, span)).transpose()?;
        if every.is_some_and(|d| d <= Duration::ZERO) {
            return Err(Halt::of(Raise::new(ErrorKind::Range, "`every` must be longer than no time").into(), span));
        }
        let start = self.line().time;
        let until = time.map(|d| start.after(d));
        self.enter(Scope::Loop(Loop { head: self.line().pc, items, start, every, until, point: 0 }))
    }

    fn iterate(&mut self, span: Span) -> Step {
        let code = Arc::clone(&self.code);
        let head = match self.line().scopes.last() {
            Some(Scope::Loop(cycle)) => cycle.head,
            _ => return Ok(Flow::Next),
        };
        let Op::Loop(op) = &code.ops[head] else { return Ok(Flow::Next) };
        let over = match &op.pace.until {
            Some(until) => eval::truth(&self.eval(until, span)?),
            None => false,
        };
        match if over { None } else { self.next_item() } {
            Some(item) => {
                if let LoopOver::Each(var, _) | LoopOver::Count(_, Some(var)) = &op.over {
                    self.memory.set(*var, item, span).map_err(|stop| Halt::of(stop, span))?;
                }
                Ok(Flow::Next)
            }
            None => {
                self.line_mut().scopes.pop();
                Ok(Flow::Jump(op.end))
            }
        }
    }

    /// The next element of the innermost loop, if its time is not over.
    fn next_item(&mut self) -> Option<Value> {
        let line = self.line_mut();
        let now = line.time;
        let Some(Scope::Loop(cycle)) = line.scopes.last_mut() else { return None };
        match cycle.until.is_some_and(|end| now >= end) {
            true => None,
            false => cycle.items.take(),
        }
    }

    /// The next point of the grid, never an earlier one (6.9).
    fn pause(&mut self, iterate: Pc, span: Span) -> Step {
        let paced = matches!(self.line().scopes.last(), Some(Scope::Loop(Loop { every: Some(_), .. })));
        if !paced {
            return Ok(Flow::Jump(iterate));
        }
        self.begin_wait(span)?;
        let line = self.line_mut();
        let now = line.time;
        let Some(Scope::Loop(cycle)) = line.scopes.last_mut() else { return Ok(Flow::Jump(iterate)) };
        let until = cycle.next_point(now);
        line.pc = iterate;
        self.wait(Wait::Until(until))
    }

    /// Ends the innermost block: its linger, its handlers, its stack (4.12).
    fn leave(&mut self) -> Step {
        let around = self.line().scopes.len();
        if self.handler.is_none() && !self.main.lingered && self.lingers(around) {
            let span = self.code.spans[self.main.pc];
            self.begin_wait(span)?;
            let since = self.main.time;
            return self.wait(Wait::Linger { since });
        }
        self.line_mut().lingered = false;
        let pc = self.line().pc + 1;
        match self.line().scopes.last() {
            Some(Scope::Stack { .. }) => {
                self.line_mut().unwind = Some(Unwind { depth: around - 1, pc, reset: false, error: None });
                Ok(Flow::Stay)
            }
            _ => {
                self.pop_scope();
                Ok(Flow::Next)
            }
        }
    }

    /// Takes the innermost scope away, and the handlers that live in it.
    fn pop_scope(&mut self) {
        let line = self.line_mut();
        line.scopes.pop();
        let depth = line.scopes.len();
        if self.handler.is_none() {
            self.watches.retain(|w| w.depth <= depth);
        }
    }

    fn unwind(&mut self) {
        let Some(unwind) = &self.line().unwind else { return };
        let (depth, reset) = (unwind.depth, unwind.reset);
        while self.line().scopes.len() > depth {
            if let Some(Scope::Stack { id, .. }) = self.line().scopes.last() {
                let id = *id;
                let around = self.main.scopes.len();
                self.watches.retain(|w| w.depth < around);
                if !self.stack_closed(id, reset) {
                    return;
                }
            }
            self.pop_scope();
        }
        let Some(Unwind { pc, error, .. }) = self.line_mut().unwind.take() else { return };
        let line = self.line_mut();
        line.pc = pc;
        line.lingered = false;
        line.peer = None;
        if let Some((var, value)) = error {
            let span = self.code.spans[pc];
            let _ = self.memory.set(var, value, span);
        }
        if self.last_words.is_some() && self.main.scopes.is_empty() {
            self.finish();
        }
    }

    /// What becomes of a statement that did not get done.
    pub(crate) fn halted(&mut self, halt: Halt) {
        match halt {
            Halt::NeedStamp(packet) => self.await_stamp(packet),
            Halt::TooLarge(span) => {
                self.note_cap(span);
                self.skip();
            }
            Halt::Trouble(trouble) => self.raise(trouble),
        }
    }

    /// Goes past a statement that was not done because of a cap: its blocks are skipped too (2.12).
    fn skip(&mut self) {
        let code = Arc::clone(&self.code);
        let pc = self.line().pc;
        match &code.ops[pc] {
            Op::Branch { otherwise, .. } => self.line_mut().pc = *otherwise,
            Op::Loop(op) => self.line_mut().pc = op.end,
            Op::Open { end, .. } => self.line_mut().pc = *end,
            Op::Expect(op) => self.line_mut().pc = op.end,
            Op::Iterate => {
                let _ = self.stop();
            }
            _ => self.line_mut().pc += 1,
        }
    }

    /// An error goes to who takes it (6.13, 6.14).
    pub(crate) fn raise(&mut self, trouble: Trouble) {
        let taker = self.line().scopes.iter().rposition(|scope| takes(scope, &trouble));
        if let Some(depth) = taker {
            return self.hand_error(depth, &trouble);
        }
        let value_error = trouble.kind.is_value_error();
        self.report_error(&trouble);
        let block = self.line().scopes.iter().rposition(|s| matches!(s, Scope::Block { .. } | Scope::Stack { .. }));
        match block {
            Some(depth) if value_error => self.end_block(depth),
            _ if self.handler.is_some() => self.finish_handler(),
            _ => {
                let _ = self.end(Machine::ending_of(&trouble), true);
            }
        }
    }

    fn hand_error(&mut self, depth: usize, trouble: &Trouble) {
        let value = Value::Error(Arc::new((trouble.kind.word().to_string(), trouble.message.clone())));
        let (var, pc) = match &self.line().scopes[depth] {
            Scope::Try { error, handler } => (*error, *handler),
            Scope::Stack { otherwise: Some((error, pc)), .. } => (*error, *pc),
            _ => return,
        };
        self.line_mut().wait = None;
        self.line_mut().unwind = Some(Unwind { depth, pc, reset: true, error: var.map(|var| (var, value)) });
    }

    /// A value error ends the block it is in; a handler stays, an iteration is over (6.14).
    fn end_block(&mut self, depth: usize) {
        let pc = match &self.line().scopes[depth] {
            Scope::Block { end, .. } | Scope::Stack { end, .. } => *end,
            _ => return,
        };
        self.line_mut().wait = None;
        self.line_mut().unwind = Some(Unwind { depth, pc, reset: true, error: None });
    }

    /// What every waiting statement does first: the deadline (3.7), stacks that broke (4.10), lateness (6.1).
    pub(crate) fn begin_wait(&mut self, span: Span) -> Result<(), Halt> {
        if let Some(trouble) = self.broken_stack(span) {
            return Err(Halt::Trouble(trouble));
        }
        self.catch_up(span);
        match self.line().time >= self.deadline {
            true => Err(Halt::Trouble(self.past_deadline(span))),
            false => Ok(()),
        }
    }

    pub(crate) fn past_deadline(&self, span: Span) -> Trouble {
        Trouble { kind: ErrorKind::Deadline, message: "`max_duration` is over".into(), span, stack: None }
    }

    /// Program time follows the clock if the machine is more than 1 ms late.
    fn catch_up(&mut self, span: Span) {
        let by = self.clock.since(self.line().time);
        if by > Duration::millis(1) {
            let now = self.clock;
            self.line_mut().time = now;
            self.report.late += 1;
            self.report.worst_lateness = self.report.worst_lateness.max(by);
            self.say(Event::Late { by, span });
        }
    }

    /// Evaluates for a statement.
    pub(crate) fn eval(&mut self, expr: &Expr, span: Span) -> Result<Value, Halt> {
        eval::evaluate(expr, &mut self.world()).map_err(|stop| Halt::of(stop, span))
    }

    fn printed(&mut self, expr: &Expr, span: Span) -> Result<String, Halt> {
        let program = Arc::clone(&self.program);
        eval::printed(expr, &program.labels, &mut self.world()).map_err(|stop: Stop| Halt::of(stop, span))
    }
}

/// Which scope takes which error: a `try` all, a driven block with `else` the stack errors of its own stack (6.13).
fn takes(scope: &Scope, trouble: &Trouble) -> bool {
    match scope {
        Scope::Try { .. } => true,
        Scope::Stack { id, otherwise: Some(_), .. } => trouble.stack == Some(*id),
        _ => false,
    }
}

fn elements(container: Value) -> Arc<Vec<Value>> {
    match container {
        Value::Array(items) => items,
        Value::Map(map) => Arc::new(map.entries.keys().cloned().collect()),
        _ => Arc::new(Vec::new()),
    }
}

impl Items {
    fn take(&mut self) -> Option<Value> {
        match self {
            Items::Range { next, last } => {
                let n = (*next).filter(|n| *n <= *last)?;
                *next = n.checked_add(1);
                Some(Value::Int(n))
            }
            Items::Values(items, at) => {
                let item = items.get(*at)?.clone();
                *at += 1;
                Some(item)
            }
            Items::Count { done, most } => {
                if most.is_some_and(|most| *done >= most) {
                    return None;
                }
                *done = done.checked_add(1)?;
                Some(Value::Int(*done))
            }
        }
    }
}

impl Loop {
    /// The next point of the grid that is not before `now`, and after the one at which the iteration began.
    fn next_point(&mut self, now: Time) -> Time {
        let Some(every) = self.every else { return now };
        let passed = now.since(self.start).0;
        let reached = passed.div_euclid(every.0) + i64::from(passed.rem_euclid(every.0) != 0);
        self.point = reached.max(self.point.saturating_add(1));
        self.start.after(Duration(self.point.saturating_mul(every.0)))
    }
}
