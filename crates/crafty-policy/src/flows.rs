//! Who talked with whom: a cache of bounded size. What it forgets is refused, never allowed.

use crate::frame::{ICMP, ICMP6, IpPacket, Quote, TCP, TransportHeader, UDP};
use alloc::vec;
use alloc::vec::Vec;
use core::net::IpAddr;

/// Slots of one set of the cache.
const WAYS: usize = 8;

/// A conversation, seen from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalFlow {
    pub protocol: u8,
    pub local: IpAddr,
    pub remote: IpAddr,
    /// Local and remote port; an echo's identifier and zero; zeros for other protocols.
    pub ports: (u16, u16),
}

impl LocalFlow {
    /// The flow of a packet that leaves.
    pub fn sent(packet: &IpPacket) -> LocalFlow {
        LocalFlow {
            protocol: packet.protocol,
            local: packet.source,
            remote: packet.destination,
            ports: ports(packet),
        }
    }

    /// The flow of a packet that was received.
    pub fn received(packet: &IpPacket) -> LocalFlow {
        let (source, destination) = ports(packet);
        LocalFlow {
            protocol: packet.protocol,
            local: packet.destination,
            remote: packet.source,
            ports: (destination, source),
        }
    }

    /// The flow of a quoted packet that left from here.
    pub fn quoted_sent(quote: &Quote) -> LocalFlow {
        LocalFlow {
            protocol: quote.protocol,
            local: quote.source,
            remote: quote.destination,
            ports: quote.ports,
        }
    }

    /// The flow of a quoted packet that came from there.
    pub fn quoted_received(quote: &Quote) -> LocalFlow {
        let ports = if is_echo(quote.protocol) {
            quote.ports
        } else {
            (quote.ports.1, quote.ports.0)
        };
        LocalFlow {
            protocol: quote.protocol,
            local: quote.destination,
            remote: quote.source,
            ports,
        }
    }

    fn set(&self, sets: usize) -> usize {
        let number = |address| match address {
            IpAddr::V4(a) => u128::from(a.to_bits()),
            IpAddr::V6(a) => a.to_bits(),
        };
        let (local, remote) = (number(self.local), number(self.remote));
        let ports =
            u64::from(self.ports.0) << 32 | u64::from(self.ports.1) << 8 | u64::from(self.protocol);
        let folded = (local ^ local >> 64 ^ (remote ^ remote >> 64).rotate_left(17)) as u64 ^ ports;
        // The multiplier of Fibonacci hashing spreads what differs in few bits.
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % sets
    }
}

fn ports(packet: &IpPacket) -> (u16, u16) {
    match packet.transport {
        TransportHeader::Tcp {
            source,
            destination,
            ..
        }
        | TransportHeader::Udp {
            source,
            destination,
        } => (source, destination),
        TransportHeader::Icmp { id, .. } => (id, 0),
        TransportHeader::Other | TransportHeader::Hidden => (0, 0),
    }
}

fn is_echo(protocol: u8) -> bool {
    matches!(protocol, ICMP | ICMP6)
}

/// The local port set that a protocol's flows are owned by.
pub(crate) fn owned(ports: &crate::Ports, flow: &LocalFlow) -> bool {
    match flow.protocol {
        TCP => ports.tcp.contains(flow.ports.0),
        UDP => ports.udp.contains(flow.ports.0),
        ICMP | ICMP6 => ports.icmp.contains(flow.ports.0),
        _ => false,
    }
}

/// A set-associative cache of flows: in a full set the oldest goes.
pub(crate) struct Flows {
    sets: Vec<Set>,
}

#[derive(Clone)]
struct Set {
    slots: [Option<LocalFlow>; WAYS],
    oldest: usize,
}

impl Flows {
    /// Room for `flows`, taken at once.
    pub fn new(flows: usize) -> Flows {
        Flows {
            sets: vec![
                Set {
                    slots: [None; WAYS],
                    oldest: 0
                };
                flows.div_ceil(WAYS).max(1)
            ],
        }
    }

    pub fn contains(&self, flow: &LocalFlow) -> bool {
        self.sets[flow.set(self.sets.len())]
            .slots
            .contains(&Some(*flow))
    }

    pub fn insert(&mut self, flow: LocalFlow) {
        let at = flow.set(self.sets.len());
        let set = &mut self.sets[at];
        if !set.slots.contains(&Some(flow)) {
            set.slots[set.oldest] = Some(flow);
            set.oldest = (set.oldest + 1) % WAYS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    /// A flow that differs from another in one thing, by a number and addresses made of it.
    type Differing = fn(LocalFlow, u32, [IpAddr; 2]) -> LocalFlow;

    /// Flows that differ in one thing alone, whatever it is, fall into many sets: else a few of them
    /// would push each other out.
    #[test]
    fn flows_that_differ_in_one_thing_spread() {
        const FLOWS: u32 = 1_024;
        let v4 = |n: u32| IpAddr::from((0x0a00_0000 + n).to_be_bytes());
        let v6 = |n: u32| IpAddr::from((u128::from(n) << 64 | 1).to_be_bytes());
        let flow = LocalFlow {
            protocol: UDP,
            local: v4(1),
            remote: v4(2),
            ports: (40_000, 53),
        };
        let differing: [Differing; 6] = [
            |flow, _, [v4, _]| LocalFlow { local: v4, ..flow },
            |flow, _, [v4, _]| LocalFlow { remote: v4, ..flow },
            |flow, _, [_, v6]| LocalFlow { local: v6, ..flow },
            |flow, _, [_, v6]| LocalFlow { remote: v6, ..flow },
            |flow, n, _| LocalFlow {
                ports: (n as u16, 53),
                ..flow
            },
            |flow, n, _| LocalFlow {
                ports: (40_000, n as u16),
                ..flow
            },
        ];
        for (at, differing) in differing.iter().enumerate() {
            let sets: BTreeSet<usize> = (0..FLOWS)
                .map(|n| differing(flow, n, [v4(n), v6(n)]).set(FLOWS as usize))
                .collect();
            assert!(sets.len() > FLOWS as usize / 2, "{at}: {}", sets.len());
        }
        let protocol = |protocol| LocalFlow { protocol, ..flow }.set(FLOWS as usize);
        assert_ne!(protocol(TCP), protocol(UDP));
        let turned = LocalFlow {
            local: v4(2),
            remote: v4(1),
            ..flow
        };
        assert_ne!(
            turned.set(FLOWS as usize),
            flow.set(FLOWS as usize),
            "each way its own"
        );
    }
}
