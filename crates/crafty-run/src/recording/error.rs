//! Why a capture cannot be used as a recording.

use super::{MAX_BYTES, MAX_PACKETS};
use std::fmt;
use std::io;

/// Why a capture cannot be used as a recording.
#[derive(Debug)]
pub enum RecordingError {
    /// Its file cannot be opened.
    Unreadable(io::Error),
    /// It is not a capture, or cannot be read.
    Capture(crafty_capture::CaptureError),
    /// It is longer than [`MAX_BYTES`] or has more than [`MAX_PACKETS`].
    TooLarge,
    /// Nothing in it is between the program's destinations and another host.
    NoConversation,
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::Unreadable(error) => error.fmt(f),
            RecordingError::Capture(error) => error.fmt(f),
            RecordingError::TooLarge => write!(
                f,
                "it has more than {MAX_PACKETS} packets or {} MiB",
                MAX_BYTES >> 20
            ),
            RecordingError::NoConversation => {
                f.write_str("it has no conversation with this program's destinations")
            }
        }
    }
}

impl std::error::Error for RecordingError {}

impl RecordingError {
    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        match self {
            RecordingError::Unreadable(_) | RecordingError::Capture(_) => {
                "give a capture (pcap or pcapng) of one conversation or a few"
            }
            RecordingError::TooLarge => "cut out the part to replay",
            RecordingError::NoConversation => {
                "`crafty from-pcap FILE` lists its conversations; params choose the destination"
            }
        }
    }
}
