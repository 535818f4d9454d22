//! `float`: a whole number as a float.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "float",
    takes: "n",
    params: (&["n"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[],
    doc: "The same number as a float.",
    example: ("float(3) / 2.0", "1.5"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Int | Type::Float] => Ok(Type::Float),
        _ => expected("an int"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [x] => number(x).map(Value::Float),
        _ => Err(unfit()),
    }
}
