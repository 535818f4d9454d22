//! Capture files. Reads pcap (micro- and nanoseconds, both byte orders) and pcapng (any sections
//! and interfaces, resolutions, offsets; enhanced, simple and obsolete packet blocks, comments,
//! statistics, names, decryption secrets, custom blocks), plain, gzip or zstd; writes pcapng. Opens
//! no file itself, invents no time stamp, and needs memory for only one block.
#![forbid(unsafe_code)]

mod blocks;
mod input;
mod interface;
mod item;
mod order;
mod pcapng;
mod reader;
mod unpack;
mod writer;

#[cfg(test)]
mod tests;

pub use crafty_value::Direction;
pub use item::{Custom, Item, Record, Secrets, Statistics};
pub use pcapng::secrets;
pub use reader::{CaptureReader, is_capture, read_all};
pub use unpack::MOST_WINDOW;
pub use writer::CaptureWriter;

use std::fmt;

/// Longest block or packet that is read: more is a damaged file.
pub const MAX_BLOCK: usize = 16 << 20;

/// Most interfaces that a file may describe: more is a file made to fill memory.
pub const MAX_INTERFACES: usize = 65_536;

/// Why a capture could not be read on.
#[derive(Debug)]
pub enum CaptureError {
    /// The source failed.
    Io(std::io::Error),
    /// The bytes are not a capture, or a damaged one: at which byte (of the unpacked file), and
    /// what was wrong.
    Damaged(u64, String),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureError::Io(error) => write!(f, "{error}"),
            CaptureError::Damaged(at, what) => write!(f, "at byte {at}: {what}"),
        }
    }
}

impl std::error::Error for CaptureError {}

impl From<std::io::Error> for CaptureError {
    fn from(error: std::io::Error) -> CaptureError {
        CaptureError::Io(error)
    }
}
