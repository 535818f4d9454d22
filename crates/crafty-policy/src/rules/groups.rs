//! Groups and broadcast addresses.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::{Power, Reason, RefusalReason, Subject};
use core::net::IpAddr;

pub(super) static RULE: GateRule = GateRule {
    name: "groups",
    doc: "a group or broadcast address needs a separate entry among the destinations, and the power `broadcast`",
    judge,
};

static BROADCAST: RefusalReason = denied(
    "broadcast",
    "`{}` is a group or broadcast address",
    "add `broadcast` to `powers` and {} to `destinations` in PERMISSIONS",
);

static UNLISTED: RefusalReason = denied(
    "group_destination",
    "the group or broadcast address `{}` is not listed individually",
    "add {} to `destinations` in PERMISSIONS, as a separate entry",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    let granted = case.policy.powers.has(Power::Broadcast);
    let refused =
        |address| is_group(case, address) && !(granted && case.policy.destinations.lists(address));
    match case.find_target(refused) {
        Some(group) => refuse(
            if granted { &UNLISTED } else { &BROADCAST },
            Subject::Address(group),
        ),
        None => Ok(()),
    }
}

pub(super) fn is_group(case: &CandidateFrame, address: IpAddr) -> bool {
    let limited = address == IpAddr::from([255, 255, 255, 255]);
    address.is_multicast() || limited || case.host.is_directed_broadcast(address)
}
