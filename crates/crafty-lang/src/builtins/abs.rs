//! `abs`: distance from zero.

use super::prelude::*;
use crafty_value::Duration;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "abs",
    takes: "x",
    params: (&["x"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Overflow],
    doc: "The absolute value.",
    example: ("abs(-3)", "3"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [t @ (Type::Int | Type::Float | Type::Duration)] => Ok(t.clone()),
        _ => expected("a number or a duration"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(n)] => n.checked_abs().map(Value::Int).ok_or_else(overflow),
        [Value::Float(x)] => Ok(Value::Float(x.abs())),
        [Value::Duration(d)] => {
            d.0.checked_abs()
                .map(|n| Value::Duration(Duration(n)))
                .ok_or_else(overflow)
        }
        _ => Err(unfit()),
    }
}
