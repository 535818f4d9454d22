//! Gives the fields of a table their places, at build time. A place is fixed if it is the same in
//! every header that has the field.

use crate::auto::Auto;
use crate::field::{Extent, Field, FieldKind, Part, When, same};
use crate::slot::Slot;

/// How a number on the wire gives bytes: number × `unit` − `add`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    pub slot: Slot,
    pub unit: u16,
    pub add: i16,
}

impl Measure {
    pub(crate) const NONE: Measure = Measure {
        slot: Slot::NOWHERE,
        unit: 1,
        add: 0,
    };

    /// Bytes that a claim of zero means.
    pub(crate) const fn least(&self) -> usize {
        if self.add < 0 {
            self.add.unsigned_abs() as usize
        } else {
            0
        }
    }

    /// Bytes that the header claims.
    #[inline]
    pub(crate) fn octets(&self, header: &[u8]) -> Option<usize> {
        let octets = self
            .slot
            .get(header)?
            .checked_mul(self.unit as u64)?
            .checked_add_signed(-(self.add as i64))?;
        usize::try_from(octets).ok()
    }
}

/// Gives every field its place, at build time.
///
/// # Panics
/// At build time, when a field depends on one that is not before it.
pub const fn layout<const N: usize>(mut fields: [Field; N]) -> [Field; N] {
    let mut i = 0;
    while i < N {
        let (gate, mask) = gate(&fields, i);
        let bit = match fields[i].part {
            Part::Header => bit_of(&fields, i),
            Part::Trailer => trailer_bit(&fields, i),
            Part::View => Some(0),
            Part::Head => Some(fields[i].slot.bit()),
        };
        fields[i].gate = gate;
        fields[i].gate_mask = mask;
        fields[i].count = count(&fields, i);
        fields[i].moves = bit.is_none();
        fields[i].slot = match bit {
            Some(bit) => Slot::at(bit, fields[i].slot.width),
            None => Slot {
                width: fields[i].slot.width,
                ..Slot::NOWHERE
            },
        };
        i += 1;
    }
    fields
}

/// Bits before field `i`, if they are the same in every header that has it.
const fn bit_of(fields: &[Field], i: usize) -> Option<u32> {
    match fields[i].when {
        When::Has(..) => None,
        When::Always => bits_before(fields, i, Variant::Any),
        When::NotIn(by, values) => bits_before(fields, i, Variant::Other(by, values)),
        When::In(by, values) => {
            let first = bits_before(fields, i, Variant::Is(by, values[0]));
            let mut k = 1;
            while k < values.len() {
                match (first, bits_before(fields, i, Variant::Is(by, values[k]))) {
                    (Some(a), Some(b)) if a == b => k += 1,
                    _ => return None,
                }
            }
            first
        }
    }
}

/// What is known of the header in which a place is looked for.
#[derive(Clone, Copy)]
enum Variant {
    Any,
    Is(&'static str, u64),
    Other(&'static str, &'static [u64]),
}

const fn bits_before(fields: &[Field], i: usize, case: Variant) -> Option<u32> {
    let (mut bits, mut j) = (0, 0);
    while j < i {
        if matches!(fields[j].part, Part::Header) {
            match counts(fields[j].when, case) {
                Some(true) if fields[j].slot.width == 0 => return None,
                Some(true) => bits += fields[j].slot.width as u32,
                Some(false) => {}
                None => return None,
            }
        }
        j += 1;
    }
    Some(bits)
}

/// Whether a field present `when` is there in the case; `None` if that cannot be told.
const fn counts(when: When, case: Variant) -> Option<bool> {
    match (when, case) {
        (When::Always, _) => Some(true),
        (When::In(a, values), Variant::Is(b, value)) if same(a, b) => Some(contains(values, value)),
        (When::NotIn(a, values), Variant::Is(b, value)) if same(a, b) => {
            Some(!contains(values, value))
        }
        (When::In(a, values), Variant::Other(b, others))
            if same(a, b) && within(values, others) =>
        {
            Some(false)
        }
        (When::NotIn(a, values), Variant::Other(b, others))
            if same(a, b) && within(values, others) =>
        {
            Some(true)
        }
        _ => None,
    }
}

const fn trailer_bit(fields: &[Field], i: usize) -> Option<u32> {
    let (mut bits, mut j) = (0, 0);
    while j < i {
        if matches!(fields[j].part, Part::Trailer) {
            assert!(
                fields[j].slot.width != 0,
                "only the last field of a trailer may vary in length"
            );
            bits += fields[j].slot.width as u32;
        }
        j += 1;
    }
    Some(bits)
}

const fn gate(fields: &[Field], i: usize) -> (Slot, u64) {
    match fields[i].when {
        When::Always => (Slot::NOWHERE, 0),
        When::In(by, _) | When::NotIn(by, _) => (fields[before(fields, i, by)].slot, 0),
        When::Has(by, bit) => {
            let of = &fields[before(fields, i, by)];
            match of.kind {
                FieldKind::Flags(bits) if !bit.is_empty() => {
                    (of.slot, 1 << (bits.len() - 1 - position(bits, bit)))
                }
                _ => (of.slot, of.slot.mask),
            }
        }
    }
}

const fn count(fields: &[Field], i: usize) -> Measure {
    let Extent::Counted(by) = fields[i].extent else {
        return Measure::NONE;
    };
    let field = &fields[before(fields, i, by)];
    match field.auto {
        Auto::Length { unit, add, .. } => Measure {
            slot: field.slot,
            unit,
            add,
        },
        _ => Measure {
            slot: field.slot,
            unit: 1,
            add: 0,
        },
    }
}

const fn before(fields: &[Field], i: usize, name: &str) -> usize {
    let mut j = 0;
    while j < i {
        if same(fields[j].name, name) && !fields[j].moves {
            return j;
        }
        j += 1;
    }
    panic!("a field depends on one that is not at a fixed place before it")
}

const fn position(names: &[&str], name: &str) -> usize {
    let mut j = 0;
    while j < names.len() {
        if same(names[j], name) {
            return j;
        }
        j += 1;
    }
    panic!("no such bit")
}

pub(crate) const fn contains(values: &[u64], value: u64) -> bool {
    let mut j = 0;
    while j < values.len() {
        if values[j] == value {
            return true;
        }
        j += 1;
    }
    false
}

const fn within(values: &[u64], others: &[u64]) -> bool {
    let mut j = 0;
    while j < values.len() {
        if !contains(others, values[j]) {
            return false;
        }
        j += 1;
    }
    true
}
