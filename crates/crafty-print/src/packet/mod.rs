//! A packet as text and as JSON: the same facts in the same words, from the tables. Nothing is
//! shown that is not on the wire. All of it is appended to a buffer that the caller uses again and
//! again: what is shown of a packet costs no allocation of its own.

mod digits;
mod json;
mod line;
mod text;

pub use json::{document, layers};
pub use line::{gist, lines, listing, summary};

use crafty_capture::Direction;
use crafty_value::Time;
use crafty_wire::{Auto, ChecksumStatus, Decoded, Field, FieldKind, OptionShape, Tlv};

/// What is known of a packet beside its layers.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketContext<'a> {
    /// Its number, from 1.
    pub index: u64,
    /// When, if known.
    pub time: Option<Time>,
    /// Bytes on the wire.
    pub wire_len: usize,
    /// The interface that saw it, if the file names it.
    pub interface: Option<&'a str>,
    /// Which way it went, if the file says so.
    pub direction: Option<Direction>,
    /// What whoever captured it said of it.
    pub comments: &'a [String],
}

/// What can be said of the checksum of a layer, if it has one.
fn checksum(octets: &[u8], decoded: &Decoded, i: usize) -> Option<ChecksumStatus> {
    let fields = decoded.layers[i].layer.fields;
    let at = fields
        .iter()
        .position(|f| matches!(f.auto, Auto::Checksum(_)))?;
    Some(decoded.checksum(octets, i, at))
}

/// What can be said of a checksum.
pub const STATUS_WORDS: [&str; 5] = ["good", "bad", "absent", "not_computed", "not_verifiable"];

fn status_word(status: ChecksumStatus) -> &'static str {
    let at = match status {
        ChecksumStatus::Good => 0,
        ChecksumStatus::Bad { .. } => 1,
        ChecksumStatus::Absent => 2,
        ChecksumStatus::NotComputed => 3,
        ChecksumStatus::NotVerifiable => 4,
    };
    STATUS_WORDS[at]
}

/// How the value of a field is in JSON. `crafty schema packet` is made from it too.
#[derive(Clone, Copy)]
pub enum JsonForm {
    /// Checksums: `0x`, then digits for the whole width.
    Hexadecimal,
    /// A list of the names of the bits that are set; what has no name as one hexadecimal number.
    Flags(&'static [&'static str]),
    /// A name, or the number where it has none.
    Name(&'static [(u64, &'static str)]),
    /// An address as text, of this format.
    Address(&'static str),
    /// A number.
    Number,
    /// Text with what is not printable ASCII escaped; two hexadecimal digits a byte where it is not
    /// UTF-8.
    Text,
    /// Two hexadecimal digits a byte.
    Octets,
    /// A list of options.
    Options(&'static Tlv),
}

/// How this field's value is in JSON.
pub fn form(field: &Field) -> JsonForm {
    match field.kind {
        _ if matches!(field.auto, Auto::Checksum(_)) => JsonForm::Hexadecimal,
        FieldKind::Flags(names) => JsonForm::Flags(names),
        FieldKind::Named(names) => JsonForm::Name(names),
        FieldKind::Ip4 => JsonForm::Address("ipv4"),
        FieldKind::Ip6 => JsonForm::Address("ipv6"),
        FieldKind::Mac => JsonForm::Address("mac"),
        FieldKind::Uint => JsonForm::Number,
        FieldKind::Text => JsonForm::Text,
        FieldKind::Bytes | FieldKind::Custom(_) => JsonForm::Octets,
        FieldKind::Options(tlv) => JsonForm::Options(tlv),
    }
}

/// The fields of an option that come once, and those of the group that comes again and again.
pub fn parts(shape: OptionShape) -> (&'static [Field], &'static [Field]) {
    match shape {
        OptionShape::Bare => (&[], &[]),
        OptionShape::Fields(once) => (once, &[]),
        OptionShape::Repeat(once, again) => (once, again),
    }
}
