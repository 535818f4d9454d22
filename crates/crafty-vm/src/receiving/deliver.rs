//! What becomes of a received frame: driven stacks, then every handler, then the waiting `expect`,
//! then the errors of stacks.

use crate::api::Packet;
use crate::execution::halt::Halt;
use crate::execution::halt::NextInstruction;
use crate::execution::steps::{HandlerHead, Instruction};
use crate::execution::thread::{Thread, Wait};
use crate::machine::Machine;
use crate::receiving::admitted::{AdmittedFrame, BlockDelivery, FrameMetadata};
use crate::receiving::reception::ArmMatch;
use crate::receiving::reception::FrameDelivery;
use crate::receiving::reception::Listener;
use crate::receiving::view::DecodedPacket;
use crafty_lang::ir::Span;
use crafty_value::Time;
use std::sync::Arc;

impl Machine {
    /// Takes the next frame that was handed in.
    pub(crate) fn receive(&mut self) {
        let Some(packet) = self.reception.incoming.pop_front() else {
            return;
        };
        let ours = packet.interface == self.uplink.outbox.interface;
        if !ours || !self.may_receive(&packet) {
            self.journal.ignored(packet.wire_len);
            self.reception.recent.keep_unheard(packet);
            return;
        }
        self.journal.received(packet.wire_len);
        self.uplink
            .neighbours
            .handle_frame(packet.time, &packet.octets);
        let heard = Arc::new(self.admit(packet));
        if !self.reception.listeners.is_empty() {
            self.reception.recent.keep_heard(&heard);
        }
        self.reception.delivery = Some(FrameDelivery {
            heard,
            watch: 0,
            item: 0,
            first: 0,
        });
    }

    /// Stacks deliver, at `time`, what came earlier: no frame goes with it.
    pub(crate) fn deliver_late(&mut self, time: Time, delivered: Vec<BlockDelivery>) {
        let about = FrameMetadata {
            time,
            source: "clock",
            last: time,
            len: 0,
            interface: self.uplink.interface_name(),
            checksum_ready: true,
        };
        let frame = Arc::new(DecodedPacket::of_frame(self.uplink.link(), Vec::new(), 0));
        let heard = Arc::new(AdmittedFrame {
            frame,
            datagram: None,
            about,
            delivered,
        });
        self.reception.delivery = Some(FrameDelivery {
            heard,
            watch: 0,
            item: 1,
            first: 1,
        });
    }

    fn may_receive(&mut self, packet: &Packet) -> bool {
        let link = self.uplink.link_kind();
        self.uplink.outbox.gate.may_hear(&packet.octets, link)
    }

    fn admit(&mut self, packet: Packet) -> AdmittedFrame {
        let about = FrameMetadata {
            time: packet.time,
            source: "software",
            last: packet.time,
            len: i64::try_from(packet.wire_len).unwrap_or(i64::MAX),
            interface: self.uplink.interface_name(),
            checksum_ready: packet.checksum_ready,
        };
        let frame = Arc::new(DecodedPacket::of_frame(
            self.uplink.link(),
            packet.octets,
            packet.wire_len,
        ));
        self.uplink
            .crafted_flows
            .received(&frame, about.checksum_ready);
        let untaken = self.stacks.connections.untaken;
        let taken = self.stacks.take(packet.time, &frame, &about);
        self.reception.inbox.uncertain |= self.stacks.connections.untaken > untaken;
        self.reception.taken += u64::from(taken.claimed);
        AdmittedFrame {
            frame,
            datagram: taken.datagram,
            about,
            delivered: taken.delivered,
        }
    }

    /// Starts the next handler that matches; after the last one the `expect` has its turn.
    pub(crate) fn continue_delivery(&mut self) {
        let Some(mut delivery) = self.reception.delivery.take() else {
            return;
        };
        let code = Arc::clone(&self.script.code);
        while delivery.watch < self.reception.listeners.len() {
            let (watch, item) = (delivery.watch, delivery.item);
            let listens = self.reception.listeners[watch].listens()
                && delivery.heard.about.time > self.reception.listeners[watch].since;
            if !listens || item > delivery.heard.delivered.len() {
                (delivery.watch, delivery.item) = (watch + 1, delivery.first);
                continue;
            }
            delivery.item += 1;
            let Instruction::On(on) = &code.ops[self.reception.listeners[watch].head] else {
                continue;
            };
            if let Some(hit) = self.try_watch(watch, item, on, &delivery.heard) {
                let time = delivery.heard.about.time;
                // More messages may lie behind the one that was taken.
                delivery.item -=
                    usize::from(self.reception.listeners[watch].pattern.message.is_some());
                self.reception.delivery = Some(delivery);
                return self.start_handler(watch, on, hit, time);
            }
        }
        match delivery.first {
            0 => self.delivered(&delivery.heard),
            _ if matches!(self.threads.main.wait, Some(Wait::Expect(_))) => {
                self.offer_streams(delivery.heard.about.time)
            }
            _ => {}
        }
    }

    /// All handlers are done with it.
    pub(super) fn delivered(&mut self, heard: &Arc<AdmittedFrame>) {
        let waiting = self.threads.main.wait.is_some();
        self.show_to_expect(heard);
        self.shorten_linger(heard.about.time);
        if waiting
            && self
                .threads
                .main
                .wait
                .as_ref()
                .is_some_and(Wait::is_waiting_statement)
        {
            self.check_stacks();
        }
    }

    /// A handler that has had its matches holds its block no longer.
    fn shorten_linger(&mut self, now: Time) {
        let over = match self.threads.main.wait {
            Some(Wait::Linger { since }) => self
                .reception
                .linger_of(self.threads.main.scopes.len())
                .is_none_or(|d| since.after(d) <= now),
            _ => false,
        };
        if over {
            self.threads.main.wait = None;
            self.threads.main.lingered = true;
            self.threads.main.time = self.threads.main.time.max(now);
        }
    }

    fn start_handler(&mut self, watch: usize, on: &HandlerHead, hit: ArmMatch, time: Time) {
        self.reception.listeners[watch].ran = true;
        self.reception.taken += 1;
        if let Some(left) = &mut self.reception.listeners[watch].left {
            *left -= 1;
        }
        let mut thread = Thread::at(on.body, time);
        thread.peer = hit.peer;
        self.threads.handler = Some(thread);
        self.clocks.reacted = true;
    }

    /// The handler's run is over; the frame continues.
    pub(crate) fn finish_handler(&mut self) {
        self.threads.handler = None;
    }

    /// `on`: from here to the end of the block.
    pub(crate) fn listen(&mut self, on: &HandlerHead, span: Span) -> Result<NextInstruction, Halt> {
        let linger = on
            .linger
            .as_ref()
            .map(|e| self.duration(e, span))
            .transpose()?;
        let left = on.count.as_ref().map(|e| self.whole(e, span)).transpose()?;
        let pattern = self.evaluate_pattern(&on.arm, span)?;
        let (depth, head, since) = (
            self.threads.main.scopes.len(),
            self.threads.main.pc,
            self.threads.main.time,
        );
        let taken = self.stacks.stream_ends(pattern.stack);
        self.reception.listeners.push(Listener {
            depth,
            head,
            pattern,
            since,
            linger,
            left,
            ran: false,
            taken,
        });
        Ok(NextInstruction::Next)
    }
}
