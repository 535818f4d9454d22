//! What identifies a flow.

use std::net::SocketAddr;

/// Protocol and both ends, the lower end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FlowKey {
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    pub ends: [SocketAddr; 2],
}

impl FlowKey {
    pub fn new(protocol: &'static str, a: SocketAddr, b: SocketAddr) -> FlowKey {
        FlowKey {
            protocol,
            ends: if a <= b { [a, b] } else { [b, a] },
        }
    }

    /// The side that sends from there.
    pub fn side(&self, source: SocketAddr) -> usize {
        usize::from(self.ends[0] != source)
    }
}
