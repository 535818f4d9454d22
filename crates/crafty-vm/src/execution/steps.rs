//! A program flattened into steps with jumps, so that it can stop at any statement and go on later.
//! Decides nothing at run time.

use crafty_lang::ir::{
    Arm, AssignOp, Block, Expr, Out, OutAction, Over, Pace, Program, Send, Span, StackId,
    Statement, StatementKind, StatementKind as K, Type, VarId,
};
use std::sync::Arc;

/// Index of a step.
pub(crate) type Pc = usize;

/// How many stamps of our own one expression can wait for at most.
pub(crate) const MAX_STAMPS: usize = 16;

/// One step.
#[derive(Debug)]
pub(crate) enum Op {
    Set {
        var: VarId,
        value: Expr,
    },
    /// `append`: `+=` adds an element.
    Update {
        var: VarId,
        path: Vec<Expr>,
        op: AssignOp,
        value: Expr,
        append: bool,
    },
    Send {
        send: Send,
        into: Option<VarId>,
    },
    /// Opens a block that takes value errors; `end` is where the program goes on after one.
    Enter {
        end: Pc,
    },
    /// Ends the innermost block, after its linger.
    Leave,
    Jump(Pc),
    /// Goes to `otherwise` unless the condition holds.
    Branch {
        condition: Expr,
        otherwise: Pc,
    },
    Loop(Box<LoopOp>),
    /// Starts an iteration, or ends the loop.
    Iterate,
    /// The pause of `every`; then goes to [`Op::Iterate`] at this step.
    Pause(Pc),
    Try {
        error: Option<VarId>,
        handler: Pc,
    },
    Open {
        stack: StackId,
        otherwise: Option<(Option<VarId>, Pc)>,
        end: Pc,
    },
    On(Box<OnOp>),
    Out(Box<OutOp>),
    /// What is held leaves.
    Release,
    Expect(Box<ExpectOp>),
    Wait(Expr),
    Stop,
    Exit,
    Close {
        stack: StackId,
        reset: bool,
    },
    Fail(Expr),
    Print(Expr),
    Record {
        name: String,
        value: Expr,
        labels: Vec<(String, Expr)>,
    },
    Assert(Expr, Option<Expr>),
    /// The end of a handler's run.
    Done,
    /// The end of the program.
    End,
}

/// The head of a loop.
#[derive(Debug)]
pub(crate) struct LoopOp {
    pub over: LoopOver,
    pub pace: Pace,
    pub end: Pc,
}

/// What a loop runs over.
#[derive(Debug)]
pub(crate) enum LoopOver {
    Each(VarId, Over),
    Count(Option<Expr>, Option<VarId>),
}

/// The head of a handler; its body is at `body` and ends in [`Op::Done`].
#[derive(Debug)]
pub(crate) struct OnOp {
    pub linger: Option<Expr>,
    pub count: Option<Expr>,
    pub arm: Arc<Arm>,
    pub body: Pc,
}

/// A rule about the stack's own segments; its block, if it has one, is at `body` and ends in
/// [`Op::Done`].
#[derive(Debug)]
pub(crate) struct OutOp {
    pub stack: StackId,
    pub action: OutAction,
    pub count: Option<Expr>,
    pub arm: Arc<Arm>,
    pub body: Option<Pc>,
}

/// The head of an `expect`.
#[derive(Debug)]
pub(crate) struct ExpectOp {
    pub timeout: Expr,
    pub arms: Vec<(Arc<Arm>, Pc)>,
    pub otherwise: Option<Pc>,
    pub end: Pc,
}

/// All steps with their places.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub spans: Vec<Span>,
    /// Whether anything asks the inbox.
    pub expects: bool,
}

impl Code {
    /// The steps of a program's body, which is taken.
    pub fn of(program: &mut Program) -> Code {
        let mut code = Code::default();
        let body = core::mem::take(&mut program.body);
        let span = body.span;
        code.block(body);
        code.push(Op::End, span);
        for op in &mut code.ops {
            if let Op::Update {
                var,
                path,
                op: AssignOp::Add,
                value,
                append,
            } = op
            {
                *append =
                    adds_element(&program.variables[var.0 as usize].ty, path.len(), &value.ty);
            }
        }
        code
    }

    fn push(&mut self, op: Op, span: Span) -> Pc {
        self.ops.push(op);
        self.spans.push(span);
        self.ops.len() - 1
    }

    fn here(&self) -> Pc {
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
        let enter = self.push(Op::Enter { end: 0 }, span);
        self.block(block);
        self.push(Op::Leave, span);
        self.ops[enter] = Op::Enter { end: self.here() };
    }

    fn statement(&mut self, Statement { kind, span }: Statement) {
        match kind {
            K::If { arms, otherwise } => self.choice(arms, otherwise, span),
            K::Foreach {
                var,
                over,
                pace,
                body,
            } => self.cycle(LoopOver::Each(var, over), pace, body, span),
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
            let branch = self.push(Op::Jump(0), condition.span);
            self.scoped(block);
            leaving.push(self.push(Op::Jump(0), span));
            self.ops[branch] = Op::Branch {
                condition,
                otherwise: self.here(),
            };
        }
        if let Some(block) = otherwise {
            self.scoped(block);
        }
        self.land(leaving);
    }

    fn land(&mut self, jumps: Vec<Pc>) {
        for jump in jumps {
            self.ops[jump] = Op::Jump(self.here());
        }
    }

    fn cycle(&mut self, over: LoopOver, pace: Pace, body: Block, span: Span) {
        let head = self.push(Op::Jump(0), span);
        let iterate = self.push(Op::Iterate, span);
        self.scoped(body);
        self.push(Op::Pause(iterate), span);
        self.ops[head] = Op::Loop(Box::new(LoopOp {
            over,
            pace,
            end: self.here(),
        }));
    }

    fn attempt(&mut self, body: Block, error: Option<VarId>, otherwise: Block, span: Span) {
        let head = self.push(Op::Jump(0), span);
        self.block(body);
        self.push(Op::Leave, span);
        let leaving = self.push(Op::Jump(0), span);
        self.ops[head] = Op::Try {
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
        let head = self.push(Op::Jump(0), span);
        self.block(body);
        self.push(Op::Leave, span);
        let leaving = self.push(Op::Jump(0), span);
        let otherwise = otherwise.map(|(error, block)| {
            let at = self.here();
            self.scoped(block);
            (error, at)
        });
        self.ops[head] = Op::Open {
            stack,
            otherwise,
            end: self.here(),
        };
        self.land(vec![leaving]);
    }

    fn on(&mut self, linger: Option<Expr>, count: Option<Expr>, arm: Arm, body: Block, span: Span) {
        let head = self.push(Op::Jump(0), span);
        let around = self.push(Op::Jump(0), span);
        let at = self.here();
        self.scoped(body);
        self.push(Op::Done, span);
        self.ops[head] = Op::On(Box::new(OnOp {
            linger,
            count,
            arm: Arc::new(arm),
            body: at,
        }));
        self.land(vec![around]);
    }

    fn out(&mut self, out: Out, span: Span) {
        let head = self.push(Op::Jump(0), span);
        let around = self.push(Op::Jump(0), span);
        let body = out.body.map(|body| {
            let at = self.here();
            self.scoped(body);
            self.push(Op::Done, span);
            at
        });
        let (stack, action, count) = (out.stack, out.action, out.count);
        self.ops[head] = Op::Out(Box::new(OutOp {
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
        let head = self.push(Op::Jump(0), span);
        let mut leaving = Vec::new();
        let mut placed = Vec::new();
        for (arm, block) in arms {
            placed.push((Arc::new(arm), self.here()));
            self.scoped(block);
            leaving.push(self.push(Op::Jump(0), span));
        }
        let otherwise = otherwise.map(|block| {
            let at = self.here();
            self.scoped(block);
            at
        });
        let end = self.here();
        self.ops[head] = Op::Expect(Box::new(ExpectOp {
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
fn adds_element(ty: &Type, depth: usize, value: &Type) -> bool {
    match (ty, depth) {
        (Type::Array(item), 0) => **item == *value,
        (Type::Array(inner) | Type::Map(_, inner), 1..) => adds_element(inner, depth - 1, value),
        _ => false,
    }
}

/// Statements without blocks.
fn simple_op(kind: StatementKind) -> Op {
    match kind {
        K::Set { var, value } => Op::Set { var, value },
        K::Update {
            var,
            path,
            op,
            value,
        } => Op::Update {
            var,
            path,
            op,
            value,
            append: false,
        },
        K::Send { send, into } => Op::Send { send, into },
        K::Wait(time) => Op::Wait(time),
        K::Stop => Op::Stop,
        K::Close(stack) => Op::Close {
            stack,
            reset: false,
        },
        K::Abort(stack) => Op::Close { stack, reset: true },
        K::Fail(why) => Op::Fail(why),
        K::Print(what) => Op::Print(what),
        K::Record {
            name,
            value,
            labels,
        } => Op::Record {
            name,
            value,
            labels,
        },
        K::Assert(condition, message) => Op::Assert(condition, message),
        K::Release(_) => Op::Release,
        K::Exit
        | K::If { .. }
        | K::Foreach { .. }
        | K::Repeat { .. }
        | K::Try { .. }
        | K::Open { .. }
        | K::On { .. }
        | K::Out(_)
        | K::Expect { .. } => Op::Exit,
    }
}
