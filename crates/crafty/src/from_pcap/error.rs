//! Why a recorded conversation cannot be made into a program.

use std::fmt;

/// Why there is no program of a conversation. The text says it as the end of a sentence that names
/// the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationError {
    /// It is addressed to a multicast group or to all hosts.
    ManyHosts,
    /// There are no programs for its protocol, which is named.
    Protocol(String),
    /// Segments are wanted of the server's side.
    ServerSegments,
    /// The answers to echo requests are wanted.
    EchoServer,
    /// The capture cut a packet; by its number in the capture.
    Cut(usize),
    /// A packet is a fragment, or the capture cut it.
    NotWhole(usize),
    /// Bytes that this side sent before or in a packet are not in the capture.
    Missing(usize),
    /// The program would be longer than programs may be; its length in bytes.
    TooLong(usize),
    /// The program does not check; the message of its first error.
    Invalid(String),
}

impl fmt::Display for ConversationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConversationError::ManyHosts => write!(f, "it is addressed to many hosts"),
            ConversationError::Protocol(name) => write!(
                f,
                "there are programs for TCP, UDP and ICMP echo only, and this is {name}"
            ),
            ConversationError::ServerSegments => {
                write!(f, "`--literal` works for the client's side only")
            }
            ConversationError::EchoServer => write!(
                f,
                "a program cannot send received bytes back, as an answer to an echo request does"
            ),
            ConversationError::Cut(packet) => write!(f, "the capture cut packet {packet}"),
            ConversationError::NotWhole(packet) => {
                write!(f, "packet {packet} is a fragment, or the capture cut it")
            }
            ConversationError::Missing(packet) => write!(
                f,
                "bytes sent in or before packet {packet} are missing from the capture"
            ),
            ConversationError::TooLong(bytes) => write!(
                f,
                "its program would have {} KiB, and at most {} are allowed; cut out a part of the capture",
                bytes >> 10,
                super::MOST >> 10
            ),
            ConversationError::Invalid(message) => {
                write!(f, "its program does not pass `crafty check`: {message}")
            }
        }
    }
}

impl std::error::Error for ConversationError {}
