//! Statements, one function for each kind.

use super::{Lost, Parse, Parser, TokenKind};
use crate::ast::{AssignOp, ExprSyntax, Index, Name, Rhs, StatementKindSyntax, StepSyntax};
use crate::diagnostics::{
    compound_assign, exit_status, increment, index_declare, keyword_as_name, print_call,
};

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parse<StatementKindSyntax> {
        let next = &self.ahead(1).kind;
        let assigns = ["=", ":=", "+=", "-="].iter().any(|sign| next.is(sign));
        match &self.peek().kind {
            TokenKind::Keyword("print") if assigns => self.declare(),
            TokenKind::Keyword(_) if assigns => self.declare(),
            TokenKind::Keyword(word) => self.keyword(word),
            TokenKind::Reserved => self.setting(),
            TokenKind::Name => self.named(),
            TokenKind::Layer if assigns => self.declare(),
            TokenKind::Layer | TokenKind::Driven => self.stack_statement(),
            TokenKind::Sign("/") if self.at_slash() => self.stack_statement(),
            _ => Err(self.no_statement()),
        }
    }

    fn keyword(&mut self, word: &str) -> Parse<StatementKindSyntax> {
        match word {
            "param" => self.param(),
            "if" => self.if_statement(),
            "foreach" => self.foreach(),
            "repeat" => self.repeat(),
            "wait" => self.one(StatementKindSyntax::Wait),
            "on" => self.on(),
            "ask" => self.ask(),
            "expect" => self.expect_statement(),
            "try" => self.try_statement(),
            "stop" => Ok(self.bare(StatementKindSyntax::Stop)),
            "exit" => self.exit(),
            "close" => Ok(self.bare(StatementKindSyntax::Close)),
            "abort" => Ok(self.bare(StatementKindSyntax::Abort)),
            "fail" => self.one(StatementKindSyntax::Fail),
            "print" => self.print(),
            "record" => self.record(),
            "assert" => self.assert(),
            _ => Err(self.no_statement()),
        }
    }

    pub(super) fn bare(&mut self, kind: StatementKindSyntax) -> StatementKindSyntax {
        self.bump();
        kind
    }

    /// A keyword and an expression.
    fn one(&mut self, kind: fn(ExprSyntax) -> StatementKindSyntax) -> Parse<StatementKindSyntax> {
        self.bump();
        self.expr().map(kind)
    }

    fn param(&mut self) -> Parse<StatementKindSyntax> {
        self.bump();
        let name = self.new_name("a name")?;
        let ty = if self.eat(":") {
            Some(self.word("a type, such as `ip` or `int`")?)
        } else {
            None
        };
        let default = if self.eat("=") {
            Some(self.expr()?)
        } else {
            None
        };
        match ty.is_some() || default.is_some() {
            true => Ok(StatementKindSyntax::Param { name, ty, default }),
            false => Err(self.expected("`=` and a value, or `:` and a type")),
        }
    }

    /// `name = …` and its like; the name may turn out to be none.
    fn declare(&mut self) -> Parse<StatementKindSyntax> {
        let name = self.assigned_name()?;
        let sign = self.bump();
        let op = match self.text(sign) {
            ":=" => AssignOp::Set,
            "+=" => AssignOp::Add,
            "-=" => AssignOp::Subtract,
            _ => {
                return Ok(StatementKindSyntax::Declare {
                    name,
                    value: self.rhs()?,
                });
            }
        };
        let value = if op == AssignOp::Set {
            self.rhs()?
        } else {
            Rhs::Expr(self.expr()?)
        };
        Ok(StatementKindSyntax::Assign {
            name,
            path: Vec::new(),
            op,
            value,
        })
    }

    fn assigned_name(&mut self) -> Parse<Name> {
        let span = self.span();
        let text = self.text(span).to_string();
        match self.peek().kind {
            TokenKind::Keyword(_) => self.report(keyword_as_name::at(span, &text)),
            TokenKind::Layer => self.capital(span),
            _ => return self.new_name("a name"),
        }
        self.bump();
        Ok(Name { text, span })
    }

    fn rhs(&mut self) -> Parse<Rhs> {
        let next = &self.ahead(1).kind;
        let stack = match &self.peek().kind {
            TokenKind::Layer => !next.is(".") && !self.constant_in_capitals(),
            TokenKind::Driven => true,
            TokenKind::Name => {
                !self.ahead(1).newline && self.slash_at(1) && !self.ahead(3).kind.is(".")
            }
            _ => self.at_slash(),
        };
        if stack {
            self.sent_value().map(Rhs::Stack)
        } else {
            self.condition().map(Rhs::Expr)
        }
    }

    fn named(&mut self) -> Parse<StatementKindSyntax> {
        let next = self.ahead(1);
        let same_line = !next.newline;
        match &next.kind {
            TokenKind::Sign("=" | ":=" | "+=" | "-=") => self.declare(),
            TokenKind::Sign("[") if same_line => self.element(),
            TokenKind::Sign(".") if same_line && self.assigns_part() => self.element(),
            TokenKind::Sign("/") if same_line && self.slash_at(1) => self.stack_statement(),
            TokenKind::Sign(sign @ ("++" | "*=" | "/=" | "%=")) if same_line => {
                let sign = *sign;
                self.stepped(sign)
            }
            TokenKind::Sign("-") if same_line && self.ahead(2).kind.is("-") => self.stepped("--"),
            _ if self.at_release() => Ok(self.bare(StatementKindSyntax::Release)),
            _ => self.foreign_statement(),
        }
    }

    /// `x++`, `x *= 2`
    fn stepped(&mut self, sign: &'static str) -> Parse<StatementKindSyntax> {
        let name = self.bump();
        self.bump();
        if sign == "++" || sign == "--" {
            if sign == "--" {
                self.bump();
            }
            self.report(increment::at(self.since(name), self.text(name), sign));
        } else {
            let value = self.expr()?;
            let whole = self.since(name);
            self.report(compound_assign::at(
                whole,
                self.text(name),
                &sign[..1],
                self.text(value.span),
            ));
        }
        Ok(StatementKindSyntax::Broken)
    }

    /// Whether a dot stands `n` tokens further on, and behind it a word that no method has.
    fn at_part(&self, n: usize) -> bool {
        self.ahead(n).kind.is(".")
            && matches!(
                self.ahead(n + 1).kind,
                TokenKind::Name | TokenKind::Keyword(_)
            )
            && !self.ahead(n + 2).kind.is("(")
    }

    /// Whether a part of a variable is assigned here: `row.state := …`, `row.seen[k] += …`
    fn assigns_part(&self) -> bool {
        let signs = [":=", "+=", "-=", "=", "[", "."];
        self.at_part(1) && signs.iter().any(|sign| self.ahead(3).kind.is(sign))
    }

    /// `name[key] := …`, `name.part := …`
    pub(super) fn element(&mut self) -> Parse<StatementKindSyntax> {
        let name = self.new_name("a name")?;
        let mut path = Vec::new();
        while !self.line_ends() {
            if self.at("[") {
                match self.index()? {
                    Index::At(key) => path.push(StepSyntax::At(key)),
                    _ => return Err(self.no_element_assign(name.span)),
                }
            } else if self.at_part(0) {
                self.bump();
                path.push(StepSyntax::Part(self.word("the name of a part")?));
            } else {
                break;
            }
        }
        let sign = self.span();
        let op = match () {
            () if self.at(":=") => AssignOp::Set,
            () if self.at("+=") => AssignOp::Add,
            () if self.at("-=") => AssignOp::Subtract,
            () if self.at("=") => {
                self.report(index_declare::at(sign, self.text(self.since(name.span))));
                AssignOp::Set
            }
            () => return Err(self.no_element_assign(name.span)),
        };
        self.bump();
        Ok(StatementKindSyntax::Assign {
            name,
            path,
            op,
            value: Rhs::Expr(self.expr()?),
        })
    }

    fn exit(&mut self) -> Parse<StatementKindSyntax> {
        let word = self.bump();
        if !self.separated() {
            self.expr()?;
            self.report(exit_status::at(self.since(word)));
        }
        Ok(StatementKindSyntax::Exit)
    }

    fn print(&mut self) -> Parse<StatementKindSyntax> {
        let word = self.bump();
        if !self.at("(") && !self.separated() {
            let value = self.expr()?;
            self.report(print_call::bare(self.since(word), self.text(value.span)));
            return Ok(StatementKindSyntax::Print(value));
        }
        if !self.at("(") {
            return Err(self.expected("`(` and a value to print"));
        }
        let (mut values, list) = self.listed(")", Self::expr)?;
        if values.len() != 1 {
            let texts: Vec<&str> = values.iter().map(|value| self.text(value.span)).collect();
            self.report(print_call::many(list, &texts));
            return Err(Lost);
        }
        values.pop().map(StatementKindSyntax::Print).ok_or(Lost)
    }

    fn record(&mut self) -> Parse<StatementKindSyntax> {
        self.bump();
        let mut fields = Vec::new();
        loop {
            let name = self.new_name("a name for the measurement")?;
            self.expect("=", "`=` and a value")?;
            fields.push((name, self.expr()?));
            if !self.eat(",") {
                return Ok(StatementKindSyntax::Record { fields });
            }
        }
    }

    fn assert(&mut self) -> Parse<StatementKindSyntax> {
        self.bump();
        let condition = self.condition()?;
        let message = if self.eat(",") {
            Some(self.expr()?)
        } else {
            None
        };
        Ok(StatementKindSyntax::Assert(condition, message))
    }
}
