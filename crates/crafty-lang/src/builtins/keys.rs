//! `keys`: the keys of a map.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "keys",
    takes: "m",
    params: (&["m"], 1),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Join,
    raises: &[],
    doc: "The keys of a map in ascending order.",
    example: ("keys(map(key=0, default=0))", "[]"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Map(key, _)] => Ok(Type::Array(key.clone())),
        _ => expected("a map"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Map(map)] => Ok(Value::array(map.entries.keys().cloned().collect())),
        _ => Err(unfit()),
    }
}
