//! `text`: bytes as a string.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "text",
    takes: "b, max",
    params: (&["b", "max"], 1),
    gives,
    reads: Reads::Spelled,
    label: LabelRule::Join,
    raises: &[],
    doc: "Bytes as text; a byte that is not UTF-8 becomes `\\xNN`. `print` shows at most `max` bytes (64 by default) of received data.",
    example: ("text(#6869)", "hi"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Bytes] => Ok(Type::Str),
        [Type::Bytes, Type::Int] => Ok(Type::Str),
        [Type::Str] => expected("bytes (a string is text already)"),
        _ => expected("bytes, and optionally how many of them `print` shows"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Bytes(octets), ..] => Ok(Value::text(lenient(octets))),
        _ => Err(unfit()),
    }
}

fn lenient(octets: &[u8]) -> String {
    let mut text = String::new();
    for chunk in octets.utf8_chunks() {
        text.push_str(chunk.valid());
        for octet in chunk.invalid() {
            text.push_str("\\x");
            crate::eval::show::push_hex(&mut text, *octet);
        }
    }
    text
}
