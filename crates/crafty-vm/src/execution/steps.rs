//! A program flattened into steps with jumps, so that it can stop at any statement and go on later.
//! Decides nothing at run time.

use crate::stacks::open_block::CloseBy;
use crafty_lang::ir::{Arm, AssignOp, Expr, LoopPace, OutAction, Over, Send, Span, StackId, VarId};
use std::sync::Arc;

/// Index of a step.
pub(crate) type ProgramCounter = usize;

/// How many stamps of our own one expression can wait for at most.
pub(crate) const MAX_STAMPS: usize = 16;

/// One step.
#[derive(Debug)]
pub(crate) enum Instruction {
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
    /// `m := remove(m, key)`: what is removed from is what is set.
    Remove {
        var: VarId,
        path: Vec<Expr>,
        key: Expr,
    },
    Send {
        send: Send,
        into: Option<VarId>,
    },
    /// Opens a block that takes value errors; `end` is where the program continues after one.
    Enter {
        end: ProgramCounter,
    },
    /// Ends the innermost block, after its linger.
    Leave,
    Jump(ProgramCounter),
    /// Goes to `otherwise` unless the condition holds.
    Branch {
        condition: Expr,
        otherwise: ProgramCounter,
    },
    Loop(Box<LoopHead>),
    /// Starts an iteration, or ends the loop.
    Iterate,
    /// The pause of `every`; then goes to [`Instruction::Iterate`] at this step.
    Pause(ProgramCounter),
    Try {
        error: Option<VarId>,
        handler: ProgramCounter,
    },
    Open {
        stack: StackId,
        otherwise: Option<(Option<VarId>, ProgramCounter)>,
        end: ProgramCounter,
    },
    On(Box<HandlerHead>),
    Out(Box<OutRuleHead>),
    /// Held segments are sent.
    Release,
    Expect(Box<ExpectHead>),
    Wait(Expr),
    Stop,
    Exit,
    Close {
        stack: StackId,
        by: CloseBy,
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
pub(crate) struct LoopHead {
    pub over: LoopOver,
    pub pace: LoopPace,
    pub end: ProgramCounter,
}

/// What a loop runs over.
#[derive(Debug)]
pub(crate) enum LoopOver {
    /// Over this, into one variable or two.
    Each((VarId, Option<VarId>), Over),
    /// So often, counted in this variable.
    Count(Option<Expr>, Option<VarId>),
}

/// The head of a handler; its body is at `body` and ends in [`Instruction::Done`].
#[derive(Debug)]
pub(crate) struct HandlerHead {
    pub linger: Option<Expr>,
    pub count: Option<Expr>,
    pub arm: Arc<Arm>,
    pub body: ProgramCounter,
}

/// A rule about the stack's own segments; its block, if it has one, is at `body` and ends in
/// [`Instruction::Done`].
#[derive(Debug)]
pub(crate) struct OutRuleHead {
    pub stack: StackId,
    pub action: OutAction,
    pub count: Option<Expr>,
    pub arm: Arc<Arm>,
    pub body: Option<ProgramCounter>,
}

/// The head of an `expect`.
#[derive(Debug)]
pub(crate) struct ExpectHead {
    /// Whether it is the `expect` of an `ask`, whose loop is the innermost one.
    pub asks: bool,
    pub timeout: Expr,
    pub arms: Vec<(Arc<Arm>, ProgramCounter)>,
    pub otherwise: Option<ProgramCounter>,
    pub end: ProgramCounter,
}

/// All steps with their places.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Instruction>,
    pub spans: Vec<Span>,
    /// Whether anything asks the inbox.
    pub expects: bool,
}
