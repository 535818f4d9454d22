//! `median`: the middle value.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "median",
    takes: "xs",
    params: (&["xs"], 1),
    gives,
    reads: Reads::Sorted,
    label: LabelRule::Join,
    raises: &[ErrorKind::Empty, ErrorKind::Overflow],
    doc: "The middle value, or the mean of the two middle values; an empty array raises `empty`.",
    example: ("median([3, 1, 2])", "2"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Array(item)] if **item == Type::Duration => Ok(Type::Duration),
        [Type::Array(item)] if summable(item) => Ok(Type::Float),
        _ => expected("an array of numbers or durations"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Array(items)] => super::quantile::at_rank(items, 0.5, "median"),
        _ => Err(unfit()),
    }
}
