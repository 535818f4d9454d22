//! What becomes of a received frame: driven stacks, then every handler, then the waiting `expect`, then the errors of stacks (6.4).

use crate::api::Packet;
use crate::code::{OnOp, Op, Pc};
use crate::machine::Machine;
use crate::packets::Entry;
use crate::pattern::{Found, Frozen};
use crate::places::Places;
use crate::seen::{About, Delivered, Heard, What};
use crate::stacks::Peer;
use crate::step::Flow;
use crate::tcp::ConnectionId;
use crate::thread::{Halt, Thread, Wait};
use crate::view::View;
use crafty_lang::eval::{self, Stop};
use crafty_lang::ir::{Arm, Expr, Span};
use crafty_value::{Duration, Time, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A handler that listens.
#[derive(Debug)]
pub(crate) struct Watch {
    /// How many scopes are around it; it ends with the innermost.
    pub depth: usize,
    pub head: Pc,
    pub pattern: Frozen,
    /// It hears what is later than this.
    pub since: Time,
    pub linger: Option<Duration>,
    /// Matches that it may still have.
    pub left: Option<i64>,
    /// How far it has taken each stream.
    pub taken: BTreeMap<ConnectionId, u64>,
}

impl Watch {
    fn listens(&self) -> bool {
        self.left.is_none_or(|n| n > 0)
    }
}

/// A frame that is on its way through the handlers.
#[derive(Debug)]
pub(crate) struct Delivery {
    heard: Arc<Heard>,
    /// The next handler, and the next thing that the frame brought it.
    watch: usize,
    item: usize,
}

/// A match: the packet's number is in the arm's variable.
#[derive(Debug)]
pub(crate) struct Hit {
    pub peer: Option<Peer>,
}

impl Machine {
    /// Takes the next frame that was handed in.
    pub(crate) fn receive(&mut self) {
        let Some(packet) = self.incoming.pop_front() else { return };
        let ours = packet.interface == self.outbox.interface;
        if !ours || !self.hears(&packet) {
            self.report.ignored.packets += 1;
            self.report.ignored.bytes += packet.wire_len as u64;
            return;
        }
        self.report.received.packets += 1;
        self.report.received.bytes += packet.wire_len as u64;
        self.neighbours.handle_frame(packet.time, &packet.octets);
        let heard = self.hear(packet);
        self.delivery = Some(Delivery { heard: Arc::new(heard), watch: 0, item: 0 });
    }

    fn hears(&mut self, packet: &Packet) -> bool {
        let link = self.link_kind();
        self.outbox.gate.may_hear(&packet.octets, link)
    }

    fn hear(&mut self, packet: Packet) -> Heard {
        let about = About {
            time: packet.time,
            source: "software",
            last: packet.time,
            len: i64::try_from(packet.wire_len).unwrap_or(i64::MAX),
            interface: self.interface_name(),
            checksum_ready: packet.checksum_ready,
        };
        let frame = Arc::new(View::of_frame(self.link(), packet.octets, packet.wire_len));
        self.crafted.heard(&frame, about.checksum_ready);
        let untaken = self.stacks.connections.untaken;
        let taken = self.stacks.take(packet.time, &frame, &about);
        self.inbox.uncertain |= self.stacks.connections.untaken > untaken;
        Heard { frame, datagram: taken.datagram, about, delivered: taken.delivered }
    }

    /// Starts the next handler that matches; after the last one the `expect` has its turn.
    pub(crate) fn go_on_delivering(&mut self) {
        let Some(mut delivery) = self.delivery.take() else { return };
        let code = Arc::clone(&self.code);
        while delivery.watch < self.watches.len() {
            let (watch, item) = (delivery.watch, delivery.item);
            let listens = self.watches[watch].listens() && delivery.heard.about.time > self.watches[watch].since;
            if !listens || item > delivery.heard.delivered.len() {
                (delivery.watch, delivery.item) = (watch + 1, 0);
                continue;
            }
            delivery.item += 1;
            let Op::On(on) = &code.ops[self.watches[watch].head] else { continue };
            if let Some(hit) = self.try_watch(watch, item, on, &delivery.heard) {
                let time = delivery.heard.about.time;
                self.delivery = Some(delivery);
                return self.start_handler(watch, on, hit, time);
            }
        }
        self.delivered(&delivery.heard);
    }

    /// All handlers are done with it.
    fn delivered(&mut self, heard: &Arc<Heard>) {
        let waiting = self.main.wait.is_some();
        self.show_to_expect(heard);
        self.shorten_linger(heard.about.time);
        if waiting && self.main.wait.as_ref().is_some_and(Wait::is_waiting_statement) {
            self.check_stacks();
        }
    }

    /// A handler that has had its matches holds its block no longer (6.8).
    fn shorten_linger(&mut self, now: Time) {
        let over = match self.main.wait {
            Some(Wait::Linger { since }) => self.linger_of(self.main.scopes.len()).is_none_or(|d| since.after(d) <= now),
            _ => false,
        };
        if over {
            self.main.wait = None;
            self.main.lingered = true;
            self.main.time = self.main.time.max(now);
        }
    }

    fn try_watch(&mut self, watch: usize, item: usize, on: &OnOp, heard: &Arc<Heard>) -> Option<Hit> {
        let pattern = core::mem::replace(&mut self.watches[watch].pattern, Frozen { elements: Vec::new(), stack: None });
        let hit = match (item, pattern.stack) {
            (0, None) => self.try_arm(&pattern, &on.arm, heard, Some(watch)),
            (0, Some(_)) | (_, None) => None,
            (n, Some(stack)) => {
                let delivered = &heard.delivered[n - 1];
                (delivered.stack == stack)
                    .then(|| delivered.clone())
                    .and_then(|d| self.try_delivered(&pattern, &on.arm, heard, &d, Some(watch)))
            }
        };
        self.watches[watch].pattern = pattern;
        hit
    }

    fn start_handler(&mut self, watch: usize, on: &OnOp, hit: Hit, time: Time) {
        if let Some(left) = &mut self.watches[watch].left {
            *left -= 1;
        }
        let mut thread = Thread::at(on.body, time);
        thread.peer = hit.peer;
        self.handler = Some(thread);
    }

    /// The handler's run is over; the frame goes on.
    pub(crate) fn finish_handler(&mut self) {
        self.handler = None;
    }

    /// Tries an arm on a frame, and on all that stacks made of it.
    pub(crate) fn try_arm(&mut self, pattern: &Frozen, arm: &Arm, heard: &Arc<Heard>, watch: Option<usize>) -> Option<Hit> {
        match pattern.stack {
            Some(stack) => {
                let delivered: Vec<Delivered> = heard.for_stack(stack).cloned().collect();
                delivered.iter().find_map(|d| self.try_delivered(pattern, arm, heard, d, watch))
            }
            None => {
                let found = pattern.on_packet(&heard.frame, &heard.about)?;
                self.accept(arm, Entry::Frame { heard: Arc::clone(heard), whole: false, found }).then_some(Hit { peer: None })
            }
        }
    }

    fn try_delivered(
        &mut self,
        pattern: &Frozen,
        arm: &Arm,
        heard: &Arc<Heard>,
        delivered: &Delivered,
        watch: Option<usize>,
    ) -> Option<Hit> {
        let peer = self.stacks.serves(delivered.stack).then(|| delivered.peer.clone());
        match delivered.what {
            What::Datagram if !pattern.is_stream() => {
                let found: Found = pattern.on_packet(heard.whole(), &heard.about)?;
                self.accept(arm, Entry::Frame { heard: Arc::clone(heard), whole: true, found }).then_some(Hit { peer })
            }
            What::Data(connection) if pattern.is_stream() && pattern.wants_data() => {
                self.try_stream(pattern, arm, connection, watch).then_some(Hit { peer })
            }
            What::State(connection, state) if pattern.is_stream() && !pattern.wants_data() => {
                let mut seen = self.stacks.stream_seen(connection, None)?;
                seen.state = state;
                pattern.on_stream(&seen)?;
                self.accept(arm, Entry::Stream { seen }).then_some(Hit { peer })
            }
            _ => None,
        }
    }

    /// Tries an arm on all bytes of a stream that its watcher has not taken; a match takes them (6.6).
    fn try_stream(&mut self, pattern: &Frozen, arm: &Arm, connection: ConnectionId, watch: Option<usize>) -> bool {
        let from = watch.map(|w| self.watches[w].taken.get(&connection).copied().unwrap_or(0));
        let Some(seen) = self.stacks.stream_seen(connection, Some(from)) else { return false };
        if seen.data.is_empty() || pattern.on_stream(&seen).is_none() {
            return false;
        }
        if !self.accept(arm, Entry::Stream { seen }) {
            return false;
        }
        let end = self.stacks.stream_end(connection);
        match watch {
            Some(watch) => {
                self.watches[watch].taken.insert(connection, end);
            }
            None => self.stacks.expect_took(connection, end),
        }
        true
    }

    /// Tries an arm of an `expect` on what streams hold already.
    pub(crate) fn try_unread(&mut self, pattern: &Frozen, arm: &Arm) -> Option<Hit> {
        let stack = pattern.stack.filter(|_| pattern.is_stream() && pattern.wants_data())?;
        let serves = self.stacks.serves(stack);
        self.stacks
            .connections_of(stack)
            .into_iter()
            .find_map(|(connection, peer)| self.try_stream(pattern, arm, connection, None).then(|| Hit { peer: serves.then_some(peer) }))
    }

    /// Puts the packet into the arm's variable, if `where` holds.
    fn accept(&mut self, arm: &Arm, entry: Entry) -> bool {
        let id = self.packets.add(entry);
        let before = self.memory.get(arm.packet).clone();
        let _ = self.memory.set(arm.packet, Value::Packet(id), arm.span);
        let holds = arm.filter.as_ref().is_none_or(|filter| self.filter_holds(filter));
        if !holds {
            self.packets.remove(id);
            let _ = self.memory.set(arm.packet, before, arm.span);
        }
        self.sweep();
        holds
    }

    /// An error in a `where` is no match, and told once per place (7.5). A stamp that is not there yet is not waited for.
    fn filter_holds(&mut self, filter: &Expr) -> bool {
        for _ in 0..=crate::code::MAX_STAMPS {
            match eval::evaluate(filter, &mut self.world()) {
                Ok(value) => return eval::truth(&value),
                Err(Stop::NeedStamp(packet)) => self.use_clock(packet),
                Err(stop) => {
                    let what = match &stop {
                        Stop::Raise(raise) => raise.kind.word(),
                        _ => "cap",
                    };
                    Places::remark(&mut self.places, &format!("{what} in a `where`"), filter.span);
                    return false;
                }
            }
        }
        false
    }

    /// `on`: from here to the end of the block.
    pub(crate) fn listen(&mut self, on: &OnOp, span: Span) -> Result<Flow, Halt> {
        let linger = on.linger.as_ref().map(|e| self.duration(e, span)).transpose()?;
        let left = on.count.as_ref().map(|e| self.whole(e, span)).transpose()?;
        let pattern = self.freeze(&on.arm, span)?;
        let (depth, head, since) = (self.main.scopes.len(), self.main.pc, self.main.time);
        let taken = self.stacks.stream_ends(pattern.stack);
        self.watches.push(Watch { depth, head, pattern, since, linger, left, taken });
        Ok(Flow::Next)
    }

    /// Whether handlers that live in the block with so many scopes around it hold its end.
    pub(crate) fn lingers(&self, depth: usize) -> bool {
        self.linger_of(depth).is_some()
    }

    /// The longest linger of the handlers of a block; one that has had its matches holds nothing (6.8).
    pub(crate) fn linger_of(&self, depth: usize) -> Option<Duration> {
        self.watches.iter().filter(|w| w.depth == depth && w.listens()).filter_map(|w| w.linger).max()
    }
}
