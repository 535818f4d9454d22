//! Which way a packet went, seen from the machine that captured it.

/// Which way a packet went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Received.
    Inbound,
    /// Sent; its checksums may be left to the adapter.
    Outbound,
}

impl Direction {
    /// `in` or `out`.
    pub fn word(self) -> &'static str {
        match self {
            Direction::Inbound => "in",
            Direction::Outbound => "out",
        }
    }
}
