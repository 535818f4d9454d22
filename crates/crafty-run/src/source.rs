//! The text of a program under its name, and the places in it.

use crafty_lang::ir::Span;
use std::fs::File;
use std::io::{self, Read};

/// Most bytes that are read of a program; the checker refuses one of this length.
const MAX_SOURCE: u64 = 64 * 1024 + 1;

/// A program's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// What messages call it: usually its file's name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Why a program's text cannot be read.
#[derive(Debug)]
pub enum SourceError {
    /// The system refuses.
    Unreadable {
        /// The file.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// It is not UTF-8.
    NotText {
        /// The file.
        name: String,
    },
}

impl Source {
    /// A text that is in memory already.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source {
            name: name.into(),
            text: text.into(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not text.
    pub fn open(name: &str) -> Result<Source, SourceError> {
        let file = File::open(name).map_err(|error| SourceError::Unreadable {
            name: name.into(),
            error,
        })?;
        Source::read(name, file)
    }

    /// Reads a text to its end; at most a little more than the longest program that is accepted.
    ///
    /// # Errors
    /// When it cannot be read, or is not text.
    pub fn read(name: &str, from: impl Read) -> Result<Source, SourceError> {
        let mut bytes = Vec::new();
        from.take(MAX_SOURCE)
            .read_to_end(&mut bytes)
            .map_err(|error| SourceError::Unreadable {
                name: name.into(),
                error,
            })?;
        let text =
            String::from_utf8(bytes).map_err(|_| SourceError::NotText { name: name.into() })?;
        Ok(Source::new(name, text))
    }

    /// Line and column, from 1, of a byte of the text; columns count characters.
    pub fn position(&self, at: u32) -> (usize, usize) {
        let before = self.text.get(..at as usize).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }

    /// The line on which a part of the text begins, without its indentation.
    pub fn line(&self, span: Span) -> &str {
        let (line, _) = self.position(span.start);
        self.text.lines().nth(line - 1).unwrap_or("").trim()
    }

    /// `ping.crafty:7:3`.
    pub fn place(&self, span: Span) -> String {
        let (line, column) = self.position(span.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// `ping.crafty:7: ICMP(…)`. What is sent before the first statement has no line.
    pub fn quoted(&self, span: Span) -> String {
        if span.start == span.end {
            return format!("{}: before the first statement", self.name);
        }
        let (line, _) = self.position(span.start);
        format!("{}:{line}: {}", self.name, self.line(span))
    }
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SourceError::Unreadable { name, error } => write!(f, "cannot read `{name}`: {error}"),
            SourceError::NotText { name } => write!(f, "`{name}` is not text"),
        }
    }
}

impl std::error::Error for SourceError {}

impl SourceError {
    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        match self {
            SourceError::Unreadable { .. } => "give a `.crafty` file, or `-` for standard input",
            SourceError::NotText { .. } => "a program is ASCII outside strings and comments",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns() {
        let source = Source::new("x", "a = 1\n  é = 2\nz");
        let check = |at: u32, wanted| assert_eq!(source.position(at), wanted, "{at}");
        check(0, (1, 1));
        check(6, (2, 1));
        check(10, (2, 4));
        check(15, (3, 1));
        check(900, (3, 2));
        let span = Span { start: 8, end: 9 };
        assert_eq!(source.quoted(span), "x:2: é = 2");
        assert_eq!(
            source.quoted(Span::default()),
            "x: before the first statement"
        );
    }

    #[test]
    fn what_is_not_text_is_told_apart() {
        let error = Source::read("x", &[0xff_u8][..]).expect_err("not UTF-8");
        assert!(matches!(error, SourceError::NotText { .. }), "{error}");
    }
}
