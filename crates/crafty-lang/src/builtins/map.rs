//! `map`: an empty map.

use super::prelude::*;
use crafty_value::Map;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "map",
    takes: "key, default",
    params: (&["key", "default"], 2),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[],
    doc: "An empty map; `key` is an example of a key, `default` is the value of an absent key.",
    example: ("map(key=0, default=0s)[5]", "0s"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [key, value] if keyable(key) && storable(value) => {
            Ok(Type::Map(key.clone().into(), value.clone().into()))
        }
        _ => expected("`key` (an example of a key) and `default` (the value of an absent key)"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [_, default] => Ok(Value::Map(Arc::new(Map {
            default: default.clone(),
            entries: BTreeMap::new(),
        }))),
        _ => Err(unfit()),
    }
}
