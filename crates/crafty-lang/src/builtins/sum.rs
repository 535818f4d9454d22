//! `sum`: the total.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "sum",
    takes: "xs",
    params: (&["xs"], 1),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Join,
    raises: &[ErrorKind::Empty, ErrorKind::Overflow],
    doc: "The sum of an array; an empty array raises `empty`.",
    example: ("sum([1, 2, 3])", "6"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Array(item)] if summable(item) => Ok((**item).clone()),
        _ => expected("an array of numbers or durations"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Array(items)] => total(items),
        _ => Err(unfit()),
    }
}

/// Adds up an array that has at least one element.
pub(super) fn total(items: &[Value]) -> Result<Value, Raise> {
    let (first, rest) = items.split_first().ok_or_else(|| empty("sum"))?;
    rest.iter().try_fold(first.clone(), |sum, x| {
        crate::eval::arithmetic::apply(crate::ir::BinaryOp::Add, &sum, x)
    })
}
