//! Differences between a program and its recording, as values.

use crafty_value::Time;

/// A difference between a program and the recording that it runs against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// When it showed.
    pub time: Time,
    /// `LINKTYPE_` number of the frames in it.
    pub link: u16,
    /// What the recording has.
    pub expected: Expectation,
    /// The frame that the program sent; none if it ended.
    pub sent: Option<Vec<u8>>,
}

/// What a recording has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// No such conversation.
    NothingOfTheKind,
    /// No more than was sent already in this conversation.
    NothingMore,
    /// These bytes of a TCP stream.
    StreamBytes {
        /// Bytes of the stream before them.
        at: usize,
        /// The first of them, 64 at most.
        bytes: Vec<u8>,
        /// How many there are.
        len: usize,
    },
    /// The end of a TCP stream.
    StreamEnd {
        /// Its length in bytes.
        len: usize,
    },
    /// A packet.
    Packet {
        /// Its number in the capture, from 1.
        index: usize,
        /// The frame.
        bytes: Vec<u8>,
        /// Its length on the wire.
        wire_len: usize,
    },
}
