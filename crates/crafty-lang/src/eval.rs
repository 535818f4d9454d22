//! Values of expressions: everything but the machine's own knowledge, which it gives through [`World`].

use crate::ir::{ErrorKind, Span};

/// An error raised by an operation of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Raise {
    /// Which kind: a word of the language's list.
    pub kind: ErrorKind,
    /// What happened, for a human.
    pub message: String,
    /// Where, once known.
    pub span: Option<Span>,
}
