//! `sqrt`: square root.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "sqrt",
    takes: "x",
    params: (&["x"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range],
    doc: "The square root; a negative number raises `range`.",
    example: ("sqrt(9.0)", "3"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Float | Type::Int] => Ok(Type::Float),
        _ => expected("a number"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [x] => root(number(x)?),
        _ => Err(unfit()),
    }
}

fn root(x: f64) -> Result<Value, Raise> {
    if x < 0.0 {
        Err(Raise::new(
            ErrorKind::Range,
            format!("{x} has no square root"),
        ))
    } else {
        finite(x.sqrt())
    }
}
