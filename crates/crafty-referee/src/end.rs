//! One end of a connection as the trace shows it: what it sent, the most that it can have heard,
//! and how long it was silent. Rules only read it.

use crate::packet::{ReferencedSegment, bits};
use crate::rules::rules;
use crate::space::{Arrived, Space, Unacknowledged};
use crate::{DatagramContext, VantagePoint, Violation};
use crafty_value::{Duration, Time};
use std::net::SocketAddr;

/// Silence without news after which the head of the flight counts as sent by a timer, at least:
/// below the shortest timer in use.
const TIMER: Duration = Duration::millis(190);
/// Silence that is always allowed to an end that has something to send: a first time-out, and one
/// of a SYN that was lost (RFC 6298 §2.1, §5.7).
const PATIENCE: Duration = Duration::millis(4000);
/// Answers to what cannot be taken may be rationed; so long after one, the next is due (RFC 5961
/// §7; hosts permit one in half a second to one second).
const RATION: Duration = Duration::seconds(1);
/// Silence that is never allowed to it: time-outs grow to 120 s in hosts.
const MOST_PATIENCE: Duration = Duration::seconds(130);

/// A segment among the positions of both ends.
#[derive(Debug)]
pub(crate) struct PlacedSegment<'a> {
    pub packet: &'a ReferencedSegment,
    /// Where it begins and ends, in positions of its sender; SYN and FIN have one each.
    pub left: i64,
    pub right: i64,
    /// What it acknowledges, in positions of the other end.
    pub ack: Option<i64>,
}

/// What a rule looks at. The end is as it was before.
#[derive(Debug)]
pub(crate) enum RuleEvent<'a> {
    Sent(PlacedSegment<'a>),
    /// It heard something, or time passed.
    Other,
}

/// A segment that is sent again and again while nothing is heard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again {
    pub left: i64,
    pub times: u32,
    pub first: Time,
    pub last: Time,
    /// Between the last two.
    pub gap: Option<Duration>,
}

/// The reset that answers a segment where there is no connection (RFC 9293 §3.10.7.1).
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExpectedReset {
    /// To a segment that acknowledges: with this sequence number, and no acknowledgement.
    At(u32),
    /// To any other: it acknowledges this.
    Of(u32),
}

impl ExpectedReset {
    fn of(packet: &ReferencedSegment) -> ExpectedReset {
        match packet.has(bits::ACK) {
            true => ExpectedReset::At(packet.ack),
            false => ExpectedReset::Of(packet.seq.wrapping_add(packet.span() as u32)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct EndpointState {
    ends: (SocketAddr, SocketAddr),
    /// Seen from the end itself.
    pub near: bool,
    /// Numbers of this end, and of its peer as far as this end can have heard them.
    pub own: Space,
    pub peer: Space,
    /// Highest position that somebody else used in its name, or that the peer acknowledged.
    pub foreign: i64,
    /// Its data under way.
    pub unacknowledged: Unacknowledged,
    /// SYN of this end, and of its peer.
    pub own_syn: Option<ReferencedSegment>,
    pub peer_syn: Option<ReferencedSegment>,
    /// Highest acknowledgement heard, and highest right edge that the peer offered.
    pub acked: i64,
    pub edge: Option<i64>,
    /// The newest acknowledgement offers no window.
    shut: bool,
    /// Highest acknowledgement sent, and highest right edge offered.
    pub acknowledged: Option<i64>,
    pub offered: Option<i64>,
    pub arrived: Arrived,
    /// Where the FIN of this end stands, and whether the peer's came.
    pub fin: Option<i64>,
    pub peer_fin: bool,
    /// A reset was sent or heard: what follows is not judged.
    pub cut: bool,
    /// A SYN that came after the end of the connection.
    knock: Option<(Time, ReferencedSegment)>,
    /// Last time stamp sent.
    pub stamp: Option<u32>,
    /// Time stamps of the peer, near the one that is echoed.
    pub peer_stamps: Space,
    /// Largest datagram that the path takes, and when that was reported.
    pub path_mtu: Option<(u32, Time)>,
    /// Nothing but empty segments heard since, and the empty ones sent since.
    pub idle: Option<(Time, u32)>,
    pub again: Option<Again>,
    /// Bytes sent since a time-out without news.
    pub after_timeout: Option<i64>,
    /// When data was heard that is not answered yet, and when it acknowledged last.
    pub owes: Option<Time>,
    answered: Time,
    /// The last thing heard must be asked back, not refused (RFC 5961): the reset that would refuse
    /// it.
    pub doubted: Option<ExpectedReset>,
    /// Its SYN was acknowledged by a segment that it had to take. Before that it refuses by a reset
    /// (RFC 9293 §3.10.7.4, SYN-RECEIVED).
    confirmed: bool,
    /// More data waits to be sent.
    pending: bool,
    hinted: bool,
    /// When it last sent something of its own or heard news.
    active: Time,
    /// When its timer began: with what it sent last, or when something new was acknowledged; other
    /// news does not restart it (RFC 6298 §5.3). The longest wait for it so far.
    timer: Time,
    longest: Duration,
    /// One new segment under way, to measure the round trip.
    timed: Option<(i64, Time)>,
    pub round_trip: Duration,
    /// The most that it can have measured besides.
    slowest: Duration,
    now: Time,
}

impl EndpointState {
    pub fn new(ends: (SocketAddr, SocketAddr), view: VantagePoint) -> EndpointState {
        EndpointState {
            ends,
            near: view == VantagePoint::AtTheEnd,
            own: Space::default(),
            peer: Space::default(),
            foreign: 0,
            unacknowledged: Unacknowledged::default(),
            own_syn: None,
            peer_syn: None,
            acked: 0,
            edge: None,
            shut: false,
            acknowledged: None,
            offered: None,
            arrived: Arrived::default(),
            fin: None,
            peer_fin: false,
            cut: false,
            knock: None,
            stamp: None,
            peer_stamps: Space::default(),
            path_mtu: None,
            idle: None,
            again: None,
            after_timeout: None,
            owes: None,
            answered: Time(i64::MIN),
            doubted: None,
            confirmed: false,
            pending: false,
            hinted: false,
            active: Time(i64::MIN),
            timer: Time(i64::MIN),
            longest: Duration::ZERO,
            timed: None,
            round_trip: Duration::ZERO,
            slowest: Duration::ZERO,
            now: Time(i64::MIN),
        }
    }

    /// This end sent a segment.
    pub fn sent(
        &mut self,
        about: DatagramContext,
        packet: &ReferencedSegment,
        faults: &mut Vec<Violation>,
    ) {
        if !packet.intact && !self.near {
            // Spoilt on the way: not what it sent.
            return;
        }
        self.begin_anew(packet);
        let seen = PlacedSegment::of(packet, &mut self.own, &mut self.peer);
        self.judge(about, &RuleEvent::Sent(seen), faults);
        let seen = PlacedSegment::of(packet, &mut self.own, &mut self.peer);
        self.note_sent(about.time, &seen);
    }

    /// This end heard a segment, or can have heard it.
    pub fn heard(
        &mut self,
        about: DatagramContext,
        packet: &ReferencedSegment,
        faults: &mut Vec<Violation>,
    ) {
        if !packet.intact {
            return;
        }
        self.judge(about, &RuleEvent::Other, faults);
        if self.is_knocked(about.time, packet) || self.is_too_early(packet) {
            return;
        }
        let seen = PlacedSegment::of(packet, &mut self.peer, &mut self.own);
        self.note_heard(about.time, &seen);
    }

    pub fn until(&mut self, time: Time, faults: &mut Vec<Violation>) {
        let about = DatagramContext {
            time,
            index: 0,
            sizes: true,
            checksums: true,
        };
        self.judge(about, &RuleEvent::Other, faults);
        self.now = self.now.max(time);
    }

    /// Whether a distant end acknowledges here what the trace never had.
    pub fn acknowledges_unseen(&self, packet: &ReferencedSegment) -> bool {
        let acknowledges = packet.has(bits::ACK) && !packet.has(bits::RST | bits::SYN);
        acknowledges
            && !self.near
            && !self.cut
            && self.peer.known()
            && self.peer.position(packet.ack) > self.peer.high
    }

    pub fn told_path_mtu(&mut self, about: DatagramContext, mtu: u32) {
        let before = self.path_mtu.map_or(u32::MAX, |(before, _)| before);
        self.path_mtu = Some((mtu.min(before), about.time));
        self.is_news(about.time);
    }

    pub fn crafted(&mut self, seq_end: u32) {
        self.foreign = self.foreign.max(self.own.place(seq_end));
    }

    pub fn wants(&mut self, data: bool) {
        (self.pending, self.hinted) = (data, true);
    }

    /// Whether both SYNs were seen: then scales, sizes and stamps are known.
    pub fn opened(&self) -> bool {
        self.own_syn.is_some() && self.peer_syn.is_some()
    }

    /// Whether both ends know each other's numbers, and neither has cut the connection.
    pub fn established(&self) -> bool {
        self.opened() && self.acked > 0 && self.acknowledged.is_some_and(|ack| ack > 0) && !self.cut
    }

    /// Whether both directions are closed and all is acknowledged.
    pub fn closed(&self) -> bool {
        self.cut || self.peer_fin && self.fin.is_some_and(|fin| self.acked > fin)
    }

    /// Whether both offered time stamps.
    pub fn stamped(&self) -> bool {
        let offers =
            |syn: &Option<ReferencedSegment>| syn.as_ref().is_some_and(|syn| syn.stamps.is_some());
        offers(&self.own_syn) && offers(&self.peer_syn)
    }

    /// Shift of the windows that this end (or its peer) says; none before both SYNs were seen.
    pub fn scale(&self, own: bool) -> Option<u8> {
        let (own_syn, peer_syn) = (self.own_syn.as_ref()?, self.peer_syn.as_ref()?);
        // Scaling is in use only if both ask for it (RFC 7323 §2.2).
        let shifts = own_syn.scale.zip(peer_syn.scale).unwrap_or((0, 0));
        Some(if own { shifts.0 } else { shifts.1 })
    }

    /// The right edge that a segment of this end (or of its peer) offers.
    pub fn offer(&self, seen: &PlacedSegment<'_>, own: bool) -> Option<i64> {
        let (packet, ack) = (seen.packet, seen.ack?);
        if packet.has(bits::RST) {
            return None;
        }
        let shift = if packet.has(bits::SYN) {
            0
        } else {
            self.scale(own)?
        };
        Some(ack + (i64::from(packet.window) << shift))
    }

    /// Whether something is under way or waits.
    fn has_work(&self) -> bool {
        self.own.high > self.acked || self.pending
    }

    /// Since when it is silent although there is something to send, if that is too long.
    pub fn silent_since(&self, now: Time) -> Option<Time> {
        let patience = [
            PATIENCE,
            Duration(self.longest.0.saturating_mul(3)),
            Duration(self.round_trip.max(self.slowest).0.saturating_mul(8)),
        ];
        let patience = patience.into_iter().max()?.min(MOST_PATIENCE);
        let judged = self.near && self.has_work() && self.own_syn.is_some() && !self.closed();
        (judged && self.active.0 > i64::MIN && now.since(self.active) > patience)
            .then_some(self.active)
    }

    /// Whether the peer said last that it has no room, and nothing is under way.
    pub fn window_is_closed(&self) -> bool {
        self.shut && self.acked == self.own.high
    }

    fn judge(&self, about: DatagramContext, event: &RuleEvent<'_>, faults: &mut Vec<Violation>) {
        if self.cut {
            return;
        }
        let view = self.view();
        for rule in rules() {
            let Some(sentence) = (rule.judge)(self, about.time, event) else {
                continue;
            };
            let known = faults
                .iter_mut()
                .find(|fault| fault.rule == rule.name && fault.ends == self.ends);
            match known {
                Some(fault) => fault.count += 1,
                None => faults.push(Violation {
                    rule: rule.name,
                    source: rule.source,
                    sentence,
                    ends: self.ends,
                    view,
                    time: about.time,
                    index: about.index,
                    count: 1,
                }),
            }
        }
    }

    fn view(&self) -> VantagePoint {
        match self.near {
            true => VantagePoint::AtTheEnd,
            false => VantagePoint::FromAfar,
        }
    }

    /// A SYN of this end with another number, after a connection that is over or was never open,
    /// begins a new one between the same ends.
    fn begin_anew(&mut self, packet: &ReferencedSegment) {
        let knock = self.knock.take_if(|_| packet.has(bits::SYN));
        let answers = packet.has(bits::ACK) && knock.is_some();
        if is_other(self.own_syn.as_ref(), packet)
            && (answers || !packet.has(bits::ACK))
            && self.is_over()
        {
            *self = EndpointState::new(self.ends, self.view());
            if let Some((time, syn)) = knock {
                let seen = PlacedSegment::of(&syn, &mut self.peer, &mut self.own);
                self.note_heard(time, &seen);
            }
        }
    }

    /// A SYN of the peer may begin a new connection; whether it does, the answer of this end shows.
    fn is_knocked(&mut self, now: Time, packet: &ReferencedSegment) -> bool {
        let opens = packet.has(bits::SYN) && !packet.has(bits::ACK);
        let knocks = opens && self.is_over() && is_other(self.peer_syn.as_ref(), packet);
        if knocks {
            self.knock = Some((now, packet.clone()));
        }
        knocks
    }

    /// An end that has sent its SYN takes nothing before the peer's (RFC 9293 §3.10.7.3). Where two
    /// SYNs differ before it has answered one, nobody can tell which it took: it is judged no more.
    fn is_too_early(&mut self, packet: &ReferencedSegment) -> bool {
        let opening = self.near && self.own_syn.is_some() && self.acknowledged.is_none();
        self.cut |= opening && is_other(self.peer_syn.as_ref(), packet);
        opening && self.peer_syn.is_none() && !packet.has(bits::SYN | bits::RST)
    }

    /// Whether a new connection may follow.
    fn is_over(&self) -> bool {
        self.closed() || self.fin.is_some()
    }

    fn note_sent(&mut self, now: Time, seen: &PlacedSegment<'_>) {
        let packet = seen.packet;
        if packet.has(bits::RST) {
            self.cut = true;
            return;
        }
        if packet.has(bits::SYN) {
            self.own_syn.get_or_insert_with(|| packet.clone());
        }
        if seen.right > seen.left || seen.left < self.own.high {
            self.note_transmission(now, seen);
        }
        let offer = self.offer(seen, true);
        if offer > self.offered {
            // More room is news.
            (self.offered, self.idle) = (offer, None);
        }
        self.acknowledged = self.acknowledged.max(seen.ack);
        self.peer.anchor = self.acknowledged;
        if packet.has(bits::FIN) {
            self.fin.get_or_insert(seen.right - 1);
        }
        if seen.left >= self.own.high {
            let (at, data) = (seen.data_start(), &seen.packet.payload);
            self.unacknowledged.add(at, data);
        }
        self.own.reach(seen.right);
        if let Some((stamp, echo)) = packet.stamps {
            self.stamp = Some(stamp);
            self.note_echo(packet, echo);
        }
        (self.owes, self.doubted) = (None, None);
        if packet.has(bits::ACK) {
            self.answered = now;
        }
        if seen.right == seen.left {
            let (_, sent) = self.idle.get_or_insert((now, 0));
            *sent += 1;
        }
        self.now = self.now.max(now);
    }

    fn note_echo(&mut self, packet: &ReferencedSegment, echo: u32) {
        if packet.has(bits::ACK) && self.peer_stamps.known() {
            self.peer_stamps.anchor = Some(self.peer_stamps.place(echo));
        }
    }

    /// Data, SYN, FIN or a probe with an old number.
    fn note_transmission(&mut self, now: Time, seen: &PlacedSegment<'_>) {
        let timeout = self.is_timeout(now, seen);
        if self.timer.0 > i64::MIN && self.has_work() {
            self.longest = self.longest.max(now.since(self.timer));
        }
        (self.active, self.timer) = (now, now);
        let again = seen.left < self.own.high && seen.right > seen.left;
        if again {
            self.note_again(now, seen.left);
        } else if seen.right > seen.left {
            self.timed.get_or_insert((seen.right, now));
            if !self.hinted {
                self.pending = !seen.packet.has(bits::PSH | bits::FIN | bits::SYN);
            }
        }
        let span = seen.right - seen.left;
        self.after_timeout = match self.after_timeout {
            _ if timeout => Some(span),
            before => before.map(|sent| sent + span),
        };
    }

    fn note_again(&mut self, now: Time, left: i64) {
        self.timed = None;
        let known = self.again.as_mut().filter(|again| again.left == left);
        match known {
            Some(again) => {
                // The first wait may be that of a timer set before the peer was heard last.
                let gap = (again.times > 1).then(|| now.since(again.last));
                (again.times, again.gap) = (again.times + 1, gap);
                again.last = now;
            }
            None => {
                self.again = Some(Again {
                    left,
                    times: 1,
                    first: now,
                    last: now,
                    gap: None,
                });
            }
        }
    }

    /// The head of the flight goes again after a silence that no fast retransmission has: those
    /// follow an acknowledgement within a reordering window (RFC 8985 §6.2: a round trip at most).
    pub fn is_timeout(&self, now: Time, seen: &PlacedSegment<'_>) -> bool {
        let known = self.active.0 > i64::MIN && self.round_trip > Duration::ZERO;
        let head = seen.left == self.acked && seen.right <= self.own.high;
        let silence = TIMER.max(Duration(self.round_trip.0 * 3 / 2));
        known && head && seen.right > seen.left && now.since(self.active) > silence
    }

    fn note_heard(&mut self, now: Time, seen: &PlacedSegment<'_>) {
        let packet = seen.packet;
        self.again = None;
        self.doubted = self.doubts(seen).then(|| ExpectedReset::of(packet));
        if packet.has(bits::RST) {
            self.note_reset(now, seen);
            return;
        }
        if self.doubted.is_some() && !self.is_rationed(now) {
            self.owes.get_or_insert(now);
        }
        if packet.has(bits::SYN) {
            self.peer_syn.get_or_insert_with(|| packet.clone());
        }
        self.confirmed |= self.confirms(seen);
        self.note_acknowledgement(now, seen);
        if seen.right > seen.left {
            if self.must_answer(now, seen) {
                self.owes.get_or_insert(now);
            }
            self.arrived.add(seen.left, seen.right);
            self.idle = None;
        }
        self.peer_fin |= packet.has(bits::FIN);
        self.peer.reach(seen.right);
        if let Some((stamp, _)) = packet.stamps {
            let position = self.peer_stamps.place(stamp);
            self.peer_stamps.reach(position);
        }
        self.now = self.now.max(now);
    }

    /// Whether an acknowledgement is due: always for what is new, for the rest when none left lately.
    fn must_answer(&self, now: Time, seen: &PlacedSegment<'_>) -> bool {
        let packet = seen.packet;
        let beyond = self.offered.is_some_and(|edge| seen.left >= edge);
        let new = !packet.has(bits::SYN) && seen.right > self.arrived.next && !beyond;
        let open = self.established() && !self.closed();
        open && packet.has(bits::ACK) && (new || !self.is_rationed(now))
    }

    fn is_rationed(&self, now: Time) -> bool {
        self.answered.0 > i64::MIN && now.since(self.answered) < RATION
    }

    fn note_acknowledgement(&mut self, now: Time, seen: &PlacedSegment<'_>) {
        let Some(ack) = seen.ack else { return };
        self.foreign = self.foreign.max(ack);
        self.edge = self.edge.max(self.offer(seen, false));
        let forward = ack > self.acked;
        if ack >= self.acked {
            self.shut = seen.packet.window == 0;
        }
        if forward {
            (self.acked, self.timer) = (ack, self.timer.max(now));
            self.unacknowledged.forget(ack);
            if let Some((_, sent)) = self.timed.take_if(|(end, _)| *end <= ack) {
                self.round_trip = self.round_trip.max(now.since(sent));
            }
        }
        // A SACK may have measured as much (RFC 7323 §4.1, RFC 8985 §6.2).
        if let Some((_, sent)) = self.timed.filter(|_| !seen.packet.sacks.is_empty()) {
            self.slowest = self.slowest.max(now.since(sent));
        }
        let empty = seen.right == seen.left;
        if forward || empty || !seen.packet.sacks.is_empty() {
            self.is_news(now);
        }
    }

    fn is_news(&mut self, now: Time) {
        (self.again, self.after_timeout) = (None, None);
        self.active = self.active.max(now);
    }

    /// A reset counts where it can. One within the window that is not exactly where the next byte
    /// belongs is asked back (RFC 5961 §3.2).
    fn note_reset(&mut self, now: Time, seen: &PlacedSegment<'_>) {
        let Some(acknowledged) = self.acknowledged else {
            self.cut = true;
            return;
        };
        let within = (acknowledged..=self.offered.unwrap_or(i64::MAX)).contains(&seen.left);
        let known = self.near && self.established() && !self.arrived.overflown;
        if !known || self.may_end_at(acknowledged, seen.left) {
            self.cut |= within;
        } else if within && !self.closed() && !self.is_rationed(now) {
            self.owes.get_or_insert(now);
        }
    }

    /// Whether a reset there may be taken: at the next byte, which is at most the one behind all that
    /// came; where held data ends (RFC 5961 §3.2 leaves room, and Linux takes these).
    fn may_end_at(&self, acknowledged: i64, position: i64) -> bool {
        (acknowledged..=self.arrived.next).contains(&position) || self.arrived.ends_at(position)
    }

    /// RFC 5961 §4.2, §5.2: a SYN, or an acknowledgement of what was never sent, is asked back.
    fn confirms(&self, seen: &PlacedSegment<'_>) -> bool {
        let window = |from: i64| from..=self.offered.unwrap_or(i64::MAX);
        let in_window = self
            .acknowledged
            .is_some_and(|it| window(it).contains(&seen.left));
        let acknowledges = seen
            .ack
            .is_some_and(|ack| (1..=self.own.high).contains(&ack));
        acknowledges && (in_window || seen.packet.has(bits::SYN))
    }

    fn doubts(&self, seen: &PlacedSegment<'_>) -> bool {
        let packet = seen.packet;
        let ahead = seen
            .ack
            .is_some_and(|ack| ack > self.own.high.max(self.foreign));
        self.established()
            && self.confirmed
            && !packet.has(bits::RST)
            && !self.closed()
            && (packet.has(bits::SYN) || ahead)
    }
}

/// Whether this SYN has another number than the one known.
fn is_other(known: Option<&ReferencedSegment>, packet: &ReferencedSegment) -> bool {
    packet.has(bits::SYN)
        && !packet.has(bits::RST)
        && known.is_some_and(|known| known.seq != packet.seq)
}

impl<'a> PlacedSegment<'a> {
    fn of(
        packet: &'a ReferencedSegment,
        sender: &mut Space,
        other: &mut Space,
    ) -> PlacedSegment<'a> {
        let left = sender.place(packet.seq);
        let acknowledges = packet.has(bits::ACK);
        PlacedSegment {
            packet,
            left,
            right: left + packet.span(),
            ack: acknowledges.then(|| other.place(packet.ack)),
        }
    }

    /// Where its data begins.
    pub fn data_start(&self) -> i64 {
        self.left + i64::from(self.packet.has(bits::SYN))
    }

    /// Where its data ends.
    pub fn data_end(&self) -> i64 {
        self.right - i64::from(self.packet.has(bits::FIN))
    }
}
