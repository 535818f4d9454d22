//! ARP and ND: questions and answers between neighbours, which go to the link and not to a
//! destination.

use crate::HostAddresses;
use crate::frame::{IpPacket, ParsedFrame, TransportHeader};
use core::net::{IpAddr, Ipv6Addr};
use crafty_value::Mac;

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Who has it?
    Asks,
    /// I have it.
    Answers,
    /// Router solicitation or advertisement, or another ARP operation.
    Else,
}

/// One message of ARP or ND.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressResolution {
    pub says: Says,
    /// In whose name: an answer gives away this address.
    pub sender: IpAddr,
    /// The packet's own source; in ARP the sender again.
    pub source: IpAddr,
    /// Who is asked for, or answered.
    pub target: IpAddr,
    /// The link address that receivers will remember for `sender`.
    pub mac: Option<Mac>,
}

impl AddressResolution {
    /// The message that a frame is, if it stays on the link: ARP, or a correct packet of ND with
    /// hop limit 255 to a group of the link or an address on it (RFC 4861 §7.1).
    pub fn of(frame: &ParsedFrame, host: &HostAddresses) -> Option<AddressResolution> {
        match frame.outer() {
            None if frame.tunnel.is_none() => arp(frame),
            Some(packet) if frame.packets().count() == 1 && frame.lie.is_none() => {
                let plain = packet.hop_limit == 255 && packet.fragment.is_none() && !packet.options;
                let stays =
                    || is_link_group(packet.destination) || host.on_link(packet.destination);
                nd(packet).filter(|_| plain && stays())
            }
            _ => None,
        }
    }

    /// Every message in a frame, at any depth, wherever it goes.
    pub fn all(frame: &ParsedFrame) -> impl Iterator<Item = AddressResolution> {
        arp(frame).into_iter().chain(frame.packets().filter_map(nd))
    }
}

fn arp(frame: &ParsedFrame) -> Option<AddressResolution> {
    let arp = frame.arp?;
    let says = match arp.operation {
        1 => Says::Asks,
        2 => Says::Answers,
        _ => Says::Else,
    };
    Some(AddressResolution {
        says,
        sender: arp.sender,
        source: arp.sender,
        target: arp.target,
        mac: Some(arp.sender_mac),
    })
}

fn nd(packet: &IpPacket) -> Option<AddressResolution> {
    let TransportHeader::Icmp { kind, .. } = packet.transport else {
        return None;
    };
    let target = || {
        packet
            .body
            .get(8..24)?
            .first_chunk()
            .map(|&octets| IpAddr::V6(Ipv6Addr::from_octets(octets)))
    };
    let (source, destination) = (packet.source, packet.destination);
    let (says, sender, target, options) = match kind {
        133 => (Says::Else, source, destination, 8),
        134 => (Says::Else, source, destination, 16),
        135 => (Says::Asks, source, target()?, 24),
        136 => (Says::Answers, target()?, destination, 24),
        _ => return None,
    };
    let mac = link_address(packet.body.get(options..)?);
    packet.is_v6().then_some(AddressResolution {
        says,
        sender,
        source,
        target,
        mac,
    })
}

/// The first source or target link-layer address option (RFC 4861 §4.6.1).
fn link_address(mut options: &[u8]) -> Option<Mac> {
    while let [kind, units, ..] = *options {
        let option = options.get(..usize::from(units.max(1)) * 8)?;
        if matches!(kind, 1 | 2) {
            return option.get(2..)?.first_chunk().map(|&six| Mac(six));
        }
        options = &options[option.len()..];
    }
    None
}

fn is_link_group(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(a) if a.segments()[0] == 0xff02)
}
