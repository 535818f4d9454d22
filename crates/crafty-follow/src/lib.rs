//! Streams and datagrams of other hosts, reassembled from captured packets. It is passive: it never
//! sends, has no clock, and uses bounded memory whatever is captured: what is discarded is counted,
//! what is missing is reported.
//!
//! A stream is followed if its ports, or the caller, say which layer its messages belong to. Bytes
//! are processed in the order of their sequence numbers; if two differ at the same position, the
//! first counts, and a warning is given.
#![forbid(unsafe_code)]

mod datagrams;
mod early;
mod flows;
mod handshakes;
mod initials;
mod messages;
mod side;

#[cfg(test)]
mod tests;

pub use datagrams::{DatagramAssembler, ReassembledDatagram};
pub use flows::{Follower, MAX_BYTES, MAX_FLOWS};
pub use initials::{InitialOpener, InitialPacket, MAX_CONNECTIONS, QuicHandshake};
pub use messages::{MAX_PACKETS, PartialMessage, StreamMessage};

use std::fmt;

/// What a packet's data mean in their stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// Number of the connection, from 1.
    pub stream: u64,
    /// Position of the packet's layer that carries the data.
    pub layer: usize,
    /// Place in the stream of the first byte; negative for what lies before all that was seen.
    pub from: i64,
    /// The messages that this packet completed.
    pub messages: Vec<StreamMessage>,
    /// Messages of TLS's handshake that end in one of them, and began in a record before it.
    pub handshakes: Vec<StreamMessage>,
    /// The message that continues with the next packets.
    pub part: Option<PartialMessage>,
    /// What is to be told besides.
    pub warnings: Vec<StreamWarning>,
    /// Whether the bytes told the layer of the stream, and not the ports.
    pub by_content: bool,
    /// Whether the packet's own layers say all: it holds whole messages and nothing else.
    pub alone: bool,
}

/// A warning about a packet in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamWarning {
    /// So many bytes before it are still missing; it is kept until they have.
    Early {
        /// How many.
        missing: u64,
    },
    /// All its bytes have passed before.
    Again,
    /// Bytes differ from those that passed before at their place; the first count.
    Differs {
        /// How many.
        octets: u64,
    },
    /// Bytes before it were never seen.
    Missing {
        /// How many.
        octets: u64,
    },
    /// A message that never ends.
    Incomplete(PartialMessage),
    /// Where messages begin is not known: the beginning or a piece of the stream was not seen.
    Unaligned,
    /// This is not a message of the layer that the ports promise.
    Foreign {
        /// Name of the layer.
        layer: &'static str,
    },
    /// The sequence number is far from all that was seen.
    Alien,
}

impl StreamWarning {
    /// Whether messages go on behind it as if nothing had been.
    fn keeps_order(&self) -> bool {
        matches!(
            self,
            StreamWarning::Early { .. }
                | StreamWarning::Again
                | StreamWarning::Differs { .. }
                | StreamWarning::Alien
        )
    }
}

impl fmt::Display for StreamWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamWarning::Early { missing } => {
                write!(f, "early: {missing} bytes before it are still missing")
            }
            StreamWarning::Again => write!(f, "these bytes were seen before"),
            StreamWarning::Differs { octets } => write!(
                f,
                "{octets} bytes differ from those seen before at the same position"
            ),
            StreamWarning::Missing { octets } => {
                write!(f, "{octets} bytes before it were not seen")
            }
            StreamWarning::Incomplete(part) => write!(f, "{part} never ends"),
            StreamWarning::Unaligned => write!(f, "the start of a message is unknown"),
            StreamWarning::Foreign { layer } => write!(f, "not {layer}, despite its port"),
            StreamWarning::Alien => write!(f, "its sequence number is far outside the stream"),
        }
    }
}
