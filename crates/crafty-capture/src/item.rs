//! What a capture holds: packets, and what is reported beside them.

use crafty_value::{Direction, Time};
use std::net::IpAddr;

/// One thing of a capture, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A packet.
    Packet(Record),
    /// What decrypts packets that follow.
    Secrets(Secrets),
    /// Names of addresses, as whoever captured knew them. At most 65,536 of a block.
    Names(Vec<(IpAddr, String)>),
    /// What an interface received and lost.
    Statistics(Statistics),
    /// An enterprise's own block.
    Custom(Custom),
    /// A block of a type that this reader knows nothing of: passed over.
    Unknown(u32),
}

/// A packet of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Record {
    /// Bytes that were kept.
    pub octets: Vec<u8>,
    /// Bytes that it had on the wire.
    pub wire_len: usize,
    /// When, if the file says so. A simple packet block has no time.
    pub time: Option<Time>,
    /// `LINKTYPE_` number of its interface.
    pub link: u16,
    /// Number of its interface in the file, over all sections.
    pub interface: usize,
    /// Which way it went, if the file says so.
    pub direction: Option<Direction>,
    /// Comments, the first 64.
    pub comments: Vec<String>,
}

/// A decryption secrets block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secrets {
    /// Which kind: one of [`crate::secrets`], or another number of the registry.
    pub kind: u32,
    /// The secrets, in the kind's own form.
    pub octets: Vec<u8>,
}

/// What an interface received and lost, as far as the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Number of the interface in the file, over all sections.
    pub interface: usize,
    /// Packets that it received.
    pub received: Option<u64>,
    /// Packets lost for lack of room.
    pub dropped: Option<u64>,
    /// Packets lost by the system.
    pub os_dropped: Option<u64>,
}

/// A custom block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custom {
    /// Private enterprise number of whoever defines it.
    pub enterprise: u32,
    /// Its content and options, as they are.
    pub octets: Vec<u8>,
    /// Whether it may be copied into another file.
    pub copy: bool,
}
