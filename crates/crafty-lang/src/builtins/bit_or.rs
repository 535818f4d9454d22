//! `bit_or`: bits of two numbers.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "bit_or",
    takes: "a, b",
    params: (&["a", "b"], 2),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[],
    doc: "The bits that are set in either.",
    example: ("bit_or(12, 10)", "14"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Int, Type::Int] => Ok(Type::Int),
        _ => expected("two ints"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(a), Value::Int(b)] => Ok(Value::Int(a | b)),
        _ => Err(unfit()),
    }
}
