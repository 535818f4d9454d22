//! The ledger: what the runs of a user have set aside in the last hour and the last day, and what is
//! left of what root's policy gives them together.

use super::record::{JournalEntry, JournalMoment, JournalRecord};
use crafty_policy::{HostQuotas, Quota};
use std::collections::BTreeMap;
use std::fmt;

/// A span that the operator limits.
struct LimitedSpan {
    name: &'static str,
    seconds: i64,
    limit: fn(&HostQuotas) -> Quota,
}

static SPANS: [LimitedSpan; 2] = [
    LimitedSpan {
        name: "hour",
        seconds: 3_600,
        limit: |quotas| quotas.hour,
    },
    LimitedSpan {
        name: "day",
        seconds: LONGEST,
        limit: |quotas| quotas.day,
    },
];

/// Seconds after which what was set aside counts no more.
pub(super) const LONGEST: i64 = 86_400;

/// What is left of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerLeft {
    /// Of what: `packets`, `bytes` or `SYNs`.
    pub what: &'static str,
    /// In which span: `hour` or `day`.
    pub span: &'static str,
    /// The limit.
    pub limit: u64,
    /// What is left of it.
    pub left: u64,
}

impl fmt::Display for LedgerLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LedgerLeft {
            what,
            span,
            limit,
            left,
        } = self;
        write!(f, "{left} of {limit} {what} this {span}")
    }
}

/// What is left of each limit that the operator set, in the order of the settings.
pub(super) fn left(
    records: &[JournalRecord],
    quotas: &HostQuotas,
    now: &JournalMoment,
) -> Vec<LedgerLeft> {
    let rows = SPANS.iter().flat_map(|span| {
        let (limits, used) = ((span.limit)(quotas), used(records, span.seconds, now));
        let both = limits.rows().into_iter().zip(used.rows());
        both.map(|((what, limit), (_, used))| LedgerLeft {
            what,
            span: span.name,
            limit,
            left: limit.saturating_sub(used),
        })
    });
    rows.filter(|row| row.limit != u64::MAX).collect()
}

/// What was set aside within a span and not given back.
fn used(records: &[JournalRecord], seconds: i64, now: &JournalMoment) -> Quota {
    let mut runs: BTreeMap<&str, (Quota, Quota)> = BTreeMap::new();
    let both = (Quota::NOTHING, Quota::NOTHING);
    for record in records {
        match &record.entry {
            JournalEntry::Reserved { run, quota } if now.age_of(&record.at) < seconds => {
                let (reserved, _) = runs.entry(run).or_insert(both);
                *reserved = reserved.with(*quota, u64::saturating_add);
            }
            JournalEntry::Returned { run, quota } => {
                let (_, returned) = runs.entry(run).or_insert(both);
                *returned = returned.with(*quota, u64::saturating_add);
            }
            JournalEntry::Reserved { .. } | JournalEntry::Use { .. } => {}
        }
    }
    // What one run gives back is never another's.
    let used = runs.values();
    used.map(|(reserved, returned)| reserved.with(*returned, u64::saturating_sub))
        .fold(Quota::NOTHING, |sum, run| {
            sum.with(run, u64::saturating_add)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(wall: i64, boot: &str, since_boot: i64) -> JournalMoment {
        JournalMoment {
            wall,
            boot: boot.into(),
            since_boot,
        }
    }

    fn packets(packets: u64) -> Quota {
        Quota {
            packets,
            ..Quota::NOTHING
        }
    }

    fn reserved(at: JournalMoment, run: &str, amount: u64) -> JournalRecord {
        let (run, quota) = (run.into(), packets(amount));
        JournalRecord {
            at,
            entry: JournalEntry::Reserved { run, quota },
        }
    }

    fn returned(at: JournalMoment, run: &str, amount: u64) -> JournalRecord {
        let (run, quota) = (run.into(), packets(amount));
        JournalRecord {
            at,
            entry: JournalEntry::Returned { run, quota },
        }
    }

    /// Packets left of 100 an hour and 150 a day.
    #[track_caller]
    fn check(records: &[JournalRecord], now: JournalMoment, hour: u64, day: u64) {
        let quotas = HostQuotas {
            hour: Quota {
                packets: 100,
                ..Quota::UNLIMITED
            },
            day: Quota {
                packets: 150,
                ..Quota::UNLIMITED
            },
        };
        let rows = left(records, &quotas, &now);
        let rows: Vec<_> = rows.iter().map(|row| (row.span, row.left)).collect();
        assert_eq!(rows, [("hour", hour), ("day", day)]);
    }

    #[test]
    fn what_was_set_aside_counts_for_an_hour_and_for_a_day() {
        let records = [reserved(moment(1_000, "a", 100), "r1", 30)];
        check(&[], moment(0, "a", 0), 100, 150);
        check(&records, moment(1_000, "a", 100), 70, 120);
        check(&records, moment(1_000, "a", 100 + 3_599), 70, 120);
        check(&records, moment(1_000, "a", 100 + 3_600), 100, 120);
        check(&records, moment(1_000, "a", 100 + 86_400), 100, 150);
    }

    /// Whoever sets the clock, forwards or back, changes nothing until the machine starts again.
    #[test]
    fn a_clock_that_is_set_gives_nothing_back() {
        let records = [reserved(moment(1_000, "a", 100), "r1", 30)];
        check(&records, moment(1_000_000, "a", 101), 70, 120);
        check(&records, moment(0, "a", 101), 70, 120);
        check(&records, moment(0, "b", 5), 70, 120);
        check(&records, moment(1_000 + 3_600, "b", 5), 100, 120);
    }

    #[test]
    fn a_run_gives_back_what_it_had_and_no_more() {
        let at = || moment(1_000, "a", 100);
        let one = [
            reserved(at(), "r1", 30),
            reserved(at(), "r2", 40),
            returned(at(), "r1", 20),
        ];
        check(&one, at(), 50, 100);
        let forged = [
            reserved(at(), "r1", 30),
            reserved(at(), "r2", 40),
            returned(at(), "r1", 70),
            returned(at(), "r3", 70),
        ];
        check(&forged, at(), 60, 110);
        // What an old run gives back is not this hour's.
        let late = [
            reserved(moment(0, "a", 0), "r1", 30),
            reserved(moment(0, "a", 3_599), "r2", 10),
            returned(moment(0, "a", 3_650), "r1", 30),
        ];
        check(&late, moment(0, "a", 3_650), 90, 140);
    }

    #[test]
    fn over_is_none_left() {
        let at = || moment(0, "a", 0);
        let records = [reserved(at(), "r1", u64::MAX), reserved(at(), "r2", 9)];
        check(&records, at(), 0, 0);
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let rows = [
            reserved(moment(-5, "1a2b-3c", 9), "00ff", 30),
            returned(moment(1, "x", 9), "00ff", 30),
            JournalRecord {
                at: moment(1, "x", 9),
                entry: JournalEntry::Use {
                    approval: "k-1".into(),
                    until: 99,
                },
            },
        ];
        for row in rows {
            let line = row.to_string();
            assert!(JournalRecord::is_whole(&line));
            assert_eq!(JournalRecord::parse(&line), Some(row));
            for end in 0..line.len() {
                assert!(!JournalRecord::is_whole(&line[..end]), "{}", &line[..end]);
            }
        }
        for line in ["use 1 x 9 k 99 9 .", "spent 1 x 9 k 1 1 1 .", "use .", "."] {
            assert_eq!(JournalRecord::parse(line), None, "{line}");
        }
    }
}
