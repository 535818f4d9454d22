//! What is known before the start: folding, and the values of params and constants.

use super::checker::Checker;
use crate::builtins::{Eval, MachineCall};
use crate::diagnostics as d;
use crate::driven::LayerCounter;
use crate::eval::arithmetic::size_after;
use crate::eval::cost::Allowance;
use crate::eval::{Raise, Stop, World, evaluate};
use crate::ir::*;
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;
use crafty_wire::Layer;

/// Values of variables, and nothing of any network: what the pure evaluator needs for constants.
/// All that one pass computes is charged to one allowance.
pub(super) struct Fixed<'v>(pub &'v [Value], pub &'v Allowance);

impl World for Fixed<'_> {
    fn var(&self, var: VarId) -> &Value {
        &self.0[var.0 as usize]
    }

    fn has_layer(&mut self, _: VarId, _: &'static Layer) -> bool {
        false
    }

    fn field(&mut self, _: VarId, _: &'static Layer, _: i64, _: &FieldRef) -> Result<Value, Stop> {
        Err(unknown())
    }

    fn counter(&mut self, _: StackId, _: &'static LayerCounter) -> Result<Value, Stop> {
        Err(unknown())
    }

    fn call(&mut self, _: MachineCall, _: &[Value]) -> Result<Value, Stop> {
        Err(unknown())
    }

    fn charge(&self, cost: u64) -> Result<(), Stop> {
        self.1.spend(cost)
    }
}

fn unknown() -> Stop {
    Stop::Raise(Raise::new(
        ErrorKind::Absent,
        "this is known only at run time",
    ))
}

/// The expressions that an expression is made of.
pub(super) fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Interpolate(pieces) => pieces.iter().filter_map(hole).collect(),
        ExprKind::Array(items)
        | ExprKind::Record(_, items)
        | ExprKind::Call { args: items, .. } => items.iter().collect(),
        ExprKind::Slice(base, from, to) => [Some(base), from.as_ref(), to.as_ref()]
            .into_iter()
            .flatten()
            .map(|e| &**e)
            .collect(),
        ExprKind::At(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => vec![a, b],
        ExprKind::Negate(inner) | ExprKind::Not(inner) => vec![inner],
        ExprKind::InRange {
            value, low, high, ..
        } => vec![value, low, high],
        _ => Vec::new(),
    }
}

fn hole(piece: &StringPiece) -> Option<&Expr> {
    match piece {
        StringPiece::Hole(expr, _) => Some(expr),
        StringPiece::Text(_) => None,
    }
}

/// Whether any part of an expression (itself too) is such.
pub(super) fn any(expr: &Expr, such: &mut dyn FnMut(&Expr) -> bool) -> bool {
    such(expr) || parts(expr).into_iter().any(|part| any(part, such))
}

impl Checker<'_> {
    /// Whether the expression is a constant: literals, params, constants, operators and pure
    /// functions.
    pub fn is_constant(&self, expr: &Expr) -> bool {
        !any(expr, &mut |e| match &e.kind {
            ExprKind::Var(var) => !matches!(
                self.variable(*var).kind,
                VariableKind::Param | VariableKind::Constant
            ),
            ExprKind::Call { builtin, .. } => matches!(builtin.eval, Eval::Machine(_)),
            ExprKind::HasLayer { .. }
            | ExprKind::Field { .. }
            | ExprKind::Counter { .. }
            | ExprKind::ErrorPart { .. } => true,
            _ => false,
        })
    }

    /// Its value, if it is a constant and all its params have defaults.
    pub fn value(&self, expr: &Expr) -> Option<Value> {
        if let ExprKind::Constant(value) = &expr.kind {
            return Some(value.clone());
        }
        let unset = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if self.known[var.0 as usize] == Value::Nothing);
        if !self.is_constant(expr) || any(expr, &mut |e| unset(e)) {
            return None;
        }
        evaluate(expr, &mut Fixed(&self.known, &self.allowance)).ok()
    }

    /// Its value, if no param can change it.
    pub fn settled(&self, expr: &Expr) -> Option<Value> {
        if self.is_open(expr) {
            None
        } else {
            self.value(expr)
        }
    }

    /// Whether a param is part of it, at whatever remove.
    pub fn is_open(&self, expr: &Expr) -> bool {
        any(
            expr,
            &mut |e| matches!(e.kind, ExprKind::Var(var) if self.open.contains(&var)),
        )
    }

    /// Notes the value of a constant; one that cannot be computed is a mistake of the text.
    pub fn note_constant(&mut self, var: VarId, value: Expr) {
        if self.is_open(&value) {
            self.open.insert(var);
        }
        let unset = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if self.known[var.0 as usize] == Value::Nothing);
        if !any(&value, &mut |e| unset(e)) {
            match evaluate(&value, &mut Fixed(&self.known, &self.allowance)) {
                Ok(known) if known.size() <= KEPT => self.known[var.0 as usize] = known,
                Err(stop @ (Stop::Raise(_) | Stop::TooLarge(_) | Stop::End(_))) => {
                    self.tell(stopped(value.span, stop))
                }
                _ => {}
            }
        }
        self.constants.push((var, value));
    }

    pub fn int(&self, expr: &Expr) -> Option<i64> {
        match self.value(expr)? {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// Nanoseconds of a duration.
    pub fn nanoseconds(&self, expr: &Expr) -> Option<i64> {
        match self.value(expr)? {
            Value::Duration(length) => Some(length.0),
            _ => None,
        }
    }

    /// An operator on literals becomes a literal; one that fails is a mistake of the text.
    pub fn fold(&mut self, expr: Expr) -> Option<Expr> {
        let literal = |e: &Expr| matches!(e.kind, ExprKind::Constant(_));
        let inner = parts(&expr);
        if inner.is_empty() || !inner.into_iter().all(literal) {
            return Some(expr);
        }
        if grows(&expr) {
            return Some(expr);
        }
        match evaluate(&expr, &mut Fixed(&[], &self.allowance)) {
            Ok(value) if value.size() <= FOLDED => Some(Expr {
                kind: ExprKind::Constant(value),
                ..expr
            }),
            Err(Stop::Raise(raise)) => {
                self.report(
                    &d::constant_fails::DIAGNOSTIC,
                    expr.span,
                    format!("this cannot be computed: {}", raise.message),
                );
                None
            }
            _ => Some(expr),
        }
    }
}

/// Bytes of a value that is kept in the program instead of the operator that makes it.
const FOLDED: usize = 4096;

/// Bytes of a constant that the checker remembers; nothing that it judges is larger.
const KEPT: usize = 64 << 10;

/// Whether an operator on literals makes more than is kept.
fn grows(expr: &Expr) -> bool {
    let ExprKind::Binary(op, left, right) = &expr.kind else {
        return false;
    };
    let (ExprKind::Constant(left), ExprKind::Constant(right)) = (&left.kind, &right.kind) else {
        return false;
    };
    size_after(*op, left, right) > FOLDED
}

/// Why a constant has no value.
pub(super) fn stopped(span: Span, stop: Stop) -> Occurrence {
    let message = match stop {
        Stop::Raise(raise) => format!("this cannot be computed: {}", raise.message),
        Stop::End(_) => "the values of this program's constants and settings take too long to compute before the start; write the results, or compute them in statements".to_string(),
        Stop::TooLarge(excess) => format!("this would be too large: {excess}"),
        Stop::NeedStamp(_) => "this is known only at run time".to_string(),
    };
    Occurrence::new(&d::constant_fails::DIAGNOSTIC, span, message)
}
