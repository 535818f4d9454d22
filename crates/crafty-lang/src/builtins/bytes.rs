//! `bytes`: bytes from text or a number.

use super::prelude::*;
use core::net::IpAddr;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "bytes",
    takes: "x, len",
    params: (&["x", "len"], 1),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range],
    doc: "A string as UTF-8, an address as its bytes, or an int big-endian in `len` bytes.",
    example: ("bytes(258, 2)", "#0102"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Str | Type::Bytes] => Ok(Type::Bytes),
        [Type::Int, Type::Int] => Ok(Type::Bytes),
        [Type::Ip | Type::Mac] => Ok(Type::Bytes),
        [Type::Int] => expected("an int and a length, as in `bytes(n, 2)` (or use `byte(n)`)"),
        _ => expected("a string, an address, or an int and a length"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Str(s)] => Ok(Value::bytes(s.as_bytes().to_vec())),
        [Value::Bytes(b)] => Ok(Value::Bytes(b.clone())),
        [Value::Mac(mac)] => Ok(Value::bytes(mac.0.to_vec())),
        [Value::Ip(IpAddr::V4(a))] => Ok(Value::bytes(a.octets().to_vec())),
        [Value::Ip(IpAddr::V6(a))] => Ok(Value::bytes(a.octets().to_vec())),
        [Value::Int(n), Value::Int(len)] => big_endian(*n, *len),
        _ => Err(unfit()),
    }
}

fn big_endian(n: i64, len: i64) -> Result<Value, Raise> {
    let len = usize::try_from(len).ok().filter(|l| (1..=8).contains(l));
    let len = len.ok_or_else(|| Raise::new(ErrorKind::Range, "`len` must be from 1 to 8"))?;
    let fits = n >= 0 && (len == 8 || n < 1 << (8 * len));
    if !fits {
        return Err(Raise::new(
            ErrorKind::Range,
            format!("{n} does not fit in {len} bytes"),
        ));
    }
    Ok(Value::bytes(n.to_be_bytes()[8 - len..].to_vec()))
}
