//! Option lists as tables: kind, length and value, and where in an option's head they lie.

use crate::field::Field;
use crate::slot::Slot;

/// The shape of an option list.
#[derive(Clone, Copy, Debug)]
pub struct Tlv {
    /// The known options.
    pub options: &'static [OptionRow],
    /// Bytes of an option's head, before its value.
    pub head: u8,
    /// Where the kind lies in the head.
    pub kind: Slot,
    /// Where the length lies in the head.
    pub len: Slot,
    /// Whether the length counts the head too.
    pub counts_head: bool,
    /// Bytes in one unit of the length.
    pub unit: u8,
    /// The kind that ends the list: what follows it is padding.
    pub end: Option<u64>,
    /// What fills the list up.
    pub pad: Pad,
    /// The header that ends with this list is a multiple of so many bytes.
    pub align: u8,
    /// Each option takes a multiple of so many bytes; the length does not count what fills it up.
    pub step: u8,
    /// A bit in the head that says that the length has one byte more; [`Slot::NOWHERE`] where there
    /// is none.
    pub wide: Slot,
    /// A number in the head that counts as length too; [`Slot::NOWHERE`] where there is none.
    pub more: Slot,
    /// Bytes in one unit of that number.
    pub more_unit: u8,
    /// Bytes of every option, head included, where `len` is [`Slot::NOWHERE`]: a list of records.
    /// 0: all there are.
    pub size: u16,
    /// Whether an option that comes again continues where the first one ended.
    pub continues: bool,
}

/// What fills an option list up to its alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pad {
    /// This byte, repeated.
    Octet(u8),
    /// `Pad1` for one byte, `PadN` for more (RFC 8200 §4.2).
    PadN,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// Number on the wire.
    pub kind: u64,
    /// Name in the language.
    pub name: &'static str,
    /// The bits of the kind that count; the others are the option's own, in its head.
    pub mask: u64,
    /// What the value begins with, where that tells more of the kind: an organization and its
    /// number.
    pub begins: &'static [u8],
    /// What the value holds.
    pub shape: OptionShape,
    /// Whether its value may have other forms too, which are shown as bytes.
    pub open: bool,
    /// One sentence.
    pub doc: &'static str,
}

impl OptionRow {
    /// Lets these bits of the kind alone tell the option.
    pub const fn masked(self, mask: u64) -> OptionRow {
        OptionRow { mask, ..self }
    }

    /// Says what the value begins with. Such a row is before one of the same kind that takes any
    /// value.
    pub const fn begins(self, begins: &'static [u8]) -> OptionRow {
        OptionRow { begins, ..self }
    }

    /// Says that the value may have other forms too, which are shown as bytes.
    pub const fn or_bytes(self) -> OptionRow {
        OptionRow { open: true, ..self }
    }

    /// The field that the value number `i` belongs to: a repeated group comes again and again.
    pub fn field(&self, i: usize) -> Option<&'static Field> {
        match self.shape {
            OptionShape::Bare => None,
            OptionShape::Fields(fields) => fields.get(i),
            OptionShape::Repeat(once, again) if i >= once.len() => {
                again.get((i - once.len()) % again.len().max(1))
            }
            OptionShape::Repeat(once, _) => once.get(i),
        }
    }
}

impl PartialEq for OptionRow {
    fn eq(&self, other: &OptionRow) -> bool {
        self.kind == other.kind && self.name == other.name
    }
}

/// What an option holds.
#[derive(Clone, Copy, Debug)]
pub enum OptionShape {
    /// One byte: no length, no value.
    Bare,
    /// These fields; the last one may be bytes that take the rest.
    Fields(&'static [Field]),
    /// Some fields once, then a group of fields as often as it fits.
    Repeat(&'static [Field], &'static [Field]),
}

impl OptionShape {
    /// The fields in order, those of a repeated group once.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        let (once, again): (&'static [Field], &'static [Field]) = match *self {
            OptionShape::Bare => (&[], &[]),
            OptionShape::Fields(once) => (once, &[]),
            OptionShape::Repeat(once, again) => (once, again),
        };
        once.iter().chain(again)
    }

    /// Whether the last fields may come again and again.
    pub const fn repeats(&self) -> bool {
        matches!(self, OptionShape::Repeat(..))
    }
}

/// The usual list: kind and length in a byte each, the length counting both.
pub const KIND_LENGTH: Tlv = Tlv {
    options: &[],
    head: 2,
    kind: Slot::at(0, 8),
    len: Slot::at(8, 8),
    counts_head: true,
    unit: 1,
    end: None,
    pad: Pad::Octet(0),
    align: 1,
    step: 1,
    wide: Slot::NOWHERE,
    more: Slot::NOWHERE,
    more_unit: 1,
    size: 0,
    continues: false,
};

/// A list of records of `size` bytes, without kind and length.
pub const fn records(size: u16, options: &'static [OptionRow]) -> Tlv {
    Tlv {
        options,
        head: 0,
        kind: Slot::NOWHERE,
        len: Slot::NOWHERE,
        size,
        ..KIND_LENGTH
    }
}

/// A row of an option table.
pub const fn opt(
    kind: u64,
    name: &'static str,
    shape: OptionShape,
    doc: &'static str,
) -> OptionRow {
    OptionRow {
        kind,
        name,
        mask: u64::MAX,
        begins: &[],
        shape,
        open: false,
        doc,
    }
}

impl Tlv {
    /// The kinds that have no length, as bits, if all of them are below 64 and the list has the
    /// usual heads.
    pub(crate) const fn bare(&self) -> Option<u64> {
        let octets = self.kind.len == 1
            && self.kind.byte == 0
            && self.kind.width == 8
            && self.len.byte == 1
            && self.len.width == 8;
        if !octets
            || self.head != 2
            || !self.counts_head
            || self.unit != 1
            || self.step != 1
            || self.wide.len != 0
        {
            return None;
        }
        let (mut bits, mut i) = (0, 0);
        while i < self.options.len() {
            if matches!(self.options[i].shape, OptionShape::Bare) {
                if self.options[i].kind >= 64 {
                    return None;
                }
                bits |= 1 << self.options[i].kind;
            }
            i += 1;
        }
        Some(bits)
    }

    /// The lengths that its options may have, where their fields tell.
    pub(crate) const fn lengths(&self) -> [OptionLength; 64] {
        let (mut lengths, mut i) = ([OptionLength::ANY; 64], 0);
        while i < self.options.len() {
            let row = &self.options[i];
            if row.kind < 64 {
                lengths[row.kind as usize] = OptionLength::of(row.shape);
            }
            i += 1;
        }
        lengths
    }

    /// The option called `name`.
    pub fn named(&self, name: &str) -> Option<&'static OptionRow> {
        self.options.iter().find(|option| option.name == name)
    }

    /// The row of the option of number `kind` that begins with `octets`.
    pub(crate) fn row(&self, kind: u64, octets: &[u8]) -> Option<&'static OptionRow> {
        let begins = |option: &OptionRow| {
            option.begins.is_empty()
                || octets
                    .get(self.head.into()..)
                    .is_some_and(|value| value.starts_with(option.begins))
        };
        self.options
            .iter()
            .find(|option| option.kind == kind & option.mask && begins(option))
    }
}

/// The lengths that an option with a head of two bytes may have: `least`, or that and a multiple of
/// `step` more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionLength {
    least: u8,
    step: u8,
}

impl OptionLength {
    /// Any: the fields do not tell.
    pub(crate) const ANY: OptionLength = OptionLength { least: 2, step: 1 };

    const fn of(shape: OptionShape) -> OptionLength {
        let (once, again): (&[Field], &[Field]) = match shape {
            OptionShape::Bare => return OptionLength::ANY,
            OptionShape::Fields(once) => (once, &[]),
            OptionShape::Repeat(once, again) => (once, again),
        };
        match (width(once), width(again)) {
            (Some(once), Some(again)) if once <= 253 && again <= 253 => OptionLength {
                least: 2 + once as u8,
                step: again as u8,
            },
            _ => OptionLength::ANY,
        }
    }

    #[inline]
    pub(crate) const fn takes(self, len: u8) -> bool {
        len == self.least
            || (self.step != 0 && len > self.least && (len - self.least).is_multiple_of(self.step))
    }
}

/// Bytes of fields in order; `None` where one has no fixed width.
const fn width(fields: &[Field]) -> Option<u16> {
    let (mut bits, mut i) = (0, 0);
    while i < fields.len() {
        if !fields[i].extent.is_bits() {
            return None;
        }
        bits += fields[i].slot.width;
        i += 1;
    }
    Some(bits.div_ceil(8))
}
