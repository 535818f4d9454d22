//! `choose`: the nearest value of a constant list.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "choose",
    takes: "x, list",
    params: (&["x", "list"], 2),
    gives,
    reads: Reads::Whole,
    label: LabelRule::Lowers,
    raises: &[ErrorKind::Empty],
    doc: "The value of a constant list that is nearest to `x` (of two equally near, the smaller). Received data may choose: it reveals only which entry was picked.",
    example: ("choose(1460, [576, 1280, 1500])", "1500"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [x, Type::Array(item)] if **item == *x && ordered(x) => Ok(x.clone()),
        _ => expected("a number or duration and a constant list of the same type"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [x, Value::Array(list)] => nearest(x, list),
        _ => Err(unfit()),
    }
}

fn nearest(x: &Value, list: &[Value]) -> Result<Value, Raise> {
    let x = number(x)?;
    let mut best: Option<(f64, &Value)> = None;
    for candidate in list {
        let distance = (number(candidate)? - x).abs();
        let better = best
            .is_none_or(|(least, held)| distance < least || distance == least && candidate < held);
        best = if better {
            Some((distance, candidate))
        } else {
            best
        };
    }
    best.map(|(_, value)| value.clone())
        .ok_or_else(|| empty("choose"))
}
