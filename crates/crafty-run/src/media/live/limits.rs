//! The budget of a run at the send call.

use crafty_net::{FrameCost, SendGuard, SendVerdict, SharedGuard};
use crafty_policy::{Budget, Clearance, Quota, SendLimits, Toll};
use crafty_value::Time;
use std::sync::{Arc, Mutex, PoisonError};

/// The limits of a run, shared by its ports and their threads.
pub struct RunLimits {
    limited: Arc<Mutex<Limited>>,
    closes: Time,
}

struct Limited {
    limits: SendLimits,
    /// What the ledger has set aside for the run.
    quota: Quota,
    sent: Quota,
}

impl RunLimits {
    /// Closed until the first frame says when the run's time is over.
    /// No more than `quota` leaves, whatever the budget says.
    pub fn new(budget: &Budget, quota: Quota) -> RunLimits {
        let closes = Time(i64::MIN);
        let limits = SendLimits::new(budget, closes);
        RunLimits {
            limited: Arc::new(Mutex::new(Limited {
                limits,
                quota,
                sent: Quota::NOTHING,
            })),
            closes,
        }
    }

    /// What the ports ask.
    pub fn guard(&self) -> SharedGuard {
        SharedGuard::new(Arc::clone(&self.limited))
    }

    /// What has left so far.
    pub fn sent(&self) -> Quota {
        let limited = self.limited.lock();
        limited.unwrap_or_else(PoisonError::into_inner).sent
    }

    /// The run's time is over at this time.
    pub fn close_at(&mut self, closes: Time) {
        if self.closes != closes {
            self.closes = closes;
            let mut limited = self.limited.lock().unwrap_or_else(PoisonError::into_inner);
            limited.limits.close_at(crafty_net::to_since_boot(closes));
        }
    }
}

impl SendGuard for Limited {
    fn ask(&mut self, now: Time, cost: FrameCost) -> SendVerdict {
        if !self.has_room(cost) {
            return SendVerdict::Never;
        }
        match self.limits.ask(now, toll(cost)) {
            Clearance::Now => SendVerdict::Now,
            Clearance::At(at) => SendVerdict::NotBefore(at),
            Clearance::Never => SendVerdict::Never,
        }
    }

    fn sent(&mut self, now: Time, cost: FrameCost) {
        self.limits.left(now, toll(cost));
        self.sent = self.sent.with(amounts(cost), u64::saturating_add);
    }
}

impl Limited {
    fn has_room(&self, cost: FrameCost) -> bool {
        let sent = self.sent.with(amounts(cost), u64::saturating_add);
        sent.with(self.quota, u64::min) == sent
    }
}

fn amounts(cost: FrameCost) -> Quota {
    Quota {
        packets: 1,
        bytes: cost.bytes,
        syns: cost.syns,
    }
}

fn toll(cost: FrameCost) -> Toll {
    Toll {
        bytes: cost.bytes,
        syns: cost.syns,
    }
}
