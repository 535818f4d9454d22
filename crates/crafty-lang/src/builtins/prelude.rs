//! What the files of this folder share: the row's types, and the errors that several functions
//! raise.

pub use super::{Builtin, Eval, ExpectedArguments, LabelRule, MachineCall};
pub use crate::eval::Raise;
pub use crate::eval::arithmetic::finite;
pub use crate::eval::cost::Reads;
pub use crate::ir::{ErrorKind, Type};
pub use crafty_value::Value;

use crafty_value::Duration;

/// The arguments are of other types: what was expected.
pub fn expected(what: &str) -> Result<Type, ExpectedArguments> {
    Err(ExpectedArguments(what.to_string()))
}

/// The result does not fit.
pub fn overflow() -> Raise {
    Raise::new(ErrorKind::Overflow, "the result does not fit in 64 bits")
}

/// Statistics of nothing.
pub fn empty(function: &str) -> Raise {
    Raise::new(ErrorKind::Empty, format!("`{function}` needs more values"))
}

/// Values of a type that the checker does not let come here.
pub fn unfit() -> Raise {
    Raise::new(ErrorKind::Range, "the function does not take these values")
}

/// The number in an int, a float, a duration or a time (in nanoseconds).
pub fn number(value: &Value) -> Result<f64, Raise> {
    match value {
        Value::Int(n) => Ok(*n as f64),
        Value::Float(x) => Ok(*x),
        Value::Duration(d) => Ok(d.0 as f64),
        Value::Time(t) => Ok(t.0 as f64),
        _ => Err(unfit()),
    }
}

/// A statistic in the type of what it was computed from: a duration of durations, else a float.
pub fn like_first(items: &[Value], x: f64) -> Result<Value, Raise> {
    match items.first() {
        Some(Value::Duration(_)) => {
            crate::eval::arithmetic::rounded(x).map(|d: Duration| Value::Duration(d))
        }
        _ => finite(x),
    }
}

/// Whether values of this type are in an order that `min` and `max` mean.
pub fn ordered(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Float | Type::Duration | Type::Time)
}

/// Whether values of this type add up.
pub fn summable(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Float | Type::Duration)
}

/// Whether a container may hold values of this type (packets live in variables only).
pub fn storable(ty: &Type) -> bool {
    !matches!(ty, Type::Packet | Type::Error)
}

/// Whether values of this type may be keys.
pub fn keyable(ty: &Type) -> bool {
    use Type::*;
    matches!(
        ty,
        Int | Str | Bytes | Bool | Ip | Net | Mac | Duration | Time
    )
}
