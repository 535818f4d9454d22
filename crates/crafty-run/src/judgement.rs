//! What a capture shows to the referee: each packet's innermost IP datagram, by interface.

use crate::analysis::SeenPacket;
use crafty_capture::Direction;
use crafty_referee::{DatagramContext, Referee, VantagePoint, Violation};
use crafty_value::Time;
use crafty_wire::{Decoded, Unverifiable, decode, link};

/// Interfaces that are distinguished; what comes from further ones is judged with the last.
const MAX_INTERFACES: usize = 64;

/// A referee for each interface, since one packet may be seen at several.
#[derive(Default)]
pub struct Judgement {
    referees: Vec<Referee>,
    decoded: Decoded,
    packets: u64,
}

impl Judgement {
    /// Takes the next packet; they are numbered from 1.
    pub fn packet(&mut self, packet: &SeenPacket<'_>) {
        self.packets += 1;
        let number = packet.interface.min(MAX_INTERFACES - 1);
        if self.referees.len() <= number {
            self.referees.resize_with(number + 1, Referee::of_capture);
        }
        decode(
            link(u32::from(packet.link), packet.bytes),
            packet.bytes,
            packet.wire_len,
            &mut self.decoded,
        );
        let network = self.decoded.layers.iter().rfind(|found| {
            found.partial != Unverifiable::Quoted && matches!(found.layer.name, "IP" | "IP6")
        });
        let Some(datagram) = network.and_then(|found| packet.bytes.get(found.start..)) else {
            return;
        };
        // What comes in may be segments that the adapter has joined.
        let about = DatagramContext {
            time: packet.time.unwrap_or(Time(0)),
            index: self.packets,
            sizes: packet.direction == Some(Direction::Outbound),
            checksums: true,
        };
        let (sender, receiver) = match packet.direction {
            Some(Direction::Outbound) => (VantagePoint::AtTheEnd, VantagePoint::FromAfar),
            Some(Direction::Inbound) => (VantagePoint::FromAfar, VantagePoint::AtTheEnd),
            None => (VantagePoint::FromAfar, VantagePoint::FromAfar),
        };
        self.referees[number].passed(about, datagram, sender, receiver);
    }

    /// Packets so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Packets with which the verdict on a connection ends: fragments, and acknowledgements of what
    /// the capture lacks; and those of too many connections.
    pub fn ignored(&self) -> u64 {
        self.referees.iter().map(Referee::ignored).sum()
    }

    /// What was found, in the order in which it showed.
    pub fn finish(self) -> Vec<Violation> {
        let all = self.referees.iter().flat_map(Referee::faults).cloned();
        let mut faults: Vec<Violation> = all.collect();
        faults.sort_by_key(|fault| fault.index);
        faults
    }
}
