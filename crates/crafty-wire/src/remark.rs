//! What a decoder noticed and went on from: one vocabulary for all layers.

use core::fmt;

/// Something odd about a layer. Places are octets from the start of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The header is cut off: `have` of `want` octets are there.
    Truncated {
        /// Octets that are there.
        have: usize,
        /// Octets that the header needs.
        want: usize,
    },
    /// The capture kept `have` of the `want` octets of the frame.
    Snapped {
        /// Octets that are there.
        have: usize,
        /// Octets that were on the wire.
        want: usize,
    },
    /// The octets at `at` contradict the protocol.
    Malformed {
        /// Place.
        at: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// The header length says `said` octets, which cannot be; the layout follows `used`.
    HeaderLengthLies {
        /// Octets that the field claims.
        said: usize,
        /// Octets taken instead.
        used: usize,
    },
    /// A length says `said` octets where `have` are there; the layout follows `have`.
    LengthLies {
        /// Octets that the field claims.
        said: usize,
        /// Octets that are there.
        have: usize,
    },
    /// A length is zero, as segmentation offload and jumbograms leave it; all octets there are taken.
    LengthZero,
    /// Octets behind the end of what the layer carries.
    Padding {
        /// Place of the first one.
        at: usize,
        /// How many.
        octets: usize,
    },
    /// An option at `at` claims more octets than the list has; the rest of the list is raw.
    OptionOverrun {
        /// Place of the option.
        at: usize,
    },
    /// An option at `at` claims less octets than its own head; the rest of the list is raw.
    OptionTooShort {
        /// Place of the option.
        at: usize,
    },
    /// More layers than a packet may have; the rest is octets.
    TooDeep,
}

impl fmt::Display for Remark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Remark::Truncated { have, want } => write!(out, "truncated: {have} of {want} octets"),
            Remark::Snapped { have, want } => {
                write!(out, "the capture kept {have} of {want} octets")
            }
            Remark::Malformed { at, why } => write!(out, "malformed at octet {at}: {why}"),
            Remark::HeaderLengthLies { said, used } => write!(
                out,
                "header length says {said} octets, which cannot be; read as {used}"
            ),
            Remark::LengthLies { said, have } => {
                write!(out, "length says {said} octets, {have} are there")
            }
            Remark::LengthZero => write!(out, "length is zero (offload or jumbogram)"),
            Remark::Padding { octets, .. } => write!(out, "{octets} octets of padding"),
            Remark::OptionOverrun { at } => {
                write!(out, "option at octet {at} runs over the end of the list")
            }
            Remark::OptionTooShort { at } => {
                write!(out, "option at octet {at} is shorter than its own head")
            }
            Remark::TooDeep => write!(out, "more than 16 layers"),
        }
    }
}
