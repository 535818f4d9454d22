//! Relations: `== != < <= > >= in has` between values.

use super::checker::Checker;
use super::hint::Hint;
use super::layers;
use super::states::is_state;
use super::types::{adapt, article};
use super::words;
use crate::diagnostics as d;
use crate::ir::{ErrorKind, Expr, ExprKind, FieldRef, RelOp, Span, Type};
use crafty_syntax::ast;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;

impl Checker<'_> {
    pub fn compare(
        &mut self,
        op: RelOp,
        left: &ast::ExprSyntax,
        right: &ast::OperandSyntax,
        span: Span,
    ) -> Option<Expr> {
        match right {
            ast::OperandSyntax::Range(low, high) => self.in_range(op, left, (low, high), span),
            ast::OperandSyntax::Value(right) => self.relation(op, left, right, span),
        }
    }

    fn in_range(
        &mut self,
        op: RelOp,
        value: &ast::ExprSyntax,
        (low, high): (&ast::ExprSyntax, &ast::ExprSyntax),
        span: Span,
    ) -> Option<Expr> {
        if !matches!(op, RelOp::In | RelOp::NotIn) {
            let message = "a range can be used only after `in` and `foreach`";
            self.report(&d::range_place::DIAGNOSTIC, span, message);
            return None;
        }
        let value = self.expr(value);
        let hint = value.as_ref().and_then(hint_of);
        let (low, high) = (self.expr_in(low, hint), self.expr_in(high, hint));
        let (mut value, mut low, mut high) = (value?, low?, high?);
        self.widen_beside(&mut value, &mut low);
        self.widen_beside(&mut value, &mut high);
        self.widen_beside(&mut value, &mut low);
        for end in [&mut low, &mut high] {
            if !adapt(end, &value.ty) || !ordered(&value.ty) {
                let message = format!(
                    "{} cannot be in a range that ends at {}",
                    article(&value.ty),
                    article(&end.ty)
                );
                self.report(&d::comparison_types::DIAGNOSTIC, span, message);
                return None;
            }
        }
        let kind = ExprKind::InRange {
            value: value.into(),
            low: low.into(),
            high: high.into(),
            negated: op == RelOp::NotIn,
        };
        let expr = self.make(kind, Type::Bool, span);
        self.fold(expr)
    }

    fn relation(
        &mut self,
        op: RelOp,
        a: &ast::ExprSyntax,
        b: &ast::ExprSyntax,
        span: Span,
    ) -> Option<Expr> {
        let (left, right) = match op {
            RelOp::Has | RelOp::NotHas if self.is_free(b) => {
                let left = self.expr(a)?;
                if let Some(asked) = self.has_option(op, &left, b, span) {
                    return asked;
                }
                let right = self.expr_in(b, hint_of(&left));
                (Some(left), right)
            }
            _ => self.sides(a, b),
        };
        let (mut left, mut right) = (left?, right?);
        if left.ty == Type::Packet || right.ty == Type::Packet {
            return self.packet_compared(op, &left, &right, span);
        }
        self.widen_beside(&mut left, &mut right);
        if !related(op, &mut left, &mut right) {
            let report = self.unrelated(op, &left, &right, span);
            self.tell(report);
            return None;
        }
        self.judge_kind(&left, &right);
        self.judge_family(&left, &right);
        let expr = self.make(
            ExprKind::Compare(op, left.into(), right.into()),
            Type::Bool,
            span,
        );
        self.fold(expr)
    }

    /// Whether this is a word that cannot mean a variable with bytes.
    fn is_free(&self, e: &ast::ExprSyntax) -> bool {
        let ast::ExprKindSyntax::Name(name) = &e.kind else {
            return false;
        };
        let bytes = [Type::Bytes, Type::Str];
        bytes
            .iter()
            .all(|ty| self.variable_fits(name, ty).is_none())
    }

    /// Both sides; the one that is a field gives names to the other.
    fn sides(&mut self, a: &ast::ExprSyntax, b: &ast::ExprSyntax) -> (Option<Expr>, Option<Expr>) {
        if matches!(b.kind, ast::ExprKindSyntax::Member(..))
            && matches!(a.kind, ast::ExprKindSyntax::Name(_))
        {
            let right = self.expr(b);
            let left = self.expr_in(a, right.as_ref().and_then(hint_of));
            return (left, right);
        }
        let left = self.expr(a);
        if left.as_ref().is_some_and(is_state)
            && let Some(right) = self.state_word(b)
        {
            return (left, right);
        }
        let right = self.expr_in(b, left.as_ref().and_then(hint_of));
        (left, right)
    }

    fn packet_compared(
        &mut self,
        op: RelOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Option<Expr> {
        let (l, r) = (self.text(left.span), self.text(right.span));
        let report = match op {
            RelOp::Has | RelOp::NotHas => Occurrence::new(
                &d::membership::DIAGNOSTIC,
                span,
                "use the function `has` to test whether a packet has a layer",
            )
            .help(format!("write `has({l}, VLAN)`")),
            _ => Occurrence::new(
                &d::comparison_types::DIAGNOSTIC,
                span,
                "packets cannot be compared; compare their fields",
            )
            .help(format!("write `{l}[IP].id == {r}[IP].id`")),
        };
        self.tell(report);
        None
    }

    fn unrelated(&self, op: RelOp, left: &Expr, right: &Expr, span: Span) -> Occurrence {
        let (l, r) = (self.text(left.span), self.text(right.span));
        match (op, &left.ty, &right.ty) {
            (RelOp::In | RelOp::NotIn, _, Type::Map(..)) => {
                let not = if op == RelOp::NotIn { "not " } else { "" };
                Occurrence::new(
                    &d::membership::DIAGNOSTIC,
                    span,
                    "use the function `has` to test whether a map has a key",
                )
                .fix("write `has(map, key)`", span, format!("{not}has({r}, {l})"))
            }
            (RelOp::Has | RelOp::NotHas, Type::Map(..), _) => Occurrence::new(
                &d::membership::DIAGNOSTIC,
                span,
                "use the function `has` to test whether a map has a key",
            )
            .fix("write `has(map, key)`", span, format!("has({l}, {r})")),
            (RelOp::Has, Type::Array(_), _) => Occurrence::new(
                &d::membership::DIAGNOSTIC,
                span,
                "use `in` to search an array for an element",
            )
            .fix("write the element first", span, format!("{r} in {l}")),
            (RelOp::In, Type::Str | Type::Bytes, Type::Str | Type::Bytes) => Occurrence::new(
                &d::membership::DIAGNOSTIC,
                span,
                "use `has` to search a value for a part",
            )
            .fix("write the whole first", span, format!("{r} has {l}")),
            (_, Type::Flags(_), Type::Flags(_)) => Occurrence::new(
                &d::foreign_flags::DIAGNOSTIC,
                span,
                "these flags belong to different fields",
            ),
            (_, Type::Duration, Type::Int) => Occurrence::new(
                &d::unit_missing::DIAGNOSTIC,
                right.span,
                format!("`{r}` is a plain number, and a duration needs a unit"),
            )
            .suggest("if it is in seconds", right.span, format!("{r}s")),
            _ => self.never(op, left, right, span),
        }
    }

    fn never(&self, op: RelOp, left: &Expr, right: &Expr, span: Span) -> Occurrence {
        let message = format!(
            "`{}` cannot compare {} with {}",
            sign(op),
            article(&left.ty),
            article(&right.ty)
        );
        let report = Occurrence::new(&d::comparison_types::DIAGNOSTIC, span, message);
        match (&left.ty, &right.ty) {
            (Type::Bytes, Type::Str) => report.fix(
                "use its bytes",
                right.span,
                format!("bytes({})", self.text(right.span)),
            ),
            (Type::Str, Type::Bytes) => report.fix(
                "use its bytes",
                left.span,
                format!("bytes({})", self.text(left.span)),
            ),
            (Type::Bytes, Type::Int) => report.suggest(
                "use the number in it",
                left.span,
                format!("int({})", self.text(left.span)),
            ),
            (Type::Ip, Type::Net) => {
                report.help("to test whether an address is in a net, use `in`")
            }
            (Type::Ip, Type::Str) => report.help("write the address without quotes"),
            _ => report,
        }
    }

    /// `e.kind == "time_out"` never holds.
    fn judge_kind(&mut self, left: &Expr, right: &Expr) {
        for (kind, text) in [(left, right), (right, left)] {
            let (ExprKind::ErrorPart { message: false, .. }, ExprKind::Constant(Value::Str(word))) =
                (&kind.kind, &text.kind)
            else {
                continue;
            };
            if ErrorKind::ALL.iter().any(|(_, known)| **known == **word) {
                continue;
            }
            let report = Occurrence::new(
                &d::unknown_kind::DIAGNOSTIC,
                text.span,
                format!("there is no error of the kind `{word}`"),
            );
            let report = match words::nearest(word, ErrorKind::ALL.iter().map(|(_, known)| *known))
            {
                Some(near) => report.suggest(
                    format!("did you mean `{near}`?"),
                    text.span,
                    format!("\"{near}\""),
                ),
                None => report.help(format!(
                    "the kinds are {}",
                    ErrorKind::ALL
                        .iter()
                        .map(|(_, w)| *w)
                        .collect::<Vec<_>>()
                        .join(", ")
                )),
            };
            self.tell(report);
        }
    }

    /// An IPv4 field is never equal to an IPv6 address.
    pub fn judge_family(&mut self, left: &Expr, right: &Expr) {
        for (field, value) in [(left, right), (right, left)] {
            let (Some(hint), Some(Value::Ip(address))) = (hint_of(field), self.settled(value))
            else {
                continue;
            };
            if matches!(
                field.kind,
                ExprKind::Field {
                    field: FieldRef::Wire { .. },
                    ..
                }
            ) {
                self.judge_address(hint, address, value.span);
            }
        }
    }

    pub fn judge_address(&mut self, hint: Hint, address: std::net::IpAddr, span: Span) {
        let Some(wanted) = layers::family(hint.field) else {
            return;
        };
        if wanted.is_v4() == address.is_ipv4() {
            return;
        }
        let (field, other) = if wanted.is_v4() {
            ("IPv4", "IPv6")
        } else {
            ("IPv6", "IPv4")
        };
        let message = format!(
            "`{}` of {} is an {field} address, and `{address}` is {other}",
            hint.field.name, hint.layer.name
        );
        let way = if wanted.is_v4() {
            "write `IP6`, or `IP!` for both families"
        } else {
            "write `IP`, or `IP!` for both families"
        };
        self.report(&d::wrong_family::DIAGNOSTIC, span, message)
            .help
            .push(way.into());
    }
}

/// The field that an expression reads, for the names of its values.
pub(super) fn hint_of(expr: &Expr) -> Option<Hint> {
    match &expr.kind {
        ExprKind::Field { field, .. } => layers::hint(field),
        _ => None,
    }
}

pub(super) fn sign(op: RelOp) -> &'static str {
    match op {
        RelOp::Eq => "==",
        RelOp::Ne => "!=",
        RelOp::Lt => "<",
        RelOp::Le => "<=",
        RelOp::Gt => ">",
        RelOp::Ge => ">=",
        RelOp::In => "in",
        RelOp::NotIn => "not in",
        RelOp::Has => "has",
        RelOp::NotHas => "not has",
    }
}

pub(super) fn ordered(ty: &Type) -> bool {
    !matches!(
        ty,
        Type::Bool
            | Type::Flags(_)
            | Type::Array(_)
            | Type::Map(..)
            | Type::Record(_)
            | Type::Packet
            | Type::Error
            | Type::Net
    )
}

/// Whether the relation takes these two, literals adapted.
pub(super) fn related(op: RelOp, left: &mut Expr, right: &mut Expr) -> bool {
    match op {
        RelOp::Eq | RelOp::Ne => {
            same(left, right) && left.ty != Type::Error || raw_bits(&left.ty, &right.ty)
        }
        RelOp::Lt | RelOp::Le | RelOp::Gt | RelOp::Ge => same(left, right) && ordered(&left.ty),
        RelOp::In | RelOp::NotIn => inside(left, right),
        RelOp::Has | RelOp::NotHas => {
            same(left, right) && matches!(left.ty, Type::Bytes | Type::Str | Type::Flags(_))
        }
    }
}

fn same(left: &mut Expr, right: &mut Expr) -> bool {
    let (l, r) = (left.ty.clone(), right.ty.clone());
    adapt(left, &r) || adapt(right, &l)
}

/// Flags compare with their raw bits too.
fn raw_bits(left: &Type, right: &Type) -> bool {
    matches!(
        (left, right),
        (Type::Flags(_), Type::Int) | (Type::Int, Type::Flags(_))
    )
}

fn inside(left: &mut Expr, right: &mut Expr) -> bool {
    match (left.ty.clone(), right.ty.clone()) {
        (Type::Ip, Type::Net) => true,
        (Type::Ip, Type::Array(item)) if *item == Type::Net => true,
        (ty, Type::Array(item)) => adapt(left, &item) || adapt(right, &Type::Array(ty.into())),
        _ => false,
    }
}
