//! To whom.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::{Reason, RefusalKind, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "destinations",
    doc: "every address that the frame may reach is among the destinations: outer, inner, stops on the way, IPv4 inside IPv6",
    judge,
};

/// Destinations that a run may have, whatever its budget: what the gate remembers is bounded.
const MOST: u64 = 65_536;

static DESTINATION: RefusalReason = denied(
    "destination",
    "`{}` is not among the destinations",
    "add {} to `destinations` in PERMISSIONS",
);

static TOO_MANY: RefusalReason = RefusalReason {
    name: "max_destinations",
    kind: RefusalKind::Budget,
    sentence: "more than {} different destinations",
    fix: "raise `max_destinations` in BUDGET",
};

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    if let Some(address) = case.find_target(|address| !case.policy.destinations.contains(address)) {
        return refuse(&DESTINATION, Subject::Address(address));
    }
    let most = case.policy.budget.max_destinations.min(MOST);
    let new = case
        .packets()
        .filter(|packet| !case.memory.destinations.contains(&packet.destination))
        .count();
    if case.memory.destinations.len() as u64 + new as u64 > most && new > 0 {
        return refuse(&TOO_MANY, Subject::Number(most));
    }
    Ok(())
}
