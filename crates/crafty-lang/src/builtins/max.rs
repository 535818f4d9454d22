//! `max`: the largest value.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "max",
    takes: "xs",
    params: (&["a", "b"], 1),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Join,
    raises: &[ErrorKind::Empty],
    doc: "The largest element of an array, or the larger of two values; an empty array raises `empty`.",
    example: ("max([3, 1, 2])", "3"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Array(item)] if ordered(item) => Ok((**item).clone()),
        [a, b] if a == b && ordered(a) => Ok(a.clone()),
        _ => expected("an array of numbers, durations or times, or two of them"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Array(items)] => items.iter().max().cloned().ok_or_else(|| empty("max")),
        [a, b] => Ok(a.max(b).clone()),
        _ => Err(unfit()),
    }
}
