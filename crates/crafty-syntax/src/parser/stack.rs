//! Stacks that are sent or opened, and the right sides that are sends.

use super::{Lost, Parse, Parser, TokenKind, is_layer};
use crate::ast::{
    ExprKindSyntax, ExprSyntax, LayerUse, Name, OperandSyntax, RelOp, Span, Stack,
    StatementKindSyntax,
};
use crate::diagnostics::{
    argument_sign, block_as_value, header_test, lower_layer, spaced_bang, stack_in_expression,
};

/// What cannot follow a stack, since a stack is not a value.
const OPERATORS: &[&str] = &[
    "+", "-", "*", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "has", "not", ".",
    "[", "where",
];

impl Parser<'_> {
    pub(super) fn stack_statement(&mut self) -> Parse<StatementKindSyntax> {
        let start = self.span();
        let stack = self.stack()?;
        let name = if self.eat("as") {
            Some(self.new_name("a name for the block")?)
        } else {
            None
        };
        if name.is_none() && !self.at("{") {
            self.refuse_operator(start)?;
            return Ok(StatementKindSyntax::Send(stack));
        }
        let body = self.block("as")?;
        let otherwise = if self.eat("else") {
            Some(self.error_block()?)
        } else {
            None
        };
        Ok(StatementKindSyntax::Open {
            stack,
            name,
            body,
            otherwise,
        })
    }

    /// A stack as a right side: it is sent, so it has no block.
    pub(super) fn sent_value(&mut self) -> Parse<Stack> {
        let start = self.span();
        let stack = self.stack()?;
        if self.at("as") {
            self.bump();
            self.new_name("a name for the block")?;
        }
        if self.at("{") {
            let whole = self.since(start);
            self.report(block_as_value::at(whole, self.text(whole)));
            self.block("as")?;
            if self.eat("else") {
                self.error_block()?;
            }
            return Err(Lost);
        }
        self.refuse_operator(start)?;
        Ok(stack)
    }

    fn refuse_operator(&mut self, start: Span) -> Parse<()> {
        if !self.at_any(OPERATORS) || self.at("[") && self.line_ends() {
            return Ok(());
        }
        let whole = self.since(start);
        self.lose(stack_in_expression::at(whole, self.text(whole)))
    }

    /// `/A/B`, `A/B`, `web/A/B`
    pub(super) fn stack(&mut self) -> Parse<Stack> {
        let start = self.span();
        let through = matches!(self.peek().kind, TokenKind::Name).then(|| self.bump());
        let through = through.map(|span| Name {
            text: self.text(span).to_string(),
            span,
        });
        let slash = self.eat("/");
        let mut layers = vec![self.layer()?];
        while self.at("/") && !self.line_ends() {
            self.bump();
            layers.push(self.layer()?);
        }
        Ok(Stack {
            from_bottom: slash && through.is_none(),
            through,
            layers,
            span: self.since(start),
        })
    }

    fn layer(&mut self) -> Parse<LayerUse> {
        let start = self.span();
        if !self.at_layer() {
            return Err(self.no_layer());
        }
        let (name, driven) = self.layer_with_bang();
        let args = if self.at("(") && !self.line_ends() {
            self.listed(")", Self::arg)?.0
        } else {
            Vec::new()
        };
        Ok(LayerUse {
            name,
            driven,
            args,
            span: self.since(start),
        })
    }

    /// Something else is where a layer was wanted; a word in lower case was likely meant as one.
    pub(super) fn no_layer(&mut self) -> Lost {
        let span = self.span();
        match self.peek().kind {
            TokenKind::Name | TokenKind::Keyword(_) if !self.peek().newline => {
                self.report(lower_layer::at(span, self.text(span)));
                Lost
            }
            _ => self.expected("a layer, such as `IP`"),
        }
    }

    /// A layer's name; `IP !(…)` is read as `IP!(…)`.
    pub(super) fn layer_with_bang(&mut self) -> (Name, bool) {
        let (name, driven) = self.layer_name();
        if driven || !self.at("!") || self.line_ends() {
            return (name, driven);
        }
        let bang = self.bump();
        self.report(spaced_bang::at(
            Span {
                start: name.span.end,
                end: bang.end,
            },
            &name.text,
        ));
        (name, true)
    }

    fn arg(&mut self) -> Parse<(Option<Name>, ExprSyntax)> {
        let word = matches!(self.peek().kind, TokenKind::Name | TokenKind::Keyword(_));
        let sign = &self.ahead(1).kind;
        if word && (sign.is("=") || sign.is(":")) {
            let name = self.word("a field")?;
            let sign = self.bump();
            if self.text(sign) == ":" {
                self.report(argument_sign::at(sign, &name.text));
            }
            return Ok((Some(name), self.expr()?));
        }
        let value = self.expr()?;
        Ok(self.test_as_value(value))
    }

    /// `IP(ttl == 4)` in a stack that is sent is read as `IP(ttl=4)`.
    fn test_as_value(&mut self, value: ExprSyntax) -> (Option<Name>, ExprSyntax) {
        let ExprKindSyntax::Compare(RelOp::Eq, left, right) = value.kind else {
            return (None, value);
        };
        match (left.kind, *right) {
            (ExprKindSyntax::Name(text), OperandSyntax::Value(right)) => {
                let sign = Span {
                    start: left.span.end,
                    end: right.span.start,
                };
                self.report(header_test::at(sign, &text));
                (
                    Some(Name {
                        text,
                        span: left.span,
                    }),
                    right,
                )
            }
            (kind, right) => {
                let left = Box::new(ExprSyntax {
                    kind,
                    span: left.span,
                });
                (
                    None,
                    ExprSyntax {
                        kind: ExprKindSyntax::Compare(RelOp::Eq, left, Box::new(right)),
                        span: value.span,
                    },
                )
            }
        }
    }

    /// Whether a name in capitals is here that no layer has: `x = TIMEOUT`, `x = True`.
    pub(super) fn constant_in_capitals(&self) -> bool {
        let next = &self.ahead(1);
        let text = self.text(self.span());
        let alone = next.newline
            || !(next.kind.is("(") || next.kind.is("/") && is_layer(&self.ahead(2).kind));
        alone && text.contains('_')
            || crate::diagnostics::capital_constant::ROWS
                .iter()
                .any(|row| row.written == text)
    }
}
