//! `on out` and `release`: what becomes of the stack's own segments before they leave.

use super::{Parse, Parser, TokenKind};
use crate::ast::StatementKindSyntax;

impl Parser<'_> {
    /// Whether `out` is here, and not an option of that name.
    pub(super) fn at_out(&self) -> bool {
        matches!(self.peek().kind, TokenKind::Name)
            && self.text(self.span()) == "out"
            && !self.ahead(1).kind.is("=")
    }

    /// `on` is behind. Its block may be left out, so its pattern ends with its line.
    pub(super) fn out(&mut self) -> Parse<StatementKindSyntax> {
        self.bump();
        let mut words = Vec::new();
        while matches!(self.peek().kind, TokenKind::Name) && !self.gives_value() {
            words.push(self.word("an action for the segment: `drop`, `hold`, `duplicate`, `delay=50ms` or `split=100`")?);
        }
        let options = self.options()?;
        let arm = self.arm_of_line()?;
        let body = if self.at("{") {
            Some(self.block("on out")?)
        } else {
            None
        };
        Ok(StatementKindSyntax::Out {
            words,
            options,
            arm,
            body,
        })
    }

    /// Whether the name that is here has a value behind it, with its sign or without.
    fn gives_value(&self) -> bool {
        let next = &self.ahead(1).kind;
        next.is("=")
            || next.is(":")
            || matches!(
                next,
                TokenKind::Int { .. } | TokenKind::Duration(_) | TokenKind::Float(_)
            )
    }

    /// Whether `release` is here, alone on its line.
    pub(super) fn at_release(&self) -> bool {
        let next = self.ahead(1);
        let alone = next.newline
            || next.kind.is(";")
            || next.kind.is("}")
            || matches!(next.kind, TokenKind::End);
        alone && self.text(self.span()) == "release"
    }
}
