//! `length`: how many.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "length",
    takes: "x",
    params: (&["x"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Length,
    raises: &[],
    doc: "The number of bytes, characters, elements or keys; of a packet, the bytes of its frame.",
    example: ("length(#0a0b)", "2"),
    eval: Eval::OfPacket(compute, MachineCall::PacketLength),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Str | Type::Bytes | Type::Array(_) | Type::Map(..) | Type::Packet] => Ok(Type::Int),
        _ => expected("a string, bytes, an array, a map or a packet"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Str(s)] => count(s.chars().count()),
        [Value::Bytes(b)] => count(b.len()),
        [Value::Array(items)] => count(items.len()),
        [Value::Map(map)] => count(map.entries.len()),
        _ => Err(unfit()),
    }
}

fn count(n: usize) -> Result<Value, Raise> {
    i64::try_from(n).map(Value::Int).map_err(|_| overflow())
}
