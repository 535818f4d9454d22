//! What is reported where something else was expected: first what is known from other languages, at
//! last what was expected and what is there.

use super::{Lost, Parser, TokenKind};
use crate::ast::{Span, StatementKindSyntax};
use crate::diagnostic::Occurrence;
use crate::diagnostics::{
    expected, field_assign, foreign_operator, keyword_as_name, lone_range, missing_separator,
    space_after_hash, stray_bracket, ternary,
};
use crate::token::STATEMENTS;

/// Other spellings that no program of this language holds, and what is meant.
const STRAY: &[(&str, &str)] = &[("=>", ">="), ("->", "/")];

impl Parser<'_> {
    /// Tells that `what` was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Lost {
        if let Some(report) = self.explained(what) {
            let known = self
                .reports
                .iter()
                .rev()
                .take(4)
                .any(|r| r.span == report.span);
            if !known {
                self.report(report);
            }
        }
        Lost
    }

    /// The report for what is here; none if its mistake was reported already.
    fn explained(&self, what: &str) -> Option<Occurrence> {
        let token = self.peek();
        let (span, text) = (token.span, self.text(token.span));
        let after_operand = self.at > 0 && !token.newline;
        match &token.kind {
            TokenKind::Bad => None,
            TokenKind::Bytes(_) if after_operand => Some(space_after_hash::after(span, text)),
            TokenKind::Sign("..") => Some(lone_range::at(span)),
            TokenKind::Sign("?") => Some(ternary::at(span, self.source)),
            TokenKind::Sign(")" | "]") if self.inside == 0 && after_operand => {
                Some(stray_bracket::at(span, text))
            }
            TokenKind::Sign(sign) if STRAY.iter().any(|(written, _)| written == sign) => {
                let meant = STRAY
                    .iter()
                    .find(|(written, _)| written == sign)
                    .map_or("", |(_, meant)| meant);
                Some(foreign_operator::stray(span, sign, meant))
            }
            TokenKind::Keyword(word) if what.starts_with("a name") => {
                Some(keyword_as_name::at(span, word))
            }
            _ => Some(self.plainly(what)),
        }
    }

    fn plainly(&self, what: &str) -> Occurrence {
        let token = self.peek();
        let end = self.previous().end;
        let gap = Span { start: end, end };
        match &token.kind {
            TokenKind::End if self.source.len() > token.span.start as usize => {
                expected::at(token.span, what, "the end of `${…}`")
            }
            TokenKind::End => expected::at(gap, what, "the end of the program"),
            _ if self.line_ends() && self.at > 0 => expected::at(gap, what, "the end of the line"),
            TokenKind::String(_) => expected::at(token.span, what, "a string"),
            _ => expected::at(token.span, what, &format!("`{}`", self.text(token.span))),
        }
    }

    /// No statement begins so.
    pub(super) fn no_statement(&mut self) -> Lost {
        let (span, text) = (self.span(), self.text(self.span()));
        match &self.peek().kind {
            TokenKind::Bytes(_) => {
                self.report(space_after_hash::after(span, text));
                Lost
            }
            TokenKind::Keyword("else" | "or") => {
                self.report(expected::stray_else(span, text));
                Lost
            }
            TokenKind::Sign("{") => {
                self.report(expected::stray_block(span));
                Lost
            }
            TokenKind::Sign("/") if matches!(self.ahead(1).kind, TokenKind::Name) => {
                self.bump();
                self.no_layer()
            }
            _ => self.expected("a statement"),
        }
    }

    /// A complete statement, and more on its line.
    pub(super) fn unseparated(&mut self, kind: &StatementKindSyntax) {
        let (span, text) = (self.span(), self.text(self.span()));
        let begins = match &self.peek().kind {
            TokenKind::Keyword(word) => STATEMENTS.contains(word),
            TokenKind::Name => ["=", ":=", "+=", "-="]
                .iter()
                .any(|sign| self.ahead(1).kind.is(sign)),
            TokenKind::Reserved => self.ahead(1).kind.is("="),
            _ => false,
        };
        if begins {
            let gap = Span {
                start: self.previous().end,
                end: span.start,
            };
            return self.report(missing_separator::at(gap, text));
        }
        let what = match kind {
            StatementKindSyntax::Declare { .. } | StatementKindSyntax::Assign { .. } => {
                "an operator or the end of the line"
            }
            StatementKindSyntax::Send(_) => "`/` and a layer, a block, or the end of the line",
            _ => "the end of the line",
        };
        self.expected(what);
    }

    /// `name[…]` is followed by no sign of assignment.
    pub(super) fn no_element_assign(&mut self, name: Span) -> Lost {
        if self.at(".") {
            let whole = self.since(name);
            self.report(field_assign::at(whole, self.text(name)));
            return Lost;
        }
        self.expected("`:=`, `+=` or `-=`")
    }
}
