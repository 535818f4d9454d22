//! What an acknowledgement says: of our data, of loss, of the peer's window (RFC 9293 §3.10.7.4,
//! RFC 5681, RFC 8985).

use super::congestion::Acked;
use super::connection::Connection;
use super::rack::Detected;
use super::recovery::{Recovery, Reduction};
use super::scoreboard::Flight;
use super::segment::{TcpHeader, flags};
use super::state::{StateInput, TcpState};
use super::timers::Timer;
use crafty_value::Time;

/// Duplicate acknowledgements that mean loss to a peer without SACK (RFC 5681 §3.2).
const DUP_ACKS: u32 = 3;

/// What one acknowledgement brought.
#[derive(Clone, Copy, Debug, Default)]
struct AckOutcome {
    /// Bytes that arrived, by acknowledgement or SACK.
    octets: u64,
    /// Bytes by which `una` moved.
    forward: u64,
    /// When the last of the segments that arrived was sent, of those sent once.
    once: Option<Time>,
    /// The same of those sent more than once, or given up.
    again: Option<Time>,
    /// Whether the peer got something twice.
    dsack: bool,
}

impl Connection {
    /// Whether the acknowledgement is one that we can have earned; takes it if so. A wrong one is
    /// asked back (RFC 5961 §5.2).
    pub(crate) fn check_ack(&mut self, now: Time, h: &TcpHeader<'_>, start: i64) -> bool {
        let ack = self.tx.position(h.ack);
        let highest = self.tx.nxt.max(self.tx.noted) as i64;
        if self.state == TcpState::SynReceived && !(1..=highest).contains(&ack) {
            if self.limiter.permits(now) {
                self.due.reset = Some((h.ack, false));
            }
            return false;
        }
        if ack > highest || ack < self.tx.una as i64 - self.tx.max_window as i64 {
            self.challenge(now);
            return false;
        }
        if self.state == TcpState::SynReceived {
            self.finish_passive(now);
        }
        self.take_ack(now, h, ack.max(0) as u64);
        self.take_window(h, start, ack);
        true
    }

    /// Takes an acknowledgement of all before `ack`.
    pub(crate) fn take_ack(&mut self, now: Time, h: &TcpHeader<'_>, ack: u64) {
        self.tx.acknowledged = self.tx.acknowledged.max(ack);
        let una = ack.min(self.tx.nxt);
        let flight = self.tx.board.pipe();
        let mut news = self.collect(now, h, una);
        self.count_duplicate(h, una, &mut news, flight);
        if una > self.tx.una {
            self.move_on(una);
        }
        self.take_sample(now, h, &news);
        self.take_echo(h, flight);
        self.settle_mtu_probe(now);
        self.detect_loss(now);
        self.adapt(now, &news, flight);
        self.settle_tail(h, una, &news);
        self.note_cwnd(now);
        self.rearm(now, &news);
        self.take_fin_ack(now);
    }

    fn collect(&mut self, now: Time, h: &TcpHeader<'_>, una: u64) -> AckOutcome {
        let mut news = AckOutcome {
            forward: una.saturating_sub(self.tx.una),
            ..AckOutcome::default()
        };
        let (rack, proven, min_rtt) = (&mut self.rack, &mut self.proven, self.rtt.min);
        let mut seen = |flight: &Flight| {
            rack.delivered(now, flight, min_rtt);
            *proven = (*proven).max(flight.len());
            let newest = if flight.again || flight.lost {
                &mut news.again
            } else {
                &mut news.once
            };
            *newest = (*newest).max(Some(flight.sent));
        };
        let mut octets = self.tx.board.acknowledge(una, &mut seen);
        for (n, (left, right)) in h
            .options
            .blocks()
            .iter()
            .enumerate()
            .filter(|_| self.agreed.sack)
        {
            let (left, right) = (self.tx.position(*left), self.tx.position(*right));
            if left >= una as i64 && right <= self.tx.nxt as i64 && left < right {
                octets += self.tx.board.sack(left as u64, right as u64, &mut seen);
            } else if n == 0 && left < right && right <= una as i64 {
                news.dsack = true;
            }
        }
        news.octets = octets;
        if news.dsack {
            self.counters.spurious += 1;
            self.rack.spurious(una, self.tx.nxt);
        }
        news
    }

    /// RFC 5681 §2: no data, no news, the same window, and something under way.
    fn count_duplicate(&mut self, h: &TcpHeader<'_>, una: u64, news: &mut AckOutcome, flight: u64) {
        if news.forward > 0 {
            self.dups = 0;
            news.octets -= self
                .tx
                .board
                .confirm(news.forward, u64::from(self.window.mss))
                .min(news.octets);
            return;
        }
        let same_window = u64::from(h.window) << self.tx.shift == self.tx.window;
        let plain = h.payload.is_empty() && !h.has(flags::FIN) && !h.has(flags::SYN);
        if una == self.tx.una && flight > 0 && plain && (same_window || news.octets > 0) {
            self.counters.dup_acks += 1;
            self.dups = self.dups.saturating_add(1);
            if !self.agreed.sack {
                news.octets = self.tx.board.guess(u64::from(self.window.mss));
            }
        }
    }

    fn move_on(&mut self, una: u64) {
        let data = |position: u64, end: u64| position.clamp(1, end);
        let end = self.tx.data_end();
        self.counters.bytes_acked += data(una, end) - data(self.tx.una, end);
        self.tx.una = una;
        self.tx.release(una);
        self.rtt.forward();
        self.window_probes = 0;
    }

    /// Karn: what was sent twice gives no sample, unless the stamp that is echoed is that of its
    /// last transmission (RFC 6298 §3, RFC 7323 §4.1).
    fn take_sample(&mut self, now: Time, h: &TcpHeader<'_>, news: &AckOutcome) {
        let stamped = h
            .options
            .timestamps
            .filter(|_| self.agreed.timestamps && news.forward > 0);
        let age = stamped.and_then(|(_, echo)| self.stamps.age(now, echo));
        let last = |sent: &Time| {
            age.is_some_and(|age| age.0 <= now.since(*sent).0.saturating_add(1_000_000))
        };
        let needless = age.is_some() && news.again.is_some_and(|sent| !last(&sent));
        self.judge_timeout(needless, news);
        let sent = if news.again.is_some() {
            news.again.filter(last)
        } else {
            news.once
        };
        if let Some(sent) = sent {
            self.rtt.sample(now.since(sent));
            self.rtts.push(now, now.since(sent));
        }
    }

    /// The first answer after a time-out: if it is to what was sent before, nothing was lost, and
    /// all is as it was (RFC 3522, RFC 4015).
    fn judge_timeout(&mut self, needless: bool, news: &AckOutcome) {
        let Recovery::Timeout { before, .. } = &mut self.recovery else {
            return;
        };
        if news.forward == 0 {
            return;
        }
        if let Some((cwnd, ssthresh)) = before.take().filter(|_| needless) {
            (self.window.cwnd, self.window.ssthresh) = (cwnd, ssthresh);
            self.counters.spurious += 1;
            self.recovery = Recovery::Open;
            self.tx.board.find();
        }
    }

    /// The peer saw a mark: half as for loss, once a round trip (RFC 3168 §6.1.2).
    fn take_echo(&mut self, h: &TcpHeader<'_>, flight: u64) {
        if self.agreed.ecn
            && h.has(flags::ECE)
            && !h.has(flags::SYN)
            && self.tx.una > self.ecn.until
            && self.recovery.is_open()
        {
            self.counters.ecn_echoes += 1;
            self.window.reduce(bytes32(flight));
            self.window.cwnd = self.window.ssthresh;
            self.ecn.until = self.tx.nxt;
            self.ecn.reduced = true;
        }
    }

    /// Looks for segments that must be lost by now; called on acknowledgements and when the
    /// reordering timer fires.
    pub(crate) fn detect_loss(&mut self, now: Time) {
        self.timers.clear(Timer::Reorder);
        let board = &mut self.tx.board;
        let mut found = Detected::default();
        if board.disturbed() {
            let window =
                self.rack
                    .window(board, !self.recovery.is_open(), self.rtt.min, self.rtt.srtt);
            found = self.rack.detect(board, now, window);
        }
        if let Some(again) = found.again {
            self.timers.set(Timer::Reorder, again);
        }
        let by_count = !self.agreed.sack && self.recovery.is_open() && self.dups == DUP_ACKS;
        let lost = if by_count {
            self.tx.board.lose_first()
        } else {
            found.lost
        };
        if lost > 0 && !self.lost_only_the_probe(now) && self.recovery.is_open() {
            self.begin_recovery();
        }
    }

    fn begin_recovery(&mut self) {
        let flight = self.tx.nxt - self.tx.una;
        self.counters.fast_recoveries += 1;
        self.window.reduce(bytes32(flight));
        let mut reduction = Reduction::new(self.tx.nxt, flight);
        reduction.delivered(&mut self.window, 0, self.tx.board.pipe());
        self.recovery = Recovery::Fast(reduction);
        self.ecn.until = self.tx.nxt;
        self.ecn.reduced = self.agreed.ecn;
        self.due.tail_probe = false;
        self.timers.clear(Timer::Probe);
    }

    /// Grows or holds the window by what arrived.
    fn adapt(&mut self, now: Time, news: &AckOutcome, flight: u64) {
        if self
            .recovery
            .until()
            .is_some_and(|until| self.tx.una >= until)
        {
            self.end_recovery();
        }
        let pipe = self.tx.board.pipe();
        if let Recovery::Fast(reduction) = &mut self.recovery {
            reduction.delivered(&mut self.window, news.octets, pipe);
            // Without SACK, a partial acknowledgement names the next hole (RFC 6582 §3.2).
            if !self.agreed.sack && news.forward > 0 && !self.tx.board.has_lost() {
                self.tx.board.lose_first();
            }
            return;
        }
        let used = flight + u64::from(self.window.mss) > u64::from(self.window.cwnd);
        let half =
            self.window.cwnd < self.window.ssthresh && 2 * flight > u64::from(self.window.cwnd);
        if news.forward > 0 && (used || half) {
            let srtt = self.rtt.srtt.unwrap_or_default();
            // The SYN is not data.
            let octets = news.forward - u64::from(self.tx.una == news.forward);
            let rtt = news.once.map(|sent| now.since(sent));
            self.window.acked(&Acked {
                octets: bytes32(octets),
                now,
                srtt,
                una: self.tx.una,
                nxt: self.tx.nxt,
                rtt,
            });
        }
    }

    fn end_recovery(&mut self) {
        if let Recovery::Fast(_) = self.recovery {
            self.window.cwnd = self.window.ssthresh;
        }
        self.recovery = Recovery::Open;
        self.tx.board.forget_guess();
        self.rack.recovered();
    }

    /// RFC 6298 §5.2, §5.3, and RFC 8985 §7.2.
    fn rearm(&mut self, now: Time, news: &AckOutcome) {
        // A peer whose window is closed cannot acknowledge more: any answer shows that it is there.
        if news.forward > 0 || self.tx.board.is_empty() || self.tx.window == 0 {
            self.unanswered = 0;
        }
        if self.tx.board.is_empty() {
            self.timers.clear(Timer::Retransmit);
            self.timers.clear(Timer::Probe);
            self.stuck = None;
        } else if news.forward > 0 {
            self.stuck = Some(now);
            self.timers
                .set(Timer::Retransmit, now.after(self.rtt.rto()));
            self.arm_tail_probe(now);
        }
    }

    fn take_fin_ack(&mut self, now: Time) {
        if self.tx.fin
            && self.tx.nxt == self.tx.end()
            && self.tx.una == self.tx.end()
            && self.step(StateInput::FinAcked)
        {
            match self.state {
                TcpState::TimeWait => self.begin_time_wait(now),
                TcpState::Closed => self.finish(),
                _ => {}
            }
        }
    }

    fn take_window(&mut self, h: &TcpHeader<'_>, start: i64, ack: i64) {
        let before = self.tx.window;
        self.tx.take_window(
            u64::from(h.window) << self.tx.shift,
            start,
            ack.max(0) as u64,
        );
        let now = self.tx.window;
        self.counters.zero_windows += u64::from(now == 0 && before > 0);
        // While it stays small the wait continues, whatever else the peer says.
        if now > 0 && before == 0 {
            self.timers.clear(Timer::Persist);
            self.window_probes = 0;
        }
    }

    /// Decides what a tail probe showed (RFC 8985 §7.4).
    fn settle_tail(&mut self, h: &TcpHeader<'_>, una: u64, news: &AckOutcome) {
        let Some(probe) = self.tail else { return };
        if una < probe.end {
            return;
        }
        let both_arrived = news.dsack
            || !probe.again
            || una == probe.end && news.forward == 0 && h.payload.is_empty();
        if both_arrived {
            self.forget_tail();
        } else if una > probe.end {
            // The probe repaired a loss: the window answers as to any other.
            self.forget_tail();
            if self.recovery.is_open() {
                self.window
                    .reduce(bytes32(self.tx.board.pipe() + news.octets));
                self.window.cwnd = self.window.cwnd.min(self.window.ssthresh);
            }
        }
    }
}

fn bytes32(octets: u64) -> u32 {
    u32::try_from(octets).unwrap_or(u32::MAX)
}
