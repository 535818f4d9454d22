//! Statements that begin with a name and assign nothing: words of other languages, misspelt keywords, calls whose value is lost.

use super::{Kind, Lost, Parse, Parser};
use crate::diagnostic::Report;
use crate::diagnostics::{
    break_word, continue_word, else_if, for_loop, foreign_word, function_word, misspelt_keyword, typed_name, unused_value, while_loop,
};
use crate::syntax::ast::{Span, StatementKind};
use crate::syntax::token::STATEMENTS;

impl Parser<'_> {
    /// A name stands here, and no sign of assignment behind it.
    pub(super) fn foreign_statement(&mut self) -> Parse<StatementKind> {
        let span = self.span();
        let word = self.text(span);
        match word {
            "break" if self.ends_after(1) => {
                self.report(break_word::at(span));
                self.bump();
                Ok(StatementKind::Stop)
            }
            "continue" | "next" if self.ends_after(1) => {
                self.report(continue_word::at(span, word));
                self.bump();
                Ok(StatementKind::Broken)
            }
            "for" => self.for_statement(span),
            _ => match self.foreign_report(span, word) {
                Some(report) => self.lose(report),
                None => Err(self.no_assignment(span)),
            },
        }
    }

    fn foreign_report(&self, span: Span, word: &str) -> Option<Report> {
        match word {
            "while" | "loop" | "until" | "do" => Some(while_loop::at(span, word)),
            "def" | "fn" | "func" | "function" | "return" | "proc" | "lambda" => Some(function_word::at(span, word)),
            "elif" | "elseif" | "elsif" => Some(else_if::at(span, word)),
            _ => foreign_word::find(word).map(|row| foreign_word::at(span, row, self.ahead(1).span)),
        }
    }

    /// Whether the statement ends behind `n` tokens.
    fn ends_after(&self, n: usize) -> bool {
        let next = self.ahead(n);
        next.newline || next.kind.is(";") || next.kind.is("}")
    }

    /// `for x in xs {`, `for (i = 0; i < 5; i += 1) {`: goes to the block.
    fn for_statement(&mut self, word: Span) -> Parse<StatementKind> {
        let named = matches!(self.ahead(1).kind, Kind::Name) && self.ahead(2).kind.is("in");
        let edits = named.then(|| (word.to(self.ahead(2).span), format!("foreach {}", self.text(self.ahead(1).span))));
        self.bump();
        while !self.at("{") && !self.peek().newline {
            self.bump();
        }
        self.lose(for_loop::at(word, edits))
    }

    fn no_assignment(&mut self, span: Span) -> Lost {
        let word = self.text(span);
        if let Some(keyword) = STATEMENTS.iter().find(|k| near(k, word)) {
            self.report(misspelt_keyword::at(span, word, keyword));
            return Lost;
        }
        let next = &self.ahead(1).kind;
        if next.is("(") && !self.ahead(1).newline {
            self.report(unused_value::at(span, word));
            return Lost;
        }
        if next.is(":") && !self.ahead(1).newline {
            self.report(typed_name::at(span.to(self.ahead(1).span), word));
            return Lost;
        }
        self.bump();
        self.expected(&format!("`=` or `:=` after `{word}`"))
    }
}

/// One letter is missing, added, changed, or two have changed places.
fn near(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    match (a, b) {
        ([], [_]) | ([_], []) | ([_], [_]) => start + end > 1,
        ([p, q], [r, s]) => p == s && q == r,
        _ => false,
    }
}
