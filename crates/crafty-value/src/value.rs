//! The run-time value of an expression. Assigning copies (in effect): shared inside, copied on
//! write.

use crate::{Duration, Mac, Net, Time};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::net::IpAddr;

/// Names of the bits of a flags field, lowest bit last (as the tables of layers list them: highest
/// first).
pub type FlagNames = &'static [&'static str];

/// A value of the language.
#[derive(Clone, Debug)]
pub enum Value {
    /// Whole number.
    Int(i64),
    /// Finite floating-point number.
    Float(f64),
    /// Truth value.
    Bool(bool),
    /// Text.
    Str(Arc<str>),
    /// Bytes.
    Bytes(Arc<Vec<u8>>),
    /// Span of time.
    Duration(Duration),
    /// Point in time.
    Time(Time),
    /// Address of either family.
    Ip(IpAddr),
    /// Address prefix.
    Net(Net),
    /// Link address.
    Mac(Mac),
    /// Set of named bits of one field.
    Flags(u64, FlagNames),
    /// Values of one type, in order.
    Array(Arc<Vec<Value>>),
    /// Keys to values.
    Map(Arc<Map>),
    /// Named parts of a type each.
    Record(Arc<NamedParts>),
    /// An error that was caught: kind and message.
    Error(Arc<(String, String)>),
    /// A packet that was sent or matched: its number in the machine's table.
    Packet(u64),
    /// What was never set; no program can read it.
    Nothing,
}

/// A map with the value that an absent key reads as.
#[derive(Clone, Debug)]
pub struct Map {
    /// What reading an absent key gives.
    pub default: Value,
    /// Present keys, ascending.
    pub entries: BTreeMap<Value, Value>,
}

/// A value with named parts.
#[derive(Clone, Debug)]
pub struct NamedParts {
    /// The names, ascending, each once.
    pub names: Arc<[Arc<str>]>,
    /// The values, in the order of their names.
    pub parts: Vec<Value>,
}

impl NamedParts {
    /// Where the part of this name is.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|of| **of == *name)
    }

    /// The part of this name.
    pub fn part(&self, name: &str) -> Option<&Value> {
        self.parts.get(self.position(name)?)
    }

    /// Names and values, ascending by name.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names.iter().map(|name| &**name).zip(&self.parts)
    }
}

impl Value {
    /// Text from anything that holds a string.
    pub fn text(s: impl Into<Arc<str>>) -> Value {
        Value::Str(s.into())
    }

    /// Bytes from a vector.
    pub fn bytes(octets: Vec<u8>) -> Value {
        Value::Bytes(Arc::new(octets))
    }

    /// An array from a vector.
    pub fn array(items: Vec<Value>) -> Value {
        Value::Array(Arc::new(items))
    }

    /// Memory that the value holds, in bytes, roughly; for the caps on variables.
    pub fn size(&self) -> usize {
        let inner = match self {
            Value::Str(s) => s.len(),
            Value::Bytes(b) => b.len(),
            Value::Array(items) => items.iter().map(Value::size).sum(),
            Value::Map(map) => map.entries.iter().map(|(k, v)| k.size() + v.size()).sum(),
            Value::Record(record) => record.parts.iter().map(Value::size).sum(),
            Value::Error(e) => e.0.len() + e.1.len(),
            _ => 0,
        };
        inner + size_of::<Value>()
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Nothing => 0,
            Value::Bool(_) => 1,
            Value::Int(_) => 2,
            Value::Float(_) => 3,
            Value::Str(_) => 4,
            Value::Bytes(_) => 5,
            Value::Duration(_) => 6,
            Value::Time(_) => 7,
            Value::Ip(_) => 8,
            Value::Net(_) => 9,
            Value::Mac(_) => 10,
            Value::Flags(..) => 11,
            Value::Array(_) => 12,
            Value::Map(_) => 13,
            Value::Error(_) => 14,
            Value::Packet(_) => 15,
            Value::Record(_) => 16,
        }
    }
}

/// A total order: within a type the natural one, across types a fixed one (the checker never lets
/// types mix).
impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
            (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
            (Value::Time(a), Value::Time(b)) => a.cmp(b),
            (Value::Ip(a), Value::Ip(b)) => a.cmp(b),
            (Value::Net(a), Value::Net(b)) => a.cmp(b),
            (Value::Mac(a), Value::Mac(b)) => a.cmp(b),
            (Value::Flags(a, _), Value::Flags(b, _)) => a.cmp(b),
            (Value::Array(a), Value::Array(b)) => a.cmp(b),
            (Value::Map(a), Value::Map(b)) => a.entries.cmp(&b.entries),
            (Value::Record(a), Value::Record(b)) => (&a.names, &a.parts).cmp(&(&b.names, &b.parts)),
            (Value::Error(a), Value::Error(b)) => a.cmp(b),
            (Value::Packet(a), Value::Packet(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_natural_within_a_type_and_fixed_across() {
        assert!(Value::Int(-1) < Value::Int(3));
        assert!(Value::Float(0.5) < Value::Float(1.0));
        assert!(Value::bytes(alloc::vec![1]) < Value::bytes(alloc::vec![1, 0]));
        assert!(Value::Int(5) < Value::text("a"));
        assert_eq!(Value::Flags(2, &[]), Value::Flags(2, &["syn"]));
    }

    #[test]
    fn size_counts_what_is_inside() {
        let nested = Value::array(alloc::vec![Value::bytes(alloc::vec![0; 100]); 3]);
        assert!(nested.size() >= 300);
    }
}
