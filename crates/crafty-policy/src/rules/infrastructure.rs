//! Protocols that keep a network together.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::frame::{Foreign, ICMP, ICMP6, IpPacket, ParsedFrame, TCP, TransportHeader, UDP};
use crate::resolution::{AddressResolution, Says};
use crate::{Power, Reason, RefusalReason, Subject};
use core::net::IpAddr;

pub(super) static RULE: GateRule = GateRule {
    name: "infrastructure",
    doc: "ARP, ND, DHCP, routing and spanning-tree protocols need the power `infrastructure`; the automatic stacks may resolve next hops and answer for the program's addresses. ARP and ND claim only the host's own or declared addresses",
    judge,
};

static INFRASTRUCTURE: RefusalReason = denied(
    "infrastructure",
    "the frame is {}",
    "add `infrastructure` to `powers` in PERMISSIONS",
);

static SENDER: RefusalReason = denied(
    "resolution_sender",
    "ARP or ND claims `{}`, which is neither the host's nor declared",
    "add {} to `sources` in PERMISSIONS",
);

static SENDER_MAC: RefusalReason = denied(
    "resolution_mac",
    "ARP or ND announces the link address `{}`, which is not the host's",
    "add `link` to `powers` in PERMISSIONS",
);

static ETHER_TYPES: &[(u16, &str)] = &[
    (0x0806, "ARP"),
    (0x8035, "RARP"),
    (0x8808, "Ethernet flow control"),
    (0x8809, "a slow protocol (LACP, OAM)"),
    (0x8863, "PPPoE discovery"),
    (0x888e, "EAPOL"),
    (0x88cc, "LLDP"),
    (0x88f5, "MVRP"),
    (0x88f6, "MMRP"),
    (0x8902, "CFM"),
    (0x9000, "an Ethernet loopback test"),
];

static PROTOCOLS: &[(u8, &str)] = &[
    (2, "IGMP"),
    (8, "EGP"),
    (9, "IGRP"),
    (46, "RSVP"),
    (88, "EIGRP"),
    (89, "OSPF"),
    (103, "PIM"),
    (112, "VRRP"),
    (124, "IS-IS"),
];

/// By either port: servers answer from theirs.
static PORTS: &[(u8, u16, &str)] = &[
    (UDP, 67, "DHCP"),
    (UDP, 68, "DHCP"),
    (TCP, 179, "BGP"),
    (UDP, 269, "a routing protocol of mobile networks"),
    (UDP, 520, "RIP"),
    (UDP, 521, "RIPng"),
    (UDP, 546, "DHCPv6"),
    (UDP, 547, "DHCPv6"),
    (TCP, 639, "MSDP"),
    (TCP, 646, "LDP"),
    (UDP, 646, "LDP"),
    (UDP, 654, "AODV"),
    (UDP, 698, "OLSR"),
    (UDP, 1985, "HSRP"),
    (UDP, 2029, "HSRP"),
    (UDP, 3222, "GLBP"),
    (UDP, 3784, "BFD"),
    (UDP, 3785, "BFD"),
    (UDP, 4784, "BFD"),
    (UDP, 6696, "Babel"),
    (UDP, 6784, "BFD"),
    (UDP, 7784, "BFD"),
];

static ICMP_TYPES: &[(u8, u8, &str)] = &[
    (ICMP, 9, "a router advertisement"),
    (ICMP, 10, "a router solicitation"),
    (ICMP6, 130, "MLD"),
    (ICMP6, 131, "MLD"),
    (ICMP6, 132, "MLD"),
    (ICMP6, 133, "a router solicitation"),
    (ICMP6, 134, "a router advertisement"),
    (ICMP6, 135, "a neighbour solicitation"),
    (ICMP6, 136, "a neighbour advertisement"),
    (ICMP6, 138, "router renumbering"),
    (ICMP6, 141, "inverse ND"),
    (ICMP6, 142, "inverse ND"),
    (ICMP6, 143, "MLD"),
    (ICMP6, 148, "secure ND"),
    (ICMP6, 149, "secure ND"),
    (ICMP6, 151, "multicast router discovery"),
    (ICMP6, 152, "multicast router discovery"),
    (ICMP6, 153, "multicast router discovery"),
    (ICMP6, 155, "RPL"),
];

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    let Some(name) = class(case.frame) else {
        return Ok(());
    };
    AddressResolution::all(case.frame)
        .try_for_each(|resolution| check_sender(case, &resolution))?;
    if is_automatic(case) || case.policy.powers.has(Power::Infrastructure) {
        Ok(())
    } else {
        refuse(&INFRASTRUCTURE, Subject::Text(name))
    }
}

/// Which of these protocols a frame speaks, at any depth.
fn class(frame: &ParsedFrame) -> Option<&'static str> {
    let foreign = frame.foreign.and_then(foreign);
    foreign
        .or(frame.arp.map(|_| "ARP"))
        .or_else(|| frame.packets().find_map(packet_class))
}

/// Link-layer protocols by EtherType; spanning tree and IS-IS by LLC; all SNAP frames of makers.
pub(super) fn foreign(what: Foreign) -> Option<&'static str> {
    match what {
        Foreign::EtherType(number) => ETHER_TYPES
            .iter()
            .find(|row| row.0 == number)
            .map(|row| row.1),
        Foreign::Llc(0x42) => Some("STP"),
        Foreign::Llc(0xfe) => Some("IS-IS"),
        Foreign::Snap(_) => Some("a vendor's discovery or trunk protocol"),
        Foreign::Llc(_) => None,
    }
}

/// Whether a transport is one of these protocols.
pub(super) fn protocol(number: u8) -> Option<&'static str> {
    PROTOCOLS
        .iter()
        .find(|row| row.0 == number)
        .map(|row| row.1)
}

/// Whether a UDP port belongs to one of these protocols.
pub(super) fn is_udp_port(port: u16) -> bool {
    PORTS.iter().any(|row| (row.0, row.1) == (UDP, port))
}

fn packet_class(packet: &IpPacket) -> Option<&'static str> {
    let row = |rows: &[(u8, u16, &'static str)], port| {
        rows.iter()
            .find(|row| (row.0, row.1) == (packet.protocol, port))
            .map(|row| row.2)
    };
    match packet.transport {
        TransportHeader::Tcp {
            source,
            destination,
            ..
        }
        | TransportHeader::Udp {
            source,
            destination,
        } => row(PORTS, destination).or_else(|| row(PORTS, source)),
        TransportHeader::Icmp { kind, .. } => ICMP_TYPES
            .iter()
            .find(|row| (row.0, row.1) == (packet.protocol, kind))
            .map(|row| row.2),
        TransportHeader::Other | TransportHeader::Hidden => protocol(packet.protocol),
    }
}

/// ARP and ND speak for an own or declared address, or for none yet (RFC 5227 §1.1, RFC 4862
/// §5.4.2).
fn check_sender(case: &CandidateFrame, resolution: &AddressResolution) -> Result<(), Reason> {
    let foreign = |address: &IpAddr| !address.is_unspecified() && !case.speaks_as(*address);
    if let Some(address) = [resolution.sender, resolution.source]
        .into_iter()
        .find(foreign)
    {
        return refuse(&SENDER, Subject::Address(address));
    }
    let mut macs = resolution.macs();
    match macs.find(|mac| !case.host.macs.contains(mac) && !case.policy.powers.has(Power::Link)) {
        Some(mac) => refuse(&SENDER_MAC, Subject::Mac(mac)),
        None => Ok(()),
    }
}

/// Whether the automatic stacks resolve or answer here, which needs no power.
pub(super) fn is_automatic(case: &CandidateFrame) -> bool {
    case.is_automatic()
        && case
            .resolution
            .is_some_and(|resolution| is_ours(case, &resolution))
}

/// Whether the automatic stacks need no power for it: a question for a next hop, an answer to one
/// asker.
fn is_ours(case: &CandidateFrame, resolution: &AddressResolution) -> bool {
    match resolution.says {
        Says::Asks => {
            let destination = case.policy.destinations.contains(resolution.target)
                && case.host.on_link(resolution.target);
            destination || case.host.gateways.contains(&resolution.target)
        }
        Says::Answers => !resolution.target.is_multicast(),
        Says::Else => false,
    }
}
