//! What a field is: a row of a layer's table. Nothing here touches a packet.

use alloc::string::String;
use alloc::vec::Vec;

use crate::auto::{Auto, Of};
use crate::codec::Header;
use crate::layout::Measure;
use crate::slot::Slot;
use crate::tlv::Tlv;
use crate::value::FieldValue;

/// One field of a layer.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name in the language.
    pub name: &'static str,
    /// What its value is.
    pub kind: FieldKind,
    /// How it is filled when a program leaves it unset.
    pub auto: Auto,
    /// One sentence.
    pub doc: &'static str,
    /// Whether a number is taken modulo the width (sequence numbers, identifications, time stamps).
    pub modular: bool,
    /// Whether the number is signed, in two's complement of its width.
    pub signed: bool,
    /// In which headers it is present.
    pub when: When,
    /// How long it is.
    pub extent: Extent,
    /// In which part of the layer it lies.
    pub part: Part,
    /// Its place, derived by `layout`; for one that `moves` only the width counts.
    pub slot: Slot,
    /// Whether its place depends on optional or variable parts before it; derived.
    pub moves: bool,
    pub(crate) gate: Slot,
    pub(crate) gate_mask: u64,
    pub(crate) count: Measure,
}

/// What the value of a field is.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// A number.
    Uint,
    /// A number some values of which have names; an unnamed one is still a value.
    Named(&'static [(u64, &'static str)]),
    /// A set of named bits, the highest first.
    Flags(&'static [&'static str]),
    /// An IPv4 address, as a number.
    Ip4,
    /// An IPv6 address, as a wide number.
    Ip6,
    /// A link address of 48 bits, as a number.
    Mac,
    /// Bytes; width 0 means a variable length.
    Bytes,
    /// Text.
    Text,
    /// A list of options.
    Options(&'static Tlv),
    /// Bytes with a structure that tables do not tell; its parts are fields of [`Part::View`].
    Custom(&'static Codec),
}

/// In which headers a field is present.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// In all.
    Always,
    /// Where the field has one of these values: several meanings of one place.
    In(&'static str, &'static [u64]),
    /// Where the field has none of these values.
    NotIn(&'static str, &'static [u64]),
    /// Where the field has this bit (by its name; `""` is any bit): optional parts.
    Has(&'static str, &'static str),
}

/// How long a field is.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// As its width says.
    Bits,
    /// Up to the end that the header length gives.
    Header,
    /// Up to the end of the layer.
    Layer,
    /// As the field called so says by its [`Auto::Length`].
    Counted(&'static str),
    /// Up to and without this byte, which is on the wire too.
    Terminated(u8),
    /// As the bytes from the field on tell (numbers that give their own size, heads of text
    /// protocols); `None`: they are cut off.
    Found(fn(&[u8]) -> Option<usize>),
    /// As a number of so many bytes before it says, which belongs to the field; in options only.
    Sized(u8),
    /// As its notation says; in a header up to the end of the layer.
    Spelt(&'static Spelling),
}

/// In which part of a layer a field lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Before what the layer carries.
    Header,
    /// Behind what the layer carries.
    Trailer,
    /// In the bytes of the layer's [`FieldKind::Custom`] field, which it helps to read and to build.
    View,
    /// In the head of an option, beside kind and length.
    Head,
}

/// Gives the value of the view called so, from the bytes of the whole header.
pub type ReadView = fn(&[u8], &str) -> Option<FieldValue>;

/// Gives the text, and the bytes that it takes, from bytes and the place of the first one.
pub type ReadText = fn(&[u8], usize) -> Option<(String, usize)>;

/// Reads and builds a structure that tables cannot tell: the exception.
pub struct Codec {
    /// One sentence.
    pub about: &'static str,
    /// The value of the view called so, from the bytes of the whole header.
    pub read: ReadView,
    /// Appends the bytes that the views set in a header ask for; the header so far begins at the
    /// index, and may be completed where the program left it unset.
    pub write: fn(&Header, usize, &mut Vec<u8>),
}

impl core::fmt::Debug for Codec {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str(self.about)
    }
}

/// A notation for bytes: prefixes, names, object identifiers, and lists of them, as text.
pub struct Spelling {
    /// A text that is written and read as it is.
    pub example: &'static str,
    /// The text, and bytes that it takes, from the bytes of an option (or of the field) and the
    /// place of the field in them.
    pub read: ReadText,
    /// Appends the bytes of a text, leaving out invalid parts; the option (or the field) so far
    /// begins at the index.
    pub write: fn(&str, usize, &mut Vec<u8>),
}

impl core::fmt::Debug for Spelling {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str(self.example)
    }
}

impl Extent {
    /// Whether the width says how long it is.
    pub const fn is_bits(&self) -> bool {
        matches!(self, Extent::Bits)
    }
}

const fn field(name: &'static str, width: u16, kind: FieldKind) -> Field {
    let slot = Slot {
        width,
        ..Slot::NOWHERE
    };
    Field {
        name,
        kind,
        auto: Auto::Default(0),
        doc: "",
        modular: false,
        signed: false,
        when: When::Always,
        extent: Extent::Bits,
        part: Part::Header,
        slot,
        moves: false,
        gate: Slot::NOWHERE,
        gate_mask: 0,
        count: Measure::NONE,
    }
}

/// A number of `width` bits, at most 64.
pub const fn uint(name: &'static str, width: u16) -> Field {
    field(name, width, FieldKind::Uint)
}

/// A number of `width` bits with names.
pub const fn named(name: &'static str, width: u16, names: &'static [(u64, &'static str)]) -> Field {
    field(name, width, FieldKind::Named(names))
}

/// A set of bits, the highest first; one bit for each name.
pub const fn flags(name: &'static str, bits: &'static [&'static str]) -> Field {
    field(name, bits.len() as u16, FieldKind::Flags(bits))
}

/// An IPv4 address.
pub const fn ip4(name: &'static str) -> Field {
    field(name, 32, FieldKind::Ip4)
}

/// An IPv6 address.
pub const fn ip6(name: &'static str) -> Field {
    field(name, 128, FieldKind::Ip6)
}

/// A link address of six bytes.
pub const fn mac(name: &'static str) -> Field {
    field(name, 48, FieldKind::Mac)
}

/// Exactly `count` bytes.
pub const fn octets(name: &'static str, count: u16) -> Field {
    field(name, count * 8, FieldKind::Bytes)
}

/// Bytes up to the end of the layer, or of the option.
pub const fn bytes(name: &'static str) -> Field {
    field(name, 0, FieldKind::Bytes).extent(Extent::Layer)
}

/// Text up to the end of the layer, or of the option.
pub const fn text(name: &'static str) -> Field {
    field(name, 0, FieldKind::Text).extent(Extent::Layer)
}

/// Text in a notation of its own.
pub const fn spelt(name: &'static str, spelling: &'static Spelling) -> Field {
    field(name, 0, FieldKind::Text).extent(Extent::Spelt(spelling))
}

/// Options up to the end of the header.
pub const fn options(name: &'static str, tlv: &'static Tlv) -> Field {
    field(name, 0, FieldKind::Options(tlv)).extent(Extent::Header)
}

/// Bytes up to the end of the layer with a structure of their own.
pub const fn custom(name: &'static str, codec: &'static Codec) -> Field {
    field(name, 0, FieldKind::Custom(codec)).extent(Extent::Layer)
}

/// Length of the header in units of `unit` bytes, `less` units less.
pub const fn header_len(unit: u16, less: u16) -> Auto {
    Auto::Length {
        of: Of::Header,
        unit,
        add: -((unit * less) as i16),
    }
}

/// Length of header and payload in bytes.
pub const fn total_len() -> Auto {
    Auto::Length {
        of: Of::Total,
        unit: 1,
        add: 0,
    }
}

/// Length of the payload in bytes.
pub const fn payload_len() -> Auto {
    Auto::Length {
        of: Of::Payload,
        unit: 1,
        add: 0,
    }
}

impl Field {
    /// Sets the number it takes when unset.
    pub const fn default(self, value: u64) -> Field {
        Field {
            auto: Auto::Default(value),
            ..self
        }
    }

    /// Says how it is computed when unset.
    pub const fn computed(self, auto: Auto) -> Field {
        Field { auto, ..self }
    }

    /// Says in a sentence what it is.
    pub const fn doc(self, doc: &'static str) -> Field {
        Field { doc, ..self }
    }

    /// Takes values modulo its width.
    pub const fn modular(self) -> Field {
        Field {
            modular: true,
            ..self
        }
    }

    /// Takes numbers in two's complement.
    pub const fn signed(self) -> Field {
        Field {
            signed: true,
            ..self
        }
    }

    /// The number that the bits of a signed field stand for.
    pub const fn signed_value(&self, bits: u64) -> i64 {
        let unused = 64u32.saturating_sub(self.width() as u32);
        (bits << unused).cast_signed() >> unused
    }

    /// Says in which headers it is present.
    pub const fn when(self, when: When) -> Field {
        Field { when, ..self }
    }

    /// Says how long it is.
    pub const fn extent(self, extent: Extent) -> Field {
        Field { extent, ..self }
    }

    /// Puts it behind the payload.
    pub const fn trailer(self) -> Field {
        Field {
            part: Part::Trailer,
            ..self
        }
    }

    /// Puts it at bit `bit` of the head of an option; such a field is behind those of the value.
    pub const fn in_head(self, bit: u32) -> Field {
        Field {
            part: Part::Head,
            slot: Slot::at(bit, self.slot.width),
            ..self
        }
    }

    /// Makes it a view of the layer's custom field.
    pub const fn view(self) -> Field {
        Field {
            part: Part::View,
            ..self
        }
    }

    /// Width in bits; 0 is a variable length.
    pub const fn width(&self) -> u16 {
        self.slot.width
    }

    /// The number of the value or flag called `name`; of a flag its bit.
    pub fn named(&self, name: &str) -> Option<u64> {
        match self.kind {
            FieldKind::Named(names) => names.iter().find(|row| row.1 == name).map(|row| row.0),
            FieldKind::Flags(bits) => bits
                .iter()
                .rev()
                .position(|bit| *bit == name)
                .map(|shift| 1 << shift),
            _ => None,
        }
    }

    /// The name of the number `value`; `None` if it has none, or shares its number with another
    /// name.
    pub fn name_of(&self, value: u64) -> Option<&'static str> {
        let FieldKind::Named(names) = self.kind else {
            return None;
        };
        let mut found = names.iter().filter(|row| row.0 == value);
        let name = found.next()?.1;
        found.next().is_none().then_some(name)
    }

    /// Whether it is present in this header, as far as the header goes.
    #[inline]
    pub fn present(&self, header: &[u8]) -> bool {
        match self.when {
            When::Always => true,
            When::In(_, values) => self
                .gate
                .get(header)
                .is_some_and(|value| values.contains(&value)),
            When::NotIn(_, values) => self
                .gate
                .get(header)
                .is_some_and(|value| !values.contains(&value)),
            When::Has(..) => self
                .gate
                .get(header)
                .is_some_and(|value| value & self.gate_mask != 0),
        }
    }
}

pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
