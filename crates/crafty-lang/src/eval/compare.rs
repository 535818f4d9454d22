//! Relations between values.

use crate::ir::RelOp;
use crafty_value::Value;

/// Whether `left op right`. Values of different families or types are never equal and are in no
/// order.
pub fn holds(op: RelOp, left: &Value, right: &Value) -> bool {
    match op {
        RelOp::Eq => equal(left, right),
        RelOp::Ne => !equal(left, right),
        RelOp::Lt => left < right,
        RelOp::Le => left <= right,
        RelOp::Gt => left > right,
        RelOp::Ge => left >= right,
        RelOp::In => inside(left, right),
        RelOp::NotIn => !inside(left, right),
        RelOp::Has => contains(left, right),
        RelOp::NotHas => !contains(left, right),
    }
}

/// Flags fields compare with raw bits too.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Flags(a, _), Value::Int(b)) | (Value::Int(b), Value::Flags(a, _)) => {
            i64::try_from(*a) == Ok(*b)
        }
        _ => left == right,
    }
}

fn inside(value: &Value, of: &Value) -> bool {
    match (value, of) {
        (Value::Ip(address), Value::Net(net)) => net.contains(*address),
        (value, Value::Array(items)) => items
            .iter()
            .any(|item| equal(value, item) || inside(value, item)),
        _ => false,
    }
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Bytes(whole), Value::Bytes(part)) => find(whole, part).is_some(),
        (Value::Str(whole), Value::Str(part)) => whole.contains(&**part),
        (Value::Flags(whole, _), Value::Flags(part, _)) => whole & part == *part,
        (Value::Array(items), part) => items.iter().any(|item| equal(item, part)),
        _ => false,
    }
}

/// Where the first occurrence of `part` begins. Linear in both, however they repeat themselves.
pub fn find(whole: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(whole, part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_value::Net;

    fn check(op: RelOp, left: Value, right: Value, wanted: bool) {
        assert_eq!(
            holds(op, &left, &right),
            wanted,
            "{left:?} {op:?} {right:?}"
        );
    }

    #[test]
    fn relations() {
        let ip = |s: &str| Value::Ip(s.parse().unwrap());
        let net = Value::Net(Net::new("10.0.0.0".parse().unwrap(), 8).unwrap());
        check(RelOp::In, ip("10.9.9.9"), net.clone(), true);
        check(RelOp::NotIn, ip("11.0.0.0"), net.clone(), true);
        check(RelOp::In, ip("10.0.0.1"), Value::array(vec![net]), true);
        check(
            RelOp::Has,
            Value::bytes(b"HTTP/1.1 200".to_vec()),
            Value::bytes(b"HTTP/1.".to_vec()),
            true,
        );
        check(
            RelOp::Has,
            Value::bytes(vec![]),
            Value::bytes(vec![1]),
            false,
        );
        check(
            RelOp::Has,
            Value::Flags(18, &[]),
            Value::Flags(16, &[]),
            true,
        );
        check(
            RelOp::Has,
            Value::Flags(2, &[]),
            Value::Flags(18, &[]),
            false,
        );
        check(RelOp::Eq, Value::Flags(18, &[]), Value::Int(18), true);
        check(RelOp::Eq, ip("10.0.0.1"), ip("::a00:1"), false);
        check(RelOp::Lt, Value::Int(1), Value::Int(2), true);
    }
}
