//! `array`: an empty or filled array.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "array",
    takes: "init, len",
    params: (&["init", "len"], 2),
    gives,
    reads: Reads::Repeated,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range],
    doc: "An array of `len` elements, each `init`: `array(init=0s, len=0)` is an empty array of durations.",
    example: ("array(init=0, len=2)", "[0, 0]"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [item, Type::Int] if storable(item) => Ok(Type::Array(item.clone().into())),
        _ => expected("`init` (an example of an element) and `len`"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [init, Value::Int(len)] => filled(init, *len),
        _ => Err(unfit()),
    }
}

fn filled(init: &Value, len: i64) -> Result<Value, Raise> {
    let len = usize::try_from(len)
        .ok()
        .filter(|n| *n <= crate::eval::MAX_ELEMENTS);
    let len =
        len.ok_or_else(|| Raise::new(ErrorKind::Range, "an array has 0 to 65536 elements"))?;
    if init.size().saturating_mul(len) > crate::eval::MAX_VALUE.max(len * size_of::<Value>()) {
        return Err(Raise::new(
            ErrorKind::Range,
            "this array would take more than 1 MiB",
        ));
    }
    Ok(Value::array(vec![init.clone(); len]))
}
