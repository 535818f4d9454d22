//! Frames for whoever hears them: without an IP destination that could be permitted.

use super::{GateRule, denied, infrastructure, refuse};
use crate::case::CandidateFrame;
use crate::resolution::{AddressResolution, Says};
use crate::{Power, Reason, RefusalReason, Subject};
use core::net::IpAddr;

pub(super) static RULE: GateRule = GateRule {
    name: "neighbours",
    doc: "a frame has an IP destination, or asks for or answers a destination by ARP or ND, unless the power `any_neighbour` is granted",
    judge,
};

static NOBODY: RefusalReason = denied(
    "any_neighbour",
    "the frame has no IP destination, so it may reach any neighbour",
    "add `any_neighbour` to `powers` in PERMISSIONS",
);

static STRANGER: RefusalReason = denied(
    "neighbour",
    "ARP or ND about `{}`, which is neither a destination nor a gateway",
    "add {} to `destinations`, or `any_neighbour` to `powers` in PERMISSIONS",
);

static EVERYBODY: RefusalReason = denied(
    "announcement",
    "ARP or ND announces `{}` to all neighbours",
    "answer one destination, or add `any_neighbour` to `powers` in PERMISSIONS",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    if case.policy.powers.has(Power::AnyNeighbour) || infrastructure::is_automatic(case) {
        return Ok(());
    }
    match (&case.resolution, case.frame.outer()) {
        (Some(resolution), _) => judge_resolution(case, resolution),
        (None, None) => refuse(&NOBODY, Subject::Nothing),
        // In a carrier.
        (None, Some(_)) if case.frame.arp.is_some() => AddressResolution::of_arp(case.frame)
            .map_or(Ok(()), |resolution| judge_resolution(case, &resolution)),
        (None, Some(_)) => Ok(()),
    }
}

/// A question is for its target. An answer is for its target too, if it does not go to a group; what
/// else is said is for everybody.
fn judge_resolution(case: &CandidateFrame, resolution: &AddressResolution) -> Result<(), Reason> {
    let target = resolution.target;
    let known = |address: IpAddr| {
        case.policy.destinations.contains(address) || case.host.gateways.contains(&address)
    };
    match resolution.says {
        Says::Asks if target == resolution.sender => {
            refuse(&EVERYBODY, Subject::Address(resolution.sender))
        }
        Says::Answers if target.is_multicast() || case.frame.is_for_group() => {
            refuse(&EVERYBODY, Subject::Address(resolution.sender))
        }
        Says::Else => refuse(&EVERYBODY, Subject::Address(resolution.sender)),
        _ if known(target) => Ok(()),
        _ => refuse(&STRANGER, Subject::Address(target)),
    }
}
