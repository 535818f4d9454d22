//! Errors that a program can meet.

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// An index or slice outside.
    Index,
    /// A value that does not fit.
    Range,
    /// Beyond 64 bits.
    Overflow,
    /// By zero.
    Divide,
    /// A field or layer that this packet lacks.
    Absent,
    /// A packet that was not sent, so it has no time.
    NotSent,
    /// Statistics of nothing.
    Empty,
    /// No route to the destination.
    NoRoute,
    /// The neighbour does not answer.
    NoNeighbour,
    /// Reset while opening.
    Refused,
    /// Not in time.
    Timeout,
    /// An ICMP error while opening.
    Unreachable,
    /// Reset by the peer.
    Reset,
    /// Closed by the peer.
    Closed,
    /// In use, or too much unsent.
    Busy,
    /// Not what the protocol allows.
    Malformed,
    /// The answer did not fit into a datagram.
    Truncated,
    /// A certificate that is not to be trusted.
    Untrusted,
    /// `max_duration` is over.
    Deadline,
}

impl ErrorKind {
    /// All kinds with the words that `e.kind` gives; value errors first, then stack errors, then
    /// the deadline.
    pub const ALL: &'static [(ErrorKind, &'static str)] = &[
        (ErrorKind::Index, "index"),
        (ErrorKind::Range, "range"),
        (ErrorKind::Overflow, "overflow"),
        (ErrorKind::Divide, "divide"),
        (ErrorKind::Absent, "absent"),
        (ErrorKind::NotSent, "not_sent"),
        (ErrorKind::Empty, "empty"),
        (ErrorKind::NoRoute, "no_route"),
        (ErrorKind::NoNeighbour, "no_neighbour"),
        (ErrorKind::Refused, "refused"),
        (ErrorKind::Timeout, "timeout"),
        (ErrorKind::Unreachable, "unreachable"),
        (ErrorKind::Reset, "reset"),
        (ErrorKind::Closed, "closed"),
        (ErrorKind::Busy, "busy"),
        (ErrorKind::Malformed, "malformed"),
        (ErrorKind::Truncated, "truncated"),
        (ErrorKind::Untrusted, "untrusted"),
        (ErrorKind::Deadline, "deadline"),
    ];

    /// The word.
    pub fn word(self) -> &'static str {
        ErrorKind::ALL[self as usize].1
    }

    /// Whether it is a value error, which ends its block.
    pub fn is_value_error(self) -> bool {
        self <= ErrorKind::Empty
    }
}
