//! Why a program was not shown a frame, and what it would have to declare to be shown it: for the
//! operator, never for the program.

use crate::frame::{IpPacket, ParsedFrame};
use crate::hearing::ObservationRights;
use alloc::format;
use alloc::string::String;

/// What to write to hear what others say to each other.
const OBSERVE: &str = "the power `observe`";

impl ObservationRights<'_> {
    /// Why it does not hear a frame, with the fix.
    pub fn why_unheard(&self, frame: &ParsedFrame) -> String {
        match (frame.outer(), frame.arp) {
            (Some(packet), _) => self.why_packet_unheard(packet),
            (None, Some(arp)) if !self.is_ours(arp.target) && arp.target != arp.sender => {
                format!(
                    "answers ARP for {}, which is not this host's: add `sources: [{}]` or {OBSERVE}",
                    arp.target, arp.target
                )
            }
            (None, Some(arp)) => format!(
                "comes from {}, which is not among the destinations: add it to `destinations`, or {OBSERVE}",
                arp.sender
            ),
            (None, None) => format!("has no address of this host: add {OBSERVE}"),
        }
    }

    fn why_packet_unheard(&self, packet: &IpPacket) -> String {
        let (source, destination) = (packet.source, packet.destination);
        if destination.is_multicast() && !self.is_listed_group(destination) {
            return format!(
                "is addressed to the group {destination}: add it to `destinations` with the power `broadcast`, or {OBSERVE}"
            );
        }
        if !self.is_ours(destination) && !destination.is_multicast() {
            return format!(
                "is addressed to {destination}, which is not this host's: add `sources: [{destination}]` or {OBSERVE}"
            );
        }
        if packet.is_error() {
            return format!(
                "is an ICMP error about a packet that was not sent from here to a destination: add {OBSERVE}"
            );
        }
        match self.is_destination(source) {
            false => format!(
                "comes from {source}, which is not among the destinations: add it to `destinations`, or {OBSERVE}"
            ),
            true => format!(
                "comes from a port that `destination_ports` does not list: list it, or add {OBSERVE}"
            ),
        }
    }
}
