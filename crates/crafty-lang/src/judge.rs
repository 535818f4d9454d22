//! All that is said of a program before it runs: what its text is, what its values are, what it may reveal, how much it may send.

use crate::check::{Bound, bind, check};
use crate::diagnostic::{Report, Severity};
use crate::ir::Program;
use crate::labels::{Labels, infer};
use crate::worst::{Worst, worst};
use crafty_policy::Policy;
use std::collections::BTreeMap;

/// What a bound program may do under a policy.
#[derive(Debug)]
pub struct Judged {
    /// What each expression and each send may reveal.
    pub labels: Labels,
    /// How much it may send.
    pub worst: Worst,
    /// Refusals and warnings, in order of place.
    pub reports: Vec<Report>,
}

/// Judges a program under the effective policy (its own met with the operator's) and notes the labels in it.
pub fn judge(program: &mut Program, bound: &Bound, effective: &Policy) -> Judged {
    let labels = infer(program, effective.exfiltration);
    program.labels = labels.expressions.clone();
    let limited = Bound { values: bound.values.clone(), policy: effective.clone() };
    let (worst, mut reports) = worst(program, &limited);
    reports.extend(labels.reports.iter().cloned());
    reports.sort_by_key(|r| r.span);
    Judged { labels, worst, reports }
}

impl Judged {}

/// A text with its mistakes of every kind, judged by what it declares itself. Params without a default leave the values unknown: then
/// only what needs no value is judged.
pub fn whole(source: &str) -> (Option<Program>, Vec<Report>) {
    let checked = check(source);
    let mut reports = checked.reports;
    let Some(mut program) = checked.program else { return (None, reports) };
    if program.params.iter().all(|p| p.default.is_some()) {
        match bind(&program, &BTreeMap::new()) {
            Ok(bound) => {
                let policy = bound.policy.clone();
                reports.extend(judge(&mut program, &bound, &policy).reports);
            }
            Err(more) => reports.extend(more),
        }
    }
    reports.sort_by_key(|r| r.span);
    let refused = reports.iter().any(|r| r.diagnostic.severity == Severity::Error);
    ((!refused).then_some(program), reports)
}
