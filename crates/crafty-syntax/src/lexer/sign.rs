//! Operators and brackets, and the operators of other languages.

use super::{Lexer, span};
use crate::ast::Span;
use crate::diagnostics::{comment_sign, foreign_operator, foreign_sign, single_quotes};
use crate::token::{KEYWORDS, SIGNS, StringPart, TokenKind};

impl Lexer<'_> {
    /// Takes the longest sign that is here.
    pub(super) fn sign(&mut self) {
        let rest = self.rest();
        if rest.starts_with(b"//") || self.at_block_comment() {
            return self.comment_sign();
        }
        if let Some(row) = foreign_operator::ROWS
            .iter()
            .find(|row| rest.starts_with(row.written.as_bytes()))
        {
            self.tell(foreign_operator::at(
                span(self.at, self.at + row.written.len()),
                row,
            ));
            let keyword = KEYWORDS
                .iter()
                .find(|k| **k == row.reads_as)
                .map(|k| TokenKind::Keyword(k));
            return self.push(
                self.at + row.written.len(),
                keyword.unwrap_or(TokenKind::Sign(row.reads_as)),
            );
        }
        match SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
            Some(sign) => self.push(self.at + sign.len(), TokenKind::Sign(sign)),
            None => {
                self.tell(foreign_sign::at(
                    span(self.at, self.at + 1),
                    rest[0] as char,
                ));
                self.at += 1;
            }
        }
    }

    /// Whether this is a line of `/* … */`; a line of a pattern may begin with `/*` too, but does
    /// not end so.
    fn at_block_comment(&self) -> bool {
        let begins =
            self.newline && self.rest().starts_with(b"/*") && !self.rest().starts_with(b"/*/");
        begins
            && self
                .text(self.at, self.line_end())
                .trim_end()
                .ends_with("*/")
    }

    /// `//` and `/*`: a comment of other languages, or one `/` too many between two layers.
    fn comment_sign(&mut self) {
        let place = span(self.at, self.at + 2);
        let glued = self
            .tokens
            .last()
            .is_some_and(|t| t.span.end as usize == self.at && t.kind.ends_operand());
        if glued && self.octet(2).is_ascii_uppercase() {
            self.tell(comment_sign::between_layers(place));
            return self.push(self.at + 2, TokenKind::Sign("/"));
        }
        match self.division() {
            Some((whole, written)) => {
                self.tell(comment_sign::division(place, whole, written));
                self.push(self.at + 2, TokenKind::Sign("/"));
            }
            None => {
                self.tell(comment_sign::at(place, self.text(self.at, self.at + 2)));
                self.at = self.line_end();
            }
        }
    }

    /// `7 // 2`: a value, `//`, and a number or a name that a bracket closes; its place, and how it
    /// is written here.
    fn division(&self) -> Option<(Span, String)> {
        let left = self
            .tokens
            .last()
            .filter(|t| !self.newline && t.kind.ends_operand())?;
        let before = self
            .tokens
            .len()
            .checked_sub(2)
            .map(|n| &self.tokens[n].kind);
        let alone = ["*", "/", "%", ".", "]", ")"]
            .iter()
            .all(|sign| !before.is_some_and(|k| k.is(sign)) && !left.kind.is(sign));
        let gap = self.run_of(2, |c| c == b' ');
        let len = self.run_of(2 + gap, |c| c.is_ascii_alphanumeric() || c == b'_');
        let right = self.text(self.at + 2 + gap, self.at + 2 + gap + len);
        let end = self.at + 2 + gap + len;
        let rest = self.text(end, self.line_end());
        let number = right.starts_with(|c: char| c.is_ascii_digit())
            && (rest.trim().is_empty() || rest.starts_with([')', ',', ']', '}']));
        let named = rest.starts_with([')', ',', ']', '}'])
            && right.starts_with(|c: char| c.is_ascii_lowercase());
        let written = format!(
            "div({}, {right})",
            self.text(left.span.start as usize, left.span.end as usize)
        );
        (alone && self.octet(1) == b'/' && (number || named))
            .then(|| (span(left.span.start as usize, end), written))
    }

    /// `'x'` is read as `"x"`.
    pub(super) fn single_quotes(&mut self) {
        let len = 1 + self.run_of(1, |c| c != b'\'' && c != b'\n');
        let closed = self.octet(len) == b'\'';
        if !closed {
            self.tell(foreign_sign::at(span(self.at, self.at + 1), '\''));
            return self.at += 1;
        }
        let inside = self.text(self.at + 1, self.at + len);
        self.tell(single_quotes::at(span(self.at, self.at + len + 1), inside));
        self.push(
            self.at + len + 1,
            TokenKind::String(vec![StringPart::Text(inside.as_bytes().to_vec())]),
        );
    }
}
