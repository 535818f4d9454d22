//! `stddev`: the standard deviation.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "stddev",
    takes: "xs",
    params: (&["xs"], 1),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Join,
    raises: &[ErrorKind::Empty, ErrorKind::Overflow],
    doc: "The standard deviation of a sample (n - 1); fewer than two elements raise `empty`.",
    example: ("stddev([1, 3])", "1.4142135623730951"),
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
        [Value::Array(items)] => deviation(items),
        _ => Err(unfit()),
    }
}

fn deviation(items: &[Value]) -> Result<Value, Raise> {
    let xs = items.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    if xs.len() < 2 {
        return Err(empty("stddev"));
    }
    let mean = xs.iter().sum::<f64>() / xs.len() as f64;
    let squares: f64 = xs.iter().map(|x| (x - mean) * (x - mean)).sum();
    like_first(items, (squares / (xs.len() - 1) as f64).sqrt())
}
