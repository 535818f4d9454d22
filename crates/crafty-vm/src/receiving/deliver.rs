//! What becomes of a received frame: driven stacks, then every handler, then the waiting `expect`,
//! then the errors of stacks.

use crate::api::Packet;
use crate::execution::halt::Halt;
use crate::execution::halt::NextInstruction;
use crate::execution::packets::PacketEntry;
use crate::execution::steps::{HandlerHead, Instruction};
use crate::execution::thread::{Thread, Wait};
use crate::machine::Machine;
use crate::machine::occurrences::OccurrenceCounts;
use crate::receiving::admitted::{
    AdmittedFrame, BlockDelivery, DeliveredContent, FrameMetadata, StreamView,
};
use crate::receiving::pattern::{EvaluatedPattern, PatternMatch};
use crate::receiving::reception::ArmMatch;
use crate::receiving::reception::AttemptResult;
use crate::receiving::reception::FrameDelivery;
use crate::receiving::reception::Listener;
use crate::receiving::view::DecodedPacket;
use crate::stacks::peer::BlockPeer;
use crate::stacks::peer::ConnectionId;
use crafty_lang::eval::{self, Stop, cost};
use crafty_lang::ir::{Arm, Expr, Span};
use crafty_value::{Time, Value};
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
    fn delivered(&mut self, heard: &Arc<AdmittedFrame>) {
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

    fn try_watch(
        &mut self,
        watch: usize,
        item: usize,
        on: &HandlerHead,
        heard: &Arc<AdmittedFrame>,
    ) -> Option<ArmMatch> {
        let mut pattern = core::mem::take(&mut self.reception.listeners[watch].pattern);
        let hit = match (item, pattern.stack) {
            (0, None) => self.try_frame(&pattern, &on.arm, heard),
            (0, Some(_)) | (_, None) => None,
            (n, Some(stack)) => {
                let delivered = &heard.delivered[n - 1];
                let delivered = (delivered.stack == stack).then(|| delivered.clone());
                delivered.and_then(|d| self.try_all(&mut pattern, &on.arm, heard, &d, watch))
            }
        };
        self.reception.listeners[watch].pattern = pattern;
        hit
    }

    /// Tries a handler on what was delivered, message by message.
    fn try_all(
        &mut self,
        pattern: &mut EvaluatedPattern,
        arm: &Arm,
        heard: &Arc<AdmittedFrame>,
        delivered: &BlockDelivery,
        watch: usize,
    ) -> Option<ArmMatch> {
        loop {
            match self.try_delivered(pattern, arm, heard, delivered, Some(watch)) {
                AttemptResult::Hit(hit) => return Some(hit),
                AttemptResult::Passed => {}
                AttemptResult::Missed => return None,
            }
        }
    }

    fn start_handler(&mut self, watch: usize, on: &HandlerHead, hit: ArmMatch, time: Time) {
        self.reception.listeners[watch].ran = true;
        if let Some(left) = &mut self.reception.listeners[watch].left {
            *left -= 1;
        }
        let mut thread = Thread::at(on.body, time);
        thread.peer = hit.peer;
        self.threads.handler = Some(thread);
        self.clocks.reacted = true;
    }

    /// The handler's run is over; the frame goes on.
    pub(crate) fn finish_handler(&mut self) {
        self.threads.handler = None;
    }

    /// Tries an arm of an `expect` on a frame, or on what its stack made of it.
    pub(crate) fn try_arm(
        &mut self,
        pattern: &mut EvaluatedPattern,
        arm: &Arm,
        heard: &Arc<AdmittedFrame>,
    ) -> AttemptResult {
        let Some(stack) = pattern.stack else {
            return self.try_frame(pattern, arm, heard).into();
        };
        let delivered: Vec<BlockDelivery> = heard.for_stack(stack).cloned().collect();
        let mut passed = false;
        for delivered in &delivered {
            match self.try_delivered(pattern, arm, heard, delivered, None) {
                AttemptResult::Missed => {}
                AttemptResult::Passed => passed = true,
                hit => return hit,
            }
        }
        if passed {
            AttemptResult::Passed
        } else {
            AttemptResult::Missed
        }
    }

    fn try_frame(
        &mut self,
        pattern: &EvaluatedPattern,
        arm: &Arm,
        heard: &Arc<AdmittedFrame>,
    ) -> Option<ArmMatch> {
        let found = pattern.on_packet(&heard.frame, &heard.about)?;
        self.accept(
            arm,
            PacketEntry::Frame {
                heard: Arc::clone(heard),
                whole: false,
                found,
            },
        )
        .then_some(ArmMatch { peer: None })
    }

    fn try_delivered(
        &mut self,
        pattern: &mut EvaluatedPattern,
        arm: &Arm,
        heard: &Arc<AdmittedFrame>,
        delivered: &BlockDelivery,
        watch: Option<usize>,
    ) -> AttemptResult {
        let peer = self
            .stacks
            .serves(delivered.stack)
            .then(|| delivered.peer.clone());
        match delivered.what {
            DeliveredContent::Datagram if !pattern.is_stream() => {
                self.try_datagram(pattern, arm, heard, peer).into()
            }
            // A message may also end because the peer has closed.
            DeliveredContent::Data(connection) | DeliveredContent::State(connection, _)
                if pattern.message.is_some() =>
            {
                self.try_message(pattern, arm, connection, peer, watch)
            }
            DeliveredContent::Data(connection) if pattern.is_stream() && pattern.wants_data() => {
                self.try_stream(pattern, arm, connection, watch)
                    .then_some(ArmMatch { peer })
                    .into()
            }
            DeliveredContent::State(connection, state)
                if pattern.is_stream() && !pattern.wants_data() =>
            {
                self.try_state(pattern, arm, connection, state)
                    .then_some(ArmMatch { peer })
                    .into()
            }
            _ => AttemptResult::Missed,
        }
    }

    fn try_datagram(
        &mut self,
        pattern: &EvaluatedPattern,
        arm: &Arm,
        heard: &Arc<AdmittedFrame>,
        peer: Option<BlockPeer>,
    ) -> Option<ArmMatch> {
        let found: PatternMatch = pattern.on_packet(heard.whole(), &heard.about)?;
        self.accept(
            arm,
            PacketEntry::Frame {
                heard: Arc::clone(heard),
                whole: true,
                found,
            },
        )
        .then_some(ArmMatch { peer })
    }

    fn try_state(
        &mut self,
        pattern: &EvaluatedPattern,
        arm: &Arm,
        connection: ConnectionId,
        state: &'static str,
    ) -> bool {
        let Some(seen) = self.stacks.stream_seen(connection) else {
            return false;
        };
        let seen = StreamView { state, ..seen };
        pattern.on_state(&seen) && self.accept(arm, PacketEntry::Stream { seen })
    }

    /// Tries an arm on all bytes of a stream that its watcher has not taken; a match takes them.
    fn try_stream(
        &mut self,
        pattern: &mut EvaluatedPattern,
        arm: &Arm,
        connection: ConnectionId,
        watch: Option<usize>,
    ) -> bool {
        let from = watch.map(|w| {
            self.reception.listeners[w]
                .taken
                .get(&connection)
                .copied()
                .unwrap_or(0)
        });
        let Some((seen, held)) = self.stacks.stream_held(connection, from) else {
            return false;
        };
        if held.bytes.is_empty() {
            return false;
        }
        let (takes, looked) = pattern.on_bytes(&seen, held);
        let copied = if takes { held.bytes.len() } else { 0 };
        let read = cost::of_search(looked).saturating_add(cost::of_bytes(copied));
        let seen = takes.then(|| StreamView {
            data: Arc::new(held.bytes.to_vec()),
            ..seen
        });
        if let Err(Stop::End(end)) = self.meter.charge(read) {
            self.end_by_limit(end, arm.span);
            return false;
        }
        let Some(seen) = seen else {
            return false;
        };
        if !self.accept(arm, PacketEntry::Stream { seen }) {
            return false;
        }
        self.mark_stream_taken(connection, self.stacks.stream_end(connection), watch);
        true
    }

    /// A watcher has taken a stream up to there.
    pub(crate) fn mark_stream_taken(
        &mut self,
        connection: ConnectionId,
        end: u64,
        watch: Option<usize>,
    ) {
        match watch {
            Some(watch) => {
                self.reception.listeners[watch]
                    .taken
                    .insert(connection, end);
            }
            None => self.stacks.mark_taken_by_expect(connection, end),
        }
    }

    /// Tries an arm of an `expect` on what streams hold already.
    pub(crate) fn try_unread(
        &mut self,
        pattern: &mut EvaluatedPattern,
        arm: &Arm,
    ) -> AttemptResult {
        let Some(stack) = pattern
            .stack
            .filter(|_| pattern.message.is_some() || pattern.is_stream() && pattern.wants_data())
        else {
            return AttemptResult::Missed;
        };
        let serves = self.stacks.serves(stack);
        let mut passed = false;
        for (connection, peer) in self.stacks.connections_of(stack) {
            let peer = serves.then_some(peer);
            let tried = match pattern.message {
                Some(_) => self.try_message(pattern, arm, connection, peer, None),
                None => self
                    .try_stream(pattern, arm, connection, None)
                    .then_some(ArmMatch { peer })
                    .into(),
            };
            match tried {
                AttemptResult::Missed => {}
                AttemptResult::Passed => passed = true,
                hit @ AttemptResult::Hit(_) => return hit,
            }
        }
        if passed {
            AttemptResult::Passed
        } else {
            AttemptResult::Missed
        }
    }

    /// Puts the packet into the arm's variable, if `where` holds.
    pub(crate) fn accept(&mut self, arm: &Arm, entry: PacketEntry) -> bool {
        let id = self.values.packets.add(entry);
        let before = self.values.variables.get(arm.packet).clone();
        let _ = self
            .values
            .variables
            .set(arm.packet, Value::Packet(id), arm.span);
        let holds = arm
            .filter
            .as_ref()
            .is_none_or(|filter| self.filter_holds(filter));
        if !holds {
            self.values.packets.remove(id);
            let _ = self.values.variables.set(arm.packet, before, arm.span);
        }
        self.sweep();
        holds
    }

    /// An error in a `where` is no match, and reported once per place. A stamp that is not there yet is
    /// not waited for.
    pub(crate) fn filter_holds(&mut self, filter: &Expr) -> bool {
        for _ in 0..=crate::execution::steps::MAX_STAMPS {
            match eval::evaluate(filter, &mut self.world()) {
                Ok(value) => return eval::truth(&value),
                Err(Stop::NeedStamp(packet)) => self.use_clock(packet),
                Err(Stop::End(end)) => {
                    self.end_by_limit(end, filter.span);
                    return false;
                }
                Err(stop) => {
                    let what = match &stop {
                        Stop::Raise(raise) => raise.kind.word(),
                        _ => "cap",
                    };
                    OccurrenceCounts::remark(
                        &mut self.journal.occurrences,
                        &format!("{what} in a `where`"),
                        filter.span,
                    );
                    return false;
                }
            }
        }
        false
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
