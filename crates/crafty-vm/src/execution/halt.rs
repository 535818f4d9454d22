//! What a step comes to: where execution goes on, or why the statement did not get done.

use crate::execution::steps::ProgramCounter;
use crafty_lang::eval::{Raise, Stop};
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
    Trouble(RaisedError),
    NeedStamp(u64),
    TooLarge(Span),
}

impl Halt {
    /// An evaluation that stopped; `span` is the statement's.
    pub fn of(stop: Stop, span: Span) -> Halt {
        match stop {
            Stop::Raise(Raise {
                kind,
                message,
                span: at,
            }) => Halt::Trouble(RaisedError {
                kind,
                message,
                span: at.unwrap_or(span),
                stack: None,
            }),
            Stop::NeedStamp(packet) => Halt::NeedStamp(packet),
            Stop::TooLarge(at) => Halt::TooLarge(at),
        }
    }

    /// An error of a stack.
    pub fn stack(kind: ErrorKind, message: impl Into<String>, span: Span, stack: StackId) -> Halt {
        Halt::Trouble(RaisedError {
            kind,
            message: message.into(),
            span,
            stack: Some(stack),
        })
    }
}

/// Where a step leads.
pub(crate) enum NextInstruction {
    Next,
    Jump(ProgramCounter),
    /// The step has set a wait or an unwinding; it says itself where to go on.
    Stay,
}

/// What a step comes to.
pub(crate) type StepResult = Result<NextInstruction, Halt>;
