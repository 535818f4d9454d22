//! Capture files. Reads pcap (micro- and nanoseconds, both byte orders) and pcapng (several sections and interfaces, resolutions,
//! offsets, simple and obsolete packet blocks, comments); writes pcapng. Opens no file itself, invents no time stamp, and needs memory
//! for one block only.
#![forbid(unsafe_code)]

mod pcapng;
mod reader;
mod writer;

pub use pcapng::secrets;
pub use reader::{Reader, read_all};
pub use writer::Writer;

use crafty_value::Time;
use std::fmt;

/// Longest block or packet that is read: more is a damaged file.
pub const MAX_BLOCK: usize = 16 << 20;

/// A packet of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Record {
    /// Octets that were kept.
    pub octets: Vec<u8>,
    /// Octets that it had on the wire.
    pub wire_len: usize,
    /// When, if the file says so. A simple packet block has no time.
    pub time: Option<Time>,
    /// `LINKTYPE_` number of its interface.
    pub link: u16,
    /// Number of its interface in the file, over all sections.
    pub interface: usize,
    /// Which way it went, if the file says so.
    pub direction: Option<Direction>,
    /// Comments.
    pub comments: Vec<String>,
}

/// Which way a packet went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Received.
    Inbound,
    /// Sent.
    Outbound,
}

/// Why a capture could not be read on.
#[derive(Debug)]
pub enum Error {
    /// The source failed.
    Io(std::io::Error),
    /// The octets are no capture, or a damaged one: at which octet, and what was wrong.
    Damaged(u64, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => write!(f, "{error}"),
            Error::Damaged(at, what) => write!(f, "at octet {at}: {what}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::Io(error)
    }
}
