//! `quantile`: a quantile.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "quantile",
    takes: "xs, q",
    params: (&["xs", "q"], 2),
    gives,
    reads: Reads::Sorted,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range, ErrorKind::Empty, ErrorKind::Overflow],
    doc: "The value below which the fraction `q` of the array lies, interpolated linearly: `quantile(xs, 0.99)`.",
    example: ("quantile([1, 2, 3], 0.5)", "2"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Array(item), Type::Float | Type::Int] if **item == Type::Duration => {
            Ok(Type::Duration)
        }
        [Type::Array(item), Type::Float | Type::Int] if summable(item) => Ok(Type::Float),
        _ => expected("an array of numbers or durations, and a number from 0 to 1"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Array(items), q] => at_rank(items, number(q)?, "quantile"),
        _ => Err(unfit()),
    }
}

/// The value at share `q` of the sorted array, linear between neighbours.
pub(super) fn at_rank(items: &[Value], q: f64, asked: &str) -> Result<Value, Raise> {
    if !(0.0..=1.0).contains(&q) {
        return Err(Raise::new(
            ErrorKind::Range,
            format!("a quantile is from 0 to 1, and this is {q}"),
        ));
    }
    let mut sorted = items.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1).ok_or_else(|| empty(asked))?;
    let place = q * last as f64;
    let (low, high) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    like_first(items, low + (high - low) * place.fract())
}
