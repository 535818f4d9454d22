//! `remove`: a map without a key.

use super::prelude::*;
use crafty_value::Map;
use std::sync::Arc;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "remove",
    takes: "m, key",
    params: (&["m", "key"], 2),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Join,
    raises: &[],
    doc: "The map without this key: `m := remove(m, k)`.",
    example: ("length(remove(map(key=0, default=0), 1))", "0"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [map @ Type::Map(key, _), asked] if **key == *asked => Ok(map.clone()),
        _ => expected("a map and a key of its type"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Map(map), key] => Ok(without(map, key)),
        _ => Err(unfit()),
    }
}

fn without(map: &Arc<Map>, key: &Value) -> Value {
    let mut map = map.clone();
    if map.entries.contains_key(key) {
        Arc::make_mut(&mut map).entries.remove(key);
    }
    Value::Map(map)
}
