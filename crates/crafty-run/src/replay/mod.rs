//! A recorded peer: what the peer sent is sent again once the program has said what came before it
//! in the recording, with the recorded delay. Ports, identifiers and sequence numbers are the
//! program's own. What the program says otherwise than the recording is reported, and answered
//! anyway. Knows no clock and no machine: frames of the program go in, frames of the peer come out.
//!
//! A frame of the peer hangs on what precedes it in its conversation: in TCP on the bytes that had
//! been sent (so that it does not matter how they were cut), elsewhere on the frame before it. What
//! nothing precedes comes at its recorded time.

mod divergence;
mod own;
mod shift;
mod talk;

pub use divergence::{Divergence, Expectation};

use crate::recording::{
    EndpointAddress, Ends, Proto, RecordedPacketView, Recording, RecordingError, ends,
};
use crafty_policy::Policy;
use crafty_value::Time;
use crafty_vm::{Environment, Packet};
use std::collections::{BTreeMap, VecDeque};
use talk::{Expected, Prerequisite, ReplayConversation};

/// A recording at work.
pub struct Replay {
    recording: Recording,
    talks: Vec<ReplayConversation>,
    /// Conversations of the program, by its end and the peer's.
    bound: BTreeMap<(Proto, EndpointAddress, EndpointAddress), usize>,
    /// What is to be delivered: by time, then in the order in which it fell due; the conversation
    /// and the number of its frame.
    due: BTreeMap<(Time, u64), (usize, usize)>,
    scheduled: u64,
    divergences: VecDeque<Divergence>,
}

impl Replay {
    /// A recording from the point of view of a program with this policy.
    ///
    /// # Errors
    /// When nothing in it is between the program's destinations and another host.
    pub fn new(recording: Recording, policy: &Policy) -> Result<Replay, RecordingError> {
        let talks = own::talks(&recording, policy);
        if !talks
            .iter()
            .any(|talk| policy.destinations.contains(talk.peer.0))
        {
            return Err(RecordingError::NoConversation);
        }
        let begun = talks.iter().enumerate().filter(|(_, talk)| talk.is_bound());
        let bound = begun
            .map(|(at, talk)| ((talk.proto, talk.own, talk.peer), at))
            .collect();
        let (due, divergences) = (BTreeMap::new(), VecDeque::new());
        let mut replay = Replay {
            recording,
            talks,
            bound,
            due,
            scheduled: 0,
            divergences,
        };
        for talk in 0..replay.talks.len() {
            replay.schedule(talk, Prerequisite::Start, Time(0));
        }
        Ok(replay)
    }

    /// What a machine learns of the host that the recording shows.
    pub fn environment(&self, policy: &Policy, seed: u64) -> Environment {
        own::environment(&self.recording, &self.talks, policy, seed)
    }

    /// When the program begins: with the recording, or when the neighbours were known that it had
    /// to ask for first.
    pub fn start(&self) -> Time {
        own::start(&self.recording)
    }

    /// The program sent a frame.
    pub fn sent(&mut self, now: Time, octets: &[u8]) {
        let Some(view) = self.recording.view(octets, octets.len()) else {
            return;
        };
        let Some(ends) = ends(&view).filter(|ends| !ends.quoted) else {
            return;
        };
        let Some(at) = self.talk_of(&view, &ends) else {
            if !matches!(ends.proto, Proto::Arp | Proto::Discovery) {
                self.diverge(now, Expectation::NothingOfTheKind, Some(octets));
            }
            return;
        };
        let said = self.talks[at].said(&view, &ends);
        for need in said.needs {
            self.schedule(at, need, now);
        }
        if let Some(expected) = said.expected {
            self.diverge(now, self.expectation(expected), Some(octets));
        }
    }

    /// When the next frame of the peer comes, as far as is known.
    pub fn next(&self) -> Option<Time> {
        self.due.keys().next().map(|(time, _)| *time)
    }

    /// The next frame of the peer that has come by `now`.
    pub fn receive(&mut self, now: Time) -> Option<Packet> {
        let (&key, &(talk, theirs)) = self
            .due
            .first_key_value()
            .filter(|((time, _), _)| *time <= now)?;
        self.due.remove(&key);
        let talk = &self.talks[talk];
        let theirs = &talk.theirs[theirs];
        let recorded = &self.recording.frames[theirs.frame];
        let view = self.recording.view(&recorded.octets, recorded.wire_len)?;
        let checksum_ready = !shift::is_partial(&view, &theirs.ends);
        let octets = shift::shifted(&self.recording, recorded, theirs, talk);
        Some(Packet {
            interface: 0,
            time: key.0,
            octets,
            wire_len: recorded.wire_len,
            checksum_ready,
        })
    }

    /// The next difference.
    pub fn divergence(&mut self) -> Option<Divergence> {
        self.divergences.pop_front()
    }

    /// The program is over: what it should have said and did not is a difference too, in the
    /// conversations that it took up.
    pub fn finish(&mut self, now: Time) {
        for at in 0..self.talks.len() {
            let talk = &self.talks[at];
            let resolves = matches!(talk.proto, Proto::Arp | Proto::Discovery);
            if resolves || !talk.is_bound() {
                continue;
            }
            if let Some(expected) = talk.left_unsaid() {
                self.diverge(now, self.expectation(expected), None);
            }
        }
    }

    fn diverge(&mut self, time: Time, expected: Expectation, sent: Option<&[u8]>) {
        self.divergences.push_back(Divergence {
            time,
            link: if self.recording.ethernet { 1 } else { 101 },
            expected,
            sent: sent.map(<[u8]>::to_vec),
        });
    }

    fn expectation(&self, expected: Expected) -> Expectation {
        match expected {
            Expected::Frame(frame) => {
                let frame = &self.recording.frames[frame];
                Expectation::Packet {
                    index: frame.index,
                    bytes: frame.octets.clone(),
                    wire_len: frame.wire_len,
                }
            }
            Expected::NothingMore => Expectation::NothingMore,
            Expected::StreamBytes { at, bytes, len } => Expectation::StreamBytes { at, bytes, len },
            Expected::StreamEnd { len } => Expectation::StreamEnd { len },
        }
    }

    /// The conversation that a frame of the program belongs to: its own already, or the first one
    /// with this peer that nobody has, preferably with the same port, or in which the same was
    /// said.
    fn talk_of(&mut self, view: &RecordedPacketView, ends: &Ends) -> Option<usize> {
        let key = (ends.proto, ends.src, ends.dst);
        if let Some(at) = self.bound.get(&key) {
            return Some(*at);
        }
        let free = || {
            self.talks
                .iter()
                .enumerate()
                .filter(|(_, talk)| talk.could_be(ends))
        };
        let same = free()
            .find(|(_, talk)| talk.own.1 == ends.src.1)
            .or_else(|| free().find(|(_, talk)| talk.has_said(view, ends)));
        let (at, _) = same.or_else(|| free().next())?;
        self.talks[at].bind(ends);
        self.bound.insert(key, at);
        Some(at)
    }

    /// Whatever hangs on this need comes after its delay.
    fn schedule(&mut self, at: usize, need: Prerequisite, now: Time) {
        let talk = &self.talks[at];
        for i in talk.waiting(need) {
            let theirs = &talk.theirs[*i];
            let time = if need == Prerequisite::Start {
                self.recording.frames[theirs.frame].time
            } else {
                now.after(theirs.delay)
            };
            self.due.insert((time, self.scheduled), (at, *i));
            self.scheduled += 1;
        }
    }
}
