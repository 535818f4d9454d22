//! `one_of`: the equal value of a constant list.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "one_of",
    takes: "x, list",
    params: (&["x", "list"], 2),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Lowers,
    raises: &[ErrorKind::Range],
    doc: "The value of a constant list that equals `x`; if there is none, it raises `range`. Received data may choose: it reveals only which entry was picked.",
    example: ("one_of(443, [80, 443])", "443"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [x, Type::Array(item)] if **item == *x => Ok(x.clone()),
        _ => expected("a value and a constant list of the same type"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [x, Value::Array(list)] => list
            .iter()
            .find(|item| *item == x)
            .cloned()
            .ok_or_else(|| Raise::new(ErrorKind::Range, "the value is not in the list")),
        _ => Err(unfit()),
    }
}
