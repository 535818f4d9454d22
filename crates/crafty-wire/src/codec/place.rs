//! Where the fields of a header lie, when that depends on the header.

use core::ops::Range;

use crate::field::{Extent, Field, Part};
use crate::layer::Layer;
use crate::slot::Slot;

/// The place of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldPlace {
    /// Of a number.
    Number(Slot),
    /// Of bytes.
    Span(Range<usize>),
}

/// Where a field of the header part lies in `header`; `None` if it is not present.
pub(crate) fn locate(layer: &Layer, header: &[u8], index: usize) -> Option<FieldPlace> {
    let field = layer.fields.get(index)?;
    if !field.present(header) {
        return None;
    }
    let before = if field.moves {
        bits_before(layer, header, index)
    } else {
        None
    };
    place_of(field, header, before)
}

/// Where a present field lies, when the fields before it took `before` bits, which counts for one
/// that moves only.
fn place_of(field: &Field, header: &[u8], before: Option<u32>) -> Option<FieldPlace> {
    if field.slot.len != 0 {
        return whole(field.slot, header);
    }
    let bit = if field.moves {
        before?
    } else {
        u32::from(field.slot.byte) * 8
    };
    if field.width() != 0 && field.width() <= 64 && field.extent.is_bits() {
        return whole(Slot::at(bit, field.width()), header);
    }
    let at = usize::try_from(bit.div_ceil(8)).ok()?;
    let end = at.checked_add(bytes_at(field, header, at)?)?;
    (end <= header.len()).then_some(FieldPlace::Span(at..end))
}

/// Where a present field lies, when the fields before it took `before` bits, and the bits up to its
/// end.
pub(super) fn place_behind(
    field: &Field,
    header: &[u8],
    before: Option<u32>,
) -> (Option<FieldPlace>, Option<u32>) {
    let bits = |before: u32| before.checked_add(bits_of(field, header, before)?);
    (place_of(field, header, before), before.and_then(bits))
}

fn whole(slot: Slot, header: &[u8]) -> Option<FieldPlace> {
    (slot.end() <= header.len()).then_some(FieldPlace::Number(slot))
}

/// Bytes that the fields of known width need at least, in this variant of the header.
pub(crate) fn minimum(layer: &Layer, available: &[u8]) -> usize {
    let fields = layer
        .fields
        .iter()
        .filter(|field| field.part == Part::Header && field.extent.is_bits());
    let bits: usize = fields
        .filter(|field| field.present(available))
        .map(|field| usize::from(field.width()))
        .sum();
    bits.div_ceil(8)
}

/// Bytes up to the end of the last field that is present, with the whole of `available` to take
/// them from; the second is false when the bytes end before the fields do.
#[inline(never)]
pub(crate) fn extent(layer: &Layer, available: &[u8]) -> (usize, bool) {
    match bits_before(layer, available, layer.fields.len()) {
        Some(bits) if bits.div_ceil(8) as usize <= available.len() => {
            (bits.div_ceil(8) as usize, true)
        }
        _ => (available.len(), false),
    }
}

fn bits_before(layer: &Layer, header: &[u8], index: usize) -> Option<u32> {
    let mut bits = 0u32;
    for field in layer
        .fields
        .iter()
        .take(index)
        .filter(|field| field.part == Part::Header)
    {
        if field.present(header) {
            bits = bits.checked_add(bits_of(field, header, bits)?)?;
        }
    }
    Some(bits)
}

fn bits_of(field: &Field, header: &[u8], before: u32) -> Option<u32> {
    match field.extent {
        Extent::Bits => Some(field.width().into()),
        _ => u32::try_from(bytes_at(field, header, before.div_ceil(8) as usize)?)
            .ok()?
            .checked_mul(8),
    }
}

/// Bytes that a field takes from byte `at` on; may be more than there are.
fn bytes_at(field: &Field, header: &[u8], at: usize) -> Option<usize> {
    let rest = header.get(at..)?;
    match field.extent {
        Extent::Bits => Some(usize::from(field.width()) / 8),
        Extent::Header | Extent::Layer | Extent::Spelt(_) => Some(rest.len()),
        Extent::Sized(_) => None,
        Extent::Counted(_) => field.count.octets(header),
        Extent::Found(tell) => tell(rest),
        Extent::Terminated(end) => Some(rest.iter().position(|octet| *octet == end)? + 1),
    }
}
