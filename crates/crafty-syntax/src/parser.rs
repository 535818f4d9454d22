//! From tokens to the tree: recursive descent over the grammar, one function for each production.
//! Never goes deeper than `MAX_NESTING`, never goes back, and never stops before the end of the
//! text.

mod ask;
mod block_statement;
mod expression;
mod mistake;
mod own;
mod pattern;
mod primary;
mod record_value;
mod recovery;
mod setting;
mod stack;
mod statement;
mod words;

use super::ast::{BlockSyntax, Name, Span, StatementKindSyntax, StatementSyntax};
use super::token::{StringPart, Token, TokenKind};
use super::{MAX_NESTING, MAX_REPORTS};
use crate::diagnostic::Occurrence;
use crate::diagnostics::{
    capital_name, keyword_as_name, missing_brace, missing_bracket, missing_comma, stray_bracket,
    too_deep,
};
use std::collections::BTreeSet;

/// What stood here could not be read, and this was reported.
#[derive(Debug)]
pub(super) struct Lost;

type Parse<T> = Result<T, Lost>;

/// The program in these tokens, and its mistakes.
pub(super) fn program(
    source: &str,
    tokens: Vec<Token>,
    reports: Vec<Occurrence>,
) -> (BlockSyntax, Vec<Occurrence>) {
    let mut parser = Parser {
        source,
        tokens,
        at: 0,
        inside: 0,
        nesting: 0,
        height: 0,
        line: 0,
        lopsided: None,
        capitals: BTreeSet::new(),
        reports,
    };
    let block = parser.top();
    (block, parser.reports)
}

pub(super) struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    at: usize,
    /// Open `(`, `[` and settings groups: in them a line end means nothing.
    inside: u32,
    /// Open brackets and blocks of any kind.
    nesting: usize,
    /// Height of the expression that was read last.
    height: usize,
    /// Where the line of the token that was read last begins, without its blanks.
    line: u32,
    /// The last block whose `}` is under another column than its head.
    lopsided: Option<Span>,
    /// Names in capitals that were reported.
    capitals: BTreeSet<&'s str>,
    reports: Vec<Occurrence>,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    /// The token `n` further on; the last one is `End`.
    fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn at(&self, text: &str) -> bool {
        self.peek().kind.is(text)
    }

    fn at_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.at(text))
    }

    fn at_layer(&self) -> bool {
        is_layer(&self.peek().kind)
    }

    fn at_end(&self) -> bool {
        matches!(self.peek().kind, TokenKind::End)
    }

    fn span(&self) -> Span {
        self.peek().span
    }

    /// The place of the token before this one.
    fn previous(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(at) => self.tokens[at.min(self.tokens.len() - 1)].span,
            None => Span::default(),
        }
    }

    /// From the start of `span` to the end of what was read last.
    fn since(&self, span: Span) -> Span {
        Span {
            start: span.start,
            end: self.previous().end.max(span.start),
        }
    }

    fn text(&self, span: Span) -> &'s str {
        self.source
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// Takes the next token; `End` stays.
    fn bump(&mut self) -> Span {
        let Token { span, newline, .. } = *self.peek();
        if newline {
            self.line = span.start;
        }
        if !self.at_end() {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, text: &str) -> bool {
        let here = self.at(text);
        if here {
            self.bump();
        }
        here
    }

    /// Whether the line, and with it perhaps the statement, ends before the next token.
    fn line_ends(&self) -> bool {
        self.inside == 0 && self.peek().newline
    }

    /// Whether a `/` that separates layers is here.
    fn at_slash(&self) -> bool {
        self.slash_at(0)
    }

    fn slash_at(&self, n: usize) -> bool {
        self.ahead(n).kind.is("/")
            && (is_layer(&self.ahead(n + 1).kind) || self.ahead(n + 1).kind.is("*"))
    }

    /// Whether `name=` is here.
    fn at_option(&self) -> bool {
        matches!(self.peek().kind, TokenKind::Name | TokenKind::Keyword(_))
            && self.ahead(1).kind.is("=")
    }

    fn report(&mut self, report: Occurrence) {
        if self.reports.len() < 4 * MAX_REPORTS {
            self.reports.push(report);
        }
    }

    fn lose<T>(&mut self, report: Occurrence) -> Parse<T> {
        self.report(report);
        Err(Lost)
    }

    fn expect(&mut self, text: &'static str, what: &str) -> Parse<Span> {
        if self.at(text) {
            Ok(self.bump())
        } else {
            Err(self.expected(what))
        }
    }

    /// A new name for a variable, a loop's value or a packet.
    fn new_name(&mut self, what: &str) -> Parse<Name> {
        let name = Name {
            text: self.text(self.span()).to_string(),
            span: self.span(),
        };
        match self.peek().kind {
            TokenKind::Name => {}
            TokenKind::Keyword(_) => self.report(keyword_as_name::at(name.span, &name.text)),
            TokenKind::Layer | TokenKind::Reserved => self.capital(name.span),
            _ => return Err(self.expected(what)),
        }
        self.bump();
        if name.text.bytes().any(|c| c.is_ascii_uppercase())
            && name.text.starts_with(|c: char| c.is_ascii_lowercase())
        {
            self.report(capital_name::camel(name.span, &name.text));
        }
        Ok(name)
    }

    /// Tells once of each name that begins with a capital; the fix renames it everywhere.
    fn capital(&mut self, place: Span) {
        let text = self.text(place);
        if self.capitals.insert(text) {
            let mut places = Vec::new();
            occurrences(&self.tokens, self.source, text, &mut places);
            self.report(capital_name::at(place, text, &places));
        }
    }

    /// A word of any kind that begins in lower case: a field, a key, an argument.
    fn word(&mut self, what: &str) -> Parse<Name> {
        match self.peek().kind {
            TokenKind::Name | TokenKind::Keyword(_) => {
                let span = self.bump();
                Ok(Name {
                    text: self.text(span).to_string(),
                    span,
                })
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The layer that is here, without its `!`.
    fn layer_name(&mut self) -> (Name, bool) {
        let driven = matches!(self.peek().kind, TokenKind::Driven);
        let span = self.bump();
        let name = Span {
            start: span.start,
            end: span.end - u32::from(driven),
        };
        (
            Name {
                text: self.text(name).to_string(),
                span: name,
            },
            driven,
        )
    }

    /// Does something one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let place = self.span();
            return self.lose(too_deep::nesting(place));
        }
        self.nesting += 1;
        let value = inner(self);
        self.nesting -= 1;
        value
    }

    /// Items between an opening bracket, which is here, and `close`; commas between them, one at
    /// the end allowed.
    fn listed<T>(
        &mut self,
        close: &'static str,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<(Vec<T>, Span)> {
        self.nested(|p| {
            let open = p.bump();
            p.inside += 1;
            let mut items = Vec::new();
            while !p.at(close) {
                items.push(item(p)?);
                if !p.eat(",") && !p.at(close) {
                    p.perhaps_comma(open, close)?;
                }
            }
            p.bump();
            p.inside -= 1;
            Ok((items, p.since(open)))
        })
    }

    /// Neither `,` nor the closing bracket is here: another item follows, or the list is never
    /// closed.
    fn perhaps_comma(&mut self, open: Span, close: &'static str) -> Parse<()> {
        let next = self.peek();
        let name = matches!(
            next.kind,
            TokenKind::Name | TokenKind::Layer | TokenKind::Driven | TokenKind::Reserved
        );
        let value = !matches!(
            next.kind,
            TokenKind::Sign(_)
                | TokenKind::Keyword(_)
                | TokenKind::End
                | TokenKind::Bad
                | TokenKind::Bytes(_)
        );
        if !value || name && next.newline {
            return Err(self.unclosed(open, close));
        }
        let end = self.previous().end;
        self.report(missing_comma::at(Span { start: end, end }));
        Ok(())
    }

    /// Nothing that continues the list is here.
    fn unclosed(&mut self, open: Span, close: &'static str) -> Lost {
        let next = self.peek();
        if !matches!(next.kind, TokenKind::Bad)
            && (next.newline || next.kind.is("}") || next.kind.is("{"))
        {
            let end = Span {
                start: self.previous().end,
                end: self.previous().end,
            };
            self.report(missing_bracket::at(open, self.text(open), close, end));
            return Lost;
        }
        self.expected(&format!("`,` or `{close}`"))
    }

    fn top(&mut self) -> BlockSyntax {
        let mut statements = Vec::new();
        loop {
            self.statements(&mut statements);
            if self.at_end() {
                break;
            }
            let place = self.bump();
            self.report(stray_bracket::at(place, self.text(place)));
        }
        BlockSyntax {
            statements,
            span: Span {
                start: 0,
                end: self.source.len() as u32,
            },
        }
    }

    /// A block, which must begin here.
    fn block(&mut self, after: &str) -> Parse<BlockSyntax> {
        if !self.at("{") {
            self.before_block(after)?;
        }
        let outer = core::mem::take(&mut self.inside);
        let block = if self.nesting >= MAX_NESTING {
            self.block_too_deep()
        } else {
            self.block_here()
        };
        self.inside = outer;
        Ok(block)
    }

    fn block_here(&mut self) -> BlockSyntax {
        self.nesting += 1;
        let open = self.bump();
        let head = self.line;
        let mut statements = Vec::new();
        self.statements(&mut statements);
        let Token {
            span: close,
            newline,
            ..
        } = *self.peek();
        if !self.eat("}") {
            let open = self.lopsided.take().unwrap_or(open);
            self.unclosed_block(open);
        } else if newline && self.indentation(head) != self.indentation(close.start) {
            self.lopsided = Some(open);
        }
        self.nesting -= 1;
        BlockSyntax {
            statements,
            span: self.since(open),
        }
    }

    /// One report for the text, whatever the number of blocks that are open at its end.
    fn unclosed_block(&mut self, open: Span) {
        let known = self
            .reports
            .last()
            .is_some_and(|r| core::ptr::eq(r.diagnostic, &missing_brace::DIAGNOSTIC));
        if !known {
            let end = self.source.trim_end().len() as u32;
            self.report(missing_brace::at(open, Span { start: end, end }));
        }
    }

    fn block_too_deep(&mut self) -> BlockSyntax {
        let open = self.span();
        self.report(too_deep::nesting(open));
        self.skip_braces();
        BlockSyntax {
            statements: Vec::new(),
            span: self.since(open),
        }
    }

    /// How many blanks stand right before this place.
    fn indentation(&self, at: u32) -> usize {
        let before = self.source.get(..at as usize).unwrap_or("");
        before.len() - before.trim_end_matches([' ', '\t']).len()
    }

    /// Statements up to `}` or the end, which stay.
    fn statements(&mut self, into: &mut Vec<StatementSyntax>) {
        loop {
            while self.eat(";") {}
            if self.at_end() || self.at_any(&["}", ")", "]"]) {
                return;
            }
            let (start, first) = (self.span(), self.at);
            let kind = match self.statement() {
                Ok(kind) if self.separated() => kind,
                Ok(kind) => {
                    self.unseparated(&kind);
                    self.skip_statement(first);
                    kind
                }
                Err(Lost) => {
                    self.skip_statement(first);
                    StatementKindSyntax::Broken
                }
            };
            self.inside = 0;
            into.push(StatementSyntax {
                kind,
                span: self.since(start),
            });
        }
    }

    fn separated(&self) -> bool {
        self.peek().newline || self.at_any(&[";", "}"])
    }
}

fn is_layer(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Layer | TokenKind::Driven)
}

/// Where a name in capitals is, in holes of strings too.
fn occurrences(tokens: &[Token], source: &str, text: &str, into: &mut Vec<Span>) {
    for token in tokens {
        match &token.kind {
            TokenKind::Layer
                if source.get(token.span.start as usize..token.span.end as usize) == Some(text) =>
            {
                into.push(token.span)
            }
            TokenKind::String(parts) => {
                for part in parts {
                    if let StringPart::Hole(tokens, _) = part {
                        occurrences(tokens, source, text, into);
                    }
                }
            }
            _ => {}
        }
    }
}
