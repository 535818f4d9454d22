//! The budget of a run at the send call.

use crate::admission::Reservation;
use crafty_net::{FrameCost, SendGuard, SendVerdict, SharedGuard};
use crafty_policy::{Budget, Clearance, Quota, SendLimits, Toll};
use crafty_value::Time;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limits of a run, shared by its ports and their threads.
pub struct RunLimits {
    limited: Arc<Mutex<Limited>>,
    closes: Time,
}

struct Limited {
    limits: SendLimits,
    reservation: Option<Reservation>,
    /// Whether what is too early never leaves.
    waits_no_more: bool,
}

impl RunLimits {
    /// Closed until the first frame says when the run's time is over.
    /// No more leaves than the ledger has set aside, whatever the budget says.
    pub fn new(budget: &Budget, reservation: Option<Reservation>) -> RunLimits {
        let closes = Time(i64::MIN);
        let limits = SendLimits::new(budget, closes);
        RunLimits {
            limited: Arc::new(Mutex::new(Limited {
                limits,
                reservation,
                waits_no_more: false,
            })),
            closes,
        }
    }

    /// What the ports ask.
    pub fn guard(&self) -> SharedGuard {
        SharedGuard::new(Arc::clone(&self.limited))
    }

    /// The run has ended: what it did not use is given back.
    pub fn end(&self) {
        let mut limited = self.limited.lock().unwrap_or_else(PoisonError::into_inner);
        limited
            .reservation
            .take()
            .into_iter()
            .for_each(Reservation::end);
    }

    /// The run's time is over at this time.
    pub fn close_at(&mut self, closes: Time) {
        if self.closes != closes {
            self.closes = closes;
            let closes = crafty_net::to_since_boot(closes);
            self.lock().limits.close_at(closes);
        }
    }

    /// From now on what is too early is reported as not sent: the run is to end.
    pub fn wait_no_more(&self) {
        self.lock().waits_no_more = true;
    }

    fn lock(&self) -> MutexGuard<'_, Limited> {
        self.limited.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SendGuard for Limited {
    fn ask(&mut self, now: Time, cost: FrameCost) -> SendVerdict {
        let reservation = self.reservation.as_ref();
        if reservation.is_some_and(|it| !it.has_room(amounts(cost))) {
            return SendVerdict::Never;
        }
        match self.limits.ask(now, toll(cost)) {
            Clearance::Now => SendVerdict::Now,
            Clearance::At(_) if self.waits_no_more => SendVerdict::Never,
            Clearance::At(at) => SendVerdict::NotBefore(at),
            Clearance::Never => SendVerdict::Never,
        }
    }

    fn sent(&mut self, now: Time, cost: FrameCost) {
        self.limits.left(now, toll(cost));
        if let Some(reservation) = &mut self.reservation {
            reservation.note(amounts(cost));
        }
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
