//! All that is said of a program before it runs: what its text is, what its values are, what it may
//! reveal, how much it may send.

use crate::check::{Bindings, bind, check};
use crate::ir::Program;
use crate::labels::price::{self, Cost};
use crate::labels::{Labels, ending, infer};
use crate::worst::{Worst, worst};
use crafty_policy::Policy;
use crafty_syntax::diagnostic::{Occurrence, Severity};
use std::collections::BTreeMap;

/// What a bound program may do under a policy.
#[derive(Debug)]
pub struct Judged {
    /// What each expression and each send may reveal.
    pub labels: Labels,
    /// What received content may choose through `choose`, `one_of` and tests that change.
    pub costs: Vec<Cost>,
    /// How much it may send.
    pub worst: Worst,
    /// Refusals and warnings, in order of place.
    pub reports: Vec<Occurrence>,
}

/// Judges a program under the effective policy (its own met with the operator's) and notes the
/// labels in it.
pub fn judge(program: &mut Program, bound: &Bindings, effective: &Policy) -> Judged {
    let limited = Bindings {
        values: bound.values.clone(),
        policy: effective.clone(),
    };
    let (worst, mut reports) = worst(program, &limited);
    let certainty = worst.certainty(effective);
    let labels = infer(program, effective.exfiltration, certainty);
    program.labels = labels.expressions.clone();
    reports.extend(labels.reports.iter().cloned());
    reports.extend(ending::refused(program, &labels, effective.exfiltration));
    let costs = price::costs(program, &limited, &labels);
    reports.extend(price::declassified(&costs, effective));
    reports.sort_by_key(|r| r.span);
    Judged {
        labels,
        costs,
        worst,
        reports,
    }
}

impl Judged {}

/// A text with its mistakes of every kind, judged by what it declares itself. Params without a
/// default leave the values unknown: then only what needs no value is judged.
pub fn whole(source: &str) -> (Option<Program>, Vec<Occurrence>) {
    let checked = check(source);
    let mut reports = checked.reports;
    let Some(mut program) = checked.program else {
        return (None, reports);
    };
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
    let refused = reports
        .iter()
        .any(|r| r.diagnostic.severity == Severity::Error);
    ((!refused).then_some(program), reports)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of what is reported about a body in a `TCP!` block.
    #[track_caller]
    fn check(body: &str, wanted: &[&str]) {
        let head = "BUDGET = { max_duration: 60s }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { tcp: [45000] }\n";
        let (_, reports) = whole(&format!(
            "{head}/IP!(dst=192.0.2.1)/TCP!(dst=443) {{\n{body}\n}}\n"
        ));
        let codes: Vec<&str> = reports.iter().map(|r| r.diagnostic.code).collect();
        assert_eq!(codes, wanted, "{body}\n{reports:#?}");
    }

    /// The length of a message is in its bytes, and how much is left behind it follows from that.
    #[test]
    fn lengths_of_messages_are_content() {
        check(
            "expect timeout=1s Bytes { Bytes(#00 * length(MATCH)) }",
            &[],
        );
        check(
            "expect timeout=1s TLS(alert == close_notify) { Bytes(\"x\") }",
            &[],
        );
        check(
            "expect timeout=1s TLS { Bytes(#00 * length(MATCH)) }",
            &["E0601"],
        );
        check(
            "expect timeout=1s HTTP/Bytes { Bytes(#00 * length(MATCH[Bytes].data)) }",
            &["E0601"],
        );
        check(
            "expect timeout=1s Bytes { Bytes(#00 * length(MATCH)) }\nexpect timeout=1s TLS { print(1) }",
            &["E0601"],
        );
        check(
            "expect timeout=1s TLS { if MATCH[TLS].type == 21 { Bytes(\"x\") } }",
            &["E0602"],
        );
    }
}
