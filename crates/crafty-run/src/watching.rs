//! What ends a program that computes: the run is cancelled, or its time is over on the medium's
//! clock.

use crate::cancel::CancelToken;
use crafty_value::Time;
use crafty_vm::{Interruption, Watch};
use std::fmt;
use std::sync::{Arc, Mutex};

/// A condition of the caller's.
type Condition = Box<dyn FnMut() -> bool + Send>;

/// Whether a run is to end: by its token, or by a condition that holds.
#[derive(Clone, Default)]
pub(crate) struct Cancellation {
    pub token: CancelToken,
    condition: Arc<Mutex<Option<Condition>>>,
}

impl Cancellation {
    /// The run ends too once this holds.
    pub fn when(&self, condition: Condition) {
        if let Ok(mut held) = self.condition.lock() {
            *held = Some(condition);
        }
    }

    /// Whether the run is to end.
    pub fn is_asked(&self) -> bool {
        let holds = |held: &mut Option<Condition>| held.as_mut().is_some_and(|when| when());
        self.token.is_cancelled() || self.condition.lock().is_ok_and(|mut held| holds(&mut held))
    }
}

/// A program's watch.
pub(crate) struct RunWatch {
    pub cancellation: Cancellation,
    /// In real time: what time it is.
    pub clock: Option<Box<dyn Fn() -> Time + Send>>,
}

impl fmt::Debug for RunWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunWatch")
    }
}

impl Watch for RunWatch {
    fn look(&self, deadline: Option<Time>) -> Option<Interruption> {
        let is_over = |deadline: Time| self.clock.as_ref().is_some_and(|now| now() > deadline);
        if self.cancellation.is_asked() {
            Some(Interruption::Cancelled)
        } else {
            deadline
                .filter(|deadline| is_over(*deadline))
                .map(|_| Interruption::Deadline)
        }
    }
}
