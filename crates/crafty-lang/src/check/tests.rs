//! Programs that check, programs that do not, and noise.

mod bind;
mod edges;
mod fixes;
mod good;
mod noise;
mod sessions;
mod wrong;

use super::check;

/// Settings in front of the programs of these tests.
const HEAD: &str = "BUDGET = { max_duration: 60s, max_packets: 100 }
PERMISSIONS = { destinations: [192.0.2.0/24, 2001:db8::/32] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100], 8080] }
";

/// Where a test's statements stand.
#[derive(Clone, Copy, Debug)]
enum In {
    /// At top level, under the settings.
    Top,
    /// Alone in the text.
    Alone,
    /// In a block of `IP!`.
    Ip,
    /// Of `UDP!`.
    Udp,
    /// Of `TCP!`.
    Tcp,
    /// Of a `UDP!` that serves.
    Serve,
}

impl In {
    fn program(self, body: &str) -> String {
        match self {
            In::Alone => format!("{body}\n"),
            In::Top => format!("{HEAD}{body}\n"),
            In::Ip => format!("{HEAD}/IP!(dst=192.0.2.1) {{\n{body}\n}}\n"),
            In::Udp => format!("{HEAD}/IP!(dst=192.0.2.1)/UDP!(dst=7) {{\n{body}\n}}\n"),
            In::Tcp => format!("{HEAD}/IP!(dst=192.0.2.1)/TCP!(dst=80) {{\n{body}\n}}\n"),
            In::Serve => format!("{HEAD}/IP!/UDP!(src=40000) {{\n{body}\n}}\n"),
        }
    }
}

/// Codes of a program's reports, in order of place.
fn codes(source: &str) -> Vec<&'static str> {
    check(source)
        .reports
        .iter()
        .map(|r| r.diagnostic.code)
        .collect()
}

/// All that is said of a program, one line a report.
fn told(source: &str) -> String {
    check(source)
        .reports
        .iter()
        .map(|r| {
            format!(
                "{} {}: {}\n",
                r.diagnostic.code, r.diagnostic.name, r.message
            )
        })
        .collect()
}
