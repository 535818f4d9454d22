//! What time brings: retransmission, probes, delayed acknowledgements, ends (RFC 6298 §5, RFC 8985
//! §7, RFC 9293 §3.8).

use super::connection::{Connection, ConnectionEvent, ResetBy};
use super::recovery::Recovery;
use super::rtt::MAX_RTO;
use super::state::{StateInput, TcpState};
use super::timers::{TIMERS, Timer};
use crafty_value::{Duration, Time};

/// Before there is a round trip to go by (RFC 8985 §7.2).
const FIRST_PROBE: Duration = Duration::seconds(1);
/// What a peer may delay the acknowledgement of a lone segment (RFC 8985 §7.2, TLP.max_ack_delay).
const MAX_ACK_DELAY: Duration = Duration::millis(200);
/// Between two keep-alive probes at most, and how many go unanswered before the peer counts as
/// gone.
const KEEP_ALIVE_GAP: Duration = Duration::seconds(75);
const KEEP_ALIVE_PROBES: u32 = 9;

/// A tail probe under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TailProbe {
    /// One behind what was sent then.
    pub end: u64,
    /// Whether it repeated a segment.
    pub again: bool,
}

/// Attempts without an answer that are enough, however long the caller is patient: where a fifth
/// is lost each way, eight stay without one by chance 3 times in 10,000; where a tenth is, twice in
/// a million.
const MOST_ATTEMPTS: u32 = 8;

/// How many time-outs end within this time, the first being this long and each twice the one before,
/// up to [`MOST_ATTEMPTS`].
fn attempts_within(time: Duration, first: Duration) -> u32 {
    let (mut attempts, mut left, mut next) = (0, time.0, first.max(Duration::millis(1)).0);
    while attempts < MOST_ATTEMPTS && next <= left {
        left -= next;
        next = next.saturating_mul(2).min(MAX_RTO.0);
        attempts += 1;
    }
    attempts
}

impl Connection {
    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time) {
        // Each timer is served at most once, so that the loop ends whatever the clock does.
        for _ in TIMERS {
            let Some(timer) = self.timers.take_due(now) else {
                return;
            };
            self.on_timer(now, timer);
        }
    }

    fn on_timer(&mut self, now: Time, timer: Timer) {
        match timer {
            Timer::Open => self.on_open_timeout(),
            Timer::Retransmit => self.on_retransmit(now),
            Timer::Probe => self.due.tail_probe = true,
            Timer::Reorder => {
                self.detect_loss(now);
                self.note_cwnd(now);
            }
            Timer::Persist => self.on_persist(now),
            Timer::Ack => self.due.ack |= self.due.unacked > 0,
            Timer::KeepAlive => self.on_keep_alive(now),
            Timer::Close => self.cut(ConnectionEvent::Reset(ResetBy::CloseTimeout)),
            Timer::TimeWait => {
                self.step(StateInput::Expire);
            }
        }
    }

    fn on_open_timeout(&mut self) {
        if !self.state.synchronised() {
            self.cut(ConnectionEvent::OpenTimedOut);
        }
    }

    fn on_retransmit(&mut self, now: Time) {
        if self.tx.board.is_empty() {
            return;
        }
        // A peer that took its window back and answers is alive (RFC 9293 §3.8.6.1).
        let alive = if self.tx.window == 0 {
            self.heard
        } else {
            Time(i64::MIN)
        };
        if self
            .stuck
            .is_some_and(|since| self.is_hopeless(now.since(since.max(alive))))
        {
            return self.cut(ConnectionEvent::TimedOut);
        }
        self.unanswered += 1;
        self.counters.timeouts += 1;
        let first = !matches!(self.recovery, Recovery::Timeout { .. });
        let before = first.then_some((self.window.cwnd, self.window.ssthresh));
        if first {
            self.window
                .reduce(u32::try_from(self.tx.nxt - self.tx.una).unwrap_or(u32::MAX));
            self.ecn.reduced = self.agreed.ecn;
        }
        self.window.collapse();
        self.note_cwnd(now);
        self.recovery = Recovery::Timeout {
            until: self.tx.nxt,
            before,
        };
        // What the peer sacked stays believed, unless it shows that it has dropped it (RFC 2018
        // §8).
        if self
            .tx
            .board
            .iter()
            .next()
            .is_some_and(|first| first.sacked)
        {
            self.tx.board.renege();
        }
        self.tx.board.lose(|_| true);
        self.lost_only_the_probe(now);
        self.tx.board.forget_guess();
        self.forget_tail();
        self.timers.clear(Timer::Reorder);
        self.timers.clear(Timer::Probe);
        self.rtt.back_off();
        self.suspect_black_hole(now);
        self.timers
            .set(Timer::Retransmit, now.after(self.rtt.rto()));
    }

    fn on_persist(&mut self, now: Time) {
        if !self.tx.board.is_empty() || self.tx.unsent() == 0 {
            return;
        }
        // Any answer ends the count, however far apart the probes are (RFC 9293 §3.8.6.1).
        let silence = now.since(*self.stuck.get_or_insert(now));
        if self.is_hopeless(silence) {
            return self.cut(ConnectionEvent::TimedOut);
        }
        self.unanswered += 1;
        self.window_probes += 1;
        self.counters.window_probes += 1;
        self.due.small = self.tx.window > 0;
        self.due.peer_probe = self.tx.window == 0;
        self.timers
            .set(Timer::Persist, now.after(self.persist_interval()));
    }

    /// The wait before the next probe of a closed window.
    pub(crate) fn persist_interval(&self) -> Duration {
        self.rtt
            .rto_after(self.window_probes.max(self.rtt.backoff()))
    }

    /// Whether so long a silence says that the peer is gone: [`Config::give_up`] is over, and as
    /// many attempts went unanswered as fit into it where time-outs begin at their shortest, or
    /// [`MOST_ATTEMPTS`]. RFC 9293 §3.8.3 lets R2 be a time or a count. Each alone misleads: where
    /// time-outs have grown already, two attempts fill 100 s, and on a path that loses a fifth each
    /// way the answers to two are missing by chance 13 times in 100.
    fn is_hopeless(&self, silence: Duration) -> bool {
        silence >= self.config.give_up
            && self.unanswered >= attempts_within(self.config.give_up, self.config.min_rto)
    }

    fn on_keep_alive(&mut self, now: Time) {
        let Some(after) = self.config.keep_alive else {
            return;
        };
        let due = self.heard.after(after);
        if due > now {
            return self.timers.set(Timer::KeepAlive, due);
        }
        if self.due.unanswered >= KEEP_ALIVE_PROBES {
            return self.cut(ConnectionEvent::TimedOut);
        }
        if self.tx.board.is_empty() {
            self.counters.keep_alives += 1;
            self.due.unanswered += 1;
            self.due.peer_probe = true;
        }
        let gap = after.min(KEEP_ALIVE_GAP).max(Duration::millis(1));
        self.timers.set(Timer::KeepAlive, now.after(gap));
    }

    /// Plans a probe for the end of the flight (RFC 8985 §7.2).
    pub(crate) fn arm_tail_probe(&mut self, now: Time) {
        let board = &self.tx.board;
        let useful = self.agreed.sack && self.state.synchronised() && self.recovery.is_open();
        if !useful || board.is_empty() || board.sacked() > 0 || self.tail.is_some() {
            return self.timers.clear(Timer::Probe);
        }
        let round_trips = self
            .rtt
            .srtt
            .map_or(FIRST_PROBE, |srtt| Duration(srtt.0.saturating_mul(2)));
        let alone = if board.count() == 1 {
            MAX_ACK_DELAY
        } else {
            Duration::millis(2)
        };
        let due = now.after(round_trips).after(alone);
        match due < self.timers.at(Timer::Retransmit) {
            true => self.timers.set(Timer::Probe, due),
            false => self.timers.clear(Timer::Probe),
        }
    }

    /// The probe goes; the time-out waits for its answer.
    pub(crate) fn start_tail_probe(&mut self, now: Time, again: bool) {
        self.tail = Some(TailProbe {
            end: self.tx.nxt,
            again,
        });
        self.timers
            .set(Timer::Retransmit, now.after(self.rtt.rto()));
    }

    pub(crate) fn forget_tail(&mut self) {
        self.tail = None;
        self.due.tail_probe = false;
    }

    /// Ends the connection from this side: with a reset if the peer knows of it.
    pub(crate) fn cut(&mut self, event: ConnectionEvent) {
        let known = !matches!(
            self.state,
            TcpState::Closed | TcpState::Listen | TcpState::SynSent | TcpState::TimeWait
        );
        let reset = known.then(|| (self.tx.seq(self.tx.here()), true));
        self.die(event);
        self.due.reset = reset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_those_that_fit_into_the_time() {
        let seconds = Duration::seconds;
        let rows = [
            (seconds(0), Duration::millis(200), 0),
            (seconds(1), Duration::millis(200), 2),
            (seconds(3), Duration::millis(200), 4),
            (seconds(100), Duration::millis(200), 8),
            (seconds(100), seconds(1), 6),
            (seconds(100_000), seconds(1), MOST_ATTEMPTS),
            (Duration(i64::MAX), Duration(i64::MAX), 1),
            (seconds(1), Duration::ZERO, MOST_ATTEMPTS),
        ];
        for (time, first, attempts) in rows {
            assert_eq!(attempts_within(time, first), attempts, "{time} {first}");
        }
    }
}
