//! Statements with blocks, and the options of their heads.

use super::{Lost, Parse, Parser, TokenKind};
use crate::ast::{
    ArmSyntax, BlockSyntax, ExprKindSyntax, ExprSyntax, Name, Opt, Span, StatementKindSyntax,
};
use crate::diagnostics::{
    else_if, else_name, foreach_in, missing_block, option_sign, repeat_options, try_alone,
};

/// How other languages spell `else if`.
const ELSE_IF: &[&str] = &["elif", "elseif", "elsif"];

impl Parser<'_> {
    pub(super) fn if_statement(&mut self) -> Parse<StatementKindSyntax> {
        let mut arms = Vec::new();
        loop {
            self.bump();
            let condition = self.condition()?;
            arms.push((condition, self.block("if")?));
            if self.else_if() {
                continue;
            }
            let otherwise = if self.eat("else") {
                Some(self.else_block("if")?)
            } else {
                None
            };
            return Ok(StatementKindSyntax::If { arms, otherwise });
        }
    }

    /// Goes to the `if` of `else if`.
    pub(super) fn else_if(&mut self) -> bool {
        if self.at("else") && self.ahead(1).kind.is("if") {
            self.bump();
            return true;
        }
        let span = self.span();
        let foreign = matches!(self.peek().kind, TokenKind::Name)
            && ELSE_IF.contains(&self.text(span))
            && !self.ahead(1).kind.is("=");
        if foreign {
            self.report(else_if::at(span, self.text(span)));
        }
        foreign
    }

    /// The block after an `else` that takes no name.
    fn else_block(&mut self, of: &str) -> Parse<BlockSyntax> {
        if matches!(self.peek().kind, TokenKind::Name) && self.ahead(1).kind.is("{") {
            let name = self.bump();
            let gap = Span {
                start: name.start,
                end: self.span().start,
            };
            self.report(else_name::at(name, gap, self.text(name), of));
        }
        self.block("else")
    }

    /// The name and the block after an `else` that takes an error.
    pub(super) fn error_block(&mut self) -> Parse<(Option<Name>, BlockSyntax)> {
        let name = if self.at("{") || self.line_ends() {
            None
        } else {
            Some(self.new_name("`{`, or a name for the error")?)
        };
        Ok((name, self.block("else")?))
    }

    pub(super) fn foreach(&mut self) -> Parse<StatementKindSyntax> {
        self.bump();
        let variable = self.new_name("a name for each value")?;
        let second = if self.eat(",") {
            Some(self.new_name("a name for each element")?)
        } else {
            None
        };
        if self.at("in") {
            let word = self.bump();
            self.report(foreach_in::at(
                Span {
                    start: word.start,
                    end: self.span().start,
                },
                word,
            ));
        }
        let over = self.sum()?;
        let to = if self.eat("..") {
            Some(self.sum()?)
        } else {
            None
        };
        let options = self.options()?;
        Ok(StatementKindSyntax::Foreach {
            variable,
            second,
            over,
            to,
            options,
            body: self.block("foreach")?,
        })
    }

    pub(super) fn repeat(&mut self) -> Parse<StatementKindSyntax> {
        let word = self.bump();
        let mut options = self.options()?;
        if options.is_empty() {
            options.push(self.bare_count(word)?);
            options.extend(self.options()?);
        }
        let counter = if self.eat("as") {
            Some(self.new_name("a name for the counter")?)
        } else {
            None
        };
        Ok(StatementKindSyntax::Repeat {
            options,
            counter,
            body: self.block("repeat")?,
        })
    }

    /// `repeat { }` and `repeat 5 { }` are read as if `count=` stood there.
    fn bare_count(&mut self, word: Span) -> Parse<Opt> {
        let value = if self.at("{") {
            self.report(repeat_options::none(word));
            ExprSyntax {
                kind: ExprKindSyntax::Broken,
                span: word,
            }
        } else {
            let count = self.sum()?;
            self.report(repeat_options::bare(count.span, self.text(count.span)));
            count
        };
        Ok(Opt {
            name: Name {
                text: "count".to_string(),
                span: word,
            },
            value,
        })
    }

    pub(super) fn options(&mut self) -> Parse<Vec<Opt>> {
        let mut options = Vec::new();
        loop {
            let comma = !options.is_empty()
                && self.at(",")
                && matches!(self.ahead(1).kind, TokenKind::Name);
            if comma {
                let comma = self.bump();
                self.report(option_sign::comma(comma));
            }
            if !self.at_option() && !self.option_without_sign() {
                return Ok(options);
            }
            let name = self.word("an option")?;
            self.option_sign(&name);
            options.push(Opt {
                name,
                value: self.expr()?,
            });
        }
    }

    /// `timeout 1s`, `timeout: 1s`
    fn option_without_sign(&self) -> bool {
        let next = &self.ahead(1).kind;
        matches!(self.peek().kind, TokenKind::Name)
            && (next.is(":")
                || matches!(
                    next,
                    TokenKind::Int { .. }
                        | TokenKind::Duration(_)
                        | TokenKind::Float(_)
                        | TokenKind::Name
                ))
    }

    pub(super) fn option_sign(&mut self, name: &Name) {
        if self.eat("=") {
            return;
        }
        let colon = self.eat(":");
        let sign = Span {
            start: name.span.end,
            end: self.span().start,
        };
        self.report(option_sign::at(sign, &name.text, colon));
    }

    pub(super) fn on(&mut self) -> Parse<StatementKindSyntax> {
        self.bump();
        if self.at_out() {
            return self.out();
        }
        let options = self.options()?;
        let arm = self.arm()?;
        Ok(StatementKindSyntax::On {
            options,
            arm,
            body: self.block("on")?,
        })
    }

    pub(super) fn expect_statement(&mut self) -> Parse<StatementKindSyntax> {
        self.bump();
        let options = self.options()?;
        let mut arms = vec![self.arm_with_block()?];
        while self.eat("or") {
            arms.push(self.arm_with_block()?);
        }
        let otherwise = if self.eat("else") {
            Some(self.else_block("expect")?)
        } else {
            None
        };
        Ok(StatementKindSyntax::Expect {
            options,
            arms,
            otherwise,
        })
    }

    fn arm_with_block(&mut self) -> Parse<(ArmSyntax, BlockSyntax)> {
        Ok((self.arm()?, self.block("expect")?))
    }

    pub(super) fn try_statement(&mut self) -> Parse<StatementKindSyntax> {
        let word = self.bump();
        let body = self.block("try")?;
        if let Some((error, block)) = self.caught()? {
            return Ok(StatementKindSyntax::Try {
                body,
                error,
                otherwise: block,
            });
        }
        if !self.eat("else") {
            let end = self.previous();
            self.report(try_alone::at(
                word,
                Span {
                    start: end.end,
                    end: end.end,
                },
            ));
            return Err(Lost);
        }
        let (error, otherwise) = self.error_block()?;
        Ok(StatementKindSyntax::Try {
            body,
            error,
            otherwise,
        })
    }

    /// What is between the head of a statement and its block, where it is known from other
    /// languages.
    pub(super) fn before_block(&mut self, after: &str) -> Parse<()> {
        let span = self.span();
        let text = self.text(span);
        if !self.peek().newline && (self.at(":") || matches!(text, "then" | "do")) {
            self.bump();
            self.report(missing_block::foreign(span, text, self.at("{")));
            return if self.at("{") { Ok(()) } else { Err(Lost) };
        }
        if self.peek().newline || self.at_any(&["}", ";"]) {
            let end = self.previous().end;
            return self.lose(missing_block::at(Span { start: end, end }, after));
        }
        Err(self.expected(&format!("`{{` and the block of `{after}`")))
    }
}
