//! Text to tree and back. Any text gives a tree and all its mistakes at once; nothing here knows a protocol, a type or a setting.

pub mod ast;

use crate::diagnostic::Report;
use ast::{Block, Span};

/// Longest program, in octets.
pub const MAX_SOURCE: usize = 65_536;

/// Deepest nesting of blocks, brackets and expressions.
pub const MAX_NESTING: usize = 64;

/// What reading a text gives.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; what could not be read is `Broken` in it.
    pub program: Block,
    /// In order of place.
    pub comments: Vec<Comment>,
    /// Mistakes, in order of place; all of them errors.
    pub reports: Vec<Report>,
}

/// A comment: from `#` to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its `#`, without blanks at its end.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Whether nothing but blanks stands before it on its line.
    pub alone: bool,
}

/// Reads a program.
pub fn parse(source: &str) -> Parsed {
    let _ = source;
    Parsed { program: Block::default(), comments: Vec::new(), reports: Vec::new() }
}

/// The program in the one layout that `crafty fmt` writes, comments kept; or its mistakes.
pub fn format(source: &str) -> Result<String, Vec<Report>> {
    let parsed = parse(source);
    if parsed.reports.is_empty() { Ok(source.to_string()) } else { Err(parsed.reports) }
}
