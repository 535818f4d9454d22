//! Addresses that are never destinations unless an operator opened them.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::embedded::is_mapped;
use crate::hazards::forbidden;
use crate::{Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "never",
    doc: "the host's own addresses, loopback and metadata services are never destinations unless the operator opened them",
    judge,
};

static NEVER: RefusalReason = denied(
    "never",
    "`{}` is the host's own, a loopback address or a metadata service",
    "the operator can allow it: add {} to `opened` in the policy",
);

static MAPPED: RefusalReason = denied(
    "mapped",
    "`{}` must not appear on the wire",
    "write the IPv4 address",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    let ends = || {
        case.packets()
            .flat_map(|packet| [packet.source, packet.destination])
    };
    if let Some(address) = ends().find(|&address| is_mapped(address)) {
        return refuse(&MAPPED, Subject::Address(address));
    }
    let shut = |address| {
        (forbidden(address).is_some() || case.host.is_local(address))
            && !case.policy.opened.contains(address)
    };
    case.find_target(shut)
        .map_or(Ok(()), |address| refuse(&NEVER, Subject::Address(address)))
}
