//! Packets inside packets.

use super::{GateRule, denied, infrastructure, refuse};
use crate::case::CandidateFrame;
use crate::frame::{IpPacket, NOTHING, TransportHeader};
use crate::{Power, Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "tunnels",
    doc: "packets inside packets need the power `tunnels`; payloads that the gate cannot inspect, and transports other than TCP, UDP and ICMP, need the power `opaque`",
    judge,
};

static TUNNEL: RefusalReason = denied(
    "tunnel",
    "the frame carries {}",
    "add `tunnels` to `powers` in PERMISSIONS",
);

static OPAQUE: RefusalReason = denied(
    "opaque",
    "the gate cannot inspect what is inside {}",
    "add `opaque` to `powers` in PERMISSIONS",
);

static TRANSPORT: RefusalReason = denied(
    "transport",
    "the gate cannot read IP protocol {}",
    "send TCP, UDP or ICMP, or add `opaque` to `powers` in PERMISSIONS",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    let granted = |power| case.policy.powers.has(power);
    if let Some(name) = case.frame.opaque.filter(|_| !granted(Power::Opaque)) {
        return refuse(&OPAQUE, Subject::Text(name));
    }
    if let Some(name) = case.frame.tunnel.filter(|_| !granted(Power::Tunnels)) {
        return refuse(&TUNNEL, Subject::Text(name));
    }
    match case.frame.packets().find(|packet| is_unknown(case, packet)) {
        Some(packet) if !granted(Power::Opaque) => {
            refuse(&TRANSPORT, Subject::Number(u64::from(packet.protocol)))
        }
        _ => Ok(()),
    }
}

fn is_unknown(case: &CandidateFrame, packet: &IpPacket) -> bool {
    let nothing = packet.protocol == NOTHING && packet.is_v6();
    packet.transport == TransportHeader::Other
        && !nothing
        && !case.frame.is_carrier(packet)
        && infrastructure::protocol(packet.protocol).is_none()
}
