//! What a packet means in its flow: new octets, octets that come late or again, acknowledgements, windows. Sequence numbers are
//! counted from the first one seen of a side, in 64 bits, so that they do not wrap.

use crate::flow::Flow;
use crate::ranges::Ranges;
use crate::seen::{Seen, Segment, bits};
use crafty_value::{Duration, Time};
use std::collections::VecDeque;

/// Segments of a side that are remembered.
const MOST_RECENT: usize = 256;
/// Retransmissions of a side that wait for their verdict.
const MOST_RESENT: usize = 128;
/// Gaps of a side that are remembered.
const MOST_GAPS: usize = 64;
/// Packets of a side that are told from their copies.
const MOST_PRINTS: usize = 32;
/// A jump of sequence numbers beyond the largest window (RFC 7323 §2.3) is of no connection that is known here.
const ALIEN: i64 = 1 << 30;
/// Without a round trip to compare with, what is late by less counts as overtaken: no sender resends so soon.
const SOON: Duration = Duration::millis(3);
/// The shortest retransmission timer in use; RFC 6298 §2.4 asks for a second.
const TIMER: Duration = Duration::millis(200);
/// Steps of the identification that still look like a counter.
const NEAR: i32 = 1024;

/// What a side of a flow did.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// Its options when it opened, if that was seen.
    pub opening: Option<Opening>,
    /// Retransmissions that wait for their verdict.
    pub resent: VecDeque<Resent>,
    /// Packets seen.
    pub packets: u64,
    pub(crate) base: Option<u32>,
    next: i64,
    acked: i64,
    gaps: Vec<Sent>,
    held: Ranges,
    unseen: Ranges,
    recent: VecDeque<Sent>,
    prints: VecDeque<Print>,
    repeats: u64,
    /// When the first and the third repetition passed.
    repeated_at: [Option<Time>; 2],
    window: Option<u64>,
    edge: Option<i64>,
    ttl: Option<u8>,
    dscp: Option<u8>,
    asked: Option<Time>,
    spoke: bool,
}

/// What a SYN offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Packets that carried it.
    pub packets: Vec<u64>,
    /// It, as it was first seen.
    pub segment: Segment,
}

/// Octets that passed, or that should have.
#[derive(Clone, Copy, Debug)]
struct Sent {
    left: i64,
    right: i64,
    index: u64,
    time: Option<Time>,
    id: Option<u16>,
    ts: Option<u32>,
    /// The packet that opened the gap that these octets fill, and when.
    gap: Option<(u64, Option<Time>)>,
}

/// Round trips as the opening measured them.
#[derive(Clone, Copy, Debug)]
struct Trips {
    /// From here to the sender and back.
    own: Option<Duration>,
    /// From one end to the other and back.
    whole: Option<Duration>,
}

/// By what a packet is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Print {
    id: u16,
    words: [u64; 4],
    ttl: u8,
    index: u64,
}

/// Octets that passed here once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resent {
    /// The packet.
    pub index: u64,
    /// Whether it opened the connection.
    pub opening: bool,
    /// Whether it had to be.
    pub verdict: Verdict,
    left: i64,
    right: i64,
    ts: Option<u32>,
    closed: bool,
}

/// Whether octets had to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing seen here tells.
    Untold,
    /// They had not arrived, and this shows it.
    Needed(&'static str),
    /// They had not come as far as this place.
    LostBefore,
    /// They had arrived, and this shows it.
    Needless(&'static str),
}

/// How late octets came that later ones had overtaken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// Segments that overtook them.
    pub overtaken: u64,
    /// For how long, where it is known.
    pub by: Duration,
}

/// What a packet means in its flow.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// It is one seen before, with another time to live: it passed two places of the capture.
    pub copy: bool,
    /// It is one seen before: that packet.
    pub duplicate: Option<u64>,
    /// Its octets were overtaken.
    pub late: Option<Late>,
    /// Octets that it acknowledges and that did not pass here.
    pub unseen: i64,
    /// How many times in a row it acknowledges the same; 0 if it does not.
    pub repeated_ack: u64,
    /// It closes the window of its sender.
    pub zero_window: bool,
    /// Octets of window that it takes back.
    pub taken_back: u64,
    /// The time to live that its sender had before, if it is another.
    pub ttl_before: Option<u8>,
    /// The service class that its sender had before, if it is another.
    pub dscp_before: Option<u8>,
    /// How long the first octet of an answer took, less the round trip.
    pub first_byte: Option<Duration>,
    /// What differs from the same SYN seen at another place.
    pub rewritten: Vec<String>,
    /// Retransmissions that found no room any more.
    pub judged: Vec<Resent>,
}

impl Flow {
    pub(crate) fn take(&mut self, seen: &Seen<'_>) -> Trace {
        let mut trace = Trace::default();
        self.sides[seen.side].packets += 1;
        self.sides[seen.side].known_again(seen, &mut trace);
        if trace.copy || trace.duplicate.is_some() {
            trace.rewritten = self.sides[seen.side].rewritten(seen);
            return trace;
        }
        self.sides[seen.side].take_network(seen, &mut trace);
        let Some(segment) = &seen.tcp else { return trace };
        if segment.has(bits::RST) {
            self.reset = self.reset.or(Some((seen.side, seen.index)));
            return trace;
        }
        self.take_opening(seen, segment);
        if segment.has(bits::ACK) {
            self.take_ack(seen, segment, &mut trace);
        }
        self.take_window(seen, segment, &mut trace);
        self.take_octets(seen, segment, &mut trace);
        self.take_talk(seen, segment, &mut trace);
        trace
    }

    fn take_opening(&mut self, seen: &Seen<'_>, segment: &Segment) {
        if segment.has(bits::SYN) {
            let side = &mut self.sides[seen.side];
            let opening = side.opening.get_or_insert_with(|| Opening { packets: Vec::new(), segment: segment.clone() });
            if opening.packets.len() < MOST_PRINTS {
                opening.packets.push(seen.index);
            }
            self.answered |= segment.has(bits::ACK);
            let at = if segment.has(bits::ACK) { &mut self.answered_at } else { &mut self.opened_at };
            *at = seen.time;
        } else if seen.side == self.opener && self.answered && !self.open && segment.has(bits::ACK) {
            self.open = true;
            let once = self.sides.iter().all(|side| side.opening.as_ref().is_some_and(|it| it.packets.len() == 1));
            let between = |from: Option<Time>, to: Option<Time>| from.zip(to).filter(|_| once).map(|(from, to)| to.since(from));
            self.round_trip = between(self.opened_at, seen.time);
            self.trips[1 - self.opener] = between(self.opened_at, self.answered_at);
            self.trips[self.opener] = between(self.answered_at, seen.time);
        }
    }

    /// What the acknowledgement tells of the octets of the other side.
    fn take_ack(&mut self, seen: &Seen<'_>, segment: &Segment, trace: &mut Trace) {
        let own = self.sides[seen.side].window;
        let same_window = own == Some(self.scaled(seen.side, segment));
        let data = &mut self.sides[1 - seen.side];
        let Some(ack) = data.offset(segment.ack) else { return };
        let pure = segment.span() == 0;
        if ack > data.acked {
            // An advance while a loss is mended tells of the next one (RFC 6582 §3.2).
            let partial = data.repeated_at[1].and(seen.time).filter(|_| ack < data.next);
            (data.repeats, data.repeated_at) = (0, [partial; 2]);
        } else if ack == data.acked && pure && data.next > ack && (same_window || !segment.sacks.is_empty()) {
            data.repeats += 1;
            match data.repeats {
                1 => data.repeated_at[0] = data.repeated_at[0].or(seen.time),
                3 => data.repeated_at[1] = data.repeated_at[1].or(seen.time),
                _ => {}
            }
            trace.repeated_ack = data.repeats;
        }
        trace.unseen = data.acknowledge(ack);
        data.take_sacks(ack, segment);
        data.judge_by_echo(ack, segment);
    }

    fn take_window(&mut self, seen: &Seen<'_>, segment: &Segment, trace: &mut Trace) {
        if segment.has(bits::SYN) || !segment.has(bits::ACK) {
            return;
        }
        let window = self.scaled(seen.side, segment);
        let grain = self.shift(seen.side).map(|shift| 1_i64 << shift);
        let ack = self.sides[1 - seen.side].offset(segment.ack);
        let side = &mut self.sides[seen.side];
        let stale = side.offset(segment.seq).is_some_and(|at| at < side.next);
        if stale {
            return;
        }
        trace.zero_window = window == 0 && side.window != Some(0);
        let edge = ack.map(|ack| ack + window as i64);
        //= RFC 9293 §3.8.6: a receiver should not shrink its window; scaling alone may take back less than its grain.
        if let (Some(grain), Some(before), Some(edge)) = (grain, side.edge, edge) {
            trace.taken_back = before.saturating_sub(edge).saturating_sub(grain - 1).max(0) as u64;
        }
        side.window = Some(window);
        side.edge = edge.or(side.edge);
    }

    /// The shift of the windows of a side; `None` where the opening was not seen.
    fn shift(&self, side: usize) -> Option<u8> {
        let [a, b] = [0, 1].map(|i| self.sides[i].opening.as_ref().map(|it| it.segment.wscale));
        let (a, b) = (a?, b?);
        let agreed = a.is_some() && b.is_some();
        if agreed { [a, b][side] } else { Some(0) }
    }

    fn scaled(&self, side: usize, segment: &Segment) -> u64 {
        let shift = if segment.has(bits::SYN) { 0 } else { self.shift(side).unwrap_or(0) };
        u64::from(segment.window) << shift
    }

    fn take_octets(&mut self, seen: &Seen<'_>, segment: &Segment, trace: &mut Trace) {
        let span = segment.span();
        let probe = self.sides[1 - seen.side].window == Some(0) && segment.len <= 1;
        let trips = Trips { own: self.trips[seen.side], whole: self.round_trip };
        let side = &mut self.sides[seen.side];
        side.base.get_or_insert(segment.seq);
        let Some(left) = side.offset(segment.seq).filter(|_| span > 0) else { return };
        let (right, id) = (left + span, seen.network.and_then(|it| it.id).filter(|id| *id != 0));
        let mut sent = Sent { left, right, index: seen.index, time: seen.time, id, ts: segment.ts.map(|it| it.0), gap: None };
        if left > side.next {
            side.open_gap(sent);
        } else if right <= side.next && side.packets > 1 {
            side.again(&mut sent, trips, segment.has(bits::SYN), probe, trace);
        }
        side.next = side.next.max(right);
        side.remember(sent);
    }

    /// How long the side that was asked took to say its first octet.
    fn take_talk(&mut self, seen: &Seen<'_>, segment: &Segment, trace: &mut Trace) {
        let opener = seen.side == self.opener;
        if !self.open || self.sides[1 - self.opener].spoke {
            return;
        }
        if opener && (segment.len > 0 || self.sides[self.opener].asked.is_none()) {
            self.sides[self.opener].asked = seen.time;
        } else if !opener && segment.len > 0 {
            self.sides[seen.side].spoke = true;
            let took = self.sides[self.opener].asked.zip(seen.time).map(|(then, now)| now.since(then));
            trace.first_byte = took.zip(self.round_trip).map(|(took, trip)| Duration(took.0.saturating_sub(trip.0)));
        }
    }
}

impl Side {
    /// Where a sequence number stands, counted from the first; `None` before the first and for what cannot belong.
    fn offset(&self, number: u32) -> Option<i64> {
        let next = self.base?.wrapping_add(self.next as u32);
        let away = i64::from(number.wrapping_sub(next) as i32);
        (away.abs() < ALIEN).then_some(self.next + away)
    }

    /// Tells a packet that the network doubled, or that passed two places, from one that was sent again: senders that number
    /// their datagrams never use a number twice so soon.
    fn known_again(&mut self, seen: &Seen<'_>, trace: &mut Trace) {
        let Some(print) = Print::of(seen) else { return };
        if let Some(before) = self.prints.iter().find(|it| it.id == print.id && it.words == print.words) {
            trace.copy = before.ttl != print.ttl;
            trace.duplicate = Some(before.index).filter(|_| !trace.copy);
            return;
        }
        if self.prints.len() == MOST_PRINTS {
            self.prints.pop_front();
        }
        self.prints.push_back(print);
    }

    /// What of a SYN is other than it was at the first place.
    fn rewritten(&self, seen: &Seen<'_>) -> Vec<String> {
        let (Some(now), Some(opening)) = (&seen.tcp, &self.opening) else { return Vec::new() };
        let was = &opening.segment;
        if !now.has(bits::SYN) {
            return Vec::new();
        }
        let number = |n: Option<u32>| n.map_or("none".to_string(), |n| n.to_string());
        let rows = [
            ("mss", was.mss.map(u32::from), now.mss.map(u32::from)),
            ("wscale", was.wscale.map(u32::from), now.wscale.map(u32::from)),
            ("sack_ok", was.sack_ok.then_some(1), now.sack_ok.then_some(1)),
            ("ts", was.ts.map(|_| 1), now.ts.map(|_| 1)),
        ];
        rows.into_iter().filter(|row| row.1 != row.2).map(|row| format!("`{}` {} became {}", row.0, number(row.1), number(row.2))).collect()
    }

    fn take_network(&mut self, seen: &Seen<'_>, trace: &mut Trace) {
        let Some(network) = &seen.network else { return };
        let reset = seen.tcp.as_ref().is_some_and(|it| it.has(bits::RST));
        trace.ttl_before = self.ttl.filter(|ttl| *ttl != network.ttl);
        trace.dscp_before = self.dscp.filter(|dscp| *dscp != network.dscp);
        if !reset {
            (self.ttl, self.dscp) = (Some(network.ttl), Some(network.dscp));
        }
    }

    /// Moves the edge of what is acknowledged; gives how much of it never passed here.
    fn acknowledge(&mut self, ack: i64) -> i64 {
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
    fn take_sacks(&mut self, ack: i64, segment: &Segment) {
        let blocks: Vec<(i64, i64)> =
            segment.sacks.iter().filter_map(|&(left, right)| Some((self.offset(left)?, self.offset(right)?))).collect();
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
        if let Some(resent) =
            self.resent.iter_mut().rev().find(|it| it.left < right && left < it.right && it.verdict != Verdict::LostBefore)
        {
            resent.verdict = Verdict::Needless("the receiver reported it as got twice (DSACK)");
            resent.closed = true;
        }
    }

    /// An echo older than the copy means that the first one had arrived (RFC 3522 §3.2).
    fn judge_by_echo(&mut self, ack: i64, segment: &Segment) {
        let Some((_, echo)) = segment.ts.filter(|it| it.1 != 0) else { return };
        for resent in self.resent.iter_mut().filter(|it| !it.closed && ack >= it.right) {
            let Some(sent) = resent.ts else { continue };
            resent.closed = true;
            if (echo.wrapping_sub(sent) as i32) < 0 {
                resent.verdict = Verdict::Needless("the time stamp echoed is that of the first copy");
            } else if resent.verdict == Verdict::Untold {
                resent.verdict = Verdict::Needed("the time stamp echoed is that of the second copy");
            }
        }
    }

    fn open_gap(&mut self, sent: Sent) {
        if self.gaps.len() == MOST_GAPS {
            self.gaps.remove(0);
        }
        self.gaps.push(Sent { left: self.next, right: sent.left, ..sent });
    }

    /// Octets below the highest seen: they fill a gap, or they pass once more.
    fn again(&mut self, sent: &mut Sent, trips: Trips, opening: bool, probe: bool, trace: &mut Trace) {
        if let Some(gap) = self.fill(sent.left, sent.right) {
            sent.gap = Some((gap.index, gap.time));
            match overtaken(&gap, sent, self.mended_at(&gap, trips)) {
                true => trace.late = Some(self.lateness(&gap, sent)),
                false => self.resend(sent, opening, Verdict::LostBefore, trace),
            }
            return;
        }
        let keep_alive = sent.right - sent.left == 1 && sent.right == self.next && self.acked >= sent.right && !opening;
        if keep_alive || probe || self.unseen.holds(sent.left, sent.right) {
            return;
        }
        let first = self.recent.iter().rev().find(|it| it.left < sent.right && sent.left < it.right).copied();
        match first {
            Some(first) if first.gap.is_some() => self.after_gap(&first, sent, trips, opening, trace),
            Some(first) if doubled(&first, sent, trips.whole) => trace.duplicate = Some(first.index),
            _ => self.resend(sent, opening, self.known(sent), trace),
        }
    }

    /// The earliest time at which octets can pass that mend a gap: the sender knows once the receiver repeated itself three times
    /// (RFC 5681 §3.2), or once and a quarter of a round trip with SACK (RFC 8985 §6.2), else when its timer is over; and what it
    /// then sends takes its way.
    fn mended_at(&self, gap: &Sent, trips: Trips) -> Option<Time> {
        let (Some(own), Some(whole)) = (trips.own, trips.whole) else { return gap.time.map(|at| at.after(SOON)) };
        let [first, third] = self.repeated_at;
        let sack = self.held.above(self.acked);
        let by_sack = first.filter(|_| sack).map(|at| at.after(Duration(whole.0 / 4)));
        let known = [third, by_sack].into_iter().flatten().min();
        known.map(|at| at.after(own)).or_else(|| gap.time.map(|at| at.after(whole.max(TIMER))))
    }

    /// The second copy of octets whose first filled a gap: a late one and a needless one, whichever came first. Only what comes
    /// much later was sent for another reason.
    fn after_gap(&mut self, first: &Sent, sent: &Sent, trips: Trips, opening: bool, trace: &mut Trace) {
        const WHY: &str = "the first copy had been overtaken, not lost";
        let mended = self.resent.iter_mut().find(|it| it.index == first.index && it.verdict == Verdict::LostBefore);
        match mended.filter(|_| overtaken(first, sent, first.time.map(|at| at.after(trips.whole.unwrap_or(SOON))))) {
            Some(mended) => {
                mended.verdict = Verdict::Needless(WHY);
                let gap = Sent { index: first.gap.map_or(0, |it| it.0), time: first.gap.and_then(|it| it.1), ..*first };
                trace.late = Some(self.lateness(&gap, sent));
            }
            None if sooner(first, sent, trips.whole.unwrap_or(SOON)) => self.resend(sent, opening, Verdict::Needless(WHY), trace),
            None => self.resend(sent, opening, self.known(sent), trace),
        }
    }

    /// What acknowledgements tell of octets that pass again.
    fn known(&self, sent: &Sent) -> Verdict {
        if self.acked >= sent.right {
            Verdict::Needless("its acknowledgement had passed here already")
        } else if self.held.holds(sent.left, sent.right) {
            Verdict::Needless("the receiver had said that it holds it (SACK)")
        } else if self.held.above(sent.right) {
            Verdict::Needed("the receiver had said that it lacks it (SACK)")
        } else {
            Verdict::Untold
        }
    }

    fn resend(&mut self, sent: &Sent, opening: bool, verdict: Verdict, trace: &mut Trace) {
        if self.resent.len() == MOST_RESENT {
            trace.judged.extend(self.resent.pop_front());
        }
        let closed = matches!(verdict, Verdict::Needless(_) | Verdict::LostBefore);
        self.resent.push_back(Resent { index: sent.index, opening, verdict, left: sent.left, right: sent.right, ts: sent.ts, closed });
    }

    /// Takes `left..right` out of the gap that it lies in, and gives the gap.
    fn fill(&mut self, left: i64, right: i64) -> Option<Sent> {
        let at = self.gaps.iter().position(|gap| gap.left < right && left < gap.right)?;
        let gap = self.gaps.remove(at);
        if gap.left < left {
            self.gaps.insert(at, Sent { right: left, ..gap });
        }
        if right < gap.right {
            self.gaps.insert((at + usize::from(gap.left < left)).min(self.gaps.len()), Sent { left: right, ..gap });
        }
        self.gaps.truncate(MOST_GAPS);
        Some(gap)
    }

    fn lateness(&self, gap: &Sent, sent: &Sent) -> Late {
        let overtaken = self.recent.iter().filter(|it| it.index >= gap.index && it.left >= sent.right).count() as u64;
        Late { overtaken, by: sent.time.zip(gap.time).map_or(Duration::ZERO, |(now, then)| now.since(then)) }
    }

    fn remember(&mut self, sent: Sent) {
        if self.recent.len() == MOST_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(sent);
    }
}

impl Print {
    fn of(seen: &Seen<'_>) -> Option<Print> {
        let network = seen.network.as_ref()?;
        let id = network.id.filter(|id| *id != 0)?;
        let words = match &seen.tcp {
            Some(it) => [it.seq.into(), it.ack.into(), u64::from(it.len) << 32 | u64::from(it.window), it.flags],
            None => {
                let (udp, _) = seen.layer("UDP")?;
                [seen.uint(udp, "checksum").filter(|sum| *sum != 0)?, seen.uint(udp, "len")?, 0, 0]
            }
        };
        Some(Print { id, words, ttl: network.ttl, index: seen.index })
    }
}

/// Whether octets that fill a gap were sent before those that opened it. Time stamps tell, then the order of identifications,
/// then time: nobody mends a loss before it can be known.
fn overtaken(gap: &Sent, sent: &Sent, mended_at: Option<Time>) -> bool {
    let by_stamp = sent.ts.zip(gap.ts).map(|(now, then)| now.wrapping_sub(then) as i32).filter(|step| *step != 0);
    let by_id =
        sent.id.zip(gap.id).map(|(now, then)| i32::from(now.wrapping_sub(then) as i16)).filter(|step| step.abs() < NEAR && *step != 0);
    by_stamp.or(by_id).map_or_else(|| sent.time.zip(mended_at).is_some_and(|(now, at)| now < at), |step| step < 0)
}

/// Whether the network made two of one: too soon for the sender to have done so.
fn doubled(first: &Sent, sent: &Sent, round_trip: Option<Duration>) -> bool {
    let same = first.left == sent.left && first.right == sent.right && first.ts == sent.ts;
    let numbered = first.id.is_some() && sent.id.is_some() && first.id != sent.id;
    same && !numbered && sooner(first, sent, round_trip.unwrap_or(SOON))
}

fn sooner(first: &Sent, sent: &Sent, limit: Duration) -> bool {
    sent.time.zip(first.time).is_some_and(|(now, then)| now.since(then) < limit)
}
