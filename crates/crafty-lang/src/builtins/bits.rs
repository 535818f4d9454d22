//! `bits`: some bits of a number.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "bits",
    takes: "x, high, low",
    params: (&["x", "high", "low"], 3),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Join,
    raises: &[ErrorKind::Range],
    doc: "Bits `high` down to `low` of a number; bit 0 is the lowest.",
    example: ("bits(0xabcd, 15, 8)", "171"),
    eval: Eval::Pure(compute),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Int, Type::Int, Type::Int] => Ok(Type::Int),
        _ => expected("three ints: a number, the highest bit and the lowest bit"),
    }
}

fn compute(args: &[Value]) -> Result<Value, Raise> {
    match args {
        [Value::Int(x), Value::Int(high), Value::Int(low)] => cut(*x, *high, *low),
        _ => Err(unfit()),
    }
}

fn cut(x: i64, high: i64, low: i64) -> Result<Value, Raise> {
    if !(0..=63).contains(&high) || !(0..=high).contains(&low) {
        return Err(Raise::new(
            ErrorKind::Range,
            format!("bits {high} down to {low} are outside 63 down to 0"),
        ));
    }
    let mask = u64::MAX >> (63 - (high - low));
    // All 64 bits are the number itself; less is never negative.
    Ok(Value::Int((x as u64 >> low & mask) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every part of every width is what shifting bit by bit gives.
    #[test]
    fn all_widths() {
        for x in [0, 1, -1, i64::MIN, i64::MAX, 0x0123_4567_89ab_cdef, -2] {
            for high in 0..=63i64 {
                for low in 0..=high {
                    let wanted = (low..=high)
                        .rev()
                        .fold(0u64, |sum, at| sum << 1 | (x as u64 >> at & 1));
                    let got = cut(x, high, low);
                    assert_eq!(
                        got,
                        Ok(Value::Int(wanted as i64)),
                        "bits({x}, {high}, {low})"
                    );
                }
            }
            assert!(cut(x, 64, 0).is_err() && cut(x, 3, 4).is_err() && cut(x, 3, -1).is_err());
        }
    }
}
