//! `sort`: an array in ascending order.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "sort",
    takes: "xs",
    params: (&["xs"], 1),
    gives,
    reads: Reads::Sorted,
    label: LabelRule::Join,
    raises: &[],
    doc: "The elements in ascending order.",
    example: ("sort([3, 1, 2])", "[1, 2, 3]"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [array @ Type::Array(_)] => Ok(array.clone()),
        _ => expected("an array"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Array(items)] => Ok(sorted(items)),
        _ => Err(unfit()),
    }
}

fn sorted(items: &[Value]) -> Value {
    let mut items = items.to_vec();
    items.sort();
    Value::array(items)
}
