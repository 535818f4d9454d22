//! Values of fields, as they are set and as they are read. No place and no table is known here.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::tlv::OptionRow;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// A number of at most 64 bits: numbers, named values, flags, IPv4 and MAC addresses, most
    /// significant bit first.
    Uint(u64),
    /// A number of at most 128 bits: IPv6 addresses.
    Wide(u128),
    /// Bytes, fixed or variable in length.
    Bytes(Vec<u8>),
    /// Text: names in DNS, lines of text protocols.
    Text(String),
    /// Options in their order.
    Options(Vec<OptionValue>),
}

impl FieldValue {
    /// The number, if it is one of at most 64 bits.
    pub fn as_uint(&self) -> Option<u64> {
        match self {
            FieldValue::Uint(value) => Some(*value),
            _ => None,
        }
    }
}

/// Text that a view gives.
pub(crate) fn text_value(text: &str) -> Option<FieldValue> {
    Some(FieldValue::Text(String::from(text)))
}

/// One option of a list: known by its table, or bytes as they are.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// A row of the option table and the values of its fields in order (of a repeated group: again
    /// and again).
    Named {
        /// The row.
        option: &'static OptionRow,
        /// One value for each field.
        values: Vec<FieldValue>,
    },
    /// Kind, length and value as bytes: unknown kinds, lying lengths, what is behind a broken
    /// option.
    Raw(Vec<u8>),
}

impl OptionValue {
    /// The option's name; `None` for raw bytes.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            OptionValue::Named { option, .. } => Some(option.name),
            OptionValue::Raw(_) => None,
        }
    }

    /// The value of the field `name` of this option, the first one of a repeated group.
    pub fn value(&self, name: &str) -> Option<&FieldValue> {
        match self {
            OptionValue::Named { option, values } => {
                values.get(option.shape.fields().position(|field| field.name == name)?)
            }
            OptionValue::Raw(_) => None,
        }
    }
}

/// Why a value cannot be put in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetError {
    /// The field holds only so many bits.
    TooWide {
        /// Width of the field.
        bits: u16,
    },
    /// The field takes another kind of value.
    WrongKind,
    /// The layer has no such field.
    NoSuchField,
}

impl fmt::Display for SetError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetError::TooWide { bits } => {
                write!(out, "the field holds {bits} bits, the value needs more")
            }
            SetError::WrongKind => write!(out, "the field takes another kind of value"),
            SetError::NoSuchField => write!(out, "the layer has no such field"),
        }
    }
}

impl core::error::Error for SetError {}
