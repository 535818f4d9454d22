//! Statements, one function for each kind.

use super::{Lost, Parse, Parser, TokenKind};
use crate::ast::{
    ArmSyntax, AssignOp, BlockSyntax, ExprKindSyntax, ExprSyntax, Index, Name, Opt, Rhs, Span,
    StatementKindSyntax,
};
use crate::diagnostics::{
    compound_assign, else_if, else_name, exit_status, foreach_in, increment, index_declare,
    keyword_as_name, missing_block, option_sign, print_call, repeat_options, try_alone,
};

/// How other languages spell `else if`.
const ELSE_IF: &[&str] = &["elif", "elseif", "elsif"];

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

    fn bare(&mut self, kind: StatementKindSyntax) -> StatementKindSyntax {
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

    /// `name[key] := …`
    fn element(&mut self) -> Parse<StatementKindSyntax> {
        let name = self.new_name("a name")?;
        let mut path = Vec::new();
        while self.at("[") && !self.line_ends() {
            match self.index()? {
                Index::At(key) => path.push(key),
                _ => return Err(self.no_element_assign(name.span)),
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

    fn if_statement(&mut self) -> Parse<StatementKindSyntax> {
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
    fn else_if(&mut self) -> bool {
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

    fn foreach(&mut self) -> Parse<StatementKindSyntax> {
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

    fn repeat(&mut self) -> Parse<StatementKindSyntax> {
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

    fn option_sign(&mut self, name: &Name) {
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

    fn on(&mut self) -> Parse<StatementKindSyntax> {
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

    fn expect_statement(&mut self) -> Parse<StatementKindSyntax> {
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

    fn try_statement(&mut self) -> Parse<StatementKindSyntax> {
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

    /// What stands between the head of a statement and its block, where it is known from other
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
