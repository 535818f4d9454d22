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
pub(crate) struct AddressResolution<'a> {
    pub says: Says,
    /// In whose name: an answer gives away this address.
    pub sender: IpAddr,
    /// The packet's own source; in ARP the sender again.
    pub source: IpAddr,
    /// Who is asked for, or answered.
    pub target: IpAddr,
    /// The sender's link address in ARP.
    mac: Option<Mac>,
    /// The options of ND.
    options: &'a [u8],
}

impl<'a> AddressResolution<'a> {
    /// The message that a frame is, if it stays on the link: ARP, or a correct packet of ND with
    /// hop limit 255 to a group of the link or an address on it (RFC 4861 §7.1).
    pub fn of(frame: &ParsedFrame<'a>, host: &HostAddresses) -> Option<AddressResolution<'a>> {
        match frame.outer() {
            None if frame.tunnel.is_none() => arp(frame),
            Some(packet) if frame.packets().count() == 1 && frame.lie.is_none() => {
                let plain = packet.hop_limit == 255 && packet.fragment.is_none() && !packet.options;
                nd(packet).filter(|message| plain && message.stays(packet, host))
            }
            _ => None,
        }
    }

    /// Every message in a frame, at any depth, wherever it goes.
    pub fn all(frame: &ParsedFrame<'a>) -> impl Iterator<Item = AddressResolution<'a>> {
        arp(frame).into_iter().chain(frame.packets().filter_map(nd))
    }

    /// The message of ARP in a frame, inside a carrier too.
    pub fn of_arp(frame: &ParsedFrame<'a>) -> Option<AddressResolution<'a>> {
        arp(frame)
    }

    /// The link addresses that receivers may remember for `sender`: which of several options they take
    /// is their own affair.
    pub fn macs(&self) -> impl Iterator<Item = Mac> {
        self.mac.into_iter().chain(link_addresses(self.options))
    }

    /// Whether it goes to a group of the link, or to an address on it that it is about. A question for
    /// one host is for no other.
    fn stays(&self, packet: &IpPacket, host: &HostAddresses) -> bool {
        let to = packet.destination;
        let asked = self.says != Says::Asks || self.target == to;
        is_link_group(to) || asked && host.on_link(to)
    }
}

fn arp<'a>(frame: &ParsedFrame<'a>) -> Option<AddressResolution<'a>> {
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
        options: &[],
    })
}

fn nd<'a>(packet: &IpPacket<'a>) -> Option<AddressResolution<'a>> {
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
    let options = packet.body.get(options..)?;
    packet.is_v6().then_some(AddressResolution {
        says,
        sender,
        source,
        target,
        mac: None,
        options,
    })
}

/// What source and target link-layer address options hold (RFC 4861 §4.6.1): one address, and of a longer
/// option whatever could be one.
fn link_addresses(mut options: &[u8]) -> impl Iterator<Item = Mac> {
    let mut held: &[u8] = &[];
    core::iter::from_fn(move || {
        loop {
            if let Some((six, rest)) = held.split_first_chunk() {
                held = rest;
                return Some(Mac(*six));
            }
            let [kind, units, ..] = *options else {
                return None;
            };
            let option = options.get(..usize::from(units.max(1)) * 8)?;
            options = &options[option.len()..];
            if matches!(kind, 1 | 2) {
                held = &option[2..];
            }
        }
    })
}

fn is_link_group(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(a) if a.segments()[0] == 0xff02)
}
