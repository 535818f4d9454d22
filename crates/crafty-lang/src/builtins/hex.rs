//! `hex`: bytes as hexadecimal digits.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "hex",
    takes: "b",
    params: (&["b"], 1),
    gives,
    reads: Reads::Spelled,
    label: LabelRule::Join,
    raises: &[],
    doc: "Bytes as hexadecimal digits.",
    example: ("hex(#0a0b)", "0a0b"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Bytes] => Ok(Type::Str),
        _ => expected("bytes"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Bytes(octets)] => Ok(Value::text(crate::eval::show::hex(octets))),
        _ => Err(unfit()),
    }
}
