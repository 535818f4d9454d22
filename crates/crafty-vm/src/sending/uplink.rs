//! The interface of a run: what its frames begin with, routes and neighbours, the gate, and the counts that frames to its peers carry.

use crate::sending::outbox::OutgoingFrame;
use core::net::IpAddr;

/// A frame that waits for its neighbour's address.
#[derive(Debug)]
pub(crate) struct FrameAwaitingNeighbour {
    pub hop: IpAddr,
    pub ready: OutgoingFrame,
}
