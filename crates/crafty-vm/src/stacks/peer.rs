//! The peer of a block.

use core::net::IpAddr;
use crafty_lang::ir::StackId;

/// The peer of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockPeer {
    pub stack: StackId,
    pub local: IpAddr,
    pub remote: IpAddr,
    /// The peer's port; 0 where there are none.
    pub port: u16,
    pub connection: Option<ConnectionId>,
}

/// A connection, numbered in the order of opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ConnectionId(pub u64);
