//! Errors that somebody sent back.

use super::{Rule, counted};
use crate::{Seen, Severity};
use crafty_wire::Partial;

pub static RULE: Rule = Rule {
    name: "icmp_error",
    title: "an ICMP error",
    severity: Severity::Warning,
    doc: "A router or host reports that packets did not get where they should, or wants them sent otherwise (RFC 792, RFC 4443). Whether \
          the report is honest cannot be told.",
    observe: |seen, _, report| {
        if let Some(subject) = subject(seen) {
            report.add(seen.index, subject);
        }
    },
    tell: |case| format!("{} ({})", case.subject, counted(case.count, "message")),
    ..Rule::BLANK
};

/// Layer, type, code (none: any) and what it says.
static MEANINGS: &[(&str, u64, Option<u64>, &str)] = &[
    ("ICMP", 3, Some(0), "network unreachable"),
    ("ICMP", 3, Some(1), "host unreachable"),
    ("ICMP", 3, Some(2), "protocol unreachable"),
    ("ICMP", 3, Some(3), "port unreachable"),
    ("ICMP", 3, Some(4), "fragmentation needed, but not allowed"),
    ("ICMP", 3, Some(9), "network prohibited"),
    ("ICMP", 3, Some(10), "host prohibited"),
    ("ICMP", 3, Some(13), "administratively prohibited"),
    ("ICMP", 3, None, "destination unreachable"),
    ("ICMP", 4, None, "source quench"),
    ("ICMP", 5, None, "redirect"),
    ("ICMP", 11, Some(1), "fragments missing at reassembly"),
    ("ICMP", 11, None, "time to live spent"),
    ("ICMP", 12, None, "parameter problem"),
    ("ICMP6", 1, Some(0), "no route"),
    ("ICMP6", 1, Some(1), "administratively prohibited"),
    ("ICMP6", 1, Some(3), "address unreachable"),
    ("ICMP6", 1, Some(4), "port unreachable"),
    ("ICMP6", 1, None, "destination unreachable"),
    ("ICMP6", 2, None, "packet too big"),
    ("ICMP6", 3, Some(1), "fragments missing at reassembly"),
    ("ICMP6", 3, None, "hop limit spent"),
    ("ICMP6", 4, None, "parameter problem"),
];

fn subject(seen: &Seen<'_>) -> Option<String> {
    let (at, found) = seen.layer("ICMP").or_else(|| seen.layer("ICMP6"))?;
    let (kind, code) = (seen.uint(at, "type")?, seen.uint(at, "code")?);
    let meaning = MEANINGS.iter().find(|row| {
        row.0 == found.layer.name && row.1 == kind && row.2.is_none_or(|it| it == code)
    })?;
    let mtu = seen.uint(at, "mtu").filter(|mtu| {
        *mtu != 0
            && matches!(
                (found.layer.name, kind, code),
                ("ICMP", 3, 4) | ("ICMP6", 2, _)
            )
    });
    let mtu = mtu.map_or(String::new(), |mtu| format!(" (MTU {mtu})"));
    Some(format!(
        "{} says `{}`{mtu}{}",
        seen.network.as_ref()?.src,
        meaning.3,
        quoted(seen, at)
    ))
}

/// Whose packet it quotes.
fn quoted(seen: &Seen<'_>, above: usize) -> String {
    let layers = &seen.decoded.layers;
    let ip = (above + 1..layers.len()).find(|i| {
        layers[*i].partial == Partial::Quoted && matches!(layers[*i].layer.name, "IP" | "IP6")
    });
    let Some((ip, src, dst)) =
        ip.and_then(|ip| Some((ip, seen.address(ip, "src")?, seen.address(ip, "dst")?)))
    else {
        return String::new();
    };
    let port = layers
        .get(ip + 1)
        .filter(|it| matches!(it.layer.name, "TCP" | "UDP"))
        .and_then(|_| seen.uint(ip + 1, "dst"));
    let port = port.map_or(String::new(), |port| {
        format!(" {} port {port}", layers[ip + 1].layer.name)
    });
    format!(" about a packet from {src} to {dst}{port}")
}
