//! The last check, at the send call itself: between a verdict and the wire a process can be stopped,
//! a machine busy, a queue full. What was let through leaves no earlier than its second has room, and
//! not at all once the run's time is over.

use crate::Budget;
use crate::window::{RateWindow, windows};
use crafty_value::Time;

/// What a frame costs besides being one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Toll {
    /// Its bytes, as the budget counts them.
    pub bytes: u64,
    /// Connections that it may open.
    pub syns: u64,
}

/// When a frame may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clearance {
    /// At once.
    Now,
    /// Not before then.
    At(Time),
    /// Never: the run's time is over, or it costs more than a second has.
    Never,
}

/// The seconds of a run as the wire sees them. All times are of one clock that nobody sets.
pub struct SendLimits {
    windows: [RateWindow; 3],
    deadline: Time,
    last: Time,
}

impl SendLimits {
    /// Nothing has left yet; nothing leaves from `deadline` on.
    pub fn new(budget: &Budget, deadline: Time) -> SendLimits {
        SendLimits {
            windows: windows(budget),
            deadline,
            last: Time(i64::MIN),
        }
    }

    /// Moves the deadline, as program time 0 does.
    pub fn close_at(&mut self, deadline: Time) {
        self.deadline = deadline;
    }

    /// When a frame of this cost may leave, asked at `now`.
    pub fn ask(&self, now: Time, toll: Toll) -> Clearance {
        let now = now.max(self.last);
        let mut at = now;
        for (window, amount) in self.windows.iter().zip([1, toll.bytes, toll.syns]) {
            match window.room(at, amount) {
                Some(free) => at = free,
                None => return Clearance::Never,
            }
        }
        match at {
            _ if at >= self.deadline => Clearance::Never,
            _ if at > now => Clearance::At(at),
            _ => Clearance::Now,
        }
    }

    /// Takes note of a frame that has left by `now`: asked for before the call and noted after it,
    /// so that a process that was stopped in between counts it as late as it can have been.
    pub fn left(&mut self, now: Time, toll: Toll) {
        self.last = self.last.max(now);
        for (window, amount) in self.windows.iter_mut().zip([1, toll.bytes, toll.syns]) {
            window.take(self.last, amount);
        }
    }

    /// The most packets, bytes and SYNs that left in any one second.
    pub fn worst_second(&self) -> (u64, u64, u64) {
        let [packets, bytes, syns] = [0, 1, 2].map(|i| self.windows[i].worst);
        (packets, bytes, syns)
    }
}
