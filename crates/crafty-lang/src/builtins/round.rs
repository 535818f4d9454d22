//! `round`: nearest whole number, or nearest with some digits.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "round",
    takes: "x, digits",
    params: (&["x", "digits"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range, ErrorKind::Overflow],
    doc: "The nearest whole number as an int (ties to even); with `digits`, the nearest float with that many decimal places.",
    example: ("round(2.6)", "3"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Float | Type::Int] => Ok(Type::Int),
        [Type::Float | Type::Int, Type::Int] => Ok(Type::Float),
        _ => expected("a number, and optionally a number of digits"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [x] => whole(number(x)?),
        [x, Value::Int(digits)] => digit(number(x)?, *digits),
        _ => Err(unfit()),
    }
}

fn whole(x: f64) -> Result<Value, Raise> {
    let rounded = x.round_ties_even();
    if rounded.abs() < i64::MAX as f64 {
        Ok(Value::Int(rounded as i64))
    } else {
        Err(overflow())
    }
}

fn digit(x: f64, digits: i64) -> Result<Value, Raise> {
    let digits = usize::try_from(digits).ok().filter(|d| *d <= 15);
    let digits =
        digits.ok_or_else(|| Raise::new(ErrorKind::Range, "`digits` must be from 0 to 15"))?;
    format!("{x:.digits$}")
        .parse()
        .map(Value::Float)
        .map_err(|_| overflow())
}
