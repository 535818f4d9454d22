//! What the program was not shown, or nearly matched: told to who runs it, with the fix, when an
//! `expect` ends in its `else` and when a handler ends that never ran.

use crate::api::{Event, Packet};
use crate::execution::steps::Instruction;
use crate::execution::thread::WaitingExpect;
use crate::machine::Machine;
use crate::receiving::admitted::{AdmittedFrame, FrameMetadata};
use crate::receiving::near::FailedCondition;
use crate::receiving::pattern::EvaluatedPattern;
use crate::receiving::reception::Listener;
use crate::receiving::view::DecodedPacket;
use crafty_lang::ir::Span;
use crafty_value::Time;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Frames of each kind that are remembered.
const REMEMBERED: usize = 256;

/// The last frames that came, for those who nearly matched.
#[derive(Debug, Default)]
pub(crate) struct RecentFrames {
    /// Not shown to the program.
    unheard: VecDeque<Packet>,
    /// Shown to it.
    heard: VecDeque<Arc<AdmittedFrame>>,
}

impl RecentFrames {
    /// A frame that the program may not see, or that came in where it does not listen.
    pub fn keep_unheard(&mut self, packet: Packet) {
        if self.unheard.len() >= REMEMBERED {
            self.unheard.pop_front();
        }
        self.unheard.push_back(packet);
    }

    /// A frame that the program may see.
    pub fn keep_heard(&mut self, heard: &Arc<AdmittedFrame>) {
        if self.heard.len() >= REMEMBERED {
            self.heard.pop_front();
        }
        self.heard.push_back(Arc::clone(heard));
    }
}

/// The frames that missed one pattern.
#[derive(Default)]
struct Misses {
    /// By the condition that failed: how many, and what the first one had there.
    near: BTreeMap<String, (u64, Option<String>)>,
    /// By the reason why they were not shown: how many.
    unheard: BTreeMap<String, u64>,
}

impl Machine {
    /// No arm took anything: what nearly did.
    pub(crate) fn tell_misses(&mut self, expecting: &WaitingExpect) {
        let code = Arc::clone(&self.script.code);
        let Instruction::Expect(head) = &code.ops[expecting.pc] else {
            return;
        };
        let since = self.reception.inbox.since.unwrap_or(Time(i64::MIN));
        for (pattern, (arm, _)) in expecting.patterns.iter().zip(&head.arms) {
            let heard = self.reception.inbox.heard.iter().rev().take(REMEMBERED);
            let misses = self.misses_of(pattern, since, heard);
            self.tell(misses, arm.span);
        }
    }

    /// Handlers with more scopes around them than this end: those that never ran tell what they
    /// missed.
    pub(crate) fn tell_misses_of_handlers(&mut self, depth: usize) {
        self.tell_of_listeners(|listener| listener.depth > depth);
    }

    /// The run is over: all handlers end.
    pub(crate) fn tell_all_misses(&mut self) {
        self.tell_of_listeners(|_| true);
        self.reception.listeners.clear();
    }

    fn tell_of_listeners(&mut self, ends: impl Fn(&Listener) -> bool) {
        let listeners = core::mem::take(&mut self.reception.listeners);
        for listener in listeners.iter().filter(|l| ends(l) && !l.ran) {
            let Instruction::On(on) = &self.script.code.ops[listener.head] else {
                continue;
            };
            let span = on.arm.span;
            let heard = self.reception.recent.heard.iter();
            let heard = heard.filter(|heard| heard.about.time > listener.since);
            let misses = self.misses_of(&listener.pattern, listener.since, heard);
            self.tell(misses, span);
        }
        self.reception.listeners = listeners;
    }

    fn misses_of<'f>(
        &self,
        pattern: &EvaluatedPattern,
        since: Time,
        heard: impl Iterator<Item = &'f Arc<AdmittedFrame>>,
    ) -> Misses {
        let mut misses = Misses::default();
        if pattern.is_stream() {
            return misses;
        }
        for heard in heard {
            if let Some(FailedCondition { field, is }) = pattern.nearly(&heard.frame, &heard.about)
            {
                misses.near.entry(field).or_insert((0, is)).0 += 1;
            }
        }
        for packet in &self.reception.recent.unheard {
            let frame = packet.octets.clone();
            let view = DecodedPacket::of_frame(self.uplink.link(), frame, packet.wire_len);
            let about = FrameMetadata {
                time: packet.time,
                source: "software",
                last: packet.time,
                len: i64::try_from(packet.wire_len).unwrap_or(i64::MAX),
                interface: self.uplink.interface_name(),
                checksum_ready: packet.checksum_ready,
            };
            if packet.time >= since && pattern.on_packet(&view, &about).is_some() {
                *misses.unheard.entry(self.why_unheard(packet)).or_default() += 1;
            }
        }
        misses
    }

    fn why_unheard(&self, packet: &Packet) -> String {
        if packet.interface != self.uplink.outbox.interface {
            let interfaces = &self.uplink.environment.interfaces;
            let name = |at: usize| interfaces.get(at).map_or("?", |i| i.name.as_str());
            return format!(
                "arrived on `{}`, but this run listens on `{}`: `--iface {0}`",
                name(packet.interface),
                name(self.uplink.outbox.interface)
            );
        }
        let link = self.uplink.link_kind();
        self.uplink.outbox.gate.why_unheard(&packet.octets, link)
    }

    /// Once a place and reason.
    fn tell(&mut self, misses: Misses, span: Span) {
        let frames = |count: u64| match count {
            1 => "1 frame".to_string(),
            count => format!("{count} frames"),
        };
        let near = misses.near.into_iter().map(|(field, (count, is))| {
            let is = is.map_or("is not there".into(), |is| format!("is {is}"));
            (
                field.clone(),
                count,
                format!(
                    "{} matched except for one condition: `{field}` {is}",
                    frames(count)
                ),
            )
        });
        let unheard = misses.unheard.into_iter().map(|(why, count)| {
            let message = format!(
                "{} matched, but was hidden from the program: it {why}",
                frames(count)
            );
            (why, count, message)
        });
        let told: Vec<_> = unheard.chain(near).collect();
        for (what, count, message) in told {
            if self.journal.occurrences.missed(&what, span, count) {
                let time = self.threads.main.time;
                self.journal.record(Event::NearMiss {
                    message,
                    count,
                    span,
                    time,
                });
            }
        }
    }
}
