//! Expressions, from `or` down to unary `-`. Trees grow to the left without recursion here, so
//! their height is counted: who walks them later may recurse.

use super::{Lost, Parse, Parser, TokenKind};
use crate::ast::{BinaryOp, ExprKindSyntax, ExprSyntax, OperandSyntax, RelOp, Span};
use crate::diagnostics::{
    bang_not, chained_comparison, equals_in_condition, named_value_divide, stack_in_expression,
    too_deep,
};

/// Greatest height of an expression's tree.
const MAX_HEIGHT: usize = 256;

type Operators = &'static [(&'static str, BinaryOp)];

const OR: Operators = &[("or", BinaryOp::Or)];
const AND: Operators = &[("and", BinaryOp::And)];
const SUM: Operators = &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)];
const PRODUCT: Operators = &[
    ("*", BinaryOp::Multiply),
    ("/", BinaryOp::Divide),
    ("%", BinaryOp::Remainder),
];

/// Relations as written, with their negation by `not` where there is one.
const RELATIONS: &[(&str, RelOp, Option<RelOp>)] = &[
    ("==", RelOp::Eq, None),
    ("!=", RelOp::Ne, None),
    ("<", RelOp::Lt, None),
    ("<=", RelOp::Le, None),
    (">", RelOp::Gt, None),
    (">=", RelOp::Ge, None),
    ("in", RelOp::In, Some(RelOp::NotIn)),
    ("has", RelOp::Has, Some(RelOp::NotHas)),
];

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<ExprSyntax> {
        self.chain(OR, |p| p.chain(AND, Self::negation))
    }

    /// An expression that decides: a single `=` in it was meant as `==`.
    pub(super) fn condition(&mut self) -> Parse<ExprSyntax> {
        let left = self.expr()?;
        if !self.at("=") {
            return Ok(left);
        }
        let sign = self.bump();
        self.report(equals_in_condition::at(sign, self.text(left.span)));
        let right = self.expr()?;
        let span = left.span.to(right.span);
        Ok(ExprSyntax {
            kind: ExprKindSyntax::Compare(
                RelOp::Eq,
                Box::new(left),
                Box::new(OperandSyntax::Value(right)),
            ),
            span,
        })
    }

    fn chain(
        &mut self,
        operators: Operators,
        operand: impl Fn(&mut Self) -> Parse<ExprSyntax>,
    ) -> Parse<ExprSyntax> {
        let mut left = operand(self)?;
        let mut height = self.height;
        while let Some(op) = self.operator(operators) {
            self.bump();
            self.refuse_named_divisor(op, &left);
            let right = operand(self)?;
            let span = left.span.to(right.span);
            height = self.grown(height.max(self.height), span)?;
            left = ExprSyntax {
                kind: ExprKindSyntax::Binary(op, Box::new(left), Box::new(right)),
                span,
            };
        }
        self.height = height;
        Ok(left)
    }

    /// One more than `height`, if that is not too much.
    pub(super) fn grown(&mut self, height: usize, span: Span) -> Parse<usize> {
        if height < MAX_HEIGHT {
            Ok(height + 1)
        } else {
            self.lose(too_deep::operators(span))
        }
    }

    /// The operator that is here. A line that begins with `/` is another statement.
    fn operator(&mut self, operators: Operators) -> Option<BinaryOp> {
        if self.begins_part() {
            return None;
        }
        let (_, op) = operators.iter().find(|(sign, _)| self.at(sign))?;
        let divides = *op == BinaryOp::Divide;
        let named = divides && self.named_value_at(1);
        (!divides || !self.line_ends() && (named || !self.at_slash())).then_some(*op)
    }

    /// Whether a line begins with the name of a record's part here, which may be a word of the
    /// language.
    fn begins_part(&self) -> bool {
        self.peek().newline
            && matches!(self.peek().kind, TokenKind::Keyword(_))
            && self.ahead(1).kind.is(":")
    }

    /// Whether `Layer.word` stands `n` further on, in the line.
    fn named_value_at(&self, n: usize) -> bool {
        matches!(self.ahead(n).kind, TokenKind::Layer) && self.ahead(n + 1).kind.is(".")
    }

    /// `x / ICMP.echo_reply`: that `/` separates layers.
    fn refuse_named_divisor(&mut self, op: BinaryOp, left: &ExprSyntax) {
        if op == BinaryOp::Divide && self.named_value_at(0) {
            let value = self.span().to(self.ahead(2).span);
            self.report(named_value_divide::at(
                value,
                self.text(left.span),
                self.text(value),
            ));
        }
    }

    fn negation(&mut self) -> Parse<ExprSyntax> {
        let start = self.span();
        if self.at("!") {
            return self.bang();
        }
        if !self.eat("not") {
            return self.compare();
        }
        let inner = self.nested(Self::negation)?;
        self.wrapped(start, ExprKindSyntax::Not(Box::new(inner)))
    }

    /// `!x` is read as `not x`.
    fn bang(&mut self) -> Parse<ExprSyntax> {
        let start = self.bump();
        let inner = self.nested(Self::negation)?;
        self.report(bang_not::at(start, self.text(inner.span)));
        self.wrapped(start, ExprKindSyntax::Not(Box::new(inner)))
    }

    /// A node above the expression that was read last.
    pub(super) fn wrapped(&mut self, start: Span, kind: ExprKindSyntax) -> Parse<ExprSyntax> {
        let span = self.since(start);
        self.height = self.grown(self.height, span)?;
        Ok(ExprSyntax { kind, span })
    }

    fn compare(&mut self) -> Parse<ExprSyntax> {
        let left = self.sum()?;
        let height = self.height;
        let Some(op) = self.relation() else {
            self.height = height;
            return Ok(left);
        };
        let operand = self.operand()?;
        let span = self.since(left.span);
        self.height = self.grown(height.max(self.height), span)?;
        self.refuse_chain(&left, &operand)?;
        Ok(ExprSyntax {
            kind: ExprKindSyntax::Compare(op, Box::new(left), Box::new(operand)),
            span,
        })
    }

    /// `a < b < c`
    fn refuse_chain(&mut self, left: &ExprSyntax, middle: &OperandSyntax) -> Parse<()> {
        let sign = self.span();
        if self.relation().is_none() {
            return Ok(());
        }
        self.operand()?;
        let whole = self.since(left.span);
        if let OperandSyntax::Value(middle) = middle {
            let insert = Span {
                start: sign.start,
                end: sign.start,
            };
            self.report(chained_comparison::at(
                whole,
                insert,
                self.text(middle.span),
            ));
        }
        Err(Lost)
    }

    /// Takes the relation that is here.
    pub(super) fn relation(&mut self) -> Option<RelOp> {
        if self.begins_part() {
            return None;
        }
        let negated = self.at("not");
        let next = &self.ahead(usize::from(negated)).kind;
        let (_, plain, not) = RELATIONS.iter().find(|(sign, ..)| next.is(sign))?;
        let op = if negated { (*not)? } else { *plain };
        self.bump();
        if negated {
            self.bump();
        }
        Some(op)
    }

    /// The right side of a relation. Whether a range may follow this one, the checker says.
    pub(super) fn operand(&mut self) -> Parse<OperandSyntax> {
        let low = self.sum()?;
        let height = self.height;
        if !self.at("..") {
            return Ok(OperandSyntax::Value(low));
        }
        self.bump();
        let high = self.sum()?;
        self.height = self.height.max(height);
        Ok(OperandSyntax::Range(low, high))
    }

    pub(super) fn sum(&mut self) -> Parse<ExprSyntax> {
        self.chain(SUM, |p| p.chain(PRODUCT, Self::unary))
    }

    fn unary(&mut self) -> Parse<ExprSyntax> {
        let start = self.span();
        if self.at("!") {
            return self.bang();
        }
        if !self.eat("-") {
            return self.postfix();
        }
        let inner = self.nested(Self::unary)?;
        self.wrapped(start, ExprKindSyntax::Negate(Box::new(inner)))
    }

    /// A stack is where a value is wanted.
    pub(super) fn stack_as_value(&mut self, start: Span) -> Parse<ExprSyntax> {
        self.stack()?;
        let whole = self.since(start);
        self.lose(stack_in_expression::at(whole, self.text(whole)))
    }
}
