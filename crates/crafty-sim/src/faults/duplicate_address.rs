//! Two hosts with one address.

use super::{Fault, PlaceKind};
use crate::frame::Frame;
use crate::node::{Outbox, Station};
use crate::packet::{self, ETHERNET};
use crate::tcp;
use crafty_value::{Mac, Time};
use std::net::Ipv4Addr;

pub static FAULT: Fault = Fault {
    name: "duplicate_address",
    parameters: &[],
    place: PlaceKind::Host,
    doc: "Another host on the segment has the same address: it answers ARP requests for it, and resets the connections that reach it.",
    plant: |lab, planting| {
        let (segment, address, at) = lab.segment_of_host(planting)?;
        let mac = lab.next_mac();
        let station = Impostor { mac, address };
        lab.add_station("impostor", Box::new(station), &segment, at.as_deref());
        Ok(())
    },
};

/// A host that has an address which is not its own.
struct Impostor {
    mac: Mac,
    address: Ipv4Addr,
}

impl Station for Impostor {
    fn on_frame(&mut self, _: Time, _: usize, frame: Frame, out: &mut Outbox) {
        let Some((_, to, kind)) = packet::ethernet(&frame.bytes) else {
            return;
        };
        if kind == packet::TYPE_ARP {
            if let Some((1, sender, target)) = packet::read_arp(&frame.bytes[ETHERNET..])
                && target == self.address
            {
                out.say(0, packet::arp(2, (self.mac, target), sender));
            }
        } else if to == self.mac
            && let Some(reset) = tcp::refusal(&frame.bytes)
        {
            out.say(0, reset);
        }
    }
}
