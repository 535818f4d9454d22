//! A host whose datagrams may take few hops.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{self, ETHERNET};

pub static FAULT: Fault = Fault {
    name: "low_ttl",
    parameters: &[Parameter::count("hops", 4, 255)],
    place: PlaceKind::Host,
    doc: "The host sends with this initial TTL: its packets reach near peers, but not distant ones.",
    plant: |lab, planting| {
        let hops = planting.main() as u8;
        lab.inline(planting, move |it| {
            let datagram = it.frame.bytes.get_mut(ETHERNET..).unwrap_or_default();
            match datagram.first().map(|byte| byte >> 4) {
                Some(4) if datagram.len() >= 20 => {
                    datagram[8] = hops.min(datagram[8]);
                    packet::seal_ip4(datagram);
                }
                Some(6) if datagram.len() >= 40 && datagram[7] != 255 => {
                    datagram[7] = hops.min(datagram[7]);
                }
                _ => {}
            }
            InlineVerdict::Pass
        })
    },
};
