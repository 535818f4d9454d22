//! Operators: which types they take and give.

use super::checker::Checker;
use super::hint::Hint;
use super::types::{adapt, article};
use crate::diagnostics as d;
use crate::ir::{BinaryOp, Expr, ExprKind, Span, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;

impl Checker<'_> {
    pub fn negate(&mut self, inner: &ast::ExprSyntax, span: Span) -> Option<Expr> {
        let inner = self.expr(inner)?;
        if !matches!(inner.ty, Type::Int | Type::Float | Type::Duration) {
            let message = format!(
                "`-` needs a number or a duration, and this is {}",
                article(&inner.ty)
            );
            self.report(&d::operator_types::DIAGNOSTIC, inner.span, message);
            return None;
        }
        let ty = inner.ty.clone();
        let negated = self.make(ExprKind::Negate(inner.into()), ty, span);
        self.fold(negated)
    }

    pub fn not(&mut self, inner: &ast::ExprSyntax, span: Span) -> Option<Expr> {
        let value = self.expr(inner)?;
        if value.ty == Type::Int {
            let text = self.text(value.span);
            let message = format!("`not` needs a condition, and `{text}` is an int");
            let report = Occurrence::new(&d::no_condition::DIAGNOSTIC, span, message);
            let report = report.suggest("write a comparison", span, format!("{text} == 0"));
            self.tell(report);
            return None;
        }
        let inner = self.fit(
            value,
            super::types::ExpectedType {
                ty: &Type::Bool,
                by: "`not`",
            },
        )?;
        let not = self.make(ExprKind::Not(inner.into()), Type::Bool, span);
        self.fold(not)
    }

    /// An expression that is true or false.
    pub fn condition(&mut self, e: &ast::ExprSyntax, by: &str) -> Option<Expr> {
        let value = self.expr(e)?;
        self.fit(
            value,
            super::types::ExpectedType {
                ty: &Type::Bool,
                by,
            },
        )
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        (a, b): (&ast::ExprSyntax, &ast::ExprSyntax),
        span: Span,
        hint: Option<Hint>,
    ) -> Option<Expr> {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.logic(op, (a, b), span);
        }
        let (left, right) = (self.expr_in(a, hint), self.expr_in(b, hint));
        let (mut left, mut right) = (left?, right?);
        self.widen_beside(&mut left, &mut right);
        let Some(ty) = result(op, &mut left, &mut right) else {
            if self.foreign_sign(op, &left, &right) {
                return None;
            }
            let report = self.no_operator(op, &left, &right, span);
            self.tell(report);
            return None;
        };
        let expr = self.make(ExprKind::Binary(op, left.into(), right.into()), ty, span);
        self.fold(expr)
    }

    /// Whether another sign is there than the one that is read in its place: that was reported
    /// already.
    fn foreign_sign(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        let between = self.text(Span {
            start: left.span.end,
            end: right.span.start.max(left.span.end),
        });
        !between.contains(sign(op)) && between.contains(['&', '|', '^', '~', '<', '>'])
    }

    fn logic(
        &mut self,
        op: BinaryOp,
        (a, b): (&ast::ExprSyntax, &ast::ExprSyntax),
        span: Span,
    ) -> Option<Expr> {
        let word = if op == BinaryOp::And { "`and`" } else { "`or`" };
        let (left, right) = (self.condition(a, word), self.condition(b, word));
        let expr = self.make(
            ExprKind::Binary(op, left?.into(), right?.into()),
            Type::Bool,
            span,
        );
        self.fold(expr)
    }

    fn no_operator(&self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Occurrence {
        match (&left.ty, &right.ty) {
            (Type::Str, _) | (_, Type::Str)
                if op == BinaryOp::Add && left.ty != Type::Bytes && right.ty != Type::Bytes =>
            {
                self.text_plus(left, right, span)
            }
            (Type::Duration | Type::Time, Type::Int)
                if matches!(op, BinaryOp::Add | BinaryOp::Subtract) =>
            {
                let message = format!(
                    "`{}` is a plain number, and a time needs a unit",
                    self.text(right.span)
                );
                let report = Occurrence::new(&d::unit_missing::DIAGNOSTIC, right.span, message);
                report.suggest(
                    "if it is in seconds",
                    right.span,
                    unit(right, self.text(right.span)),
                )
            }
            (Type::Flags(_), Type::Flags(_)) => Occurrence::new(
                &d::foreign_flags::DIAGNOSTIC,
                span,
                "these flags belong to different fields",
            ),
            (a, b) => {
                let message = format!(
                    "`{}` cannot combine {} and {}",
                    sign(op),
                    article(a),
                    article(b)
                );
                self.ways(
                    Occurrence::new(&d::operator_types::DIAGNOSTIC, span, message),
                    op,
                    left,
                    right,
                )
            }
        }
    }

    /// `"port " + p`
    fn text_plus(&self, left: &Expr, right: &Expr, span: Span) -> Occurrence {
        let piece = |e: &Expr| match self.text(e.span) {
            literal if literal.len() >= 2 && literal.starts_with('"') && literal.ends_with('"') => {
                literal[1..literal.len() - 1].to_string()
            }
            other => format!("${{{other}}}"),
        };
        let other = if left.ty == Type::Str { right } else { left };
        let message = format!("`+` cannot join a string and {}", article(&other.ty));
        let joined = format!("\"{}{}\"", piece(left), piece(right));
        Occurrence::new(&d::text_plus::DIAGNOSTIC, span, message).fix(
            "put the value into the string with `${}`",
            span,
            joined,
        )
    }

    fn ways(&self, report: Occurrence, op: BinaryOp, left: &Expr, right: &Expr) -> Occurrence {
        let text = |e: &Expr| self.text(e.span).to_string();
        match (&left.ty, &right.ty, op) {
            (Type::Bytes, Type::Int, BinaryOp::Add) => report
                .suggest(
                    "write it as one byte",
                    right.span,
                    format!("byte({})", text(right)),
                )
                .help("to get bytes of a given length, write `bytes(n, 2)`"),
            (Type::Bytes, Type::Str, BinaryOp::Add) => report.fix(
                "use its bytes",
                right.span,
                format!("bytes({})", text(right)),
            ),
            (Type::Str, Type::Bytes, BinaryOp::Add) => {
                report.fix("use its bytes", left.span, format!("bytes({})", text(left)))
            }
            (Type::Int, Type::Bytes, BinaryOp::Multiply) => report.help(format!(
                "write the bytes first: `{} * {}`",
                text(right),
                text(left)
            )),
            (Type::Array(item), other, BinaryOp::Add) if **item == *other => {
                report.help("`xs += x` appends an element")
            }
            (Type::Time, Type::Time, BinaryOp::Add) => {
                report.help("the difference of two times is a duration: `a - b`")
            }
            (Type::Packet, ..) | (_, Type::Packet, _) => report
                .help("a stack is not a value: write its layers with `/` on a line of their own"),
            _ => report,
        }
    }
}

fn unit(e: &Expr, text: &str) -> String {
    if matches!(e.kind, ExprKind::Constant(_)) {
        format!("{text}s")
    } else {
        format!("({text}) * 1s")
    }
}

pub(super) fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
    }
}

/// The type of `left op right`, literals adapted; none if the operator does not take these.
fn result(op: BinaryOp, left: &mut Expr, right: &mut Expr) -> Option<Type> {
    let direct = typed(op, &left.ty, &right.ty);
    if direct.is_some() {
        return direct;
    }
    for to in [Type::Float, Type::Bytes] {
        let adapted = (right.ty == to && adapt(left, &to)) || (left.ty == to && adapt(right, &to));
        if adapted {
            return typed(op, &left.ty, &right.ty);
        }
    }
    match (&left.ty.clone(), &right.ty.clone()) {
        (Type::Array(_), array @ Type::Array(_)) if adapt(left, array) => {
            typed(op, &left.ty, &right.ty)
        }
        (array @ Type::Array(_), Type::Array(_)) if adapt(right, array) => {
            typed(op, &left.ty, &right.ty)
        }
        _ => None,
    }
}

/// Which types each operator takes and gives.
fn typed(op: BinaryOp, left: &Type, right: &Type) -> Option<Type> {
    use BinaryOp::*;
    use Type::*;
    Some(match (op, left, right) {
        (Add | Subtract | Multiply | Remainder, Int, Int) => Int,
        (Divide, Int, Int) => Float,
        (Add | Subtract | Multiply | Divide, Float, Float) => Float,
        (Add | Subtract, Duration, Duration) => Duration,
        (Multiply | Divide, Duration, Int | Float) | (Multiply, Int | Float, Duration) => Duration,
        (Divide, Duration, Duration) => Float,
        (Subtract, Time, Time) => Duration,
        (Add | Subtract, Time, Duration) | (Add, Duration, Time) => Time,
        (Add, Str, Str) => Str,
        (Add, Bytes, Bytes) | (Multiply, Bytes, Int) => Bytes,
        (Add, Array(a), Array(b)) if a == b => left.clone(),
        (Add | Subtract, Flags(a), Flags(b)) if a == b => left.clone(),
        (Add | Subtract, Ip, Int) => Ip,
        (Subtract, Ip, Ip) => Int,
        _ => return None,
    })
}
