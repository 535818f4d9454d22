//! The budget of a run at the send call.

use crafty_net::{FrameCost, SendGuard, SendVerdict, SharedGuard};
use crafty_policy::{Budget, Clearance, SendLimits, Toll};
use crafty_value::Time;
use std::sync::{Arc, Mutex, PoisonError};

/// The limits of a run, shared by its ports and their threads.
pub struct RunLimits {
    limited: Arc<Mutex<Limited>>,
    closes: Time,
}

struct Limited(SendLimits);

impl RunLimits {
    /// Closed until the first frame says when the run's time is over.
    pub fn new(budget: &Budget) -> RunLimits {
        let closes = Time(i64::MIN);
        let limits = SendLimits::new(budget, closes);
        RunLimits {
            limited: Arc::new(Mutex::new(Limited(limits))),
            closes,
        }
    }

    /// What the ports ask.
    pub fn guard(&self) -> SharedGuard {
        SharedGuard::new(Arc::clone(&self.limited))
    }

    /// The run's time is over at this time.
    pub fn close_at(&mut self, closes: Time) {
        if self.closes != closes {
            self.closes = closes;
            let mut limited = self.limited.lock().unwrap_or_else(PoisonError::into_inner);
            limited.0.close_at(crafty_net::to_since_boot(closes));
        }
    }
}

impl SendGuard for Limited {
    fn ask(&mut self, now: Time, cost: FrameCost) -> SendVerdict {
        match self.0.ask(now, toll(cost)) {
            Clearance::Now => SendVerdict::Now,
            Clearance::At(at) => SendVerdict::NotBefore(at),
            Clearance::Never => SendVerdict::Never,
        }
    }

    fn sent(&mut self, now: Time, cost: FrameCost) {
        self.0.left(now, toll(cost));
    }
}

fn toll(cost: FrameCost) -> Toll {
    Toll {
        bytes: cost.bytes,
        syns: cost.syns,
    }
}
