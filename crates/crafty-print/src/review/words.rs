//! Parties, ports and amounts in words.

use crafty_lang::traffic::{Party, PortsUsed, SendAct, SentTraffic, group, link_group};
use crafty_policy::Policy;
use crafty_run::review::{addresses, ports, ranges_of};

/// Addresses or ports that are shown one by one.
const MOST_SHOWN: usize = 4;

/// Whom something goes to or is heard from.
pub fn party(party: &Party, within: &str) -> String {
    match party {
        Party::Addresses(all) => {
            let shown = all.iter().map(|address| match group(*address) {
                Some(who) => format!("{who} ({address})"),
                None => address.to_string(),
            });
            several(shown.collect())
        }
        Party::ThisHost => "this host".into(),
        Party::Asker => format!("whoever it answers, within {within}"),
        Party::Computed => format!("anybody within {within}"),
        Party::Link(Some(all)) => {
            let shown = all.iter().map(|mac| match link_group(*mac) {
                Some(who) => format!("{who} ({mac})"),
                None => format!("the link address {mac}"),
            });
            several(shown.collect())
        }
        Party::Link(None) => "a link address that it computes".into(),
        Party::EverybodyOnLink => "hosts on the link".into(),
    }
}

fn several(mut shown: Vec<String>) -> String {
    let more = shown.len().saturating_sub(MOST_SHOWN);
    shown.truncate(MOST_SHOWN);
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Whom a policy lets be reached.
pub fn reach(policy: &Policy) -> String {
    match policy.destinations.is_empty() {
        true => "no destination".into(),
        false => several_ranges(policy),
    }
}

fn several_ranges(policy: &Policy) -> String {
    let ranges = policy.destinations.ranges();
    match ranges.len() <= MOST_SHOWN {
        true => addresses(&policy.destinations),
        false => format!(
            "{} and {} more ranges",
            ranges_of(&ranges[..MOST_SHOWN]),
            ranges.len() - MOST_SHOWN
        ),
    }
}

/// ` port 53`; nothing where there are none.
pub fn port(used: &PortsUsed) -> String {
    match used {
        PortsUsed::Without => String::new(),
        PortsUsed::Ports(all) if all.len() == 1 => format!(" port {}", all[0]),
        PortsUsed::Ports(all) => {
            let shown: Vec<String> = all.iter().map(u16::to_string).collect();
            format!(" ports {}", several(shown))
        }
        PortsUsed::Own => " port of its own".into(),
        PortsUsed::Asker => " port of the peer".into(),
        PortsUsed::Computed => " any port that it computes".into(),
        PortsUsed::Default => " the port of the protocol".into(),
    }
}

/// TCP and UDP ports that may be sent to.
pub fn destination_ports(policy: &Policy) -> String {
    policy.destination_ports.as_ref().map_or_else(
        || "any".into(),
        |p| format!("tcp {}; udp {}", ports(&p.tcp), ports(&p.udp)),
    )
}

/// How often, and what.
pub fn amount(send: &SentTraffic) -> String {
    let what = &send.what;
    match (send.act, send.times) {
        (SendAct::Altered | SendAct::Released | SendAct::Close, _) => what.clone(),
        (_, Some(1)) => format!("once: {what}"),
        (_, Some(times)) => format!("up to {times} times: {what}"),
        (_, None) => format!("as often as the budget allows: {what}"),
    }
}

/// How large, each time.
pub fn size(send: &SentTraffic) -> String {
    let Some(size) = send.size else {
        return String::new();
    };
    match (size.known, size.frames.1) {
        (false, _) => ", as large as the link carries (usually 1514 bytes)".into(),
        (true, 1) => format!(", at most {} bytes", size.bytes.1),
        (true, frames) => format!(", at most {} bytes in {frames} frames", size.whole.1),
    }
}
