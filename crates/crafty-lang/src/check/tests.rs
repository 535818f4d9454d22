//! Programs that check, programs that do not, and noise.

mod good;
mod noise;
mod wrong;

use super::check;

/// Codes of a program's reports, in order of place.
fn codes(source: &str) -> Vec<&'static str> {
    check(source).reports.iter().map(|r| r.diagnostic.code).collect()
}

/// All that is said of a program, one line a report.
fn told(source: &str) -> String {
    check(source).reports.iter().map(|r| format!("{} {}: {}\n", r.diagnostic.code, r.diagnostic.name, r.message)).collect()
}
