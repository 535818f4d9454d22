//! What a run has computed, and whether it must end because of it: computing is counted against
//! `max_duration`, and who drives the machine is asked now and then.

use core::cell::Cell;
use core::fmt::Debug;
use crafty_lang::eval::{EvalInterruption, Stop};
use crafty_value::{Duration, Time};

/// Asked while the machine computes, about every millisecond: it alone cannot know that somebody
/// wants it to end.
pub trait Watch: Debug + Send {
    /// Whether the run must end now; its time ends at `deadline`, once it has begun.
    fn look(&self, deadline: Option<Time>) -> Option<Interruption>;
}

/// Why a run must end in the middle of what it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Somebody cancelled it.
    Cancelled,
    /// The end of `max_duration` has come.
    Deadline,
}

/// Cost between two looks; about a millisecond.
const LOOK: u64 = 1_000_000;

/// What was computed, in the units of [`crafty_lang::eval::cost`].
#[derive(Debug, Default)]
pub(crate) struct Meter {
    spent: Cell<u64>,
    next_look: Cell<u64>,
    /// All that a run may compute; none before program time 0.
    most: Option<u64>,
    deadline: Option<Time>,
    watch: Option<Box<dyn Watch>>,
}

impl Meter {
    /// Program time 0: a unit is a nanosecond of `max_duration`, so that a program that computes all
    /// the time ends in virtual time too.
    pub fn begin(&mut self, max_duration: Duration, deadline: Time) {
        self.most = u64::try_from(max_duration.0).ok();
        self.deadline = Some(deadline);
    }

    /// Nothing is computed yet; `watch` is asked.
    pub fn watched_by(watch: Box<dyn Watch>) -> Meter {
        Meter {
            watch: Some(watch),
            ..Meter::default()
        }
    }

    /// All that was computed.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// So much is computed now.
    pub fn charge(&self, cost: u64) -> Result<(), Stop> {
        let spent = self.spent.get().saturating_add(cost);
        self.spent.set(spent);
        if self.most.is_some_and(|most| spent > most) {
            return Err(Stop::End(EvalInterruption::Deadline));
        }
        if spent < self.next_look.get() {
            return Ok(());
        }
        self.next_look.set(spent.saturating_add(LOOK));
        match self
            .watch
            .as_ref()
            .and_then(|watch| watch.look(self.deadline))
        {
            Some(Interruption::Cancelled) => Err(Stop::End(EvalInterruption::Cancelled)),
            Some(Interruption::Deadline) => Err(Stop::End(EvalInterruption::Deadline)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[derive(Debug)]
    struct Third(Arc<AtomicU32>);

    impl Watch for Third {
        fn look(&self, _: Option<Time>) -> Option<Interruption> {
            let looks = self.0.fetch_add(1, Ordering::Relaxed) + 1;
            (looks == 3).then_some(Interruption::Cancelled)
        }
    }

    #[test]
    fn who_watches_is_asked_as_the_cost_grows() {
        let looks = Arc::new(AtomicU32::new(0));
        let meter = Meter::watched_by(Box::new(Third(Arc::clone(&looks))));
        let ended = (0..).find(|_| meter.charge(1000).is_err());
        assert_eq!(looks.load(Ordering::Relaxed), 3);
        assert_eq!(ended, Some(2 * LOOK / 1000));
    }

    #[test]
    fn computing_is_counted_against_the_duration() {
        let mut meter = Meter::default();
        assert_eq!(
            meter.charge(5_000_000),
            Ok(()),
            "nothing ends before the start"
        );
        meter.begin(Duration::millis(10), Time(10_000_000));
        assert_eq!(meter.charge(5_000_000), Ok(()));
        assert_eq!(meter.charge(1), Err(Stop::End(EvalInterruption::Deadline)));
    }
}
