//! Spoofed sources towards services that answer with more than they get.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::frame::TransportHeader;
use crate::hazards::{Amplifier, amplifying};
use crate::{Power, Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "reflection",
    doc: "a spoofed source towards a known amplifier needs the power `reflection`, and is charged with what the victim may get",
    judge,
};

static REFLECTION: RefusalReason = denied(
    "reflection",
    "with a spoofed source, the answers of {} go to somebody else",
    "use the host's own address, or add `reflection` to `powers` in PERMISSIONS",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    if case.policy.powers.has(Power::Reflection) {
        return Ok(());
    }
    match amplifiers(case).next() {
        Some(row) => refuse(&REFLECTION, Subject::Port("udp", row.port)),
        None => Ok(()),
    }
}

/// How many bytes a spoofed byte may bring somebody.
pub(crate) fn factor(case: &CandidateFrame) -> u64 {
    amplifiers(case).map(|row| row.factor).max().unwrap_or(1)
}

fn amplifiers(case: &CandidateFrame) -> impl Iterator<Item = &'static Amplifier> {
    let spoofed = case
        .packets()
        .filter(|packet| !case.host.is_local(packet.source));
    spoofed.filter_map(|packet| match packet.transport {
        TransportHeader::Udp { destination, .. } => amplifying(destination),
        _ => None,
    })
}
