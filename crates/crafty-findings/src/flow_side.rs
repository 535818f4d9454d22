//! One side of a TCP flow: which bytes passed, which were late or came again, what the other side
//! says of them.

use crate::observed_packet::ObservedPacket;
use crate::packet_meaning::{
    Lateness, PacketMeaning, Retransmission, RetransmissionVerdict, SynRecord,
};
use crate::ranges::SequenceRanges;
use crafty_value::{Duration, Time};
use crafty_wire::protocols::tcp::{RST_FLAG, SYN_FLAG, TcpOptions};
use crafty_wire::protocols::udp;
use std::collections::VecDeque;

/// Segments of a side that are remembered.
const MOST_RECENT: usize = 256;
/// Retransmissions of a side that wait for their verdict.
const MOST_RESENT: usize = 128;
/// Gaps of a side that are remembered.
const MOST_GAPS: usize = 64;
/// Packets of a side that are distinguished from their copies.
pub(crate) const MOST_FINGERPRINTS: usize = 32;
/// A jump of sequence numbers beyond the largest window (RFC 7323 §2.3) is of no connection that is
/// known here.
const ALIEN: i64 = 1 << 30;
/// Without a round trip to compare with, what is late by less counts as overtaken: no sender
/// resends so soon.
const SOON: Duration = Duration::millis(3);
/// The shortest retransmission timer in use; RFC 6298 §2.4 asks for a second.
const TIMER: Duration = Duration::millis(200);
/// Steps of the identification that still look like a counter.
const NEAR: i32 = 1024;

/// What a side of a flow did.
#[derive(Clone, Debug, Default)]
pub struct FlowSide {
    /// Its options when it opened, if that was seen.
    pub opening: Option<SynRecord>,
    /// Retransmissions that wait for their verdict.
    pub resent: VecDeque<Retransmission>,
    /// Packets seen.
    pub packets: u64,
    pub(crate) base: Option<u32>,
    pub(crate) next: i64,
    pub(crate) acked: i64,
    gaps: Vec<SentRange>,
    held: SequenceRanges,
    unseen: SequenceRanges,
    recent: VecDeque<SentRange>,
    fingerprints: VecDeque<PacketFingerprint>,
    pub(crate) repeats: u64,
    /// When the first and the third repetition passed.
    pub(crate) repeated_at: [Option<Time>; 2],
    pub(crate) window: Option<u64>,
    pub(crate) edge: Option<i64>,
    ttl: Option<u8>,
    dscp: Option<u8>,
    pub(crate) asked: Option<Time>,
    pub(crate) spoke: bool,
}

/// Bytes that passed, or that should have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentRange {
    pub(crate) left: i64,
    pub(crate) right: i64,
    pub(crate) index: u64,
    pub(crate) time: Option<Time>,
    pub(crate) id: Option<u16>,
    pub(crate) ts: Option<u32>,
    /// The packet that opened the gap that these bytes fill, and when.
    pub(crate) gap: Option<(u64, Option<Time>)>,
}

/// Round trips as the opening measured them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrips {
    /// From here to the sender and back.
    pub(crate) own: Option<Duration>,
    /// From one end to the other and back.
    pub(crate) whole: Option<Duration>,
}

/// By what a packet is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PacketFingerprint {
    pub(crate) id: u16,
    words: [u64; 4],
    ttl: u8,
    pub(crate) index: u64,
}

impl FlowSide {
    /// Where a sequence number is, counted from the first; `None` before the first and for what
    /// cannot belong.
    pub(crate) fn offset(&self, number: u32) -> Option<i64> {
        let next = self.base?.wrapping_add(self.next as u32);
        let away = i64::from(number.wrapping_sub(next) as i32);
        (away.abs() < ALIEN).then_some(self.next + away)
    }

    /// Tells a packet that the network doubled, or that passed two places, from one that was sent
    /// again: senders that number their datagrams never use a number twice so soon.
    pub(crate) fn known_again(&mut self, packet: &ObservedPacket<'_>, meaning: &mut PacketMeaning) {
        let Some(fingerprint) = PacketFingerprint::of(packet) else {
            return;
        };
        if let Some(before) = self
            .fingerprints
            .iter()
            .find(|it| it.id == fingerprint.id && it.words == fingerprint.words)
        {
            meaning.copy = before.ttl != fingerprint.ttl;
            meaning.duplicate = Some(before.index).filter(|_| !meaning.copy);
            return;
        }
        if self.fingerprints.len() == MOST_FINGERPRINTS {
            self.fingerprints.pop_front();
        }
        self.fingerprints.push_back(fingerprint);
    }

    /// What of a SYN is other than it was at the first place.
    pub(crate) fn rewritten(&self, packet: &ObservedPacket<'_>) -> Vec<String> {
        let (Some(now), Some(opening)) = (&packet.tcp, &self.opening) else {
            return Vec::new();
        };
        let (was, is) = (&opening.options, &packet.tcp_options);
        if !now.has(SYN_FLAG) {
            return Vec::new();
        }
        let number = |n: Option<u32>| n.map_or("none".to_string(), |n| n.to_string());
        let rows = [
            ("mss", was.mss.map(u32::from), is.mss.map(u32::from)),
            (
                "wscale",
                was.wscale.map(u32::from),
                is.wscale.map(u32::from),
            ),
            ("sack_ok", was.sack_ok.then_some(1), is.sack_ok.then_some(1)),
            ("ts", was.timestamps.map(|_| 1), is.timestamps.map(|_| 1)),
        ];
        rows.into_iter()
            .filter(|row| row.1 != row.2)
            .map(|row| format!("`{}` {} became {}", row.0, number(row.1), number(row.2)))
            .collect()
    }

    pub(crate) fn take_network(
        &mut self,
        packet: &ObservedPacket<'_>,
        meaning: &mut PacketMeaning,
    ) {
        let Some(network) = &packet.network else {
            return;
        };
        let reset = packet.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG));
        meaning.ttl_before = self.ttl.filter(|ttl| *ttl != network.ttl);
        meaning.dscp_before = self.dscp.filter(|dscp| *dscp != network.dscp);
        if !reset {
            (self.ttl, self.dscp) = (Some(network.ttl), Some(network.dscp));
        }
    }

    /// Moves the edge of what is acknowledged; gives how much of it never passed here.
    pub(crate) fn acknowledge(&mut self, ack: i64) -> i64 {
        let beyond = (ack - self.next).max(0);
        self.unseen.add(self.next, ack);
        let mut missing = beyond;
        for gap in self.gaps.extract_if(.., |gap| gap.right <= ack) {
            missing += gap.right - gap.left;
            self.unseen.add(gap.left, gap.right);
        }
        self.next = self.next.max(ack);
        self.acked = self.acked.max(ack);
        self.held.forget(self.acked);
        missing
    }

    /// Blocks that the peer holds; the first may report what it got twice (RFC 2883 §4).
    pub(crate) fn take_sacks(&mut self, ack: i64, options: &TcpOptions) {
        let blocks: Vec<(i64, i64)> = options
            .sacks
            .iter()
            .filter_map(|&(left, right)| Some((self.offset(left)?, self.offset(right)?)))
            .collect();
        for (i, &(left, right)) in blocks.iter().enumerate() {
            let inside = blocks.get(1).is_some_and(|&(l, r)| l <= left && right <= r);
            if i == 0 && (right <= ack || inside) {
                self.judge(left, right);
            } else {
                self.held.add(left, right.min(self.next));
            }
        }
    }

    fn judge(&mut self, left: i64, right: i64) {
        if let Some(resent) = self.resent.iter_mut().rev().find(|it| {
            it.left < right && left < it.right && it.verdict != RetransmissionVerdict::LostBefore
        }) {
            resent.verdict =
                RetransmissionVerdict::Needless("the receiver reported a duplicate (DSACK)");
            resent.closed = true;
        }
    }

    /// An echo older than the copy means that the first one had arrived (RFC 3522 §3.2).
    pub(crate) fn judge_by_echo(&mut self, ack: i64, options: &TcpOptions) {
        let Some(echo) = options
            .timestamps
            .map(|it| it.echo)
            .filter(|echo| *echo != 0)
        else {
            return;
        };
        for resent in self
            .resent
            .iter_mut()
            .filter(|it| !it.closed && ack >= it.right)
        {
            let Some(sent) = resent.ts else { continue };
            resent.closed = true;
            if (echo.wrapping_sub(sent) as i32) < 0 {
                resent.verdict = RetransmissionVerdict::Needless(
                    "the receiver echoed the time stamp of the first copy",
                );
            } else if resent.verdict == RetransmissionVerdict::Untold {
                resent.verdict = RetransmissionVerdict::Needed(
                    "the receiver echoed the time stamp of the second copy",
                );
            }
        }
    }

    pub(crate) fn open_gap(&mut self, sent: SentRange) {
        if self.gaps.len() == MOST_GAPS {
            self.gaps.remove(0);
        }
        self.gaps.push(SentRange {
            left: self.next,
            right: sent.left,
            ..sent
        });
    }

    /// Bytes below the highest seen: they fill a gap, or they pass once more.
    pub(crate) fn again(
        &mut self,
        sent: &mut SentRange,
        trips: RoundTrips,
        opening: bool,
        probe: bool,
        meaning: &mut PacketMeaning,
    ) {
        if let Some(gap) = self.fill(sent.left, sent.right) {
            sent.gap = Some((gap.index, gap.time));
            match overtaken(&gap, sent, self.mended_at(&gap, trips)) {
                true => meaning.late = Some(self.lateness(&gap, sent)),
                false => self.resend(sent, opening, RetransmissionVerdict::LostBefore, meaning),
            }
            return;
        }
        let keep_alive = sent.right - sent.left == 1
            && sent.right == self.next
            && self.acked >= sent.right
            && !opening;
        if keep_alive || probe || self.unseen.holds(sent.left, sent.right) {
            return;
        }
        let first = self
            .recent
            .iter()
            .rev()
            .find(|it| it.left < sent.right && sent.left < it.right)
            .copied();
        match first {
            Some(first) if first.gap.is_some() => {
                self.after_gap(&first, sent, trips, opening, meaning)
            }
            Some(first) if doubled(&first, sent, trips.whole) => {
                meaning.duplicate = Some(first.index)
            }
            _ => self.resend(sent, opening, self.known(sent), meaning),
        }
    }

    /// The earliest time at which bytes can pass that repair a gap: the sender knows once the
    /// receiver repeated itself three times (RFC 5681 §3.2), or once and a quarter of a round trip
    /// with SACK (RFC 8985 §6.2), else when its timer is over; and what it then sends takes its
    /// way.
    fn mended_at(&self, gap: &SentRange, trips: RoundTrips) -> Option<Time> {
        let (Some(own), Some(whole)) = (trips.own, trips.whole) else {
            return gap.time.map(|at| at.after(SOON));
        };
        let [first, third] = self.repeated_at;
        let sack = self.held.above(self.acked);
        let by_sack = first
            .filter(|_| sack)
            .map(|at| at.after(Duration(whole.0 / 4)));
        let known = [third, by_sack].into_iter().flatten().min();
        known
            .map(|at| at.after(own))
            .or_else(|| gap.time.map(|at| at.after(whole.max(TIMER))))
    }

    /// The second copy of bytes whose first filled a gap: a late one and a needless one, whichever
    /// came first. Only what comes much later was sent for another reason.
    fn after_gap(
        &mut self,
        first: &SentRange,
        sent: &SentRange,
        trips: RoundTrips,
        opening: bool,
        meaning: &mut PacketMeaning,
    ) {
        const WHY: &str = "the first copy was reordered, not lost";
        let mended = self
            .resent
            .iter_mut()
            .find(|it| it.index == first.index && it.verdict == RetransmissionVerdict::LostBefore);
        match mended.filter(|_| {
            overtaken(
                first,
                sent,
                first.time.map(|at| at.after(trips.whole.unwrap_or(SOON))),
            )
        }) {
            Some(mended) => {
                mended.verdict = RetransmissionVerdict::Needless(WHY);
                let gap = SentRange {
                    index: first.gap.map_or(0, |it| it.0),
                    time: first.gap.and_then(|it| it.1),
                    ..*first
                };
                meaning.late = Some(self.lateness(&gap, sent));
            }
            None if sooner(first, sent, trips.whole.unwrap_or(SOON)) => {
                self.resend(sent, opening, RetransmissionVerdict::Needless(WHY), meaning)
            }
            None => self.resend(sent, opening, self.known(sent), meaning),
        }
    }

    /// What acknowledgements tell of bytes that pass again.
    fn known(&self, sent: &SentRange) -> RetransmissionVerdict {
        if self.acked >= sent.right {
            RetransmissionVerdict::Needless("its acknowledgement had been captured already")
        } else if self.held.holds(sent.left, sent.right) {
            RetransmissionVerdict::Needless("the receiver had reported it received (SACK)")
        } else if self.held.above(sent.right) {
            RetransmissionVerdict::Needed("the receiver had reported it missing (SACK)")
        } else {
            RetransmissionVerdict::Untold
        }
    }

    fn resend(
        &mut self,
        sent: &SentRange,
        opening: bool,
        verdict: RetransmissionVerdict,
        meaning: &mut PacketMeaning,
    ) {
        if self.resent.len() == MOST_RESENT {
            meaning.judged.extend(self.resent.pop_front());
        }
        let closed = matches!(
            verdict,
            RetransmissionVerdict::Needless(_) | RetransmissionVerdict::LostBefore
        );
        self.resent.push_back(Retransmission {
            index: sent.index,
            opening,
            verdict,
            left: sent.left,
            right: sent.right,
            ts: sent.ts,
            closed,
        });
    }

    /// Takes `left..right` out of the gap that it lies in, and gives the gap.
    fn fill(&mut self, left: i64, right: i64) -> Option<SentRange> {
        let at = self
            .gaps
            .iter()
            .position(|gap| gap.left < right && left < gap.right)?;
        let gap = self.gaps.remove(at);
        if gap.left < left {
            self.gaps.insert(at, SentRange { right: left, ..gap });
        }
        if right < gap.right {
            self.gaps.insert(
                (at + usize::from(gap.left < left)).min(self.gaps.len()),
                SentRange { left: right, ..gap },
            );
        }
        self.gaps.truncate(MOST_GAPS);
        Some(gap)
    }

    fn lateness(&self, gap: &SentRange, sent: &SentRange) -> Lateness {
        let overtaken = self
            .recent
            .iter()
            .filter(|it| it.index >= gap.index && it.left >= sent.right)
            .count() as u64;
        Lateness {
            overtaken,
            by: sent
                .time
                .zip(gap.time)
                .map_or(Duration::ZERO, |(now, then)| now.since(then)),
        }
    }

    pub(crate) fn remember(&mut self, sent: SentRange) {
        if self.recent.len() == MOST_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(sent);
    }
}

impl PacketFingerprint {
    fn of(packet: &ObservedPacket<'_>) -> Option<PacketFingerprint> {
        let network = packet.network.as_ref()?;
        let id = network.id.filter(|id| *id != 0)?;
        let words = match &packet.tcp {
            Some(it) => [
                it.seq.into(),
                it.ack.into(),
                it.len() << 32 | u64::from(it.window),
                it.flags,
            ],
            None => {
                let (at, view) = (packet.position(&udp::LAYER)?, packet.view());
                [
                    view.uint(at, "checksum").filter(|sum| *sum != 0)?,
                    view.uint(at, "len")?,
                    0,
                    0,
                ]
            }
        };
        Some(PacketFingerprint {
            id,
            words,
            ttl: network.ttl,
            index: packet.index,
        })
    }
}

/// Whether bytes that fill a gap were sent before those that opened it. Time stamps tell, then the
/// order of identifications, then time: nobody repairs a loss before it can be known.
fn overtaken(gap: &SentRange, sent: &SentRange, mended_at: Option<Time>) -> bool {
    let by_stamp = sent
        .ts
        .zip(gap.ts)
        .map(|(now, then)| now.wrapping_sub(then) as i32)
        .filter(|step| *step != 0);
    let by_id = sent
        .id
        .zip(gap.id)
        .map(|(now, then)| i32::from(now.wrapping_sub(then) as i16))
        .filter(|step| step.abs() < NEAR && *step != 0);
    by_stamp.or(by_id).map_or_else(
        || sent.time.zip(mended_at).is_some_and(|(now, at)| now < at),
        |step| step < 0,
    )
}

/// Whether the network made two of one: too soon for the sender to have done so.
fn doubled(first: &SentRange, sent: &SentRange, round_trip: Option<Duration>) -> bool {
    let same = first.left == sent.left && first.right == sent.right && first.ts == sent.ts;
    let numbered = first.id.is_some() && sent.id.is_some() && first.id != sent.id;
    same && !numbered && sooner(first, sent, round_trip.unwrap_or(SOON))
}

fn sooner(first: &SentRange, sent: &SentRange, limit: Duration) -> bool {
    sent.time
        .zip(first.time)
        .is_some_and(|(now, then)| now.since(then) < limit)
}
