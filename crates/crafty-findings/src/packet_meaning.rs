//! What a packet means in its flow: the words in which rules read it.

use crafty_value::{Duration, Mac};
use crafty_wire::protocols::tcp::TcpOptions;
use std::net::IpAddr;

/// What a packet means in its flow.
#[derive(Clone, Debug, Default)]
pub struct PacketMeaning {
    /// It is one seen before, with another time to live: it passed two places of the capture.
    pub copy: bool,
    /// It is one seen before: that packet.
    pub duplicate: Option<u64>,
    /// Its bytes were overtaken.
    pub late: Option<Lateness>,
    /// Bytes that it acknowledges and that did not pass here.
    pub unseen: i64,
    /// How many times in a row it acknowledges the same; 0 if it does not.
    pub repeated_ack: u64,
    /// It closes the window of its sender.
    pub zero_window: bool,
    /// Bytes of window that it takes back.
    pub taken_back: u64,
    /// The time to live that its sender had before, if it is another.
    pub ttl_before: Option<u8>,
    /// The service class that its sender had before, if it is another.
    pub dscp_before: Option<u8>,
    /// How long the first byte of an answer took, less the round trip.
    pub first_byte: Option<Duration>,
    /// What differs from the same SYN seen at another place.
    pub rewritten: Vec<String>,
    /// Retransmissions that found no room any more.
    pub judged: Vec<Retransmission>,
}

/// How late bytes came that later ones had overtaken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lateness {
    /// Segments that overtook them.
    pub overtaken: u64,
    /// For how long, where it is known.
    pub by: Duration,
}

/// What a SYN offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SynRecord {
    /// Packets that carried it.
    pub packets: Vec<u64>,
    /// Its options, as they were first seen.
    pub options: TcpOptions,
}

/// Bytes that passed here once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retransmission {
    /// The packet.
    pub index: u64,
    /// Whether it opened the connection.
    pub opening: bool,
    /// Whether it had to be.
    pub verdict: RetransmissionVerdict,
    pub(crate) left: i64,
    pub(crate) right: i64,
    pub(crate) ts: Option<u32>,
    pub(crate) closed: bool,
}

/// Whether bytes had to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetransmissionVerdict {
    /// Nothing seen here tells.
    Untold,
    /// They had not arrived, and this shows it.
    Needed(&'static str),
    /// They had not come as far as this place.
    LostBefore,
    /// They had arrived, and this shows it.
    Needless(&'static str),
}

/// Two stations with one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressConflict {
    /// The address.
    pub address: IpAddr,
    /// Who said it before, and who says it now.
    pub macs: [Mac; 2],
    /// The packet that said it before.
    pub before: u64,
}
