//! How a run ends: the reason, and the exit status that follows from it.

use crate::api::Outcome;
use crafty_value::Time;

/// Why a program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// After its last statement, or by `exit`.
    Done,
    /// By `fail`, a failed `assert`, or an error that nothing handled.
    Failed(String),
    /// No route or no neighbour: the network's fault, not the program's.
    Unreachable(String),
    /// By the time of a packet that was not sent, which nothing handled.
    NotSent(String),
    /// `max_duration` is over.
    TimeOut,
    /// From outside.
    Cancelled,
}

/// What else the exit status depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunFaults {
    /// Whether an error happened that nothing handled.
    pub unhandled_errors: bool,
    /// Whether the gate dropped a packet.
    pub dropped_packets: bool,
}

/// The end of a run: how the program is about to end while its streams close, then the outcome.
#[derive(Debug, Default)]
pub(crate) struct Conclusion {
    pub reason: Option<EndReason>,
    pub outcome: Option<Outcome>,
}

impl Conclusion {
    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// The run is over at `time`. Of several statuses 5 and a failure of the program come first,
    /// then 1 over 6 over 4 over 0.
    pub fn conclude(&mut self, time: Time, faults: RunFaults) {
        let reason = self.reason.clone().unwrap_or(EndReason::Done);
        let (status, why) = match reason {
            EndReason::Failed(why) => (1, Some(why)),
            EndReason::Unreachable(why) => (5, Some(why)),
            _ if faults.unhandled_errors => (1, Some("errors that nothing handled".to_string())),
            EndReason::NotSent(why) => (4, Some(why)),
            EndReason::TimeOut => (6, Some("`max_duration` is over".to_string())),
            EndReason::Cancelled => (6, Some("cancelled".to_string())),
            EndReason::Done if faults.dropped_packets => {
                (4, Some("the gate dropped packets".to_string()))
            }
            EndReason::Done => (0, None),
        };
        self.outcome = Some(Outcome { status, time, why });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_status_wins() {
        let faults = |unhandled_errors, dropped_packets| RunFaults {
            unhandled_errors,
            dropped_packets,
        };
        let failed = EndReason::Failed("why".into());
        let not_sent = EndReason::NotSent("why".into());
        let unreachable = EndReason::Unreachable("no route".into());
        for (reason, faults, status) in [
            (EndReason::Done, faults(false, false), 0),
            (EndReason::Done, faults(false, true), 4),
            (EndReason::Done, faults(true, true), 1),
            (EndReason::TimeOut, faults(false, true), 6),
            (EndReason::TimeOut, faults(true, true), 1),
            (EndReason::Cancelled, faults(false, true), 6),
            (not_sent.clone(), faults(false, true), 4),
            (not_sent, faults(true, true), 1),
            (unreachable, faults(true, true), 5),
            (failed, faults(false, true), 1),
        ] {
            let mut conclusion = Conclusion {
                reason: Some(reason.clone()),
                outcome: None,
            };
            conclusion.conclude(Time(7), faults);
            let outcome = conclusion.outcome.expect("the run is over");
            assert_eq!(outcome.status, status, "{reason:?} with {faults:?}");
            assert_eq!(outcome.why.is_some(), status != 0);
        }
    }
}
