//! Which operations cannot fail: whole numbers whose range is known from widths and constants never
//! overflow.

use crate::builtins::Builtin;
use crate::ir::{BinaryOp, Expr, ExprKind, FieldRef, Program, Type, VarId, VariableKind};
use crafty_value::Value;
use std::collections::BTreeMap;

/// Both ends included.
pub type Range = (i128, i128);

/// Ranges of variables that are known before the start: constants, loop variables over known
/// ranges.
pub type Known = BTreeMap<VarId, Range>;

const WHOLE: Range = (i64::MIN as i128, i64::MAX as i128);

/// Ranges of the constants of a program.
pub fn of_constants(program: &Program) -> Known {
    let mut known = Known::new();
    for (var, value) in &program.constants {
        if let Some(range) = of(value, &known) {
            known.insert(*var, range);
        }
    }
    known
}

/// The range of an int expression, if it is narrower than 64 bits.
pub fn of(expr: &Expr, known: &Known) -> Option<Range> {
    match &expr.kind {
        ExprKind::Constant(Value::Int(n)) => Some((i128::from(*n), i128::from(*n))),
        ExprKind::Var(var) => known.get(var).copied(),
        ExprKind::Field { field, .. } => of_field(field),
        ExprKind::Call { builtin, args } => of_call(builtin, args, known),
        ExprKind::Negate(inner) => of(inner, known).map(|(a, b)| (-b, -a)),
        ExprKind::Binary(op, left, right) => combined(*op, of(left, known)?, of(right, known)?),
        _ => None,
    }
}

/// Whether `left op right` on ints can leave 64 bits.
pub fn may_overflow(op: BinaryOp, left: &Expr, right: &Expr, known: &Known) -> bool {
    let result = of(left, known)
        .zip(of(right, known))
        .and_then(|(a, b)| combined(op, a, b));
    !result.is_some_and(|(low, high)| WHOLE.0 <= low && high <= WHOLE.1)
}

/// Whether an expression is known never to be zero.
pub fn is_nonzero(expr: &Expr, known: &Known) -> bool {
    match &expr.kind {
        ExprKind::Constant(Value::Float(x)) => *x != 0.0,
        ExprKind::Constant(Value::Duration(d)) => d.0 != 0,
        _ => of(expr, known).is_some_and(|(low, high)| low > 0 || high < 0),
    }
}

fn combined(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<Range> {
    match op {
        BinaryOp::Add => Some((a + c, b + d)),
        BinaryOp::Subtract => Some((a - d, b - c)),
        BinaryOp::Multiply => {
            let corners = [
                a.checked_mul(c)?,
                a.checked_mul(d)?,
                b.checked_mul(c)?,
                b.checked_mul(d)?,
            ];
            Some((*corners.iter().min()?, *corners.iter().max()?))
        }
        BinaryOp::Remainder if c > 0 => Some((0, d - 1)),
        _ => None,
    }
}

fn of_field(field: &FieldRef) -> Option<Range> {
    let (width, signed) = match field {
        FieldRef::Wire { layer, field } => {
            let row = &layer.fields[*field];
            (row.width(), row.signed)
        }
        FieldRef::Either { .. } => (16, false),
        _ => return None,
    };
    let numbers = (1..=62).contains(&width).then(|| 1i128 << width)?;
    Some(match signed {
        true => (-numbers / 2, numbers / 2 - 1),
        false => (0, numbers - 1),
    })
}

fn of_call(builtin: &Builtin, args: &[Expr], known: &Known) -> Option<Range> {
    match (builtin.name, args) {
        ("length", [arg]) if matches!(arg.kind, ExprKind::Field { .. }) => Some((0, 1 << 20)),
        ("length", [arg]) if arg.ty == Type::Packet => Some((0, 1 << 20)),
        ("length", _) => Some((0, 1 << 22)),
        ("int", [given]) => bytes(given, known)
            .filter(|n| (1..=7).contains(n))
            .map(|n| (0, (1i128 << (8 * n)) - 1)),
        ("min", [a, b]) => Some(both(a, b, known, i128::min)),
        ("max", [a, b]) => Some(both(a, b, known, i128::max)),
        ("seq_diff", _) => Some((i128::from(i32::MIN), i128::from(i32::MAX))),
        (
            "choose" | "one_of",
            [
                _,
                Expr {
                    kind: ExprKind::Constant(Value::Array(items)),
                    ..
                },
            ],
        ) => listed(items),
        _ => None,
    }
}

/// The smaller or the larger of two, each known or of 64 bits.
fn both(a: &Expr, b: &Expr, known: &Known, pick: fn(i128, i128) -> i128) -> Range {
    let (a, b) = (of(a, known).unwrap_or(WHOLE), of(b, known).unwrap_or(WHOLE));
    (pick(a.0, b.0), pick(a.1, b.1))
}

fn listed(items: &[Value]) -> Option<Range> {
    let ints: Option<Vec<i128>> = items
        .iter()
        .map(|v| {
            if let Value::Int(n) = v {
                Some(i128::from(*n))
            } else {
                None
            }
        })
        .collect();
    let ints = ints?;
    Some((*ints.iter().min()?, *ints.iter().max()?))
}

/// The length of a bytes expression, if it is the same always (should it have a value at all).
pub fn bytes(expr: &Expr, known: &Known) -> Option<i128> {
    match &expr.kind {
        ExprKind::Constant(Value::Bytes(b)) => i128::try_from(b.len()).ok(),
        ExprKind::At(base, _) if base.ty == Type::Bytes => Some(1),
        ExprKind::Slice(_, from, Some(to)) => {
            let from = from.as_ref().map_or(Some((0, 0)), |f| of(f, known))?;
            let to = of(to, known)?;
            (from.0 == from.1 && to.0 == to.1).then_some(to.0 - from.0)
        }
        _ => None,
    }
}

/// The range of a loop variable over `low..high`.
pub fn of_loop(low: &Expr, high: &Expr, known: &Known) -> Option<Range> {
    Some((of(low, known)?.0, of(high, known)?.1))
}

/// Whether a variable is known before the start.
pub fn is_known_before_start(program: &Program, var: VarId) -> bool {
    matches!(
        program.variables[var.0 as usize].kind,
        VariableKind::Param | VariableKind::Constant
    )
}
