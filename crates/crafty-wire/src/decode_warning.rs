//! What a decoder noticed and went on from: one vocabulary for all layers.

use core::fmt;

/// Something odd about a layer. Places are bytes from the start of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeWarning {
    /// The header is cut off: `have` of `want` bytes are there.
    Truncated {
        /// Bytes that are there.
        have: usize,
        /// Bytes that the header needs.
        want: usize,
    },
    /// The capture kept `have` of the `want` bytes of the frame.
    Snapped {
        /// Bytes that are there.
        have: usize,
        /// Bytes that were on the wire.
        want: usize,
    },
    /// The bytes at `at` contradict the protocol.
    Malformed {
        /// Place.
        at: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// The header length says `said` bytes, which cannot be; the layout follows `used`.
    HeaderLengthLies {
        /// Bytes that the field claims.
        said: usize,
        /// Bytes taken instead.
        used: usize,
    },
    /// A length says `said` bytes where `have` are there; the layout follows `have`.
    LengthLies {
        /// Bytes that the field claims.
        said: usize,
        /// Bytes that are there.
        have: usize,
    },
    /// A length is zero, as segmentation offload and jumbograms leave it; all bytes there are
    /// taken.
    LengthZero,
    /// Bytes after the end of what the layer carries.
    Padding {
        /// Place of the first one.
        at: usize,
        /// How many.
        octets: usize,
    },
    /// An option at `at` claims more bytes than the list has; the rest of the list is raw.
    OptionOverrun {
        /// Place of the option.
        at: usize,
    },
    /// An option at `at` claims less bytes than its own head; the rest of the list is raw.
    OptionTooShort {
        /// Place of the option.
        at: usize,
    },
    /// An option at `at` does not have the form of its kind; it is shown as bytes.
    OptionMisfit {
        /// Place of the option.
        at: usize,
        /// Name of the kind.
        name: &'static str,
    },
    /// The frame ends in its check sequence, from byte `at` on, which is right.
    FrameCheck {
        /// Place of its first byte.
        at: usize,
    },
    /// The layer below names this one, and the bytes cannot be it.
    NotReadable {
        /// Name of the layer.
        name: &'static str,
    },
    /// A checksum of its own, beside that of the layer, is wrong.
    ChecksumWrong {
        /// Place of the checksum.
        at: usize,
        /// What it should be.
        expected: u64,
    },
    /// More layers than a packet may have; the rest is bytes.
    TooDeep,
}

impl fmt::Display for DecodeWarning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DecodeWarning::Truncated { have, want } => {
                write!(out, "truncated: {have} of {want} bytes")
            }
            DecodeWarning::Snapped { have, want } => {
                write!(out, "the capture kept {have} of {want} bytes")
            }
            DecodeWarning::Malformed { at, why } => write!(out, "malformed at byte {at}: {why}"),
            DecodeWarning::HeaderLengthLies { said, used } => write!(
                out,
                "the header length says {said} bytes, which is impossible; read as {used}"
            ),
            DecodeWarning::LengthLies { said, have } => {
                write!(out, "the length says {said} bytes, but there are {have}")
            }
            DecodeWarning::LengthZero => write!(
                out,
                "the length is zero (segmentation offload or a jumbogram)"
            ),
            DecodeWarning::Padding { octets, .. } => write!(out, "{octets} bytes of padding"),
            DecodeWarning::OptionOverrun { at } => {
                write!(
                    out,
                    "the option at byte {at} extends beyond the end of the list"
                )
            }
            DecodeWarning::OptionTooShort { at } => {
                write!(
                    out,
                    "the option at byte {at} is shorter than its own header"
                )
            }
            DecodeWarning::OptionMisfit { at, name } => write!(
                out,
                "the option at byte {at} is not a valid `{name}`; shown as bytes"
            ),
            DecodeWarning::FrameCheck { .. } => {
                write!(out, "the frame ends with a correct check sequence")
            }
            DecodeWarning::NotReadable { name } => {
                write!(out, "these bytes are not a supported form of `{name}`")
            }
            DecodeWarning::ChecksumWrong { at, expected } => write!(
                out,
                "the checksum at byte {at} is wrong; the covered bytes give {expected:#06x}"
            ),
            DecodeWarning::TooDeep => write!(out, "more than 16 layers"),
        }
    }
}
