//! How options are written.

use crate::field::{Extent, Field, FieldKind, Part};
use crate::slot::Slot;
use crate::tlv::{OptionRow, OptionShape, Tlv};
use crate::value::{FieldValue, OptionValue};
use alloc::vec::Vec;

/// Appends the bytes of options, without padding behind them.
pub fn encode_options(tlv: &'static Tlv, list: &[OptionValue], out: &mut Vec<u8>) {
    for option in list {
        let _ = write_option(tlv, option, out);
    }
}

/// Appends a list in an option, whose length does not count what fills the last one up (RFC 9260
/// §3.2.1).
fn encode_within(tlv: &'static Tlv, list: &[OptionValue], out: &mut Vec<u8>) {
    let end = list
        .iter()
        .fold(out.len(), |_, option| write_option(tlv, option, out));
    out.truncate(end);
}

/// Appends an option, filled up; gives the end of what is not filling.
pub(super) fn write_option(tlv: &'static Tlv, value: &OptionValue, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    let (option, values) = match value {
        OptionValue::Raw(octets) => {
            out.extend_from_slice(octets);
            return out.len();
        }
        OptionValue::Named { option, values } => (option, values),
    };
    if matches!(option.shape, OptionShape::Bare) {
        out.push(option.kind as u8);
        return out.len();
    }
    out.resize(start + usize::from(tlv.head), 0);
    tlv.kind.set(&mut out[start..], option.kind);
    write_values(option, values, start, out);
    let unit = usize::from(tlv.unit).max(1);
    out.resize((start + usize::from(tlv.size)).max(out.len()), 0);
    let counted = start
        + if tlv.counts_head {
            0
        } else {
            usize::from(tlv.head)
        };
    out.resize(counted + (out.len() - counted).next_multiple_of(unit), 0);
    write_length(tlv, start, unit, out);
    let end = out.len();
    out.resize(
        start + (end - start).next_multiple_of(tlv.step.max(1).into()),
        0,
    );
    end
}

/// Writes the length of the option that begins at `start` and ends with `out`.
fn write_length(tlv: &Tlv, start: usize, unit: usize, out: &mut Vec<u8>) {
    let narrow = (out.len() - start) / unit <= tlv.len.mask as usize;
    let wide = tlv.wide.len != 0 && (tlv.wide.get(&out[start..]) == Some(1) || !narrow);
    let (len, head) = tlv.length(wide);
    if wide {
        out.insert(start + usize::from(tlv.head), 0);
        tlv.wide.set(&mut out[start..], 1);
    }
    let counted = out.len() - start - if tlv.counts_head { 0 } else { head };
    len.set(&mut out[start..], (counted / unit) as u64);
}

/// Writes the values of the option that begins at `start`.
fn write_values(option: &OptionRow, values: &[FieldValue], start: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(option.begins);
    let (mut group, mut bit) = (out.len(), 0);
    let groups = match option.shape {
        OptionShape::Repeat(once, again) => (once.len(), again.len().max(1)),
        _ => (usize::MAX, 1),
    };
    let needed = option.shape.fields().count().min(groups.0);
    for i in 0..values.len().max(needed) {
        if i >= groups.0 && (i - groups.0) % groups.1 == 0 {
            (group, bit) = (out.len(), 0);
        }
        let Some(field) = option.field(i) else { return };
        match field.part {
            Part::Head => put_number(field, field.slot, start, values.get(i), out),
            _ => bit = write_at(field, (start, group, bit), values.get(i), out),
        }
    }
}

fn put_number(
    field: &Field,
    slot: Slot,
    base: usize,
    value: Option<&FieldValue>,
    out: &mut Vec<u8>,
) {
    out.resize((base + slot.end()).max(out.len()), 0);
    if let Some(value) = value {
        put(field, slot, base, value, out);
    }
}

/// Writes a field of the option that begins at `start`; its group of fields begins at `group`, the
/// field at bit `bit` of that. Gives the first bit behind it.
fn write_at(
    field: &Field,
    (start, group, bit): (usize, usize, u32),
    value: Option<&FieldValue>,
    out: &mut Vec<u8>,
) -> u32 {
    if field.extent.is_bits() {
        put_number(field, Slot::at(bit, field.width()), group, value, out);
        return bit + u32::from(field.width());
    }
    let at = out.len();
    if let Extent::Sized(size) = field.extent {
        out.resize(at + usize::from(size), 0);
    }
    match (value, field.extent) {
        (Some(FieldValue::Text(text)), Extent::Spelt(spelling)) => {
            (spelling.write)(text, start, out)
        }
        (Some(FieldValue::Options(list)), _) if let FieldKind::Options(tlv) = field.kind => {
            encode_within(tlv, list, out)
        }
        (Some(value), _) => put(field, field.slot, group, value, out),
        _ => {}
    }
    match field.extent {
        Extent::Sized(size) => {
            let len = out.len() - at - usize::from(size);
            Slot::at(0, u16::from(size) * 8).set(&mut out[at..], len as u64);
        }
        Extent::Terminated(end) => out.push(end),
        _ => {}
    }
    ((out.len() - group) * 8) as u32
}

/// Writes a value whose place is `slot`, counted from `base`; one of variable length is appended.
pub(super) fn put(field: &Field, slot: Slot, base: usize, value: &FieldValue, out: &mut Vec<u8>) {
    let at = base + usize::from(slot.byte);
    match value {
        FieldValue::Uint(value) => slot.set(&mut out[base..], *value),
        FieldValue::Wide(value) => copy(&value.to_be_bytes(), at, out),
        FieldValue::Bytes(octets) if field.width() == 0 => out.extend_from_slice(octets),
        FieldValue::Bytes(octets) => copy(octets, at, out),
        FieldValue::Text(text) if let Extent::Spelt(spelling) = field.extent => {
            (spelling.write)(text, out.len(), out)
        }
        FieldValue::Text(text) if field.width() == 0 => out.extend_from_slice(text.as_bytes()),
        FieldValue::Text(text) => copy(text.as_bytes(), at, out),
        FieldValue::Options(list) => {
            if let FieldKind::Options(tlv) = field.kind {
                encode_options(tlv, list, out);
            }
        }
    }
}

fn copy(octets: &[u8], at: usize, out: &mut [u8]) {
    if let Some(span) = out.get_mut(at..at + octets.len()) {
        span.copy_from_slice(octets);
    }
}
