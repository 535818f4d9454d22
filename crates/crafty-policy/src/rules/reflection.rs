//! Spoofed sources towards services that answer with more than they get.

use super::{Rule, denied, refuse};
use crate::case::Case;
use crate::frame::Transport;
use crate::{Power, Reason, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "reflection",
    doc: "a spoofed source towards a known amplifier needs the power `reflection`, and is charged with what the victim may get",
    judge,
};

static REFLECTION: Why = denied(
    "reflection",
    "a spoofed source towards {} turns its answers on somebody else",
    "use an own source, or add `reflection` to `powers` in PERMISSIONS",
);

/// UDP ports of amplifiers with the most bytes that one byte brings, rounded up (US-CERT alert
/// TA14-017A; where it has no number, reports of attacks).
static AMPLIFIERS: &[(u16, u64)] = &[
    (17, 141),
    (19, 359),
    (53, 54),
    (69, 60),
    (111, 28),
    (123, 557),
    (137, 4),
    (161, 7),
    (389, 70),
    (427, 2_200),
    (500, 4),
    (520, 132),
    (1434, 25),
    (1900, 31),
    (3283, 36),
    (3478, 4),
    (3702, 500),
    (5060, 10),
    (5353, 10),
    (5683, 34),
    (6881, 4),
    (10001, 35),
    (11211, 51_000),
    (27015, 6),
    (27960, 64),
    (32414, 5),
    (37810, 30),
];

fn judge(case: &Case) -> Result<(), Reason> {
    if case.policy.powers.has(Power::Reflection) {
        return Ok(());
    }
    match amplifiers(case).next() {
        Some((port, _)) => refuse(&REFLECTION, Subject::Port("udp", port)),
        None => Ok(()),
    }
}

/// How many bytes a spoofed byte may bring somebody.
pub(crate) fn factor(case: &Case) -> u64 {
    amplifiers(case)
        .map(|(_, factor)| factor)
        .max()
        .unwrap_or(1)
}

fn amplifiers(case: &Case) -> impl Iterator<Item = (u16, u64)> {
    let spoofed = case
        .packets()
        .filter(|packet| !case.host.is_local(packet.source));
    spoofed.filter_map(|packet| match packet.transport {
        Transport::Udp { destination, .. } => {
            AMPLIFIERS.iter().find(|row| row.0 == destination).copied()
        }
        _ => None,
    })
}
