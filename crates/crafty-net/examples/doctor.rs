//! Prints what this machine has and lacks for live runs.

fn main() {
    for finding in crafty_net::doctor() {
        let fix = finding
            .fix
            .map(|fix| format!(" ({fix})"))
            .unwrap_or_default();
        println!(
            "{:?}: {}: {}{fix}",
            finding.verdict, finding.subject, finding.found
        );
    }
}
