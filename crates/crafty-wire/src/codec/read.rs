//! Reads single fields of a decoded frame, when asked for. What is not there is `None`, never a
//! default.

use super::checksum::{ChecksumStatus, status};
use super::decoded::{Decoded, FoundLayer};
use super::fields::{FieldView, seen_at};
use super::list::{OptionIterator, read_list, read_option};
use super::place::{FieldPlace, locate};
use crate::field::{Codec, Extent, Field, FieldKind, Part, ReadView};
use crate::layer::Layer;
use crate::value::{FieldValue, OptionValue};

impl Decoded {
    /// The value of the field at position `field` of the layer at position `layer`; `None` where it
    /// is absent: cut off, not present in this variant of the header, or no such place.
    pub fn read(&self, bytes: &[u8], layer: usize, field: usize) -> Option<FieldValue> {
        self.see(bytes, layer, field).map(FieldView::into_value)
    }

    /// The same, borrowed from the frame.
    pub fn see<'a>(&self, bytes: &'a [u8], layer: usize, field: usize) -> Option<FieldView<'a>> {
        let found = self.layers.get(layer)?;
        let row = found.layer.fields.get(field)?;
        if row.part == Part::View {
            return reader(found.layer)?(found.header(bytes)?, row.name).map(FieldView::Made);
        }
        let (base, place) = self.place(bytes, layer, field)?;
        seen_at(row, bytes.get(base..)?, &place)
    }

    /// The value of a field that is a number of at most 64 bits, without allocation.
    #[inline]
    pub fn read_uint(&self, bytes: &[u8], layer: usize, field: usize) -> Option<u64> {
        let found = self.layers.get(layer)?;
        let row = found.layer.fields.get(field)?;
        if row.part == Part::Header
            && row.slot.len != 0
            && !matches!(row.kind, FieldKind::Bytes | FieldKind::Text)
        {
            let header = found.header(bytes)?;
            return if row.present(header) {
                row.slot.get(header)
            } else {
                None
            };
        }
        self.read(bytes, layer, field)?.as_uint()
    }

    /// The bytes of a field of whole bytes, as they lie in the frame.
    pub fn read_bytes<'a>(&self, bytes: &'a [u8], layer: usize, field: usize) -> Option<&'a [u8]> {
        let (base, place) = self.place(bytes, layer, field)?;
        match place {
            FieldPlace::Span(span) => bytes.get(base + span.start..base + span.end),
            FieldPlace::Number(slot) if u16::from(slot.len) * 8 == slot.width => {
                bytes.get(base + usize::from(slot.byte)..base + slot.end())
            }
            FieldPlace::Number(_) => None,
        }
    }

    /// Where a field lies: first byte of what its place is counted from, and the place.
    pub(super) fn place(
        &self,
        bytes: &[u8],
        layer: usize,
        field: usize,
    ) -> Option<(usize, FieldPlace)> {
        let found = self.layers.get(layer)?;
        let row = found.layer.fields.get(field)?;
        match row.part {
            Part::Header => Some((
                found.start,
                locate(found.layer, found.header(bytes)?, field)?,
            )),
            Part::Trailer => Some((found.trailer, trailer_place(row, found)?)),
            Part::View | Part::Head => None,
        }
    }

    /// The first option called `name` in the option list at position `field`.
    pub fn option(
        &self,
        bytes: &[u8],
        layer: usize,
        field: usize,
        name: &str,
    ) -> Option<OptionValue> {
        let FieldKind::Options(tlv) = self.layers.get(layer)?.layer.fields.get(field)?.kind else {
            return None;
        };
        let list = self.read_bytes(bytes, layer, field)?;
        OptionIterator::new(tlv, list)
            .filter(|option| option.row.is_some_and(|row| row.name == name))
            .find_map(|option| {
                let value = read_option(tlv, &option, 0);
                value.name().is_some().then_some(value)
            })
    }

    /// The field `part` of the first option called `name`.
    pub fn option_field(
        &self,
        bytes: &[u8],
        layer: usize,
        field: usize,
        name: &str,
        part: &str,
    ) -> Option<FieldValue> {
        self.option(bytes, layer, field, name)?.value(part).cloned()
    }

    /// What can be said of a checksum.
    pub fn checksum(&self, bytes: &[u8], layer: usize, field: usize) -> ChecksumStatus {
        status(self, bytes, layer, field)
    }
}

impl FoundLayer {
    /// The bytes of the header, as far as they are there.
    pub fn header<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.start..self.payload)
    }

    /// The bytes that the layer carries.
    pub fn carried<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.payload..self.trailer)
    }
}

pub(super) fn trailer_place(field: &Field, found: &FoundLayer) -> Option<FieldPlace> {
    let have = found.end - found.trailer;
    let at = usize::from(field.slot.byte);
    match field.extent {
        _ if have == 0 || at > have => None,
        Extent::Bits if field.slot.end() > have => None,
        Extent::Bits if field.slot.len != 0 => Some(FieldPlace::Number(field.slot)),
        Extent::Bits => Some(FieldPlace::Span(at..field.slot.end())),
        _ => Some(FieldPlace::Span(at..have)),
    }
}

/// The codec of the layer's custom field.
fn codec(layer: &Layer) -> Option<&'static Codec> {
    layer.fields.iter().find_map(|field| match field.kind {
        FieldKind::Custom(codec) => Some(codec),
        _ => None,
    })
}

/// What reads the views of a layer.
pub(super) fn reader(layer: &Layer) -> Option<ReadView> {
    layer.views.or_else(|| codec(layer).map(|codec| codec.read))
}

/// The value at a place of `octets`, which lie in so many lists of options.
pub(super) fn value_at(
    field: &Field,
    octets: &[u8],
    place: &FieldPlace,
    depth: usize,
) -> Option<FieldValue> {
    Some(match seen_at(field, octets, place)? {
        FieldView::Options(tlv, list) => FieldValue::Options(read_list(tlv, list, depth)),
        seen => seen.into_value(),
    })
}
