//! Which operations can fail, and what decides whether they do: one table. An operation that fails
//! skips the rest of its block; one whose result would be too large skips its statement.

use super::range::{self, Known};
use super::tag::{LabelPair, Tag};
use super::walk::Pass;
use super::{FlowRule, price};
use crate::builtins::{Builtin, LabelRule};
use crate::eval::MAX_VALUE;
use crate::ir::{BinaryOp, ErrorKind, Expr, ExprKind, Label, StringPiece, Type};
use crafty_value::Value;

/// Which labels of its operands decide whether an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// How large they are.
    Sizes,
    /// Everything about them.
    Values,
}

/// What is asked of an operator on operands of these types.
#[derive(Clone, Copy)]
struct Operands<'e> {
    op: BinaryOp,
    left: &'e Expr,
    right: &'e Expr,
    ty: &'e Type,
    known: &'e Known,
    times_computed: bool,
}

/// A row: operators that fail alike.
struct FailingOperators {
    /// Which operations, in words.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests name rows by it"))]
    operations: &'static str,
    covers: fn(&Operands) -> bool,
    inputs: Inputs,
    /// Whether this one cannot fail, by what is known of its operands.
    certain: fn(&Operands) -> bool,
}

use BinaryOp::{Add, And, Divide, Multiply, Or, Remainder, Subtract};

/// The first row that covers an operation says how it fails; the last one covers all.
static FAILURES: &[FailingOperators] = &[
    FailingOperators {
        operations: "`and`, `or`",
        covers: |o| matches!(o.op, And | Or),
        inputs: Inputs::Values,
        certain: |_| true,
    },
    FailingOperators {
        operations: "text, bytes and arrays that are put together: only too large",
        covers: |o| o.op == Add && matches!(o.ty, Type::Str | Type::Bytes | Type::Array(_)),
        inputs: Inputs::Sizes,
        certain: |_| true,
    },
    FailingOperators {
        operations: "repeated bytes",
        covers: |o| o.op == Multiply && *o.ty == Type::Bytes,
        inputs: Inputs::Values,
        certain: |o| range::of(o.right, o.known).is_some_and(|(low, _)| low >= 0),
    },
    FailingOperators {
        operations: "sets of flags",
        covers: |o| matches!(o.ty, Type::Flags(_)),
        inputs: Inputs::Values,
        certain: |_| true,
    },
    FailingOperators {
        // Captured times and their distances lie far from the ends of 64 bits.
        operations: "the time between two times",
        covers: |o| o.op == Subtract && o.left.ty == Type::Time && o.right.ty == Type::Time,
        inputs: Inputs::Values,
        certain: |o| !o.times_computed,
    },
    FailingOperators {
        operations: "the remainder of whole numbers",
        covers: |o| o.op == Remainder,
        inputs: Inputs::Values,
        certain: |o| divides_safely(o.left, o.right, o.known),
    },
    FailingOperators {
        operations: "sums, differences and products of whole numbers",
        covers: |o| *o.ty == Type::Int,
        inputs: Inputs::Values,
        certain: |o| !range::may_overflow(o.op, o.left, o.right, o.known),
    },
    FailingOperators {
        // A quotient of 64-bit numbers fits a float.
        operations: "quotients of whole numbers, and of durations",
        covers: |o| o.op == Divide && *o.ty == Type::Float && o.left.ty != Type::Float,
        inputs: Inputs::Values,
        certain: |o| range::is_nonzero(o.right, o.known),
    },
    FailingOperators {
        operations: "a float or a duration, divided by a constant",
        covers: |o| o.op == Divide && matches!(o.right.kind, ExprKind::Constant(_)),
        inputs: Inputs::Values,
        certain: |o| shrinks(o.right),
    },
    FailingOperators {
        operations: "all others: floats, durations, times and addresses can leave their range",
        covers: |_| true,
        inputs: Inputs::Values,
        certain: |_| false,
    },
];

/// A divisor that is never zero, and not -1 where the lowest number has no opposite.
fn divides_safely(left: &Expr, by: &Expr, known: &Known) -> bool {
    let lowest = range::of(left, known).is_none_or(|(low, _)| low <= i128::from(i64::MIN));
    let opposite = range::of(by, known).is_none_or(|(low, high)| low <= -1 && high >= -1);
    range::is_nonzero(by, known) && !(lowest && opposite)
}

/// Dividing by this constant makes nothing larger, nor its own opposite.
fn shrinks(by: &Expr) -> bool {
    match &by.kind {
        ExprKind::Constant(Value::Float(x)) => x.abs() >= 1.0,
        ExprKind::Constant(Value::Int(n)) => *n > 0,
        _ => false,
    }
}

impl Pass<'_> {
    /// An operator between two values: what its failing tells.
    pub(super) fn operator_may_fail(
        &mut self,
        (op, left, right): (BinaryOp, &Expr, &Expr),
        ty: &Type,
        (a, b): (&LabelPair, &LabelPair),
    ) {
        let operands = Operands {
            op,
            left,
            right,
            ty,
            known: &self.known,
            times_computed: self.times_computed,
        };
        let float = op == Divide && left.ty == Type::Float && !self.on(FlowRule::FloatsOverflow);
        let row = FAILURES.iter().find(|row| (row.covers)(&operands));
        let Some(row) = row.filter(|row| !(row.certain)(&operands)) else {
            return;
        };
        let tag = match row.inputs {
            Inputs::Values => a.all().join(&b.all()),
            Inputs::Sizes => a.structure.join(&b.structure),
        };
        if !float {
            self.may_fail(&tag);
        }
    }

    /// What an operation makes may be too large for a value: its statement then has no effect.
    pub(super) fn may_be_too_large(&mut self, made: &Expr, size: &Tag) {
        let fits = most_bytes(made, &self.known).is_some_and(|n| n <= MAX_VALUE as u64);
        if !fits && self.on(FlowRule::GrowthMayFail) {
            self.growing.raise(size);
        }
    }

    /// A function: by the errors of its row, unless its arguments are known to be good.
    pub(super) fn call_may_fail(&mut self, builtin: &Builtin, args: &[Expr], pairs: &[LabelPair]) {
        if builtin.raises.is_empty() || self.call_is_certain(builtin, args) {
            return;
        }
        let only_empty = builtin.raises.iter().all(|k| matches!(k, ErrorKind::Empty));
        let tag = pairs.iter().fold(Tag::clean(), |tag, pair| {
            tag.join(&match only_empty {
                true => pair.structure.clone(),
                false => pair.all(),
            })
        });
        if builtin.label != LabelRule::Lowers {
            return self.may_fail(&tag);
        }
        // Whether it finds something is one of the outcomes that its price counts.
        let price = self.prices.iter().position(|price| {
            matches!(&price.outcomes, price::Outcomes::Choice { list, .. }
                if args.get(1).is_some_and(|e| e.id == list.id))
        });
        let lowered = tag.capped(Label::Event);
        let lowered = match price {
            Some(at) => lowered.at_price(price::PriceId(at as u32)),
            None => lowered,
        };
        self.may_fail(&lowered);
    }

    fn call_is_certain(&self, builtin: &Builtin, args: &[Expr]) -> bool {
        match (builtin.name, args) {
            ("int", [given]) => {
                range::bytes(given, &self.known).is_some_and(|n| (1..=7).contains(&n))
                    || matches!(given.ty, Type::Flags(_))
            }
            ("byte", [n]) => {
                range::of(n, &self.known).is_some_and(|(low, high)| low >= 0 && high <= 255)
            }
            ("div", [x, by]) => divides_safely(x, by, &self.known),
            _ => false,
        }
    }
}

/// The most bytes that a value of text or bytes has, or a literal array with all that is in it;
/// none if unknown.
pub(super) fn most_bytes(expr: &Expr, known: &Known) -> Option<u64> {
    /// A datagram, or a message of a stream, and what its text looks like escaped.
    const RECEIVED: u64 = 4 * 65_536;
    /// The longest number, time or address; floats have up to 309 digits before the point.
    const SCALAR: u64 = 400;
    match (&expr.kind, &expr.ty) {
        (ExprKind::Constant(Value::Bytes(b)), _) => Some(b.len() as u64),
        (ExprKind::Constant(Value::Str(s)), _) => Some(s.len() as u64),
        (ExprKind::Interpolate(pieces), _) => pieces.iter().try_fold(0u64, |sum, piece| {
            let more = match piece {
                StringPiece::Text(text) => text.len() as u64,
                StringPiece::Hole(inner, _) => most_bytes(inner, known)?,
            };
            Some(sum.saturating_add(more))
        }),
        (
            _,
            Type::Int
            | Type::Float
            | Type::Bool
            | Type::Duration
            | Type::Time
            | Type::Ip
            | Type::Net
            | Type::Mac
            | Type::Flags(_),
        ) => Some(SCALAR),
        (ExprKind::Field { .. }, Type::Bytes | Type::Str) => Some(RECEIVED),
        (ExprKind::ErrorPart { .. }, _) => Some(RECEIVED),
        (ExprKind::At(base, _), Type::Bytes) if base.ty == Type::Bytes => Some(1),
        (ExprKind::Array(items) | ExprKind::Record(_, items), _) => {
            items.iter().try_fold(0u64, |sum, item| {
                let more = most_bytes(item, known)?.saturating_add(size_of::<Value>() as u64);
                Some(sum.saturating_add(more))
            })
        }
        (ExprKind::Slice(base, ..), _) => most_bytes(base, known),
        (ExprKind::Binary(Add, a, b), Type::Bytes | Type::Str) => {
            Some(most_bytes(a, known)?.saturating_add(most_bytes(b, known)?))
        }
        (ExprKind::Binary(Multiply, bytes, times), Type::Bytes) => {
            let times = u64::try_from(range::of(times, known)?.1.max(0)).ok()?;
            Some(most_bytes(bytes, known)?.saturating_mul(times))
        }
        (ExprKind::Call { builtin, args }, _) => match (builtin.name, args.as_slice()) {
            ("byte", _) => Some(1),
            ("bytes", [_, len]) => u64::try_from(range::of(len, known)?.1.max(0)).ok(),
            ("bytes", [one]) => most_bytes(one, known),
            ("text" | "hex", [one, ..]) => Some(most_bytes(one, known)?.saturating_mul(4)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins;
    use crate::builtins::Eval;
    use crate::eval::arithmetic::{apply, size_after};
    use crate::ir::{ExprId, Span, VarId};
    use crafty_value::{Duration, Time};

    /// Values at the ends of their types, and between.
    fn extremes() -> Vec<Value> {
        let ints = [i64::MIN, -2, -1, 0, 1, 300, i64::MAX];
        let mut all: Vec<Value> = Vec::new();
        for n in ints {
            all.extend([
                Value::Int(n),
                Value::Duration(Duration(n)),
                Value::Time(Time(n)),
            ]);
        }
        all.extend([-f64::MAX, -1.0, 0.0, 1e-300, 0.5, f64::MAX].map(Value::Float));
        all.extend(["", "7", "text"].map(Value::text));
        all.extend([vec![], vec![7], vec![255; 9]].map(Value::bytes));
        all.extend(
            ["0.0.0.0", "255.255.255.255", "::", "2001:db8::9"]
                .map(|a| Value::Ip(a.parse().unwrap())),
        );
        all.push(Value::Flags(3, &["b", "a"]));
        let arrays: Vec<Value> = all
            .iter()
            .filter(|v| matches!(v, Value::Int(_) | Value::Float(_) | Value::Duration(_)))
            .map(|v| Value::array(vec![v.clone(), v.clone()]))
            .collect();
        all.extend(arrays);
        all
    }

    fn type_of(value: &Value) -> Type {
        match value {
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::Str(_) => Type::Str,
            Value::Bytes(_) => Type::Bytes,
            Value::Duration(_) => Type::Duration,
            Value::Time(_) => Type::Time,
            Value::Ip(_) => Type::Ip,
            Value::Flags(_, names) => Type::Flags(names),
            Value::Array(items) => Type::Array(std::sync::Arc::new(type_of(&items[0]))),
            _ => Type::Bool,
        }
    }

    fn unknown(ty: Type) -> Expr {
        Expr {
            kind: ExprKind::Var(VarId(0)),
            ty,
            id: ExprId(0),
            span: Span::default(),
        }
    }

    fn row(op: BinaryOp, left: &Expr, right: &Expr, ty: &Type) -> (&'static str, bool) {
        let known = Known::new();
        let operands = Operands {
            op,
            left,
            right,
            ty,
            known: &known,
            times_computed: true,
        };
        let row = FAILURES.iter().find(|row| (row.covers)(&operands));
        let row = row.expect("the last row covers all");
        (row.operations, (row.certain)(&operands))
    }

    /// Every operator that fails on some values of its types fails in the table.
    #[test]
    fn what_fails_is_in_the_table() {
        let values = extremes();
        let (mut failed, mut covered) = (0, std::collections::BTreeSet::new());
        for op in [Add, Subtract, Multiply, Divide, Remainder] {
            for a in &values {
                for b in &values {
                    let (left, right) = (unknown(type_of(a)), unknown(type_of(b)));
                    let same = |x: &&Value, y: &Value| type_of(x) == type_of(y);
                    let pairs = values.iter().filter(|x| same(x, a)).flat_map(|x| {
                        let others = values.iter().filter(|y| same(y, b));
                        others.map(move |y| (x, y)).collect::<Vec<_>>()
                    });
                    let Some(result) = pairs
                        .filter(|(x, y)| size_after(op, x, y) <= MAX_VALUE)
                        .find_map(|(x, y)| apply(op, x, y).ok())
                    else {
                        continue;
                    };
                    let (operations, certain) = row(op, &left, &right, &type_of(&result));
                    covered.insert(operations);
                    let fits = size_after(op, a, b) <= MAX_VALUE;
                    if fits && apply(op, a, b).is_err() {
                        failed += 1;
                        assert!(
                            !certain,
                            "{a:?} {op:?} {b:?} fails, `{operations}` does not"
                        );
                    }
                }
            }
        }
        assert!(failed > 100, "{failed}");
        for operations in FAILURES.iter().map(|row| row.operations) {
            let logic = operations == "`and`, `or`";
            let constants = operations.contains("constant");
            assert!(
                logic || constants || covered.contains(operations),
                "nothing tries `{operations}`"
            );
        }
    }

    /// Every function raises what its row says, and nothing else.
    #[test]
    fn functions_raise_what_their_rows_say() {
        let values = extremes();
        let ones = values.iter().map(|v| vec![v.clone()]);
        let twos = values
            .iter()
            .flat_map(|a| values.iter().map(|b| vec![a.clone(), b.clone()]));
        let arguments: Vec<Vec<Value>> = ones.chain(twos).collect();
        for builtin in builtins::ALL {
            let (Eval::Pure(compute) | Eval::OfPacket(compute, _)) = builtin.eval else {
                continue;
            };
            for args in &arguments {
                let types: Vec<Type> = args.iter().map(type_of).collect();
                let fits = (builtin.params.1..=builtin.params.0.len()).contains(&args.len());
                if !fits || (builtin.gives)(&types).is_err() {
                    continue;
                }
                if let Err(raise) = compute(args) {
                    assert!(
                        builtin.raises.contains(&raise.kind),
                        "{}({args:?}): {raise:?}",
                        builtin.name
                    );
                }
            }
        }
    }

    /// Dividing by a constant fails only where it can.
    #[test]
    fn constants_that_make_nothing_larger_divide_safely() {
        let by = |value: Value| Expr {
            ty: type_of(&value),
            kind: ExprKind::Constant(value),
            ..unknown(Type::Int)
        };
        let certain =
            |left: Type, value: Value| row(Divide, &unknown(left.clone()), &by(value), &left).1;
        assert!(certain(Type::Float, Value::Float(2.0)));
        assert!(!certain(Type::Float, Value::Float(0.5)));
        assert!(certain(Type::Duration, Value::Int(2)));
        assert!(!certain(Type::Duration, Value::Int(-1)));
    }
}
