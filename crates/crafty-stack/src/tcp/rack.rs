//! Loss by time: a segment is lost if one sent later has arrived a reordering window ago (RFC 8985
//! §6).

use super::scoreboard::{Flight, Scoreboard};
use crafty_value::{Duration, Time};

/// Segments beyond a gap that make reordering unlikely (RFC 8985 §6.2, DupThresh).
const DUP_THRESH: usize = 3;
/// Recoveries for which a widened window is kept (RFC 8985 §6.2).
const PERSIST: u32 = 16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rack {
    /// When the most recently sent segment that arrived was sent, and its end.
    newest: Option<(Time, u64)>,
    /// Round trip of that segment.
    rtt: Duration,
    /// One behind the furthest position that arrived.
    furthest: u64,
    reordering_seen: bool,
    /// Largest distance, in bytes, by which an original arrived late.
    pub extent: u64,
    multiple: i64,
    persist: u32,
    /// End of the round in which a DSACK has widened the window.
    widened_until: u64,
}

/// What a look at the scoreboard found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detected {
    /// Bytes now taken for lost.
    pub lost: u64,
    /// When to look again.
    pub again: Option<Time>,
}

impl Rack {
    pub fn new() -> Rack {
        Rack {
            newest: None,
            rtt: Duration::ZERO,
            furthest: 0,
            reordering_seen: false,
            extent: 0,
            multiple: 1,
            persist: 0,
            widened_until: 0,
        }
    }

    /// A segment arrived: steps 2 and 3 of RFC 8985 §6.2.
    pub fn delivered(&mut self, now: Time, flight: &Flight, min_rtt: Option<Duration>) {
        self.reordering(flight);
        let rtt = now.since(flight.sent);
        // The answer may be to an earlier transmission.
        if flight.again && min_rtt.is_some_and(|min| rtt < min) {
            return;
        }
        if self
            .newest
            .is_none_or(|newest| newest < (flight.sent, flight.end))
        {
            self.newest = Some((flight.sent, flight.end));
            self.rtt = rtt;
        }
    }

    fn reordering(&mut self, flight: &Flight) {
        if flight.end > self.furthest {
            self.furthest = flight.end;
        } else if flight.end < self.furthest && !flight.again {
            self.reordering_seen = true;
            self.extent = self.extent.max(self.furthest - flight.end);
        }
    }

    /// The peer got something twice: once a round, the window widens (RFC 8985 §6.2 step 4).
    pub fn spurious(&mut self, una: u64, nxt: u64) {
        if una >= self.widened_until {
            self.multiple = (self.multiple + 1).min(64);
            self.persist = PERSIST;
            self.widened_until = nxt;
        }
    }

    /// A recovery ended.
    pub fn recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiple = 1;
        }
    }

    /// Takes for lost what was sent long enough before the newest arrival: step 5.
    pub fn detect(&self, board: &mut Scoreboard, now: Time, window: Duration) -> Detected {
        let Some(newest) = self.newest else {
            return Detected::default();
        };
        let patience = Duration(self.rtt.0.saturating_add(window.0));
        let mut again: Option<Time> = None;
        let lost = board.lose(|flight| {
            if (flight.sent, flight.end) >= newest {
                return false;
            }
            let due = flight.sent.after(patience);
            if due <= now {
                return true;
            }
            again = Some(again.map_or(due, |again| again.max(due)));
            false
        });
        Detected { lost, again }
    }

    /// The reordering window: step 4.
    pub fn window(
        &self,
        board: &Scoreboard,
        recovering: bool,
        min_rtt: Option<Duration>,
        srtt: Option<Duration>,
    ) -> Duration {
        if !self.reordering_seen && (recovering || board.sacked() >= DUP_THRESH) {
            return Duration::ZERO;
        }
        let quarter = min_rtt.unwrap_or_default().0 / 4;
        Duration(
            quarter
                .saturating_mul(self.multiple)
                .min(srtt.unwrap_or_default().0),
        )
    }
}
