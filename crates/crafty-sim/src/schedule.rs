//! When a fault is there.

use crafty_value::{Duration, Time};

/// From when, until when, and in what rhythm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub from: Duration,
    pub until: Option<Duration>,
    /// Length of a cycle; the fault is there for its first `during`.
    pub every: Option<Duration>,
    pub during: Duration,
}

impl Schedule {
    pub fn is_on(&self, now: Time) -> bool {
        let since = now.0 - self.from.0;
        let over = self.until.is_some_and(|until| now.0 >= until.0);
        let in_cycle = |every: Duration| since % every.0.max(1) < self.during.0;
        since >= 0 && !over && self.every.is_none_or(in_cycle)
    }

    /// The first moment after `now` at which it may begin or end.
    pub fn next_change(&self, now: Time) -> Option<Time> {
        let begin = Time(self.from.0);
        if now < begin {
            return Some(begin);
        }
        let over = self.until.map(|until| Time(until.0));
        let edge = self.every.map(|every| {
            let since = now.0 - self.from.0;
            let cycle = since - since % every.0.max(1);
            let next = [self.during.0, every.0];
            let next = next.into_iter().find(|it| since - cycle < *it);
            Time(self.from.0 + cycle + next.unwrap_or(every.0))
        });
        [edge, over]
            .into_iter()
            .flatten()
            .filter(|at| *at > now && over.is_none_or(|over| *at <= over))
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_where_it_changes() {
        let seconds = Duration::seconds;
        let rows = [
            Schedule::default(),
            Schedule {
                from: seconds(3),
                ..Schedule::default()
            },
            Schedule {
                from: seconds(3),
                until: Some(seconds(9)),
                ..Schedule::default()
            },
            Schedule {
                every: Some(seconds(5)),
                during: seconds(2),
                ..Schedule::default()
            },
            Schedule {
                from: seconds(1),
                until: Some(seconds(17)),
                every: Some(seconds(5)),
                during: seconds(2),
            },
        ];
        for schedule in rows {
            let mut edges = vec![];
            let mut at = Time(-1);
            while let Some(next) = schedule
                .next_change(at)
                .filter(|next| next.0 < 40_000_000_000)
            {
                edges.push(next);
                at = next;
            }
            let mut before = false;
            for second in 0..40 {
                let now = Time(0).after(seconds(second));
                let on = schedule.is_on(now);
                assert!(
                    on == before || edges.contains(&now),
                    "{schedule:?} at {second}"
                );
                before = on;
            }
        }
    }
}
