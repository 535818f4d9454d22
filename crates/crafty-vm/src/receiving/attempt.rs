//! Whether an arm matches what arrived: a frame, a datagram, a stream's bytes, a message or a state of a connection.

use crate::execution::packets::PacketEntry;
use crate::execution::steps::HandlerHead;
use crate::machine::Machine;
use crate::machine::occurrences::OccurrenceCounts;
use crate::receiving::admitted::{AdmittedFrame, BlockDelivery, DeliveredContent, StreamView};
use crate::receiving::pattern::{EvaluatedPattern, PatternMatch};
use crate::receiving::reception::ArmMatch;
use crate::receiving::reception::AttemptResult;
use crate::stacks::peer::BlockPeer;
use crate::stacks::peer::ConnectionId;
use crafty_lang::eval::{self, Stop, cost};
use crafty_lang::ir::{Arm, Expr};
use crafty_value::Value;
use std::sync::Arc;

impl Machine {
    pub(super) fn try_watch(
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

    /// An error in a `where` is not a match, and reported once per place. A stamp that is not there
    /// yet is not waited for.
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
}
