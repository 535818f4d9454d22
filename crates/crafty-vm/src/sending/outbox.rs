//! Outgoing frames: every frame is judged by the gate, numbered, handed out in order, and its stamp
//! awaited.

use crate::api::{Counts, FrameId, Stamp, StampSource, Transmit};
use core::ops::Range;
use crafty_lang::ir::Span;
use crafty_policy::{FrameOrigin, Gate, LinkKind, Reason, RefusalKind, Toll, Verdict};
use crafty_value::{Duration, Time};
use std::collections::{BTreeMap, VecDeque};

/// How long a stamp is awaited after the frame was handed out.
pub(crate) const STAMP_WAIT: Duration = Duration::millis(100);

/// Frames that wait to be handed out, from which on the program pauses until they are taken.
const FULL: usize = 256;
/// Frames without stamp from which on the dead ones are looked for.
const MANY_AWAITED: usize = 4096;

/// Frames on their way out.
pub(crate) struct FrameOutbox {
    pub gate: Gate,
    /// The one interface of this run, and what its frames begin with.
    pub interface: usize,
    link: LinkKind,
    ready: VecDeque<Transmit>,
    next_frame: u64,
    /// Frames whose stamp may still come: the packet they belong to, and when they were to be sent.
    awaited: BTreeMap<FrameId, UnstampedFrame>,
    /// How many are kept before the dead ones are looked for again.
    forget_at: usize,
    pub sent: Counts,
    /// Frames that the gate refused, and of which kind the last refusal was.
    pub refused: (u64, Option<RefusalKind>),
    /// Bytes of the frames that were numbered last.
    lengths: VecDeque<u32>,
}

/// A frame without stamp.
#[derive(Clone, Debug)]
pub(crate) struct UnstampedFrame {
    /// The packets of the program that it carries.
    pub packets: Vec<u64>,
    /// The earliest moment at which it is sent.
    pub at: Time,
}

/// A frame to be sent.
#[derive(Debug)]
pub(crate) struct OutgoingFrame {
    /// As one frame, where it was cut.
    pub whole: Option<Vec<u8>>,
    /// What the wire carries.
    pub pieces: Vec<Vec<u8>>,
    pub origin: FrameOrigin,
    pub line: Span,
    pub packets: Vec<u64>,
}

impl FrameOutbox {
    /// The queue of frames through this gate.
    pub fn new(gate: Gate, interface: usize, link: LinkKind) -> FrameOutbox {
        let (ready, awaited) = (VecDeque::new(), BTreeMap::new());
        FrameOutbox {
            gate,
            interface,
            link,
            ready,
            next_frame: 0,
            awaited,
            forget_at: 0,
            sent: Counts::default(),
            refused: (0, None),
            lengths: VecDeque::new(),
        }
    }

    /// Judges frames and queues them; gives their numbers, or why they are not sent.
    pub fn submit(&mut self, now: Time, outgoing: OutgoingFrame) -> Result<Range<u64>, Reason> {
        let OutgoingFrame {
            whole,
            pieces,
            origin,
            line,
            packets,
        } = outgoing;
        let views: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let whole = whole
            .as_deref()
            .or(views.first().copied())
            .unwrap_or_default();
        let verdict = self.gate.judge_cut(now, whole, &views, self.link, origin);
        let at = self.leaves_at(now, verdict)?;
        let first = self.next_frame;
        let (mut toll, others) = (self.gate.toll(), pieces.iter().skip(1));
        toll.bytes = toll
            .bytes
            .saturating_sub(others.map(|piece| on_wire(piece)).sum());
        for octets in pieces {
            let bytes = on_wire(&octets);
            self.queue(octets, line, packets.clone(), (at, now), toll);
            toll = Toll { bytes, syns: 0 };
        }
        Ok(first..self.next_frame)
    }

    /// The same for one frame, the quick way; gives its number.
    pub fn submit_one(
        &mut self,
        now: Time,
        octets: Vec<u8>,
        origin: FrameOrigin,
        line: Span,
        packet: Option<u64>,
    ) -> Result<u64, Reason> {
        let verdict = self.gate.judge(now, &octets, self.link, origin);
        let at = self.leaves_at(now, verdict)?;
        let frame = self.next_frame;
        let toll = self.gate.toll();
        self.queue(octets, line, packet.into_iter().collect(), (at, now), toll);
        Ok(frame)
    }

    /// When a frame with this verdict is sent, if it is.
    fn leaves_at(&mut self, now: Time, verdict: Verdict) -> Result<Time, Reason> {
        match verdict {
            Verdict::Send => Ok(now),
            Verdict::Hold { until } => Ok(until),
            Verdict::Drop(reason) => {
                self.refused = (self.refused.0 + 1, Some(reason.why.kind));
                Err(reason)
            }
        }
    }

    fn queue(
        &mut self,
        octets: Vec<u8>,
        line: Span,
        packets: Vec<u64>,
        (at, now): (Time, Time),
        toll: Toll,
    ) {
        let frame = FrameId(self.next_frame);
        self.next_frame += 1;
        self.sent.packets += 1;
        self.sent.bytes += octets.len() as u64;
        if self.lengths.len() >= MANY_AWAITED {
            self.lengths.pop_front();
        }
        self.lengths.push_back(octets.len() as u32);
        if !packets.is_empty() {
            self.awaited.insert(frame, UnstampedFrame { packets, at });
        }
        self.ready.push_back(Transmit {
            frame,
            interface: self.interface,
            octets,
            line,
            at,
            before: self.gate.deadline(),
            held: at.since(now),
            toll,
        });
    }

    /// The number that the next frame will have.
    pub fn next_frame(&self) -> FrameId {
        FrameId(self.next_frame)
    }

    /// The next frame to send.
    pub fn poll(&mut self) -> Option<Transmit> {
        self.ready.pop_front()
    }

    /// Whether the program has to pause until frames have been taken.
    pub fn is_full(&self) -> bool {
        self.ready.len() >= FULL
    }

    /// A stamp came: whose it is.
    pub fn stamped(&mut self, frame: FrameId) -> Vec<u64> {
        self.awaited
            .remove(&frame)
            .map(|a| a.packets)
            .unwrap_or_default()
    }

    /// A frame was not sent after all: whose it is.
    pub fn failed(&mut self, frame: FrameId) -> Vec<u64> {
        let back = self.next_frame.saturating_sub(frame.0) as usize;
        let at = self.lengths.len().checked_sub(back);
        let length = at.and_then(|at| self.lengths.get(at)).copied();
        self.sent.packets = self.sent.packets.saturating_sub(1);
        self.sent.bytes = (self.sent.bytes).saturating_sub(u64::from(length.unwrap_or(0)));
        self.stamped(frame)
    }

    /// Until when this frame's stamp is awaited.
    pub fn awaited_until(&self, frame: FrameId) -> Option<Time> {
        self.awaited.get(&frame).map(|a| a.at.after(STAMP_WAIT))
    }

    /// No stamp came: the clock must do.
    pub fn give_up(&mut self, frame: FrameId) -> Option<Stamp> {
        self.awaited.remove(&frame).map(|a| Stamp {
            time: a.at,
            source: StampSource::Clock,
        })
    }

    /// Forgets frames that were to be stamped long ago and that nobody can ask about.
    pub fn forget(&mut self, now: Time, lives: impl Fn(u64) -> bool) {
        if self.awaited.len() >= self.forget_at.max(MANY_AWAITED) {
            self.awaited
                .retain(|_, a| a.at.after(STAMP_WAIT) > now || a.packets.iter().any(|p| lives(*p)));
            self.forget_at = self.awaited.len() * 2;
        }
    }
}

/// Bytes of a frame as the budget counts them.
fn on_wire(frame: &[u8]) -> u64 {
    frame.len().max(60) as u64
}

impl core::fmt::Debug for FrameOutbox {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Outbox")
            .field("ready", &self.ready.len())
            .field("next_frame", &self.next_frame)
            .finish_non_exhaustive()
    }
}
