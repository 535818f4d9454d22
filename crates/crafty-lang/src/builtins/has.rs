//! `has`: whether a map has a key.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "has",
    takes: "m, key",
    params: (&["m", "key"], 2),
    gives,
    reads: Reads::Key,
    label: LabelRule::Join,
    raises: &[],
    doc: "Whether a map has this key. `has(p, VLAN)` tells whether a packet has a layer.",
    example: ("has(map(key=0, default=0), 1)", "false"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Map(key, _), asked] if **key == *asked => Ok(Type::Bool),
        [Type::Map(key, _), _] => Err(ExpectedArguments(format!(
            "a key of type {}",
            key_name(key)
        ))),
        _ => expected("a map and a key, or a packet and a layer: `has(p, VLAN)`"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Map(map), key] => Ok(Value::Bool(map.entries.contains_key(key))),
        _ => Err(unfit()),
    }
}

fn key_name(ty: &Type) -> String {
    crate::builtins::type_name(ty)
}
