//! `wilson`: an interval for a proportion.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "wilson",
    takes: "k, n",
    params: (&["k", "n"], 2),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Empty, ErrorKind::Range],
    doc: "The 95 % confidence interval (Wilson) of the proportion `k` out of `n`, as `[low, high]`; 0 out of 0 raises `empty`.",
    example: ("round(wilson(5, 10)[0], 3)", "0.237"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Int, Type::Int] => Ok(Type::Array(Type::Float.into())),
        _ => expected("two ints: how many, and out of how many"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(k), Value::Int(n)] => interval(*k, *n),
        _ => Err(unfit()),
    }
}

fn interval(k: i64, n: i64) -> Result<Value, Raise> {
    if n == 0 {
        return Err(empty("wilson"));
    }
    if n < 0 || !(0..=n).contains(&k) {
        return Err(Raise::new(
            ErrorKind::Range,
            format!("{k} out of {n} is not a proportion"),
        ));
    }
    let (z, n, share) = (1.959963984540054, n as f64, k as f64 / n as f64);
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    let clamp = |x: f64| Value::Float((x / scale).clamp(0.0, 1.0));
    // At the ends the formula gives 0 and 1 except for rounding.
    let low = if k == 0 {
        Value::Float(0.0)
    } else {
        clamp(middle - half)
    };
    let high = if share == 1.0 {
        Value::Float(1.0)
    } else {
        clamp(middle + half)
    };
    Ok(Value::array(vec![low, high]))
}
