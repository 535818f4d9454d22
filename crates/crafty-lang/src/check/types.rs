//! Types: what fits what, and how a literal adapts. Values never adapt.

use super::checker::Checker;
use super::quoted::quoted;
use crate::builtins::{self, type_name};
use crate::diagnostics as d;
use crate::ir::{BinaryOp, Expr, ExprKind, Span, Type};
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;
use std::sync::Arc;

/// What a place wants.
pub(super) struct ExpectedType<'t> {
    pub ty: &'t Type,
    /// Who wants it, for the message: `` `timeout` ``.
    pub by: &'t str,
}

/// Makes a literal fit: a string stands for bytes, a whole number for a float. True if the
/// expression has the type now.
pub(super) fn adapt(expr: &mut Expr, to: &Type) -> bool {
    if expr.ty == *to {
        return true;
    }
    let adapted = match (&mut expr.kind, to) {
        (ExprKind::Constant(value), to) => adapt_value(value, to),
        (ExprKind::Interpolate(_), Type::Bytes) => expr.ty == Type::Str,
        (ExprKind::Array(items), Type::Array(item)) => items.iter_mut().all(|e| adapt(e, item)),
        (ExprKind::Record(_, parts), Type::Record(types)) => {
            same_parts(&expr.ty, types)
                && parts
                    .iter_mut()
                    .zip(types.iter())
                    .all(|(part, (_, ty))| adapt(part, ty))
        }
        (ExprKind::Binary(BinaryOp::Add, a, b), Type::Bytes) => adapt(a, to) && adapt(b, to),
        _ => false,
    };
    if adapted {
        expr.ty = to.clone();
    }
    adapted
}

fn adapt_value(value: &mut Value, to: &Type) -> bool {
    let adapted = match (&*value, to) {
        (Value::Int(n), Type::Float) => Value::Float(*n as f64),
        (Value::Str(s), Type::Bytes) => Value::bytes(s.as_bytes().to_vec()),
        (Value::Array(items), Type::Array(item)) => {
            let mut items = items.as_ref().clone();
            if !items
                .iter_mut()
                .all(|v| type_of(v).is_some_and(|t| t == **item) || adapt_value(v, item))
            {
                return false;
            }
            Value::array(items)
        }
        (Value::Record(record), Type::Record(types)) => {
            let names = record.names.iter();
            if !names.eq(types.iter().map(|(name, _)| name)) {
                return false;
            }
            let mut record = record.as_ref().clone();
            let fits = |(v, (_, ty)): (&mut Value, &(_, Type))| is_of(v, ty) || adapt_value(v, ty);
            if !record.parts.iter_mut().zip(types.iter()).all(fits) {
                return false;
            }
            Value::Record(record.into())
        }
        _ => return false,
    };
    *value = adapted;
    true
}

/// Whether a type is a record of parts with these names.
fn same_parts(ty: &Type, parts: &[(Arc<str>, Type)]) -> bool {
    match ty {
        Type::Record(own) => own.iter().map(|(n, _)| n).eq(parts.iter().map(|(n, _)| n)),
        _ => false,
    }
}

/// The type of a value, if it has one by itself (an empty array has none).
pub(super) fn type_of(value: &Value) -> Option<Type> {
    Some(match value {
        Value::Int(_) => Type::Int,
        Value::Float(_) => Type::Float,
        Value::Bool(_) => Type::Bool,
        Value::Str(_) => Type::Str,
        Value::Bytes(_) => Type::Bytes,
        Value::Duration(_) => Type::Duration,
        Value::Time(_) => Type::Time,
        Value::Ip(_) => Type::Ip,
        Value::Net(_) => Type::Net,
        Value::Mac(_) => Type::Mac,
        Value::Flags(_, names) => Type::Flags(names),
        Value::Array(items) => Type::Array(items.first().and_then(type_of)?.into()),
        Value::Record(record) => Type::Record(
            record
                .names
                .iter()
                .zip(&record.parts)
                .map(|(name, part)| Some((Arc::clone(name), type_of(part)?)))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    })
}

impl Checker<'_> {
    /// The expression, if it has the wanted type or adapts to it.
    pub fn fit(&mut self, mut expr: Expr, wanted: ExpectedType) -> Option<Expr> {
        if *wanted.ty == Type::Float {
            self.widen(&mut expr);
        }
        if adapt(&mut expr, wanted.ty) {
            return Some(expr);
        }
        self.misfit(&expr, wanted);
        None
    }

    /// An int becomes a float, as if `float` were written around it; all else stays.
    pub fn widen(&mut self, expr: &mut Expr) {
        if expr.ty != Type::Int || adapt(expr, &Type::Float) {
            return;
        }
        let Some(builtin) = builtins::find("float") else {
            return;
        };
        let span = expr.span;
        let int = core::mem::replace(expr, self.constant(Value::Nothing, Type::Float, span));
        let kind = ExprKind::Call {
            builtin,
            args: vec![int],
        };
        let float = self.make(kind, Type::Float, span);
        *expr = self.fold(float).unwrap_or_else(|| expr.clone());
    }

    /// An int beside a float becomes one.
    pub fn widen_beside(&mut self, left: &mut Expr, right: &mut Expr) {
        match (&left.ty, &right.ty) {
            (Type::Int, Type::Float) => self.widen(left),
            (Type::Float, Type::Int) => self.widen(right),
            _ => {}
        }
    }

    fn misfit(&mut self, expr: &Expr, wanted: ExpectedType) {
        let text = self.text(expr.span);
        if let Some(report) = quoted(expr, wanted.ty, None, wanted.by) {
            return self.tell(report);
        }
        let report = match (wanted.ty, &expr.ty) {
            (Type::Int, Type::Float) => self.float_for_int(expr, &wanted),
            (Type::Duration, Type::Int) => self.number_for_duration(expr, &wanted),
            (Type::Bool, _) => self.no_condition(expr, &wanted),
            (Type::Record(to), Type::Record(given)) => {
                let message = format!(
                    "{} needs {}, and `{text}` is {}",
                    wanted.by,
                    article(wanted.ty),
                    article(&expr.ty)
                );
                Occurrence::new(&d::type_mismatch::DIAGNOSTIC, expr.span, message)
                    .help(super::record::difference(to, given))
            }
            _ => {
                let message = format!(
                    "{} needs {}, and `{text}` is {}",
                    wanted.by,
                    article(wanted.ty),
                    article(&expr.ty)
                );
                conversion(
                    Occurrence::new(&d::type_mismatch::DIAGNOSTIC, expr.span, message),
                    wanted.ty,
                    expr,
                    text,
                )
            }
        };
        self.tell(report);
    }

    /// `lost / 200` where an int is wanted.
    fn float_for_int(&self, expr: &Expr, wanted: &ExpectedType) -> Occurrence {
        let text = self.text(expr.span);
        let message = format!("{} needs an int, and `{text}` is a float", wanted.by);
        let report = Occurrence::new(&d::float_for_int::DIAGNOSTIC, expr.span, message);
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Divide, a, b) if a.ty == Type::Int && b.ty == Type::Int => {
                let whole = format!("div({}, {})", self.text(a.span), self.text(b.span));
                report.fix(
                    "`/` gives a float; for the integer quotient use `div`",
                    expr.span,
                    whole,
                )
            }
            _ => report.suggest(
                "round to the nearest whole number",
                expr.span,
                format!("round({text})"),
            ),
        }
    }

    /// `wait 5`.
    fn number_for_duration(&self, expr: &Expr, wanted: &ExpectedType) -> Occurrence {
        let text = self.text(expr.span);
        let message = format!(
            "{} needs a duration, and `{text}` is a plain number",
            wanted.by
        );
        let report = Occurrence::new(&d::unit_missing::DIAGNOSTIC, expr.span, message);
        match expr.kind {
            ExprKind::Constant(_) => {
                report.suggest("give it a unit", expr.span, format!("{text}s"))
            }
            _ => report.suggest("multiply it by a unit", expr.span, format!("({text}) * 1s")),
        }
    }

    /// `if count { }`: there is no truthiness.
    fn no_condition(&self, expr: &Expr, wanted: &ExpectedType) -> Occurrence {
        let text = self.text(expr.span);
        let message = format!(
            "{} needs a condition, and `{text}` is {}",
            wanted.by,
            article(&expr.ty)
        );
        let report = Occurrence::new(&d::no_condition::DIAGNOSTIC, expr.span, message);
        let asked = match &expr.ty {
            Type::Int => format!("{text} != 0"),
            Type::Duration => format!("{text} != 0s"),
            Type::Str => format!("{text} != \"\""),
            Type::Bytes | Type::Array(_) | Type::Map(..) => format!("length({text}) > 0"),
            Type::Flags(_) => format!("{text} != 0"),
            _ => return report.help("compare it with a value"),
        };
        report.suggest("write a comparison", expr.span, asked)
    }
}

/// How one type becomes the other, where there is a way.
fn conversion(report: Occurrence, wanted: &Type, expr: &Expr, text: &str) -> Occurrence {
    let written = match (wanted, &expr.ty) {
        (Type::Bytes, Type::Int) if text.starts_with("0x") => octets(text),
        (Type::Bytes, Type::Int) if !is_byte(expr) => {
            return report.help(format!(
                "to write a number as bytes, give a length: `bytes({text}, 2)`"
            ));
        }
        (Type::Float, Type::Int) => format!("float({text})"),
        (Type::Bytes, Type::Str) => format!("bytes({text})"),
        (Type::Bytes, Type::Int) => format!("byte({text})"),
        (Type::Str, Type::Bytes) => format!("text({text})"),
        (
            Type::Str,
            Type::Int
            | Type::Float
            | Type::Duration
            | Type::Ip
            | Type::Mac
            | Type::Net
            | Type::Time
            | Type::Bool,
        ) => {
            format!("\"${{{text}}}\"")
        }
        (Type::Int, Type::Bytes | Type::Flags(_)) => format!("int({text})"),
        (Type::Int, Type::Duration) => {
            return report.suggest(
                "divide by a unit to get a number",
                expr.span,
                format!("div({text}, 1ms)"),
            );
        }
        (Type::Int, Type::Str) if matches!(expr.kind, ExprKind::Constant(_)) => return report,
        (Type::Int, Type::Array(_) | Type::Map(..) | Type::Str) => {
            return report.suggest(
                "if its length is meant",
                expr.span,
                format!("length({text})"),
            );
        }
        _ => return report,
    };
    report.fix(
        format!("`{written}` is {}", article(wanted)),
        expr.span,
        written,
    )
}

/// `0x0102` as bytes: an even number of digits.
fn octets(text: &str) -> String {
    let digits: String = text.chars().skip(2).filter(|c| *c != '_').collect();
    format!(
        "#{}{digits}",
        if digits.len().is_multiple_of(2) {
            ""
        } else {
            "0"
        }
    )
}

/// Whether nothing is known that would keep a number from being one byte.
fn is_byte(expr: &Expr) -> bool {
    !matches!(expr.kind, ExprKind::Constant(Value::Int(n)) if !(0..=255).contains(&n))
}

/// `an int`, `a duration`, `bytes`.
pub(super) fn article(ty: &Type) -> String {
    let name = type_name(ty);
    match ty {
        Type::Bytes | Type::Flags(_) => name,
        Type::Record(_) => format!("a record {name}"),
        Type::Int | Type::Ip | Type::Array(_) | Type::Error => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// The span of a text that is just before a place: for inserting.
pub(super) fn at(offset: u32) -> Span {
    Span {
        start: offset,
        end: offset,
    }
}

/// Whether a value is of a type; an empty array is of any.
pub(super) fn is_of(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Array(items), Type::Array(item)) => items.iter().all(|v| is_of(v, item)),
        (Value::Record(record), Type::Record(types)) => {
            record.names.iter().eq(types.iter().map(|(name, _)| name))
                && record
                    .parts
                    .iter()
                    .zip(types.iter())
                    .all(|(part, (_, ty))| is_of(part, ty))
        }
        (value, ty) => type_of(value).as_ref() == Some(ty),
    }
}
