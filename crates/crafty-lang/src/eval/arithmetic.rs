//! Operators on values. The checker has matched the types; what is left can overflow, divide by
//! zero or leave a range.

use super::Raise;
use crate::ir::{BinaryOp, ErrorKind};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use crafty_value::{Duration, Time, Value};
use std::sync::Arc;

/// `left op right` for the arithmetic operators.
pub fn apply(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Raise> {
    match op {
        BinaryOp::Add => add(left, right),
        BinaryOp::Subtract => subtract(left, right),
        BinaryOp::Multiply => multiply(left, right),
        BinaryOp::Divide => divide(left, right),
        BinaryOp::Remainder => remainder(left, right),
        BinaryOp::And | BinaryOp::Or => Err(unfit()),
    }
}

/// Bytes that the result will hold: asked before it is made.
pub fn size_after(op: BinaryOp, left: &Value, right: &Value) -> usize {
    match (op, left, right) {
        (BinaryOp::Multiply, Value::Bytes(b), Value::Int(n)) => {
            b.len().saturating_mul(usize::try_from(*n).unwrap_or(0))
        }
        (BinaryOp::Add, Value::Bytes(a), Value::Bytes(b)) => a.len().saturating_add(b.len()),
        (BinaryOp::Add, Value::Str(a), Value::Str(b)) => a.len().saturating_add(b.len()),
        (BinaryOp::Add, Value::Array(a), Value::Array(b)) => a
            .len()
            .saturating_add(b.len())
            .saturating_mul(size_of::<Value>()),
        _ => 0,
    }
}

fn add(left: &Value, right: &Value) -> Result<Value, Raise> {
    Ok(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_add(*b).ok_or_else(overflow)?),
        (Value::Float(a), Value::Float(b)) => finite(a + b)?,
        (Value::Duration(a), Value::Duration(b)) => {
            Value::Duration(Duration(a.0.checked_add(b.0).ok_or_else(overflow)?))
        }
        (Value::Time(a), Value::Duration(b)) | (Value::Duration(b), Value::Time(a)) => {
            Value::Time(Time(a.0.checked_add(b.0).ok_or_else(overflow)?))
        }
        (Value::Str(a), Value::Str(b)) => Value::text(format!("{a}{b}")),
        (Value::Bytes(a), Value::Bytes(b)) => Value::bytes([a.as_slice(), b.as_slice()].concat()),
        (Value::Array(a), Value::Array(b)) => {
            Value::array(a.iter().chain(b.iter()).cloned().collect())
        }
        (Value::Flags(a, names), Value::Flags(b, _)) => Value::Flags(a | b, names),
        (Value::Ip(a), Value::Int(n)) => Value::Ip(moved(*a, *n)?),
        _ => return Err(unfit()),
    })
}

fn subtract(left: &Value, right: &Value) -> Result<Value, Raise> {
    Ok(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_sub(*b).ok_or_else(overflow)?),
        (Value::Float(a), Value::Float(b)) => finite(a - b)?,
        (Value::Duration(a), Value::Duration(b)) => {
            Value::Duration(Duration(a.0.checked_sub(b.0).ok_or_else(overflow)?))
        }
        (Value::Time(a), Value::Time(b)) => {
            Value::Duration(Duration(a.0.checked_sub(b.0).ok_or_else(overflow)?))
        }
        (Value::Time(a), Value::Duration(b)) => {
            Value::Time(Time(a.0.checked_sub(b.0).ok_or_else(overflow)?))
        }
        (Value::Flags(a, names), Value::Flags(b, _)) => Value::Flags(a & !b, names),
        (Value::Ip(a), Value::Int(n)) => {
            Value::Ip(moved(*a, n.checked_neg().ok_or_else(overflow)?)?)
        }
        (Value::Ip(a), Value::Ip(b)) => Value::Int(distance(*a, *b)?),
        _ => return Err(unfit()),
    })
}

fn multiply(left: &Value, right: &Value) -> Result<Value, Raise> {
    Ok(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_mul(*b).ok_or_else(overflow)?),
        (Value::Float(a), Value::Float(b)) => finite(a * b)?,
        (Value::Duration(d), Value::Int(n)) | (Value::Int(n), Value::Duration(d)) => {
            Value::Duration(Duration(d.0.checked_mul(*n).ok_or_else(overflow)?))
        }
        (Value::Duration(d), Value::Float(x)) | (Value::Float(x), Value::Duration(d)) => {
            Value::Duration(rounded(d.0 as f64 * x)?)
        }
        (Value::Bytes(b), Value::Int(n)) => Value::bytes(b.repeat(times(*n)?)),
        _ => return Err(unfit()),
    })
}

fn times(n: i64) -> Result<usize, Raise> {
    usize::try_from(n).map_err(|_| {
        Raise::new(
            ErrorKind::Range,
            format!("bytes cannot be repeated {n} times"),
        )
    })
}

fn divide(left: &Value, right: &Value) -> Result<Value, Raise> {
    Ok(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Value::Float(*a as f64 / nonzero(*b)? as f64),
        (Value::Float(_), Value::Float(0.0)) => return Err(by_zero()),
        (Value::Float(a), Value::Float(b)) => finite(a / b)?,
        (Value::Duration(a), Value::Duration(b)) => Value::Float(a.0 as f64 / nonzero(b.0)? as f64),
        (Value::Duration(a), Value::Int(n)) => {
            Value::Duration(Duration(nearest(a.0, nonzero(*n)?)?))
        }
        (Value::Duration(_), Value::Float(0.0)) => return Err(by_zero()),
        (Value::Duration(a), Value::Float(x)) => Value::Duration(rounded(a.0 as f64 / x)?),
        _ => return Err(unfit()),
    })
}

/// The remainder of a quotient rounded down, so that it has the sign of the divisor.
fn remainder(left: &Value, right: &Value) -> Result<Value, Raise> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => floor_divide(*a, *b).map(|(_, rest)| Value::Int(rest)),
        _ => Err(unfit()),
    }
}

/// Quotient rounded down, and its remainder.
pub fn floor_divide(a: i64, b: i64) -> Result<(i64, i64), Raise> {
    let b = nonzero(b)?;
    let (quotient, rest) = (a.checked_div(b).ok_or_else(overflow)?, a.wrapping_rem(b));
    Ok(if rest != 0 && (rest < 0) != (b < 0) {
        (quotient - 1, rest + b)
    } else {
        (quotient, rest)
    })
}

/// `-x`.
pub fn negate(value: &Value) -> Result<Value, Raise> {
    Ok(match value {
        Value::Int(n) => Value::Int(n.checked_neg().ok_or_else(overflow)?),
        Value::Float(x) => Value::Float(-x),
        Value::Duration(d) => Value::Duration(Duration(d.0.checked_neg().ok_or_else(overflow)?)),
        _ => return Err(unfit()),
    })
}

/// A float that is finite, or an error.
pub fn finite(x: f64) -> Result<Value, Raise> {
    if x.is_finite() {
        Ok(Value::Float(x))
    } else {
        Err(Raise::new(
            ErrorKind::Overflow,
            "the result is not a finite number",
        ))
    }
}

/// To the nearest nanosecond, ties to even.
pub fn rounded(ns: f64) -> Result<Duration, Raise> {
    let whole = ns.round_ties_even();
    if whole.abs() < i64::MAX as f64 {
        Ok(Duration(whole as i64))
    } else {
        Err(overflow())
    }
}

/// `a / b` to the nearest whole, ties to even.
fn nearest(a: i64, b: i64) -> Result<i64, Raise> {
    let (quotient, rest) = floor_divide(a, b)?;
    let twice = i128::from(rest).abs() * 2;
    let size = i128::from(b).abs();
    Ok(if twice > size || (twice == size && quotient % 2 != 0) {
        quotient + 1
    } else {
        quotient
    })
}

fn nonzero(n: i64) -> Result<i64, Raise> {
    if n == 0 { Err(by_zero()) } else { Ok(n) }
}

fn moved(address: IpAddr, by: i64) -> Result<IpAddr, Raise> {
    let left_family = || {
        Raise::new(
            ErrorKind::Range,
            format!("{address} moved by {by} is outside its address family"),
        )
    };
    Ok(match address {
        IpAddr::V4(a) => {
            let bits = i64::from(a.to_bits())
                .checked_add(by)
                .and_then(|n| u32::try_from(n).ok());
            IpAddr::V4(Ipv4Addr::from_bits(bits.ok_or_else(left_family)?))
        }
        IpAddr::V6(a) => IpAddr::V6(Ipv6Addr::from_bits(
            a.to_bits()
                .checked_add_signed(i128::from(by))
                .ok_or_else(left_family)?,
        )),
    })
}

fn distance(a: IpAddr, b: IpAddr) -> Result<i64, Raise> {
    match (a, b) {
        (IpAddr::V4(a), IpAddr::V4(b)) => Ok(i64::from(a.to_bits()) - i64::from(b.to_bits())),
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            i64::try_from(a.to_bits().wrapping_sub(b.to_bits()) as i128).map_err(|_| overflow())
        }
        _ => Err(Raise::new(
            ErrorKind::Range,
            format!("{a} and {b} are of different families"),
        )),
    }
}

/// Appends an element to an array, or concatenates; `+=` of the language. The array is copied only
/// if shared.
pub fn append(array: &mut Arc<Vec<Value>>, value: Value, concatenate: bool) {
    let items = Arc::make_mut(array);
    match value {
        Value::Array(more) if concatenate => items.extend(more.iter().cloned()),
        one => items.push(one),
    }
}

fn overflow() -> Raise {
    Raise::new(ErrorKind::Overflow, "the result does not fit in 64 bits")
}

fn by_zero() -> Raise {
    Raise::new(ErrorKind::Divide, "division by zero")
}

fn unfit() -> Raise {
    Raise::new(ErrorKind::Range, "these values cannot be combined")
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOp::*;

    fn check(op: BinaryOp, left: Value, right: Value, wanted: Result<Value, ErrorKind>) {
        assert_eq!(
            apply(op, &left, &right).map_err(|r| r.kind),
            wanted,
            "{left:?} {op:?} {right:?}"
        );
    }

    #[test]
    fn whole_numbers_are_checked() {
        check(
            Add,
            Value::Int(i64::MAX),
            Value::Int(1),
            Err(ErrorKind::Overflow),
        );
        check(Divide, Value::Int(1), Value::Int(0), Err(ErrorKind::Divide));
        check(Divide, Value::Int(1), Value::Int(2), Ok(Value::Float(0.5)));
        check(Remainder, Value::Int(-7), Value::Int(3), Ok(Value::Int(2)));
        check(
            Remainder,
            Value::Int(i64::MIN),
            Value::Int(-1),
            Err(ErrorKind::Overflow),
        );
    }

    #[test]
    fn durations_round_to_the_nearest_with_ties_to_even() {
        let d = |n| Value::Duration(Duration(n));
        check(Divide, d(5), Value::Int(2), Ok(d(2)));
        check(Divide, d(7), Value::Int(2), Ok(d(4)));
        check(Divide, d(-5), Value::Int(2), Ok(d(-2)));
        check(Divide, d(10), d(4), Ok(Value::Float(2.5)));
        check(Multiply, d(10), Value::Float(0.25), Ok(d(2)));
        check(
            Subtract,
            Value::Time(Time(10)),
            Value::Time(Time(4)),
            Ok(d(6)),
        );
    }

    #[test]
    fn addresses_compute_within_their_family() {
        let ip = |s: &str| Value::Ip(s.parse().unwrap());
        check(Add, ip("10.0.0.255"), Value::Int(1), Ok(ip("10.0.1.0")));
        check(
            Subtract,
            ip("0.0.0.0"),
            Value::Int(1),
            Err(ErrorKind::Range),
        );
        check(
            Subtract,
            ip("10.0.1.0"),
            ip("10.0.0.0"),
            Ok(Value::Int(256)),
        );
        check(
            Subtract,
            ip("2001:db8::5"),
            ip("2001:db8::1"),
            Ok(Value::Int(4)),
        );
        check(Subtract, ip("::1"), ip("10.0.0.0"), Err(ErrorKind::Range));
    }

    #[test]
    fn bytes_and_flags_join() {
        check(
            Multiply,
            Value::bytes(vec![0, 1]),
            Value::Int(2),
            Ok(Value::bytes(vec![0, 1, 0, 1])),
        );
        check(
            Multiply,
            Value::bytes(vec![0]),
            Value::Int(-1),
            Err(ErrorKind::Range),
        );
        check(
            Add,
            Value::Flags(2, &[]),
            Value::Flags(16, &[]),
            Ok(Value::Flags(18, &[])),
        );
        check(
            Subtract,
            Value::Flags(18, &[]),
            Value::Flags(2, &[]),
            Ok(Value::Flags(16, &[])),
        );
    }
}
