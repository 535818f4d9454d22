//! Option lists on the wire and from values. A broken list is raw bytes from the first bad option
//! on.

use alloc::vec::Vec;

use super::list_encode::write_option;
use super::place::FieldPlace;
use super::read::value_at;
use crate::decode_warning::DecodeWarning;
use crate::field::{Extent, Field, Part};
use crate::slot::Slot;
use crate::tlv::{OptionLength, OptionRow, OptionShape, Tlv};
use crate::value::{FieldValue, OptionValue};

/// One option as it lies on the wire.
#[derive(Clone, Copy, Debug)]
pub struct WireOption<'a> {
    /// Its row, if the kind is known and the list is not broken here.
    pub row: Option<&'static OptionRow>,
    /// First byte, counted from the start of the list.
    pub at: usize,
    /// Kind, length and value.
    pub octets: &'a [u8],
    /// Bytes before the value.
    pub head: usize,
    /// The value alone.
    pub value: &'a [u8],
    /// Why the list is broken here; the bytes are all the rest.
    pub broken: Option<Broken>,
}

/// How an option breaks its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It claims more bytes than there are.
    Overrun,
    /// It claims less than its own head.
    TooShort,
}

/// Lists of options in options that are read at most; what lies deeper is raw.
const MAX_DEPTH: usize = 16;

/// Goes through the options of a list.
#[derive(Clone, Debug)]
pub struct OptionIterator<'a> {
    tlv: &'static Tlv,
    list: &'a [u8],
    at: usize,
    ended: bool,
}

impl<'a> OptionIterator<'a> {
    /// The options in the bytes `list`.
    pub fn new(tlv: &'static Tlv, list: &'a [u8]) -> OptionIterator<'a> {
        OptionIterator {
            tlv,
            list,
            at: 0,
            ended: false,
        }
    }

    fn take(
        &mut self,
        size: usize,
        head: usize,
        row: Option<&'static OptionRow>,
    ) -> WireOption<'a> {
        let rest = &self.list[self.at..];
        let octets = &rest[..size
            .next_multiple_of(self.tlv.step.max(1).into())
            .min(rest.len())];
        let option = WireOption {
            row,
            at: self.at,
            octets,
            head,
            value: rest.get(head..size).unwrap_or(&[]),
            broken: None,
        };
        self.at += octets.len();
        option
    }

    fn take_rest(&mut self, broken: Option<Broken>) -> WireOption<'a> {
        let rest = self.list.len() - self.at;
        WireOption {
            broken,
            ..self.take(rest, rest, None)
        }
    }
}

impl<'a> Iterator for OptionIterator<'a> {
    type Item = WireOption<'a>;

    fn next(&mut self) -> Option<WireOption<'a>> {
        let rest = self.list.get(self.at..).filter(|rest| !rest.is_empty())?;
        if self.ended {
            let padding =
                rest.len() < usize::from(self.tlv.align) && rest.iter().all(|octet| *octet == 0);
            return if padding {
                None
            } else {
                Some(self.take_rest(None))
            };
        }
        let Some(kind) = self.tlv.kind.get(rest) else {
            return Some(self.take_rest(Some(Broken::Overrun)));
        };
        let row = self.tlv.row(kind, rest);
        self.ended = self.tlv.end == Some(kind);
        if row.is_some_and(|row| matches!(row.shape, OptionShape::Bare)) {
            return Some(self.take(1, 1, row));
        }
        Some(match size(self.tlv, rest) {
            Ok((size, head)) => self.take(size, head, row),
            Err(broken) => self.take_rest(Some(broken)),
        })
    }
}

/// Bytes of the option, and of its head.
pub(super) fn size(tlv: &Tlv, rest: &[u8]) -> Result<(usize, usize), Broken> {
    let (len, head) = tlv.length(tlv.wide.get(rest) == Some(1));
    let more = tlv.more.get(rest).ok_or(Broken::Overrun)?;
    let said = len
        .get(rest)
        .ok_or(Broken::Overrun)?
        .saturating_mul(tlv.unit.into());
    let said = said.saturating_add(more.saturating_mul(tlv.more_unit.into())) as usize;
    let size = if tlv.len.len == 0 {
        if tlv.size == 0 {
            rest.len()
        } else {
            usize::from(tlv.size)
        }
    } else if tlv.counts_head {
        said
    } else {
        said.saturating_add(head)
    };
    match size {
        _ if size < head.max(1) => Err(Broken::TooShort),
        _ if size > rest.len() => Err(Broken::Overrun),
        _ => Ok((size, head)),
    }
}

impl Tlv {
    /// Where the length of an option lies, and the bytes of its head.
    pub(super) fn length(&self, wide: bool) -> (Slot, usize) {
        let head = usize::from(self.head);
        match wide && self.wide.len != 0 {
            true => (Slot::at(self.len.bit(), self.len.width + 8), head + 1),
            false => (self.len, head),
        }
    }
}

/// Whether a list of the usual heads is whole; `bare` are the kinds without length.
pub(super) fn whole(
    list: &[u8],
    bare: u64,
    lengths: &[OptionLength; 64],
    end: Option<u64>,
) -> bool {
    let mut at = 0;
    while let Some(&kind) = list.get(at) {
        if end == Some(kind.into()) {
            return true;
        }
        if kind < 64 && bare >> kind & 1 != 0 {
            at += 1;
            continue;
        }
        match list.get(at + 1) {
            Some(&len)
                if len >= 2
                    && at + usize::from(len) <= list.len()
                    && (kind >= 64 || lengths[usize::from(kind)].takes(len)) =>
            {
                at += usize::from(len)
            }
            _ => return false,
        }
    }
    true
}

/// Tells what is broken in a list whose first byte is byte `base` of the frame, and which options
/// do not have the form of their kind.
pub(super) fn faults(
    tlv: &'static Tlv,
    list: &[u8],
    base: usize,
    tell: &mut dyn FnMut(DecodeWarning),
) {
    for option in OptionIterator::new(tlv, list) {
        let at = base + option.at;
        match (option.broken, option.row) {
            (Some(Broken::Overrun), _) => tell(DecodeWarning::OptionOverrun { at }),
            (Some(Broken::TooShort), _) => tell(DecodeWarning::OptionTooShort { at }),
            (None, Some(row)) if !row.open && values(row, &option, 0).is_none() => {
                let same = |other: &WireOption| other.row.is_some_and(|it| it.kind == row.kind);
                if tlv.continues && OptionIterator::new(tlv, list).filter(same).nth(1).is_some() {
                    continue;
                }
                tell(DecodeWarning::OptionMisfit { at, name: row.name })
            }
            _ => {}
        }
    }
}

/// The options of a list as values. Where the option that holds the list counts what fills the last
/// one up, an empty one is behind it.
pub(super) fn read_list(tlv: &'static Tlv, list: &[u8], depth: usize) -> Vec<OptionValue> {
    let mut filled = false;
    let mut values: Vec<OptionValue> = OptionIterator::new(tlv, list)
        .map(|option| {
            filled = option.octets.len() > option.head + option.value.len();
            read_option(tlv, &option, depth)
        })
        .collect();
    if filled && depth > 0 {
        values.push(OptionValue::Raw(Vec::new()));
    }
    values
}

/// An option as a value: raw where its bytes would not come out again from its fields, or where it
/// lies too deep in others.
pub(super) fn read_option(tlv: &'static Tlv, wire: &WireOption, depth: usize) -> OptionValue {
    let row = wire.row.filter(|_| depth < MAX_DEPTH);
    let named = row.and_then(|option| {
        Some(OptionValue::Named {
            option,
            values: values(option, wire, depth)?,
        })
    });
    let mut again = Vec::new();
    match named {
        Some(value) => {
            write_option(tlv, &value, &mut again);
            if again == wire.octets {
                value
            } else {
                OptionValue::Raw(wire.octets.to_vec())
            }
        }
        None => OptionValue::Raw(wire.octets.to_vec()),
    }
}

pub(super) fn values(
    option: &OptionRow,
    wire: &WireOption,
    depth: usize,
) -> Option<Vec<FieldValue>> {
    let start = wire.value.get(option.begins.len()..)?;
    let mut reader = OptionReader {
        wire,
        depth,
        rest: start,
        out: Vec::new(),
    };
    match option.shape {
        OptionShape::Bare => reader.rest = &[],
        OptionShape::Fields(fields) => reader.take(fields)?,
        OptionShape::Repeat(once, again) => {
            reader.take(once)?;
            while !reader.rest.is_empty() {
                let before = reader.rest.len();
                reader.take(again)?;
                Some(()).filter(|()| reader.rest.len() < before)?;
            }
        }
    }
    reader.rest.is_empty().then_some(reader.out)
}

/// Goes through the value of an option, field by field.
struct OptionReader<'a> {
    wire: &'a WireOption<'a>,
    depth: usize,
    rest: &'a [u8],
    out: Vec<FieldValue>,
}

impl OptionReader<'_> {
    /// Reads fields one after the other.
    fn take(&mut self, fields: &'static [Field]) -> Option<()> {
        let mut bit = 0u32;
        for field in fields {
            bit = match field.part {
                Part::Head => {
                    let place = if field.slot.len == 0 {
                        FieldPlace::Span(field.slot.byte.into()..field.slot.end())
                    } else {
                        FieldPlace::Number(field.slot)
                    };
                    self.out
                        .push(value_at(field, self.wire.octets, &place, self.depth)?);
                    bit
                }
                _ => self.take_one(field, bit)?,
            };
        }
        self.rest = self.rest.get(bit.div_ceil(8) as usize..)?;
        Some(())
    }

    /// Reads the field that begins at bit `bit` of what is left; gives the bit behind it.
    fn take_one(&mut self, field: &'static Field, bit: u32) -> Option<u32> {
        let at = bit.div_ceil(8) as usize;
        let (value, len) = if let Extent::Spelt(spelling) = field.extent {
            let begin = self.wire.head + self.wire.value.len() - self.rest.len();
            let (text, len) =
                (spelling.read)(self.wire.octets.get(..begin + self.rest.len())?, begin + at)?;
            (FieldValue::Text(text), len)
        } else {
            let (place, len) = option_place(field, self.rest, bit)?;
            (value_at(field, self.rest, &place, self.depth + 1)?, len)
        };
        self.out.push(value);
        let bits = if field.extent.is_bits() {
            bit + u32::from(field.width())
        } else {
            u32::try_from(at + len).ok()?.checked_mul(8)?
        };
        Some(bits)
    }
}

/// Where the value of an option's field lies that begins at bit `bit`, and the bytes that the field
/// takes from there on.
fn option_place(field: &Field, octets: &[u8], bit: u32) -> Option<(FieldPlace, usize)> {
    let at = bit.div_ceil(8) as usize;
    let rest = octets.get(at..)?;
    let (skip, len): (usize, usize) = match field.extent {
        Extent::Bits if matches!(field.width(), 1..=64) => {
            return Some((FieldPlace::Number(Slot::at(bit, field.width())), 0));
        }
        Extent::Bits => (0, usize::from(field.width()) / 8),
        Extent::Sized(size) => (
            size.into(),
            rest.get(..size.into())?
                .iter()
                .fold(0, |len, octet| len << 8 | usize::from(*octet)),
        ),
        Extent::Terminated(end) => (0, rest.iter().position(|octet| *octet == end)? + 1),
        Extent::Found(tell) => (0, tell(rest)?),
        _ => (0, rest.len()),
    };
    let taken = skip.checked_add(len).filter(|taken| *taken <= rest.len())?;
    Some((FieldPlace::Span(at + skip..at + skip + len), taken))
}
