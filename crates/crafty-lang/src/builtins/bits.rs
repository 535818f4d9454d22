//! `bits`: some bits of a number.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "bits",
    takes: "x, high, low",
    params: (&["x", "high", "low"], 3),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range],
    doc: "Bits `high` down to `low` of a number; bit 0 is the lowest.",
    example: ("bits(0xabcd, 15, 8)", "171"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Int, Type::Int, Type::Int] => Ok(Type::Int),
        _ => expected("three ints: a number, the highest bit and the lowest bit"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(x), Value::Int(high), Value::Int(low)] => cut(*x, *high, *low),
        _ => Err(unfit()),
    }
}

fn cut(x: i64, high: i64, low: i64) -> Result<Value, Raise> {
    if !(0..=62).contains(&high) || !(0..=high).contains(&low) {
        return Err(Raise::new(
            ErrorKind::Range,
            format!("bits {high} down to {low} are outside 62 down to 0"),
        ));
    }
    let mask = (1i64 << (high - low + 1)).wrapping_sub(1) & i64::MAX;
    Ok(Value::Int(x >> low & mask))
}
