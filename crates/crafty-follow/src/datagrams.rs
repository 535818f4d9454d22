//! Datagrams that passed in fragments.

use crafty_stack::ip::{Datagram, Reassembler};
use crafty_value::Time;
use crafty_wire::{Decoded, LayerRole, Unverifiable};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Datagrams whose fragments' packets are remembered; more than are ever under way.
const MAX_REMEMBERED: usize = 256;
/// Packets that are remembered of a datagram.
const MAX_FRAGMENTS: usize = 256;

/// A datagram, put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReassembledDatagram {
    /// Its bytes from the network header on, as they were before it was cut.
    pub octets: Vec<u8>,
    /// The packets that carried it, in order.
    pub packets: Vec<u64>,
}

/// Puts datagrams together from fragments.
#[derive(Clone, Debug, Default)]
pub struct DatagramAssembler {
    reassembler: Reassembler,
    packets: BTreeMap<DatagramKey, Vec<u64>>,
    now: Time,
}

/// What fragments of a datagram have in common.
type DatagramKey = (IpAddr, IpAddr, u32, u8);

impl DatagramAssembler {
    /// None under way.
    pub fn new() -> DatagramAssembler {
        DatagramAssembler::default()
    }

    /// Takes a packet; gives the datagram that it completes. Time only lets old fragments go.
    pub fn packet(
        &mut self,
        index: u64,
        time: Option<Time>,
        octets: &[u8],
        decoded: &Decoded,
    ) -> Option<ReassembledDatagram> {
        if !decoded
            .layers
            .iter()
            .any(|found| found.partial == Unverifiable::Fragment)
        {
            return None;
        }
        self.now = self.now.max(time.unwrap_or(self.now));
        let (key, fragment) = decoded.layers.iter().find_map(|found| {
            let octets = octets
                .get(found.start..found.end)
                .filter(|_| found.layer.role == LayerRole::Network)?;
            Some((key_of(octets)?, octets))
        })?;
        if self.packets.len() >= MAX_REMEMBERED && !self.packets.contains_key(&key) {
            self.packets.pop_first();
        }
        let packets = self.packets.entry(key).or_default();
        if packets.len() < MAX_FRAGMENTS {
            packets.push(index);
        }
        let whole = self.reassembler.handle_fragment(self.now, fragment)?;
        let mut packets = self.packets.remove(&key).unwrap_or_default();
        packets.dedup();
        Some(ReassembledDatagram {
            octets: whole.octets,
            packets,
        })
    }
}

fn key_of(octets: &[u8]) -> Option<DatagramKey> {
    let datagram = Datagram::parse(octets)?;
    let protocol = if datagram.source.is_ipv4() {
        datagram.protocol
    } else {
        0
    };
    Some((
        datagram.source,
        datagram.destination,
        datagram.piece?.id,
        protocol,
    ))
}
