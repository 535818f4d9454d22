//! What left in the last second. No half-open second ever holds more than the limit.

use alloc::collections::VecDeque;
use crafty_value::{Duration, Time};

const SECOND: Duration = Duration::seconds(1);

/// Frames a second up to which each is remembered on its own; beyond, those that leave within a
/// grain count as leaving at its end.
const EXACT: u64 = 4_096;

/// What left in the last second, and when. No half-open second ever holds more than `limit`.
pub(crate) struct RateWindow {
    pub limit: u64,
    grain: Duration,
    entries: VecDeque<WindowEntry>,
    sum: u64,
    pub worst: u64,
}

/// What left from `first` to `last`; it counts until a second after `last`.
#[derive(Clone, Copy)]
struct WindowEntry {
    first: Time,
    last: Time,
    amount: u64,
}

impl RateWindow {
    /// For `limit` a second; `rate` is how many entries a second at most come about.
    pub fn new(limit: u64, rate: u64) -> RateWindow {
        let grain = if rate <= EXACT {
            Duration::ZERO
        } else {
            Duration(SECOND.0 / EXACT as i64)
        };
        // One more than can count at a time, and one that is added before the oldest goes.
        let entries = VecDeque::with_capacity(rate.min(EXACT) as usize + 2);
        RateWindow {
            limit,
            grain,
            entries,
            sum: 0,
            worst: 0,
        }
    }

    /// The first moment from `earliest` on at which `amount` more fits; `None` if never.
    pub fn room(&self, earliest: Time, amount: u64) -> Option<Time> {
        let mut sum = self.sum;
        let mut at = earliest;
        for entry in &self.entries {
            let gone = entry.last.after(SECOND);
            if gone > at {
                if sum.saturating_add(amount) <= self.limit {
                    break;
                }
                at = gone;
            }
            sum = sum.saturating_sub(entry.amount);
        }
        (sum.saturating_add(amount) <= self.limit).then_some(at)
    }

    /// Takes note that `amount` leaves at `at`, which is no earlier than any before.
    pub fn take(&mut self, at: Time, amount: u64) {
        while let Some(entry) = self
            .entries
            .front()
            .filter(|entry| entry.last.after(SECOND) <= at)
        {
            self.sum = self.sum.saturating_sub(entry.amount);
            self.entries.pop_front();
        }
        self.sum = self.sum.saturating_add(amount);
        self.worst = self.worst.max(self.sum);
        match self.entries.back_mut() {
            _ if amount == 0 => {}
            Some(entry) if at.since(entry.first) <= self.grain => {
                entry.last = at;
                entry.amount = entry.amount.saturating_add(amount);
            }
            _ => self.entries.push_back(WindowEntry {
                first: at,
                last: at,
                amount,
            }),
        }
    }
}

/// The windows of packets, bytes and SYNs.
pub(crate) fn windows(budget: &crate::Budget) -> [RateWindow; 3] {
    [
        budget.max_packets_per_secs,
        budget.max_bytes_per_secs,
        budget.max_syns_per_secs,
    ]
    .map(|limit| RateWindow::new(limit, budget.max_packets_per_secs))
}
