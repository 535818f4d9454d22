//! From text to a tree and back, and rendered diagnostics: what an editor or a formatter needs.
//! Never fails: any text gives a tree and all its mistakes at once. Knows no protocol, no type and
//! no setting.
#![forbid(unsafe_code)]

pub mod ast;
pub mod diagnostic;
pub mod diagnostics;
mod hidden;
mod lexer;
mod parser;
mod print;
pub mod render;
mod token;

#[cfg(test)]
mod tests;

pub use hidden::is_hidden;

use crate::diagnostic::Occurrence;
use crate::diagnostics::too_long;
use ast::{BlockSyntax, Span};

/// Longest program, in bytes.
pub const MAX_SOURCE: usize = 65_536;

/// Deepest nesting of blocks, brackets and expressions.
pub const MAX_NESTING: usize = 64;

/// Most mistakes that are reported of one text: who reads more than these has the wrong file.
pub const MAX_REPORTS: usize = 64;

/// What reading a text gives.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; what could not be read is `Broken` in it.
    pub program: BlockSyntax,
    /// In order of place.
    pub comments: Vec<Comment>,
    /// Mistakes, in order of place; all of them errors.
    pub reports: Vec<Occurrence>,
}

/// A comment: from `#` to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its `#`, without blanks at its end.
    pub text: String,
    /// Where it is.
    pub span: Span,
    /// Whether nothing but blanks is before it on its line.
    pub alone: bool,
}

/// Reads a program.
pub fn parse(source: &str) -> Parsed {
    if source.len() > MAX_SOURCE {
        let place = Span { start: 0, end: 0 };
        return Parsed {
            program: BlockSyntax::default(),
            comments: Vec::new(),
            reports: vec![too_long::at(place, source.len())],
        };
    }
    let lexed = lexer::lex(source);
    let (program, mut reports) = parser::program(source, lexed.tokens, lexed.reports);
    reports.sort_by_key(|report| report.span);
    reports.truncate(MAX_REPORTS);
    Parsed {
        program,
        comments: lexed.comments,
        reports,
    }
}

/// The program in the one layout that `crafty fmt` writes, comments kept; or its mistakes.
pub fn format(source: &str) -> Result<String, Vec<Occurrence>> {
    let parsed = parse(source);
    if parsed.reports.is_empty() {
        Ok(print::program(source, &parsed))
    } else {
        Err(parsed.reports)
    }
}
