//! Where reading continues after a mistake: at the next statement, with the blocks in between read
//! for their own mistakes.

use super::{Parser, TokenKind, is_layer};
use crate::token::STATEMENTS;

/// How far a closing bracket is looked for, in tokens: it bounds the work on texts that never close
/// any.
const FAR: usize = 400;

impl Parser<'_> {
    /// Skips what is left of a statement that began at token `first`.
    pub(super) fn skip_statement(&mut self, first: usize) {
        if self.at == first && !self.at("{") {
            self.bump();
        }
        let mut closed = self.skip_brackets();
        while !self.at_end() && !self.at_any(&["}", ";"]) {
            if self.peek().newline && !self.goes_on() {
                return;
            }
            if self.at("{") {
                drop(self.block(""));
                continue;
            }
            self.inside = u32::from(closed && self.at_any(&["(", "["]));
            self.bump();
            closed &= self.skip_brackets();
        }
    }

    fn skip(&mut self, n: usize) {
        for _ in 0..n {
            self.bump();
        }
    }

    /// Whether a line that begins so belongs to the one above.
    fn goes_on(&self) -> bool {
        self.at_any(&["else", "or", "and", "where", "as", "in", "has", "{"])
    }

    /// Goes behind the bracket that closes those that are open, if there is one before the next
    /// block or statement; says whether.
    fn skip_brackets(&mut self) -> bool {
        let mut depth = core::mem::take(&mut self.inside);
        for n in 0..FAR {
            if depth == 0 {
                self.skip(n);
                return true;
            }
            match &self.ahead(n).kind {
                TokenKind::End | TokenKind::Sign("{" | "}" | ";") => return false,
                TokenKind::Sign("(" | "[") => depth += 1,
                TokenKind::Sign(")" | "]") => depth -= 1,
                _ if self.begins_statement(n) => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether the token `n` further on begins a line as only a statement does.
    pub(super) fn begins_statement(&self, n: usize) -> bool {
        let (token, next) = (self.ahead(n), &self.ahead(n + 1).kind);
        token.newline
            && match &token.kind {
                TokenKind::Keyword(word) => {
                    STATEMENTS.contains(word) && !next.is("=") && !next.is(":")
                }
                TokenKind::Reserved => next.is("="),
                TokenKind::Name => [":=", "+=", "-="].iter().any(|sign| next.is(sign)),
                TokenKind::Sign("/") => is_layer(next),
                _ => false,
            }
    }

    /// Skips `{` and all up to its `}`, however deep, without reading it.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            depth = match &self.peek().kind {
                TokenKind::End => return,
                TokenKind::Sign("{") => depth + 1,
                TokenKind::Sign("}") => depth - 1,
                _ => depth,
            };
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
}
