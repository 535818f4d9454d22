//! What a rule is asked about: a frame, who sends it, what is allowed, what was sent before. Rules
//! only look.

use crate::embedded::embedded;
use crate::flows::{Flows, LocalFlow};
use crate::fragments::Fragments;
use crate::frame::{IpPacket, ParsedFrame};
use crate::resolution::{AddressResolution, Says};
use crate::{Author, ExfiltrationMode, HostAddresses, Policy};
use alloc::collections::BTreeSet;
use core::net::{IpAddr, Ipv6Addr};

/// What was sent and heard so far.
pub(crate) struct GateHistory {
    /// Flows of frames that left.
    pub sent: Flows,
    /// Conversations that peers opened to owned ports.
    pub peers: Flows,
    pub fragments: Fragments,
    pub destinations: BTreeSet<IpAddr>,
    /// Addresses that the program asked for itself, by ARP or ND.
    pub asked: BTreeSet<IpAddr>,
}

/// One frame to judge.
pub(crate) struct CandidateFrame<'a> {
    pub frame: &'a ParsedFrame<'a>,
    /// The frames that it leaves as: itself, or the pieces that it was cut into.
    pub pieces: &'a [&'a [u8]],
    pub resolution: Option<AddressResolution<'a>>,
    pub author: Author,
    pub policy: &'a Policy,
    pub host: &'a HostAddresses,
    pub memory: &'a GateHistory,
}

impl CandidateFrame<'_> {
    /// Packets whose destination is judged: all but neighbour discovery on the link, which has its
    /// own rule.
    pub fn packets(&self) -> impl Iterator<Item = &IpPacket<'_>> {
        self.frame.packets().filter(|_| self.resolution.is_none())
    }

    /// The first for which something holds of all addresses that the frame may reach: destinations,
    /// stops of a routing header, and IPv4 addresses inside of both.
    pub fn find_target(&self, holds: impl Fn(IpAddr) -> bool) -> Option<IpAddr> {
        let inside = |stop| {
            embedded(stop, &self.host.nat64)
                .into_iter()
                .flatten()
                .find(|&address| holds(address))
        };
        let reached = |stop| {
            if holds(stop) {
                Some(stop)
            } else {
                inside(stop)
            }
        };
        self.packets()
            .find_map(|packet| stops(packet).find_map(reached))
    }

    /// Whether a flow goes back to a peer that opened a conversation. Under `none` nothing leaves
    /// because of what was received.
    pub fn answers(&self, flow: &LocalFlow) -> bool {
        self.policy.exfiltration != ExfiltrationMode::None && self.memory.peers.contains(flow)
    }

    /// Whether the program may speak as this address: an own one, or a declared one.
    pub fn speaks_as(&self, address: IpAddr) -> bool {
        speaks_as(self.policy, self.host, address)
    }

    /// Whether a source address is not the host's.
    pub fn is_spoofed(&self) -> bool {
        self.packets()
            .any(|packet| !self.host.is_local(packet.source))
    }

    /// Whether the automatic stacks answer what a neighbour asked.
    pub fn is_answer(&self) -> bool {
        self.is_automatic()
            && self
                .resolution
                .is_some_and(|resolution| resolution.says == Says::Answers)
    }

    /// Whether the automatic stacks send this.
    pub fn is_automatic(&self) -> bool {
        matches!(self.author, Author::Stack | Author::Start)
    }
}

/// See `CandidateFrame::speaks_as`. An own loopback address is one only on the loopback interface.
pub(crate) fn speaks_as(policy: &Policy, host: &HostAddresses, address: IpAddr) -> bool {
    host.owns(address)
        || host.is_local(address) && !address.is_loopback()
        || policy.sources.contains(address)
}

fn stops<'a>(packet: &'a IpPacket<'_>) -> impl Iterator<Item = IpAddr> + 'a {
    let segments = packet
        .segments
        .chunks_exact(16)
        .filter_map(|segment| segment.first_chunk().copied());
    [packet.destination]
        .into_iter()
        .chain(segments.map(|octets| IpAddr::V6(Ipv6Addr::from_octets(octets))))
}
