//! All fields of a layer in one pass, as they lie in the frame: nothing is copied that need not be.

use alloc::string::String;
use alloc::vec::Vec;

use super::decoded::{Decoded, FoundLayer};
use super::list::{OptionIterator, read_list, read_option};
use super::place::{FieldPlace, place_behind};
use super::read::{reader, trailer_place};
use crate::field::{Extent, Field, FieldKind, Part, ReadView, Spelling};
use crate::slot::Slot;
use crate::tlv::Tlv;
use crate::value::{FieldValue, OptionValue};

/// The value of a field, borrowed from the frame.
#[derive(Clone, Debug)]
pub enum FieldView<'a> {
    /// A number of at most 64 bits.
    Uint(u64),
    /// A number of at most 128 bits: IPv6 addresses.
    Wide(u128),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Text.
    Text(&'a str),
    /// A list of options, and the table that reads it.
    Options(&'static Tlv, &'a [u8]),
    /// What a layer's own codec makes of its bytes.
    Made(FieldValue),
}

impl<'a> FieldView<'a> {
    /// The same as a value of its own.
    pub fn into_value(self) -> FieldValue {
        match self {
            FieldView::Uint(value) => FieldValue::Uint(value),
            FieldView::Wide(value) => FieldValue::Wide(value),
            FieldView::Bytes(octets) => FieldValue::Bytes(octets.into()),
            FieldView::Text(text) => FieldValue::Text(String::from(text)),
            FieldView::Options(tlv, list) => FieldValue::Options(read_list(tlv, list, 0)),
            FieldView::Made(value) => value,
        }
    }
}

/// The options of a list, one after the other.
pub fn options(tlv: &'static Tlv, list: &[u8]) -> impl Iterator<Item = OptionValue> {
    OptionIterator::new(tlv, list).map(move |wire| read_option(tlv, &wire, 0))
}

impl Decoded {
    /// The fields that are present in the layer at position `layer`, in the order of its table,
    /// each with its position there.
    pub fn fields<'a>(&self, bytes: &'a [u8], layer: usize) -> Fields<'a> {
        let found = self.layers.get(layer).copied();
        Fields {
            bytes,
            header: found.and_then(|found| found.header(bytes)),
            views: found.and_then(|found| reader(found.layer)),
            found,
            index: 0,
            bits: Some(0),
        }
    }
}

/// Goes through the fields of a layer.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    found: Option<FoundLayer>,
    header: Option<&'a [u8]>,
    views: Option<ReadView>,
    index: usize,
    /// Bits of the fields so far; `None` behind one whose end cannot be told.
    bits: Option<u32>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = (usize, &'static Field, FieldView<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.found?;
        while let Some(field) = found.layer.fields.get(self.index) {
            let index = self.index;
            self.index += 1;
            if let Some(seen) = self.seen(&found, field) {
                return Some((index, field, seen));
            }
        }
        None
    }
}

impl<'a> Fields<'a> {
    fn seen(&mut self, found: &FoundLayer, field: &'static Field) -> Option<FieldView<'a>> {
        match field.part {
            Part::Header => {
                let header = self.header?;
                let place = self.advance(found, field, header)?;
                seen_at(field, header, &place)
            }
            Part::Trailer => seen_at(
                field,
                self.bytes.get(found.trailer..)?,
                &trailer_place(field, found)?,
            ),
            Part::View => self.views?(self.header?, field.name).map(FieldView::Made),
            Part::Head => None,
        }
    }

    /// The place of a field of the header, if it is there; what comes next begins behind it.
    fn advance(&mut self, found: &FoundLayer, field: &Field, header: &[u8]) -> Option<FieldPlace> {
        if !field.present(header) {
            return None;
        }
        let (place, bits) = place_behind(field, header, self.bits);
        if found.layer.walks() {
            self.bits = bits;
        }
        place
    }
}

/// The value at a place of `octets`.
pub(super) fn seen_at<'a>(
    field: &Field,
    octets: &'a [u8],
    place: &FieldPlace,
) -> Option<FieldView<'a>> {
    match place {
        FieldPlace::Number(slot) => number(field, *slot, octets),
        FieldPlace::Span(span) => spanned(field, octets.get(span.clone())?),
    }
}

fn number<'a>(field: &Field, slot: Slot, octets: &'a [u8]) -> Option<FieldView<'a>> {
    match field.kind {
        FieldKind::Bytes | FieldKind::Text | FieldKind::Custom(_) => {
            let value = slot.get(octets)?;
            let whole = u16::from(slot.len) * 8 == slot.width;
            let span = octets.get(slot.byte.into()..slot.end()).filter(|_| whole);
            Some(span.map_or_else(
                || {
                    FieldView::Made(FieldValue::Bytes(
                        value.to_be_bytes()[8 - usize::from(slot.len)..].into(),
                    ))
                },
                FieldView::Bytes,
            ))
        }
        _ => slot.get(octets).map(FieldView::Uint),
    }
}

fn spanned<'a>(field: &Field, span: &'a [u8]) -> Option<FieldView<'a>> {
    Some(match field.kind {
        FieldKind::Ip6 => FieldView::Wide(u128::from_be_bytes(span.try_into().ok()?)),
        FieldKind::Options(tlv) => FieldView::Options(tlv, span),
        FieldKind::Text => text(field, span),
        _ => FieldView::Bytes(span),
    })
}

/// Text without its terminator; bytes where it is not UTF-8.
fn text<'a>(field: &Field, span: &'a [u8]) -> FieldView<'a> {
    if let Extent::Spelt(spelling) = field.extent {
        return spelt(spelling, span);
    }
    let span = match field.extent {
        Extent::Terminated(_) => span.split_last().map_or(span, |(_, text)| text),
        _ => span,
    };
    core::str::from_utf8(span).map_or(FieldView::Bytes(span), FieldView::Text)
}

/// Bytes in their notation; as they are where it would not give them again.
fn spelt<'a>(spelling: &Spelling, span: &'a [u8]) -> FieldView<'a> {
    let (text, mut again) =
        (spelling.read)(span, 0).map_or_else(Default::default, |(text, _)| (text, Vec::new()));
    (spelling.write)(&text, 0, &mut again);
    if again == span {
        FieldView::Made(FieldValue::Text(text))
    } else {
        FieldView::Bytes(span)
    }
}
