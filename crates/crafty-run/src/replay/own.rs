//! Which end of each conversation is the program's, and the host that it was. What the file says of
//! directions decides; else the program's destinations; else the addresses that these gave.

use super::talk::ReplayConversation;
use crate::recording::{EndpointAddress, Flow, Proto, Recording};
use crafty_capture::Direction;
use crafty_policy::{Policy, PortSet};
use crafty_value::{Mac, Net, Time};
use crafty_vm::{Environment, InterfaceInfo, LinkLayer, Route};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The usual MTU of Ethernet.
const MTU: usize = 1500;
/// Bytes of an Ethernet header.
const HEADER: usize = 14;
/// What stands for every next hop.
const IMAGINED: Mac = Mac([2, 0, 0, 0, 0, 2]);

/// The conversations that the program's host takes part in.
pub fn talks(recording: &Recording, policy: &Policy) -> Vec<ReplayConversation> {
    let interfaces = interfaces(recording, policy);
    let shown = |flow: &Flow| {
        flow.steps
            .iter()
            .any(|step| interfaces.contains(&recording.frames[step.frame].interface))
    };
    let decided: Vec<(&Flow, Option<bool>)> = recording
        .flows
        .iter()
        .filter(|flow| shown(flow))
        .map(|flow| (flow, is_client(recording, flow, policy, &interfaces)))
        .collect();
    let own = |(flow, client): &(&Flow, Option<bool>)| {
        client.map(|client| if client { flow.client.0 } else { flow.server.0 })
    };
    let addresses: BTreeSet<IpAddr> = decided.iter().filter_map(own).collect();
    let by_address = |flow: &Flow| match (
        addresses.contains(&flow.client.0),
        addresses.contains(&flow.server.0),
    ) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let sides = decided.into_iter().filter_map(|(flow, client)| {
        client
            .or_else(|| by_address(flow))
            .map(|client| (flow, client))
    });
    sides
        .map(|(flow, client)| talk(recording, flow, client, &interfaces))
        .collect()
}

fn talk(
    recording: &Recording,
    flow: &Flow,
    client: bool,
    interfaces: &BTreeSet<usize>,
) -> ReplayConversation {
    let (own, peer) = if client {
        (flow.client, flow.server)
    } else {
        (flow.server, flow.client)
    };
    let mut talk = ReplayConversation::new(flow.proto, own, peer);
    for step in flow
        .steps
        .iter()
        .filter(|step| interfaces.contains(&recording.frames[step.frame].interface))
    {
        match step.from_client == client {
            true => talk.add_ours(recording, step.frame, step.ends),
            false => talk.add_theirs(recording, step.frame, step.ends),
        }
    }
    talk
}

/// Interfaces by which the program's host sends to its destinations; all of them, where the file
/// tells no directions. A capture of two programs in a lab holds each frame twice.
fn interfaces(recording: &Recording, policy: &Policy) -> BTreeSet<usize> {
    let mut sending = BTreeSet::new();
    for step in recording
        .flows
        .iter()
        .flat_map(|flow| flow.steps.iter().filter(|step| !step.ends.quoted))
    {
        let frame = &recording.frames[step.frame];
        if frame.direction == Some(Direction::Outbound)
            && policy.destinations.contains(step.ends.dst.0)
        {
            sending.insert(frame.interface);
        }
    }
    if sending.is_empty() {
        recording
            .frames
            .iter()
            .map(|frame| frame.interface)
            .collect()
    } else {
        sending
    }
}

/// Whether the program's host is the client of a conversation; none if nothing tells.
fn is_client(
    recording: &Recording,
    flow: &Flow,
    policy: &Policy,
    interfaces: &BTreeSet<usize>,
) -> Option<bool> {
    let frames = flow
        .steps
        .iter()
        .map(|step| (&recording.frames[step.frame], step.from_client));
    let mut directed = frames.filter(|(frame, _)| interfaces.contains(&frame.interface));
    let told = directed.find_map(|(frame, from_client)| {
        frame
            .direction
            .map(|way| (way == Direction::Outbound) == from_client)
    });
    told.or_else(|| {
        let destination = |end: &EndpointAddress| policy.destinations.contains(end.0);
        match (destination(&flow.client), destination(&flow.server)) {
            (false, true) => Some(true),
            (true, false) => Some(false),
            (true, true) => Some(
                owns(policy, flow.proto, &flow.client) || !owns(policy, flow.proto, &flow.server),
            ),
            (false, false) => None,
        }
    })
}

fn owns(policy: &Policy, proto: Proto, end: &EndpointAddress) -> bool {
    let contains = |ports: &PortSet| ports.contains(end.1);
    match proto {
        Proto::Tcp => contains(&policy.ports.tcp),
        Proto::Udp => contains(&policy.ports.udp),
        Proto::Echo => contains(&policy.ports.icmp),
        _ => false,
    }
}

/// The host as the recording shows it: its addresses (except for those that the program only
/// pretends to have), and one next hop for all.
pub fn environment(
    recording: &Recording,
    talks: &[ReplayConversation],
    policy: &Policy,
    seed: u64,
) -> Environment {
    let own = own_addresses(talks, policy);
    let mut environment = Environment {
        interfaces: vec![recorded_interface(recording, &own)],
        routes: Vec::new(),
        neighbours: BTreeMap::new(),
        seed,
        other_addresses: Vec::new(),
        kernel_answers: false,
    };
    for (any, hop) in imagined_hops() {
        let source = own.iter().copied().find(|a| a.is_ipv4() == hop.is_ipv4());
        environment.routes.extend(Net::new(any, 0).map(|net| Route {
            net,
            gateway: Some(hop),
            interface: 0,
            source,
        }));
        environment.neighbours.insert((0, hop), IMAGINED);
    }
    environment
}

/// The addresses of the recorded host: those that the program may only pretend to have do not
/// count, unless there are no others.
fn own_addresses(talks: &[ReplayConversation], policy: &Policy) -> BTreeSet<IpAddr> {
    let all: BTreeSet<IpAddr> = talks
        .iter()
        .map(|talk| talk.own.0)
        .filter(|a| !a.is_unspecified() && !a.is_multicast())
        .collect();
    let real: BTreeSet<IpAddr> = all
        .iter()
        .copied()
        .filter(|a| !policy.sources.contains(*a))
        .collect();
    if real.is_empty() { all } else { real }
}

/// The interface that was recorded, as wide as its longest frame.
fn recorded_interface(recording: &Recording, own: &BTreeSet<IpAddr>) -> InterfaceInfo {
    let longest = recording
        .frames
        .iter()
        .map(|frame| frame.wire_len)
        .max()
        .unwrap_or(0);
    let addresses = own
        .iter()
        .map(|a| (*a, if a.is_ipv4() { 32 } else { 128 }))
        .collect();
    let link = if recording.ethernet {
        LinkLayer::Ethernet
    } else {
        LinkLayer::RawIp
    };
    let mac = mac(recording, own).unwrap_or(Mac([2, 0, 0, 0, 0, 1]));
    let mtu = longest
        .saturating_sub(if recording.ethernet { HEADER } else { 0 })
        .clamp(MTU, 65_535) as u32;
    InterfaceInfo {
        name: "recording".into(),
        mac,
        mtu,
        addresses,
        link,
    }
}

/// Next hops outside every net that a program may name: link-local ones.
fn imagined_hops() -> [(IpAddr, IpAddr); 2] {
    [
        (
            Ipv4Addr::UNSPECIFIED.into(),
            Ipv4Addr::new(169, 254, 0, 1).into(),
        ),
        (
            Ipv6Addr::UNSPECIFIED.into(),
            Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 1).into(),
        ),
    ]
}

/// Where a run's own recording begins with the resolution of neighbours, its program began with the
/// last answer.
pub fn start(recording: &Recording) -> Time {
    let resolves = |proto| matches!(proto, Proto::Arp | Proto::Discovery);
    let steps = recording
        .flows
        .iter()
        .filter(|flow| resolves(flow.proto))
        .flat_map(|flow| &flow.steps);
    let resolving: BTreeSet<usize> = steps.map(|step| step.frame).collect();
    let begins = recording
        .frames
        .first()
        .is_some_and(|frame| frame.direction == Some(Direction::Outbound));
    let run = recording
        .frames
        .iter()
        .enumerate()
        .take_while(|(i, _)| begins && resolving.contains(i))
        .last();
    run.map(|(_, frame)| frame)
        .or(recording.frames.first())
        .map_or(Time(0), |frame| frame.time)
}

/// The link address of whoever sends from one of these addresses.
fn mac(recording: &Recording, own: &BTreeSet<IpAddr>) -> Option<Mac> {
    let steps = recording
        .flows
        .iter()
        .flat_map(|flow| &flow.steps)
        .filter(|step| !step.ends.quoted);
    steps
        .filter(|step| recording.ethernet && own.contains(&step.ends.src.0))
        .find_map(|step| {
            let octets = recording
                .view_of(step.frame)?
                .number(0, "src")?
                .to_be_bytes();
            Some(Mac([
                octets[2], octets[3], octets[4], octets[5], octets[6], octets[7],
            ]))
        })
}
