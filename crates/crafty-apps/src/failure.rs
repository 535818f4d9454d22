//! Why a session did not come up, or broke.

use core::fmt;

/// Who or what is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// What was asked for cannot be said.
    Unsayable,
    /// No answer in time.
    Timeout,
    /// The peer said no.
    Refused,
    /// The peer ended the stream before the answer was whole.
    Closed,
    /// What the peer sent is not what the protocol allows.
    Malformed,
    /// The answer did not fit into a datagram.
    Truncated,
    /// The certificate is not to be trusted, and it was to be.
    Untrusted,
    /// This build lacks the protocol.
    Missing,
}

/// Why, with a sentence that may quote what the peer sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFailure {
    /// Who or what is to blame.
    pub cause: FailureCause,
    /// A sentence.
    pub message: String,
}

impl SessionFailure {
    /// A failure.
    pub fn new(cause: FailureCause, message: impl Into<String>) -> SessionFailure {
        SessionFailure {
            cause,
            message: message.into(),
        }
    }
}

impl fmt::Display for SessionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The beginning of what a peer sent, printable.
pub(crate) fn quoted(octets: &[u8]) -> String {
    const MOST: usize = 40;
    let shown: String = octets
        .iter()
        .take(MOST)
        .flat_map(|octet| octet.escape_ascii())
        .map(char::from)
        .collect();
    if octets.len() > MOST {
        format!("`{shown}…`")
    } else {
        format!("`{shown}`")
    }
}
