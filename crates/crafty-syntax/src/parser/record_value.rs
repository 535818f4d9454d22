//! `{state: "open", ttl: 3}`: one value with named parts.

use super::{Parse, Parser, TokenKind};
use crate::ast::{ExprKindSyntax, ExprSyntax, Name, Span};
use crate::diagnostics::{missing_comma, quoted_key};
use crate::token::StringPart;

impl Parser<'_> {
    /// Whether a `{` is here that begins a record, and not a block.
    pub(super) fn at_record(&self) -> bool {
        self.at("{")
            && matches!(
                self.ahead(1).kind,
                TokenKind::Name | TokenKind::Keyword(_) | TokenKind::String(_)
            )
            && self.ahead(2).kind.is(":")
    }

    pub(super) fn record_value(&mut self, start: Span) -> Parse<ExprSyntax> {
        self.nested(|p| {
            p.bump();
            p.inside += 1;
            let mut parts = Vec::new();
            let mut height = 0;
            while !p.at("}") {
                let name = p.part_name()?;
                p.expect(":", "`:` and a value")?;
                p.height = 0;
                parts.push((name, p.expr()?));
                height = height.max(p.height);
                p.part_ends(start)?;
            }
            p.bump();
            p.inside -= 1;
            p.height = height;
            p.wrapped(start, ExprKindSyntax::Record(parts))
        })
    }

    fn part_name(&mut self) -> Parse<Name> {
        let span = self.span();
        let quoted = match &self.peek().kind {
            TokenKind::String(pieces) => match pieces.as_slice() {
                [StringPart::Text(text)] => core::str::from_utf8(text).ok().map(str::to_string),
                _ => None,
            },
            _ => return self.word("the name of a part"),
        };
        let Some(text) = quoted.filter(|text| is_word(text)) else {
            return Err(self.expected("the name of a part"));
        };
        self.report(quoted_key::at(span, &text));
        self.bump();
        Ok(Name { text, span })
    }

    /// A comma, a line end, or the end of the record.
    fn part_ends(&mut self, open: Span) -> Parse<()> {
        if self.eat(",") || self.at("}") {
            return Ok(());
        }
        let named = matches!(
            self.peek().kind,
            TokenKind::Name | TokenKind::Keyword(_) | TokenKind::String(_)
        ) && self.ahead(1).kind.is(":");
        if !named {
            return Err(self.unclosed(open, "}"));
        }
        if !self.peek().newline {
            let end = self.previous().end;
            self.report(missing_comma::at(Span { start: end, end }));
        }
        Ok(())
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
}
