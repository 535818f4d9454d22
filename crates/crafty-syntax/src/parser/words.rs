//! Statements that begin with a name and assign nothing: words of other languages, misspelt
//! keywords, calls whose value is lost.

use super::{Lost, Parse, Parser, TokenKind};
use crate::ast::{BlockSyntax, Name, Span, StatementKindSyntax};
use crate::diagnostic::Occurrence;
use crate::diagnostics::{
    break_word, continue_word, else_if, for_loop, foreign_word, function_word, method_call,
    misspelt_keyword, typed_name, unused_value, while_loop,
};
use crate::token::STATEMENTS;

impl Parser<'_> {
    /// A name is here, and no sign of assignment behind it.
    pub(super) fn foreign_statement(&mut self) -> Parse<StatementKindSyntax> {
        let span = self.span();
        let word = self.text(span);
        match word {
            "break" if self.ends_after(1) => {
                self.report(break_word::at(span));
                self.bump();
                Ok(StatementKindSyntax::Stop)
            }
            "continue" | "next" if self.ends_after(1) => {
                self.report(continue_word::at(span, word));
                self.bump();
                Ok(StatementKindSyntax::Broken)
            }
            "for" => self.for_statement(span),
            _ => match self.foreign_report(span, word) {
                Some(report) => self.lose(report),
                None => Err(self.no_assignment(span)),
            },
        }
    }

    fn foreign_report(&self, span: Span, word: &str) -> Option<Occurrence> {
        match word {
            "while" | "loop" | "until" | "do" => {
                Some(while_loop::at(span, word, self.before_brace(span)))
            }
            "def" | "fn" | "func" | "function" | "return" | "proc" | "lambda" => {
                Some(function_word::at(span, word))
            }
            "elif" | "elseif" | "elsif" => Some(else_if::at(span, word)),
            _ => {
                foreign_word::find(word).map(|row| foreign_word::at(span, row, self.ahead(1).span))
            }
        }
    }

    /// The text of this line between a word and `{`, or a `:` at its end; empty if it quotes, since
    /// a help quotes it in turn.
    fn before_brace(&self, word: Span) -> &str {
        let rest = self
            .source
            .get(word.end as usize..)
            .and_then(|rest| rest.lines().next())
            .unwrap_or("");
        let asked = rest
            .split(['{', '#'])
            .next()
            .unwrap_or("")
            .trim()
            .trim_end_matches(':');
        if asked.contains('`') || asked.len() > 60 {
            ""
        } else {
            asked
        }
    }

    /// Whether the statement ends behind `n` tokens.
    fn ends_after(&self, n: usize) -> bool {
        let next = self.ahead(n);
        next.newline || next.kind.is(";") || next.kind.is("}")
    }

    /// `for x in xs {`, `for (i = 0; i < 5; i += 1) {`: goes to the block.
    fn for_statement(&mut self, word: Span) -> Parse<StatementKindSyntax> {
        let named = matches!(self.ahead(1).kind, TokenKind::Name) && self.ahead(2).kind.is("in");
        let (variable, over) = (self.text(self.ahead(1).span), self.ahead(3).span);
        let head = word.to(self.ahead(2).span);
        let counted = matches!(self.ahead(3).kind, TokenKind::Name) && self.ahead(4).kind.is("(");
        let ends = self.range_ends();
        self.bump();
        while !self.at("{") && !self.peek().newline && !self.at_end() {
            self.bump();
        }
        let braced = self.at("{");
        let whole = self.since(word);
        let edit = match ends {
            _ if !named || !braced => None,
            Some((low, high)) => Some((whole, format!("foreach {variable} {low}..{high}"))),
            None if counted && for_loop::COUNTERS.contains(&self.text(over)) => None,
            None => Some((head, format!("foreach {variable}"))),
        };
        self.lose(for_loop::at(word, edit))
    }

    /// The ends of `range(3)` or `range(1, 4)` behind `for x in`, both included, where there is a
    /// number between them.
    fn range_ends(&self) -> Option<(i64, i64)> {
        let number = |n: usize| {
            if let TokenKind::Int { value, size: false } = self.ahead(n).kind {
                Some(value)
            } else {
                None
            }
        };
        let (low, high, close) = match number(5)? {
            high if self.ahead(6).kind.is(")") => (0, high, 6),
            low if self.ahead(6).kind.is(",") => (low, number(7)?, 8),
            _ => return None,
        };
        let whole = self.text(self.ahead(3).span) == "range"
            && self.ahead(close).kind.is(")")
            && self.ahead(close + 1).kind.is("{");
        (whole && low < high).then(|| (low, high - 1))
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
        if next.is(".")
            && matches!(self.ahead(2).kind, TokenKind::Name)
            && self.ahead(3).kind.is("(")
        {
            return self.method(span).err().unwrap_or(Lost);
        }
        if next.is(":") && !self.ahead(1).newline {
            self.report(typed_name::at(span.to(self.ahead(1).span), word));
            return Lost;
        }
        self.bump();
        self.expected(&format!("`=` or `:=` after `{word}`"))
    }
}

impl Parser<'_> {
    /// `catch (e) { }`, `except Error as e { }`: read as `else e { }`.
    pub(super) fn caught(&mut self) -> Parse<Option<(Option<Name>, BlockSyntax)>> {
        let word = self.span();
        if !foreign_word::CATCHES.contains(&self.text(word)) {
            return Ok(None);
        }
        let Some(len) = (1..8)
            .take_while(|n| !self.ahead(*n - 1).kind.is("{"))
            .find(|n| self.ahead(*n).kind.is("{"))
        else {
            return Ok(None);
        };
        let name = (1..len)
            .rev()
            .map(|n| self.ahead(n))
            .find(|t| matches!(t.kind, TokenKind::Name))
            .map(|t| t.span);
        let error = name.map(|span| Name {
            text: self.text(span).to_string(),
            span,
        });
        for _ in 0..len {
            self.bump();
        }
        let place = self.since(word);
        self.report(foreign_word::caught(
            place,
            self.text(word),
            error.as_ref().map(|e| e.text.as_str()),
        ));
        Ok(Some((error, self.block("else")?)))
    }

    /// `xs.append(2)` as a statement.
    fn method(&mut self, of: Span) -> Parse<StatementKindSyntax> {
        self.bump();
        self.bump();
        let method = self.word("a method")?;
        let (args, _) = self.listed(")", Self::expr)?;
        let texts: Vec<&str> = args.iter().map(|e| self.text(e.span)).collect();
        self.lose(method_call::done(
            self.since(of),
            self.text(of),
            &method.text,
            &texts,
        ))
    }

    /// `xs.length()` as a value: `of` is what is before the dot, and the bracket is here.
    pub(super) fn method_value(&mut self, of: Span, method: &str) -> Parse<()> {
        let (args, _) = self.listed(")", Self::expr)?;
        let texts: Vec<&str> = args.iter().map(|e| self.text(e.span)).collect();
        self.report(method_call::asked(
            self.since(of),
            self.text(of),
            method,
            &texts,
        ));
        Ok(())
    }
}

/// One letter is missing, added, changed, or two have changed places.
fn near(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    match (a, b) {
        ([], [_]) | ([_], []) | ([_], [_]) => start + end > 1,
        ([p, q], [r, s]) => p == s && q == r,
        _ => false,
    }
}
