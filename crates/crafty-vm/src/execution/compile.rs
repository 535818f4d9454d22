//! From the checked tree to steps: blocks become jumps, each other statement is one step.

use super::steps::*;
use crate::stacks::open_block::CloseBy;
use crafty_lang::ir::{
    Arm, AssignOp, Block, Expr, ExprKind, LoopEnd, LoopPace, Out, Program, Span, StackId,
    Statement, StatementKind, StatementKind as K, Type, VarId,
};
use std::sync::Arc;

impl Code {
    /// The steps of a program's body, which is taken.
    pub fn of(program: &mut Program) -> Code {
        let mut code = Code::default();
        let body = core::mem::take(&mut program.body);
        let span = body.span;
        code.block(body);
        code.push(Instruction::End, span);
        for op in &mut code.ops {
            if let Instruction::Update {
                var,
                path,
                op: AssignOp::Add,
                value,
                append,
            } = op
            {
                *append = adds_element(&program.variables[var.0 as usize].ty, path, &value.ty);
            }
        }
        code
    }

    fn push(&mut self, op: Instruction, span: Span) -> ProgramCounter {
        self.ops.push(op);
        self.spans.push(span);
        self.ops.len() - 1
    }

    fn here(&self) -> ProgramCounter {
        self.ops.len()
    }

    fn block(&mut self, block: Block) {
        for statement in block.statements {
            self.statement(statement);
        }
    }

    /// A block of its own: entered, left, and where an error in it leads: to the step after.
    fn scoped(&mut self, block: Block) {
        let span = block.span;
        let enter = self.push(Instruction::Enter { end: 0 }, span);
        self.block(block);
        self.push(Instruction::Leave, span);
        self.ops[enter] = Instruction::Enter { end: self.here() };
    }

    fn statement(&mut self, Statement { kind, span }: Statement) {
        match kind {
            K::If { arms, otherwise } => self.choice(arms, otherwise, span),
            K::Foreach {
                var,
                second,
                over,
                pace,
                body,
            } => self.cycle(LoopOver::Each((var, second), over), pace, body, span),
            K::Repeat {
                count,
                counter,
                pace,
                body,
            } => self.cycle(LoopOver::Count(count, counter), pace, body, span),
            K::Try {
                body,
                error,
                otherwise,
            } => self.attempt(body, error, otherwise, span),
            K::Open {
                stack,
                body,
                otherwise,
            } => self.open(stack, body, otherwise, span),
            K::On {
                linger,
                count,
                arm,
                body,
                ..
            } => self.on(linger, count, arm, body, span),
            K::Out(out) => self.out(*out, span),
            K::Expect {
                timeout,
                arms,
                otherwise,
            } => self.expect(timeout, arms, otherwise, span),
            simple => {
                let op = simple_op(simple);
                self.push(op, span);
            }
        }
    }

    fn choice(&mut self, arms: Vec<(Expr, Block)>, otherwise: Option<Block>, span: Span) {
        let mut leaving = Vec::new();
        for (condition, block) in arms {
            let branch = self.push(Instruction::Jump(0), condition.span);
            self.scoped(block);
            leaving.push(self.push(Instruction::Jump(0), span));
            self.ops[branch] = Instruction::Branch {
                condition,
                otherwise: self.here(),
            };
        }
        if let Some(block) = otherwise {
            self.scoped(block);
        }
        self.land(leaving);
    }

    fn land(&mut self, jumps: Vec<ProgramCounter>) {
        for jump in jumps {
            self.ops[jump] = Instruction::Jump(self.here());
        }
    }

    fn cycle(&mut self, over: LoopOver, pace: LoopPace, body: Block, span: Span) {
        let head = self.push(Instruction::Jump(0), span);
        let iterate = self.push(Instruction::Iterate, span);
        match pace.ended_by {
            LoopEnd::Stop => self.scoped(body),
            LoopEnd::Answer => self.asked(body),
        }
        self.push(Instruction::Pause(iterate), span);
        self.ops[head] = Instruction::Loop(Box::new(LoopHead {
            over,
            pace,
            end: self.here(),
        }));
    }

    /// The body of an `ask`: its last statement is the `expect` that waits for the answer.
    fn asked(&mut self, mut body: Block) {
        let span = body.span;
        let question = body.statements.pop();
        let enter = self.push(Instruction::Enter { end: 0 }, span);
        self.block(body);
        if let Some(question) = question {
            let at = self.here();
            self.statement(question);
            if let Instruction::Expect(head) = &mut self.ops[at] {
                head.asks = true;
            }
        }
        self.push(Instruction::Leave, span);
        self.ops[enter] = Instruction::Enter { end: self.here() };
    }

    fn attempt(&mut self, body: Block, error: Option<VarId>, otherwise: Block, span: Span) {
        let head = self.push(Instruction::Jump(0), span);
        self.block(body);
        self.push(Instruction::Leave, span);
        let leaving = self.push(Instruction::Jump(0), span);
        self.ops[head] = Instruction::Try {
            error,
            handler: self.here(),
        };
        self.scoped(otherwise);
        self.land(vec![leaving]);
    }

    fn open(
        &mut self,
        stack: StackId,
        body: Block,
        otherwise: Option<(Option<VarId>, Block)>,
        span: Span,
    ) {
        let head = self.push(Instruction::Jump(0), span);
        self.block(body);
        self.push(Instruction::Leave, span);
        let leaving = self.push(Instruction::Jump(0), span);
        let otherwise = otherwise.map(|(error, block)| {
            let at = self.here();
            self.scoped(block);
            (error, at)
        });
        self.ops[head] = Instruction::Open {
            stack,
            otherwise,
            end: self.here(),
        };
        self.land(vec![leaving]);
    }

    fn on(&mut self, linger: Option<Expr>, count: Option<Expr>, arm: Arm, body: Block, span: Span) {
        let head = self.push(Instruction::Jump(0), span);
        let around = self.push(Instruction::Jump(0), span);
        let at = self.here();
        self.scoped(body);
        self.push(Instruction::Done, span);
        self.ops[head] = Instruction::On(Box::new(HandlerHead {
            linger,
            count,
            arm: Arc::new(arm),
            body: at,
        }));
        self.land(vec![around]);
    }

    fn out(&mut self, out: Out, span: Span) {
        let head = self.push(Instruction::Jump(0), span);
        let around = self.push(Instruction::Jump(0), span);
        let body = out.body.map(|body| {
            let at = self.here();
            self.scoped(body);
            self.push(Instruction::Done, span);
            at
        });
        let (stack, action, count) = (out.stack, out.action, out.count);
        self.ops[head] = Instruction::Out(Box::new(OutRuleHead {
            stack,
            action,
            count,
            arm: Arc::new(out.arm),
            body,
        }));
        self.land(vec![around]);
    }

    fn expect(
        &mut self,
        timeout: Expr,
        arms: Vec<(Arm, Block)>,
        otherwise: Option<Block>,
        span: Span,
    ) {
        self.expects = true;
        let head = self.push(Instruction::Jump(0), span);
        let mut leaving = Vec::new();
        let mut placed = Vec::new();
        for (arm, block) in arms {
            placed.push((Arc::new(arm), self.here()));
            self.scoped(block);
            leaving.push(self.push(Instruction::Jump(0), span));
        }
        let otherwise = otherwise.map(|block| {
            let at = self.here();
            self.scoped(block);
            at
        });
        let end = self.here();
        self.ops[head] = Instruction::Expect(Box::new(ExpectHead {
            asks: false,
            timeout,
            arms: placed,
            otherwise,
            end,
        }));
        self.land(leaving);
    }
}

/// Whether `+=` appends: what the path leads to is an array, and the value has the type of its
/// elements.
fn adds_element(ty: &Type, path: &[Expr], value: &Type) -> bool {
    match path.split_first() {
        None => matches!(ty, Type::Array(item) if **item == *value),
        Some((step, rest)) => ty
            .behind(step)
            .is_some_and(|inner| adds_element(inner, rest, value)),
    }
}

fn set(var: VarId, value: Expr) -> Instruction {
    match removes_from(&value, var, &[]) {
        true => Instruction::Remove {
            var,
            path: Vec::new(),
            key: removed(value),
        },
        false => Instruction::Set { var, value },
    }
}

/// Whether a value is the map at this place without a key.
fn removes_from(value: &Expr, var: VarId, path: &[Expr]) -> bool {
    match &value.kind {
        ExprKind::Call { builtin, args } if builtin.name == "remove" => {
            args.first().is_some_and(|map| is_place(map, var, path))
        }
        _ => false,
    }
}

/// The key of a `remove`.
fn removed(value: Expr) -> Expr {
    match value.kind {
        ExprKind::Call { mut args, .. } if args.len() == 2 => args.remove(1),
        kind => Expr { kind, ..value },
    }
}

/// Whether an expression reads what this path in this variable leads to, by keys that read the same.
fn is_place(expr: &Expr, var: VarId, path: &[Expr]) -> bool {
    match (&expr.kind, path) {
        (ExprKind::Var(of), []) => *of == var,
        (ExprKind::At(base, key), [before @ .., last]) => {
            is_place(base, var, before) && is_same(key, last)
        }
        _ => false,
    }
}

fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
        _ => false,
    }
}

/// Statements without blocks.
fn simple_op(kind: StatementKind) -> Instruction {
    match kind {
        K::Set { var, value } => set(var, value),
        K::Update {
            var,
            path,
            op: AssignOp::Set,
            value,
        } if removes_from(&value, var, &path) => Instruction::Remove {
            var,
            path,
            key: removed(value),
        },
        K::Update {
            var,
            path,
            op,
            value,
        } => Instruction::Update {
            var,
            path,
            op,
            value,
            append: false,
        },
        K::Send { send, into } => Instruction::Send { send, into },
        K::Wait(time) => Instruction::Wait(time),
        K::Stop => Instruction::Stop,
        K::Close(stack) => Instruction::Close {
            stack,
            by: CloseBy::Fin,
        },
        K::Abort(stack) => Instruction::Close {
            stack,
            by: CloseBy::Reset,
        },
        K::Fail(why) => Instruction::Fail(why),
        K::Print(what) => Instruction::Print(what),
        K::Record {
            name,
            value,
            labels,
        } => Instruction::Record {
            name,
            value,
            labels,
        },
        K::Assert(condition, message) => Instruction::Assert(condition, message),
        K::Release(_) => Instruction::Release,
        K::Exit
        | K::If { .. }
        | K::Foreach { .. }
        | K::Repeat { .. }
        | K::Try { .. }
        | K::Open { .. }
        | K::On { .. }
        | K::Out(_)
        | K::Expect { .. } => Instruction::Exit,
    }
}
