//! Larger segments are tried again after the size was lowered, one probe at a time (RFC 4821 §7,
//! RFC 8201 §4).

use super::connection::Connection;
use crafty_value::{Duration, Time};

/// After a router told the size: paths seldom grow (RFC 8201 §4: ten minutes).
pub(crate) const TOLD_WAIT: Duration = Duration::seconds(600);
/// After large segments vanished: that they were too large is a guess so far.
pub(crate) const GUESSED_WAIT: Duration = Duration::seconds(2);
/// Bytes that are not worth another probe.
const CLOSE: u32 = 32;
/// Segments that must follow a probe, so that its loss is noticed without a time-out (RFC 4821
/// §7.2).
const FOLLOWING: u64 = 3;

/// What is known of sizes above the one in use. Sizes include the options.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Search {
    /// The largest that both ends allow.
    pub limit: u32,
    /// One that vanished; 0 if none did.
    too_large: u32,
    /// When to try next.
    at: Option<Time>,
    /// Where the probe under way begins, and its size.
    probe: Option<(u64, u32)>,
}

/// What is to be done about a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// Nothing.
    None,
    /// Nothing new leaves until the window has room for it: acknowledgements are on their way.
    Room,
    /// These positions leave as one segment.
    Send(u64, u64),
}

impl Search {
    /// The size was lowered; larger ones are tried after `wait`.
    pub fn begin(&mut self, now: Time, wait: Duration) {
        *self = Search {
            limit: self.limit,
            at: Some(now.after(wait)),
            ..Search::default()
        };
    }

    /// The size to try above `mss`: the largest first, then the middle of what is open.
    fn next(&self, mss: u32) -> Option<u32> {
        match self.too_large {
            0 => (mss < self.limit).then_some(self.limit),
            too_large => (mss + CLOSE < too_large).then_some(mss + (too_large - mss) / 2),
        }
    }
}

impl Connection {
    /// What a probe asks for now; `mss` is what an ordinary segment carries.
    pub(crate) fn mtu_probe(&mut self, now: Time, options: u32, mss: u64) -> Probe {
        let due = self.search.at.is_some_and(|at| at <= now)
            && self.search.probe.is_none()
            && self.recovery.is_open();
        let Some(size) = due.then(|| self.search.next(self.tx.mss)).flatten() else {
            return Probe::None;
        };
        let start = self.tx.nxt.max(1);
        let end = start + u64::from(size.saturating_sub(options));
        let (whole, cwnd) = (end + FOLLOWING * mss, u64::from(self.window.cwnd));
        if whole > self.tx.data_end().min(self.tx.edge) || whole - start > cwnd {
            return Probe::None;
        }
        if self.tx.board.pipe() + (whole - start) > cwnd {
            return Probe::Room;
        }
        self.search.probe = Some((start, size));
        self.counters.mtu_probes += 1;
        Probe::Send(start, end)
    }

    /// Whether a probe of more than this size is under way.
    pub(crate) fn probed_beyond(&self, size: u32) -> bool {
        self.search.probe.is_some_and(|(_, probe)| probe > size)
    }

    /// Looks whether the probe has arrived.
    pub(crate) fn settle_mtu_probe(&mut self, now: Time) {
        let Some((start, size)) = self.search.probe else {
            return;
        };
        if self.tx.board.at(start).is_none_or(|flight| flight.sacked) {
            self.search.probe = None;
            self.tx.mss = size;
            self.window.mss = self.mss();
            self.search_on(now);
        }
    }

    /// Whether nothing but the probe is lost: then the path is no busier than before (RFC 4821
    /// §7.6.2). A lost probe is settled.
    pub(crate) fn lost_only_the_probe(&mut self, now: Time) -> bool {
        let Some((start, size)) = self.search.probe else {
            return false;
        };
        let lost = self.tx.board.at(start).is_some_and(|flight| flight.lost);
        if lost {
            self.search.probe = None;
            self.search.too_large = size;
            self.search_on(now);
        }
        lost && self.tx.board.lost() == 1
    }

    /// The next probe follows at once; what has been found is kept for a while.
    fn search_on(&mut self, now: Time) {
        match self.search.next(self.tx.mss) {
            Some(_) => self.search.at = Some(now),
            None if self.tx.mss < self.search.limit => self.search.begin(now, TOLD_WAIT),
            None => self.search.at = None,
        }
    }
}
