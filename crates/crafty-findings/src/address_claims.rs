//! Who claims an address, in ARP and in neighbour discovery.

use crate::observed_packet::ObservedPacket;
use crate::packet_meaning::AddressConflict;
use crafty_value::Mac;
use crafty_wire::protocols::{arp as arp_layer, icmp6};
use crafty_wire::{FieldValue, OptionValue};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Addresses that are remembered; others are not compared.
const MOST: usize = 16_384;

/// The last station that claimed each address.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressClaims(BTreeMap<IpAddr, (Mac, u64)>);

impl AddressClaims {
    /// Takes what a packet claims; gives whom it contradicts.
    pub fn take(&mut self, packet: &ObservedPacket<'_>) -> Option<AddressConflict> {
        let (address, mac) = arp(packet).or_else(|| advertisement(packet))?;
        if address.is_unspecified() || (self.0.len() >= MOST && !self.0.contains_key(&address)) {
            return None;
        }
        let before = self.0.insert(address, (mac, packet.index));
        before
            .filter(|it| it.0 != mac)
            .map(|(other, index)| AddressConflict {
                address,
                macs: [other, mac],
                before: index,
            })
    }
}

fn arp(packet: &ObservedPacket<'_>) -> Option<(IpAddr, Mac)> {
    let (at, view) = (packet.position(&arp_layer::LAYER)?, packet.view());
    Some((view.address(at, "spa")?, mac(view.uint(at, "sha")?)))
}

/// RFC 4861 §4.4: the target's address, and its link address as an option.
fn advertisement(packet: &ObservedPacket<'_>) -> Option<(IpAddr, Mac)> {
    let (at, view) = (packet.position(&icmp6::LAYER)?, packet.view());
    if !view.has(at, "type", "neighbor_advertisement") {
        return None;
    }
    let (options, _) = view.field(at, "options")?;
    let option: OptionValue = packet
        .decoded
        .option(packet.octets, at, options, "target_link")?;
    match option.value("address") {
        Some(FieldValue::Uint(n)) => Some((view.address(at, "target")?, mac(*n))),
        _ => None,
    }
}

fn mac(n: u64) -> Mac {
    let [_, _, a, b, c, d, e, f] = n.to_be_bytes();
    Mac([a, b, c, d, e, f])
}
