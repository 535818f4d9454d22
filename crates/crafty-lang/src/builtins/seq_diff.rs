//! `seq_diff`: a distance of sequence numbers.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "seq_diff",
    takes: "a, b",
    params: (&["a", "b"], 2),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[],
    doc: "The signed distance from `b` to `a`, two 32-bit sequence numbers, modulo 2^32.",
    example: ("seq_diff(5, 0xffff_fffb)", "10"),
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
        [Value::Int(a), Value::Int(b)] => Ok(Value::Int(i64::from(a.wrapping_sub(*b) as i32))),
        _ => Err(unfit()),
    }
}
