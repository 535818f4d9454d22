//! How frames are sent: the neighbour's address, the gate's verdict, the stamps to come; what stacks
//! and neighbours send by themselves.

use crate::api::Event;
use crate::api::{FrameId, LinkLayer};
use crate::execution::packets::{BuiltFrame, PacketEntry};
use crate::machine::Machine;
use crate::receiving::view::DecodedPacket;
use crate::sending::outbox::OutgoingFrame;
use crate::sending::rules::StackSegment;
use crate::sending::uplink::FrameAwaitingNeighbour;
use core::net::IpAddr;
use core::ops::Range;
use crafty_lang::ir::Span;
use crafty_policy::{Author, ExfiltrationMode, FrameOrigin, Reason};
use crafty_stack::NeighbourResolution;
use crafty_value::Mac;
use std::sync::Arc;

/// Frames that wait for a neighbour at most; beyond that they are dropped.
const MAX_PENDING: usize = 256;

impl Machine {
    /// Asks the gate, once the neighbour is known.
    pub(crate) fn dispatch(&mut self, ready: OutgoingFrame, hop: Option<IpAddr>) {
        let Some(hop) = hop else {
            return self.submit(ready);
        };
        match self.uplink.neighbours.lookup(self.clocks.now, hop) {
            NeighbourResolution::Known(mac) => self.submit_to(ready, hop, mac),
            NeighbourResolution::Pending if self.uplink.pending.len() < MAX_PENDING => {
                self.show(&ready.packets, ready.pieces.first());
                self.uplink
                    .pending
                    .push(FrameAwaitingNeighbour { hop, ready });
            }
            _ => self.lost(&ready, "no_neighbour"),
        }
    }

    fn submit_to(&mut self, mut ready: OutgoingFrame, hop: IpAddr, mac: Mac) {
        self.uplink.outbox.gate.learn(hop, mac);
        for frame in ready.pieces.iter_mut().chain(&mut ready.whole) {
            if let Some(destination) = frame.get_mut(..6) {
                destination.copy_from_slice(&mac.0);
            }
        }
        self.submit(ready);
    }

    fn submit(&mut self, ready: OutgoingFrame) {
        let (packets, line) = (ready.packets.clone(), ready.line);
        self.show(&packets, ready.pieces.first());
        self.count_declassified();
        match self.uplink.outbox.submit(self.clocks.now, ready) {
            Ok(frames) => self.bind_frames(&packets, frames),
            Err(reason) => self.dropped(&reason, line, &packets),
        }
    }

    /// The gate hears what received content chose since the frame before.
    fn count_declassified(&mut self) {
        let chosen = self.script.declassification.take();
        self.uplink.outbox.gate.declassify(chosen);
    }

    /// One frame whose neighbour is known; the quick way.
    pub(crate) fn submit_one(
        &mut self,
        octets: Vec<u8>,
        origin: FrameOrigin,
        line: Span,
        packet: Option<u64>,
    ) {
        if packet.is_some() {
            self.show(packet.as_slice(), Some(&octets));
        }
        self.count_declassified();
        match self
            .uplink
            .outbox
            .submit_one(self.clocks.now, octets, origin, line, packet)
        {
            Ok(frame) => self.bind_frames(packet.as_slice(), frame..frame + 1),
            Err(reason) => self.dropped(&reason, line, packet.as_slice()),
        }
    }

    fn dropped(&mut self, reason: &Reason, line: Span, packets: &[u64]) {
        if reason.is_of_others() {
            return;
        }
        if self.journal.occurrences.drop(reason.name(), line) {
            let message = format!("{reason}: {}", reason.fix());
            self.journal.record(Event::Dropped {
                reason: reason.why.name,
                message,
                span: line,
                time: self.clocks.now,
            });
        }
        let why = format!("the gate dropped it ({}: {reason})", reason.name());
        self.note_unsent(packets, line, &why);
    }

    /// What is read of these packets is their first frame.
    fn show(&mut self, packets: &[u64], first: Option<&Vec<u8>>) {
        let link = self.uplink.link();
        for packet in packets {
            if let (Some(sent), Some(octets)) = (self.values.packets.sent_mut(*packet), first)
                && (sent.view.is_none() || !sent.stream)
            {
                sent.view = Some(Arc::new(DecodedPacket::of_frame(
                    link,
                    octets.clone(),
                    octets.len(),
                )));
            }
        }
    }

    /// The frames that packets became; a stream's sends get theirs one by one.
    fn bind_frames(&mut self, packets: &[u64], frames: Range<u64>) {
        for packet in packets {
            if let Some(sent) = self.values.packets.sent_mut(*packet) {
                sent.frames.extend(frames.clone().map(|f| BuiltFrame {
                    frame: Some(FrameId(f)),
                    stamp: None,
                }));
            }
        }
    }

    /// A frame was not sent: the packets in it have no time, and an `expect` waits in vain for what
    /// would answer it.
    pub(crate) fn note_unsent(&mut self, packets: &[u64], line: Span, why: &str) {
        self.reception.inbox.unsent(line, why);
        for packet in packets {
            if let Some(sent) = self.values.packets.sent_mut(*packet) {
                sent.unsent.get_or_insert_with(|| why.into());
            }
        }
    }

    /// Whether nothing of a packet has left, and it is known why.
    fn never_left(&self, packet: u64) -> bool {
        matches!(self.values.packets.get(packet), Some(PacketEntry::Sent(sent)) if sent.unsent_because().is_some())
    }

    /// The system did not send a frame that the gate had let through; `line` is what sent it.
    pub fn handle_not_sent(&mut self, frame: FrameId, line: Span, why: &str) {
        let packets = self.uplink.outbox.failed(frame);
        for packet in &packets {
            if let Some(sent) = self.values.packets.sent_mut(*packet) {
                sent.frames.retain(|f| f.frame != Some(frame));
            }
        }
        self.journal.occurrences.drop("send_failed", line);
        self.note_unsent(
            &packets,
            line,
            &format!("the system did not send it: {why}"),
        );
        self.run();
    }

    fn lost(&mut self, ready: &OutgoingFrame, why: &str) {
        if self.journal.occurrences.drop(why, ready.line) {
            let message = "the next hop of this frame does not answer on the link".to_string();
            self.journal.record(Event::Warning {
                message,
                span: ready.line,
            });
        }
        let why = "its next hop does not answer on the link";
        self.note_unsent(&ready.packets, ready.line, why);
    }

    /// Sends what waits for neighbours that are known now, what neighbours are asked, and what
    /// connections have to send.
    pub(crate) fn flush(&mut self) {
        if self.start.is_some() {
            return;
        }
        self.flush_connections();
        self.flush_questions();
        self.flush_neighbours(Author::Stack);
        self.flush_pending();
    }

    pub(crate) fn flush_neighbours(&mut self, author: Author) {
        if self.uplink.link() != LinkLayer::Ethernet {
            return;
        }
        let mut frame = Vec::new();
        while self
            .uplink
            .neighbours
            .poll_transmit(self.clocks.now, &mut frame)
        {
            let origin = FrameOrigin {
                author,
                site: u32::MAX,
                reactive: author != Author::Start,
                chosen_bits: 0,
            };
            let whole = core::mem::take(&mut frame);
            self.submit_one(whole, origin, Span::default(), None);
        }
    }

    fn flush_pending(&mut self) {
        for pending in core::mem::take(&mut self.uplink.pending) {
            self.dispatch(pending.ready, Some(pending.hop));
        }
    }

    fn flush_connections(&mut self) {
        while let Some(leaving) = self.stacks.connections.poll_transmit(self.clocks.now) {
            let mut packets = self
                .stacks
                .connections
                .carried(leaving.connection, &leaving.sent);
            if leaving.sent.retransmission {
                packets.retain(|packet| self.never_left(*packet));
            }
            let Some(held) = self.stacks.connections.get(leaving.connection) else {
                continue;
            };
            let (stack, peer, pieces) = (held.stack, held.peer.clone(), held.pieces.clone());
            let (connection, ecn, octets) = (leaving.connection, leaving.sent.ecn, leaving.octets);
            self.send_stack_segment(StackSegment {
                stack,
                connection,
                peer,
                pieces,
                ecn,
                octets,
                packets,
            });
            self.count_out(Some(stack), 0);
        }
    }

    /// Resets flows that the program made of single segments and that the peer still holds open
    /// (safety E6); what the gate does not let through is not missed. Not under `exfiltration:
    /// none`, where nothing received may show in a frame.
    pub(crate) fn reset_half_open(&mut self) {
        if self.uplink.outbox.gate.policy().exfiltration == ExfiltrationMode::None {
            return;
        }
        for (ends, seq) in self.uplink.crafted_flows.half_open() {
            let mut build = self.build_reset(ends, seq);
            let hop = build.fill_below(&mut self.uplink);
            let mut frame = build.encode();
            if let Some(hop) = hop {
                let NeighbourResolution::Known(mac) =
                    self.uplink.neighbours.lookup(self.clocks.now, hop)
                else {
                    continue;
                };
                frame[..6].copy_from_slice(&mac.0);
            }
            let origin = FrameOrigin {
                author: Author::Stack,
                site: u32::MAX,
                reactive: true,
                chosen_bits: 0,
            };
            let outgoing = OutgoingFrame {
                whole: None,
                pieces: vec![frame],
                origin,
                line: Span::default(),
                packets: Vec::new(),
            };
            let _ = self.uplink.outbox.submit(self.clocks.now, outgoing);
        }
    }
}
