//! Who says that an address is his, in ARP and in neighbour discovery.

use crate::observed_packet::Seen;
use crafty_value::Mac;
use crafty_wire::{FieldValue, OptionValue};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Addresses that are remembered; others are not compared.
const MOST: usize = 16_384;

/// Two stations with one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rival {
    /// The address.
    pub address: IpAddr,
    /// Who said it before, and who says it now.
    pub macs: [Mac; 2],
    /// The packet that said it before.
    pub before: u64,
}

/// The last station that claimed each address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours(BTreeMap<IpAddr, (Mac, u64)>);

impl Neighbours {
    /// Takes what a packet claims; gives whom it contradicts.
    pub fn take(&mut self, seen: &Seen<'_>) -> Option<Rival> {
        let (address, mac) = arp(seen).or_else(|| advertisement(seen))?;
        if address.is_unspecified() || (self.0.len() >= MOST && !self.0.contains_key(&address)) {
            return None;
        }
        let before = self.0.insert(address, (mac, seen.index));
        before.filter(|it| it.0 != mac).map(|(other, index)| Rival {
            address,
            macs: [other, mac],
            before: index,
        })
    }
}

fn arp(seen: &Seen<'_>) -> Option<(IpAddr, Mac)> {
    let (at, _) = seen.layer("ARP")?;
    Some((seen.address(at, "spa")?, mac(seen.uint(at, "sha")?)))
}

/// RFC 4861 §4.4: the target's address, and its link address as an option.
fn advertisement(seen: &Seen<'_>) -> Option<(IpAddr, Mac)> {
    let (at, found) = seen
        .layer("ICMP6")
        .filter(|(at, _)| seen.uint(*at, "type") == Some(136))?;
    let (options, _) = found.layer.field("options")?;
    let option: OptionValue = seen
        .decoded
        .option(seen.octets, at, options, "target_link")?;
    match option.value("address") {
        Some(FieldValue::Uint(n)) => Some((seen.address(at, "target")?, mac(*n))),
        _ => None,
    }
}

fn mac(n: u64) -> Mac {
    let [_, _, a, b, c, d, e, f] = n.to_be_bytes();
    Mac([a, b, c, d, e, f])
}
