//! `int`: a whole number from bytes or flags.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "int",
    takes: "x",
    params: (&["x"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range, ErrorKind::Overflow],
    doc: "1 to 8 bytes as a big-endian number, or the bits of flags.",
    example: ("int(#0102)", "258"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Bytes | Type::Flags(_) | Type::Int] => Ok(Type::Int),
        [Type::Float] => expected("an int, bytes or flags (`round(x)` converts a float)"),
        _ => expected("1 to 8 bytes, or flags"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(n)] => Ok(Value::Int(*n)),
        [Value::Flags(bits, _)] => i64::try_from(*bits).map(Value::Int).map_err(|_| overflow()),
        [Value::Bytes(octets)] => read(octets),
        _ => Err(unfit()),
    }
}

fn read(octets: &[u8]) -> Result<Value, Raise> {
    if octets.is_empty() || octets.len() > 8 {
        return Err(Raise::new(
            ErrorKind::Range,
            format!("`int` reads 1 to 8 bytes, and these are {}", octets.len()),
        ));
    }
    let bits = octets
        .iter()
        .fold(0u64, |n, octet| n << 8 | u64::from(*octet));
    i64::try_from(bits).map(Value::Int).map_err(|_| overflow())
}
