//! IPv4 options and IPv6 extension headers.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::{Power, Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "options",
    doc: "IP options and extension headers need the power `ip_options`; source routes are never sent (RFC 7126 §4.3, §4.4)",
    judge,
};

static OPTIONS: RefusalReason = denied(
    "ip_options",
    "the packet has IP options or extension headers",
    "add `ip_options` to `powers` in PERMISSIONS",
);

static REROUTED: RefusalReason = denied(
    "source_route",
    "the packet would be forwarded through, or answered to, addresses other than its own",
    "leave out the source route, home address or routing header",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    if case.frame.packets().any(|packet| packet.rerouted) {
        return refuse(&REROUTED, Subject::Nothing);
    }
    if case.frame.packets().any(|packet| packet.options)
        && !case.policy.powers.has(Power::IpOptions)
    {
        return refuse(&OPTIONS, Subject::Nothing);
    }
    Ok(())
}
