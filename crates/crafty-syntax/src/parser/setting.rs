//! The settings at the top of a program. Which keys there are, the checker knows.

use super::{Lost, Parse, Parser, TokenKind};
use crate::ast::{Group, Name, SettingValueSyntax, Span, StatementKindSyntax};
use crate::diagnostics::{
    missing_brace, missing_comma, quoted_key, reserved_name, setting_range, setting_sign,
};

impl Parser<'_> {
    pub(super) fn setting(&mut self) -> Parse<StatementKindSyntax> {
        let span = self.span();
        let text = self.text(span);
        if matches!(text, "MATCH" | "STACK") {
            return if self.ahead(1).kind.is("=") {
                self.lose(reserved_name::assigned(span, text))
            } else {
                Err(self.no_statement())
            };
        }
        self.bump();
        if !self.eat("=") {
            self.setting_sign(text);
        }
        if !self.at("{") {
            return Err(self.expected(&format!("`{{` and the keys of `{text}`")));
        }
        Ok(StatementKindSyntax::Setting {
            name: Name {
                text: text.to_string(),
                span,
            },
            group: self.group()?,
        })
    }

    fn setting_sign(&mut self, name: &str) {
        let end = self.previous().end;
        self.eat(":=");
        self.eat(":");
        let sign = Span {
            start: end,
            end: self.span().start,
        };
        if self.at("{") {
            self.report(setting_sign::of_group(sign, name));
        }
    }

    /// `{ key: value, … }`. A key that cannot be read does not spoil the others.
    fn group(&mut self) -> Parse<Group> {
        self.nested(|p| {
            let open = p.bump();
            let outer = p.inside;
            p.inside = outer + 1;
            let mut entries = Vec::new();
            while !p.group_ends() {
                let first = p.at;
                match p.entry() {
                    Ok(entry) => entries.push(entry),
                    Err(Lost) => p.skip_entry(first, outer + 1),
                }
                if p.entry_ends(outer + 1) {
                    break;
                }
            }
            if !p.eat("}") {
                let end = p.previous().end;
                return p.lose(missing_brace::at(open, Span { start: end, end }));
            }
            p.inside = outer;
            Ok(Group {
                entries,
                span: p.since(open),
            })
        })
    }

    fn group_ends(&self) -> bool {
        self.at_end() || self.at("}") || self.begins_statement(0)
    }

    /// Takes the comma behind an entry, and tells if it is missing: a line end stands for one. Says whether the group is over,
    /// perhaps without its `}`.
    fn entry_ends(&mut self, inside: u32) -> bool {
        if self.eat(",") {
            return false;
        }
        let assigns = self.peek().newline
            && matches!(self.peek().kind, TokenKind::Name)
            && self.ahead(1).kind.is("=");
        if self.group_ends() || assigns {
            return true;
        }
        if matches!(self.peek().kind, TokenKind::Name | TokenKind::Keyword(_))
            && self.ahead(1).kind.is(":")
        {
            let end = self.previous().end;
            if !self.peek().newline {
                self.report(missing_comma::at(Span { start: end, end }));
            }
            return false;
        }
        let first = self.at;
        self.expected("`,` or `}`");
        self.skip_entry(first, inside);
        self.eat(",");
        false
    }

    /// Goes to the comma, the next key or the end of the group.
    fn skip_entry(&mut self, first: usize, inside: u32) {
        let mut depth = self.inside.saturating_sub(inside);
        while !self.at_end() && !self.begins_statement(0) {
            if depth == 0 && self.at_any(&[",", "}"]) {
                break;
            }
            if depth == 0 && self.at > first && self.peek().newline && self.ahead(1).kind.is(":") {
                break;
            }
            if self.at_any(&["(", "[", "{"]) {
                depth += 1;
            } else if self.at_any(&[")", "]", "}"]) {
                depth = depth.saturating_sub(1);
            }
            self.bump();
        }
        self.inside = inside;
    }

    fn entry(&mut self) -> Parse<(Name, SettingValueSyntax)> {
        let key = self.setting_key()?;
        if self.at("=") {
            let sign = self.bump();
            self.report(setting_sign::of_key(sign, &key.text));
        } else {
            self.expect(":", &format!("`:` and the value of `{}`", key.text))?;
        }
        Ok((key, self.setting_value()?))
    }

    fn setting_key(&mut self) -> Parse<Name> {
        if !matches!(self.peek().kind, TokenKind::String(_)) {
            return self.word("a key");
        }
        let span = self.bump();
        let text = self.text(span).trim_matches('"').to_string();
        self.report(quoted_key::at(span, &text));
        Ok(Name { text, span })
    }

    fn setting_value(&mut self) -> Parse<SettingValueSyntax> {
        if self.at("{") {
            return self.group().map(SettingValueSyntax::Group);
        }
        if self.at("[") {
            let (items, span) = self.listed("]", Self::setting_item)?;
            return Ok(SettingValueSyntax::List(items, span));
        }
        let value = self.sum()?;
        if self.at("..") {
            self.bump();
            let high = self.sum()?;
            let whole = value.span.to(high.span);
            self.report(setting_range::at(
                whole,
                self.text(value.span),
                self.text(high.span),
            ));
        }
        Ok(SettingValueSyntax::Scalar(value))
    }

    fn setting_item(&mut self) -> Parse<(bool, SettingValueSyntax)> {
        if self.eat("!") {
            return Ok((true, SettingValueSyntax::Scalar(self.sum()?)));
        }
        Ok((false, self.setting_value()?))
    }
}
