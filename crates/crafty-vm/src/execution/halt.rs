//! What a step comes to: where execution continues, or why the statement did not get done.

use crate::execution::steps::ProgramCounter;
use crate::stacks::error::BlockError;
use crafty_lang::eval::{EvalInterruption, Raise, SizeExcess, Stop};
use crafty_lang::ir::{ErrorKind, Span, StackId};

/// An error on its way to who takes it.
#[derive(Clone, Debug)]
pub(crate) struct RaisedError {
    pub kind: ErrorKind,
    pub message: String,
    pub span: Span,
    /// The stack it comes from.
    pub stack: Option<StackId>,
}

/// Why a statement did not get done.
#[derive(Debug)]
pub(crate) enum Halt {
    Error(RaisedError),
    NeedStamp(u64),
    TooLarge(SizeExcess),
    /// The run ends here.
    End(EvalInterruption, Span),
}

impl RaisedError {
    /// An error of a driven block.
    pub fn of_block(error: &BlockError, span: Span, stack: Option<StackId>) -> RaisedError {
        RaisedError {
            kind: error.kind(),
            message: error.to_string(),
            span,
            stack,
        }
    }
}

impl Halt {
    /// An evaluation that stopped; `span` is the statement's.
    pub fn of(stop: Stop, span: Span) -> Halt {
        match stop {
            Stop::Raise(Raise {
                kind,
                message,
                span: at,
            }) => Halt::Error(RaisedError {
                kind,
                message,
                span: at.unwrap_or(span),
                stack: None,
            }),
            Stop::NeedStamp(packet) => Halt::NeedStamp(packet),
            Stop::TooLarge(excess) => Halt::TooLarge(excess),
            Stop::End(end) => Halt::End(end, span),
        }
    }
}

/// Where a step leads.
pub(crate) enum NextInstruction {
    Next,
    Jump(ProgramCounter),
    /// The step has set a wait or an unwinding; it says itself where to continue.
    Stay,
}

/// What a step comes to.
pub(crate) type StepResult = Result<NextInstruction, Halt>;
