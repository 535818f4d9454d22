//! `div`: a whole quotient.

use super::prelude::*;
use crate::eval::arithmetic::floor_divide;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "div",
    takes: "a, b",
    params: (&["a", "b"], 2),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Divide, ErrorKind::Overflow],
    doc: "The integer quotient, rounded down; `%` gives the remainder.",
    example: ("div(7, 2)", "3"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Int, Type::Int] => Ok(Type::Int),
        [Type::Duration, Type::Duration] => Ok(Type::Int),
        _ => expected("two ints, or two durations"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(a), Value::Int(b)] => floor_divide(*a, *b).map(|(q, _)| Value::Int(q)),
        [Value::Duration(a), Value::Duration(b)] => {
            floor_divide(a.0, b.0).map(|(q, _)| Value::Int(q))
        }
        _ => Err(unfit()),
    }
}
