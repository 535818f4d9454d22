//! `mean`: the average.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "mean",
    takes: "xs",
    params: (&["xs"], 1),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Join,
    raises: &[ErrorKind::Empty, ErrorKind::Overflow],
    doc: "The average of an array; an empty array raises `empty`.",
    example: ("mean([1, 2])", "1.5"),
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
        [Value::Array(items)] if items.is_empty() => Err(empty("mean")),
        [Value::Array(items)] => divided(super::sum::total(items)?, items.len()),
        _ => Err(unfit()),
    }
}

fn divided(total: Value, by: usize) -> Result<Value, Raise> {
    crate::eval::arithmetic::apply(crate::ir::BinaryOp::Divide, &total, &like(&total, by))
}

fn like(total: &Value, n: usize) -> Value {
    match total {
        Value::Float(_) => Value::Float(n as f64),
        _ => Value::Int(n as i64),
    }
}
