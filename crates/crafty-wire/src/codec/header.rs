//! A header as a program built it: what was set, and nothing about what was not.

use alloc::vec::Vec;

use crate::field::{Field, FieldKind, Part};
use crate::layer::Layer;
use crate::value::{FieldValue, OptionValue, SetError};

/// A header to build. What is set is written, whatever it says; what is unset is computed or takes
/// its default.
#[derive(Clone, Debug)]
pub struct Header {
    layer: &'static Layer,
    set: u128,
    values: Vec<(u8, FieldValue)>,
}

impl Header {
    /// A header with nothing set.
    pub fn new(layer: &'static Layer) -> Header {
        Header {
            layer,
            set: 0,
            values: Vec::new(),
        }
    }

    /// The layer.
    pub fn layer(&self) -> &'static Layer {
        self.layer
    }

    /// Sets the field at position `index` of the layer's table. Modular fields take the value
    /// modulo their width.
    ///
    /// # Errors
    /// When the value is of another kind or does not fit; then nothing is set.
    pub fn set(&mut self, index: usize, value: FieldValue) -> Result<(), SetError> {
        let field = self.layer.fields.get(index).ok_or(SetError::NoSuchField)?;
        let value = fit(field, value)?;
        match self
            .values
            .binary_search_by_key(&(index as u8), |row| row.0)
        {
            Ok(at) => self.values[at].1 = value,
            Err(at) => self.values.insert(at, (index as u8, value)),
        }
        self.set |= 1 << index;
        Ok(())
    }

    /// Sets the field called `name`.
    ///
    /// # Errors
    /// As [`Header::set`]; also when there is no such field.
    pub fn with(mut self, name: &str, value: FieldValue) -> Result<Header, SetError> {
        let (index, _) = self.layer.field(name).ok_or(SetError::NoSuchField)?;
        self.set(index, value)?;
        Ok(self)
    }

    /// Leaves the field to be computed again.
    pub fn unset(&mut self, index: usize) {
        self.values.retain(|row| usize::from(row.0) != index);
        self.set &= !1u128.checked_shl(index as u32).unwrap_or(0);
    }

    /// Whether the field at this position is set.
    pub fn is_set(&self, index: usize) -> bool {
        index < 128 && self.set & (1 << index) != 0
    }

    /// The value that the field at this position was set to.
    pub fn get(&self, index: usize) -> Option<&FieldValue> {
        let at = self
            .values
            .binary_search_by_key(&index, |row| row.0.into())
            .ok()?;
        Some(&self.values[at].1)
    }

    /// The value that the field called `name` was set to.
    pub fn value(&self, name: &str) -> Option<&FieldValue> {
        self.get(self.layer.field(name)?.0)
    }

    /// The number that the field called `name` was set to.
    pub fn uint(&self, name: &str) -> Option<u64> {
        self.value(name).and_then(FieldValue::as_uint)
    }

    /// The text that the field called `name` was set to.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Some(FieldValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// What was set, in the order of the table.
    pub fn values(&self) -> impl Iterator<Item = (usize, &FieldValue)> {
        self.values
            .iter()
            .map(|(index, value)| (usize::from(*index), value))
    }

    pub(crate) fn mask(&self) -> u128 {
        self.set
    }
}

/// The value as the field takes it.
pub(crate) fn fit(field: &Field, value: FieldValue) -> Result<FieldValue, SetError> {
    let bits = field.width();
    match (&field.kind, value) {
        (
            FieldKind::Uint
            | FieldKind::Named(_)
            | FieldKind::Flags(_)
            | FieldKind::Ip4
            | FieldKind::Mac,
            FieldValue::Uint(value),
        ) => number(field, value),
        (FieldKind::Ip6, FieldValue::Wide(value)) => Ok(FieldValue::Wide(value)),
        (FieldKind::Bytes | FieldKind::Custom(_), FieldValue::Bytes(octets)) => {
            octets_in(field, octets)
        }
        (FieldKind::Text, FieldValue::Text(text))
            if bits == 0 || text.len() * 8 <= usize::from(bits) =>
        {
            Ok(FieldValue::Text(text))
        }
        (FieldKind::Text, FieldValue::Bytes(octets)) if field.part == Part::Header => {
            octets_in(field, octets)
        }
        (FieldKind::Text, FieldValue::Text(_)) => Err(SetError::TooWide { bits }),
        (FieldKind::Options(_), FieldValue::Options(list)) => list
            .iter()
            .try_for_each(fits_option)
            .map(|()| FieldValue::Options(list)),
        (FieldKind::Options(_), FieldValue::Bytes(octets)) => Ok(FieldValue::Options(raw(octets))),
        _ => Err(SetError::WrongKind),
    }
}

fn raw(octets: Vec<u8>) -> Vec<OptionValue> {
    if octets.is_empty() {
        Vec::new()
    } else {
        Vec::from([OptionValue::Raw(octets)])
    }
}

fn number(field: &Field, value: u64) -> Result<FieldValue, SetError> {
    let mask = if field.width() >= 64 {
        u64::MAX
    } else {
        (1 << field.width()) - 1
    };
    match value & !mask {
        0 => Ok(FieldValue::Uint(value)),
        _ if field.signed && field.signed_value(value & mask).cast_unsigned() == value => {
            Ok(FieldValue::Uint(value & mask))
        }
        _ if field.modular => Ok(FieldValue::Uint(value & mask)),
        _ => Err(SetError::TooWide {
            bits: field.width(),
        }),
    }
}

fn octets_in(field: &Field, octets: Vec<u8>) -> Result<FieldValue, SetError> {
    let fits = !field.extent.is_bits()
        || field.width() == 0
        || octets.len() * 8 <= usize::from(field.width());
    if fits {
        Ok(FieldValue::Bytes(octets))
    } else {
        Err(SetError::TooWide {
            bits: field.width(),
        })
    }
}

fn fits_option(value: &OptionValue) -> Result<(), SetError> {
    let OptionValue::Named { option, values } = value else {
        return Ok(());
    };
    values.iter().enumerate().try_for_each(|(i, value)| {
        let field = option.field(i).ok_or(SetError::NoSuchField)?;
        fit(field, value.clone()).map(|_| ())
    })
}
