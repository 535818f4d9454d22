//! `byte`: one byte from a number.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "byte",
    takes: "n",
    params: (&["n"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range],
    doc: "One byte; a value outside 0..255 raises `range`.",
    example: ("byte(7)", "#07"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Int] => Ok(Type::Bytes),
        _ => expected("an int"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(n)] => one(*n),
        _ => Err(unfit()),
    }
}

fn one(n: i64) -> Result<Value, Raise> {
    let octet = u8::try_from(n)
        .map_err(|_| Raise::new(ErrorKind::Range, format!("a byte holds 0 to 255, not {n}")))?;
    Ok(Value::bytes(vec![octet]))
}
