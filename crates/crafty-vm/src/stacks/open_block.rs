//! A driven block that is open: its layers with their values, its counts, what runs above its transport.

use crate::stacks::error::BlockError;
use core::net::IpAddr;
use crafty_apps::Session;
use crafty_lang::ir::StackId;
use crafty_stack::tcp::Config;
use crafty_stack::udp::UdpPeers;
use crafty_value::Duration;
use crafty_wire::{FieldValue, Layer};

/// One layer of an open stack, with its values.
#[derive(Clone, Debug)]
pub(crate) enum BlockLayer {
    Literal(&'static Layer, Vec<(usize, FieldValue)>),
    Ip(IpSettings),
    Udp(PortPair),
    Tcp(PortPair),
}

/// `IP!`.
#[derive(Clone, Debug)]
pub(crate) struct IpSettings {
    pub src: Option<IpAddr>,
    pub dst: Option<IpAddr>,
    pub ttl: i64,
    pub dscp: i64,
    pub df: Option<bool>,
}

/// `UDP!`, `TCP!`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortPair {
    pub src: u16,
    pub dst: Option<u16>,
}

/// An open block.
#[derive(Debug)]
pub(crate) struct OpenBlock {
    pub id: StackId,
    /// Counts the openings of the run.
    pub generation: u64,
    /// Those of its parents first.
    pub pieces: Vec<BlockLayer>,
    pub tcp: Option<TcpSettings>,
    pub path_mtu: usize,
    /// The neighbour that is not known to be there yet.
    pub hop: Option<IpAddr>,
    pub peers: UdpPeers,
    pub counts: BlockCounts,
    /// The layers above its transport.
    pub session: Option<Session>,
    /// Why it broke, until the program is informed.
    pub broken: Option<BlockError>,
}

/// What an open block counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockCounts {
    pub packets_in: i64,
    pub packets_out: i64,
    pub bytes_in: i64,
    pub bytes_out: i64,
    pub fragments_in: i64,
    pub reassembled: i64,
    pub icmp_errors: i64,
}

/// How a `TCP!` block opens its connections.
#[derive(Clone, Debug)]
pub(crate) struct TcpSettings {
    pub config: Config,
    pub isn: Option<u32>,
    pub listen: bool,
    /// How long after it is up nothing is read.
    pub stall: Duration,
}

/// How the connections of a block are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseBy {
    /// What is queued is sent first, then FIN.
    Fin,
    /// At once, with RST.
    Reset,
}
