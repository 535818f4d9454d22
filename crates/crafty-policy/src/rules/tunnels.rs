//! Packets inside packets.

use super::{Rule, denied, infrastructure, refuse};
use crate::case::Case;
use crate::frame::{NOTHING, Packet, Transport};
use crate::{Power, Reason, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "tunnels",
    doc: "packets inside packets need the power `tunnels`; carriers that the gate cannot look into, and transports other than TCP, UDP and ICMP, need the power `opaque`",
    judge,
};

static TUNNEL: Why = denied(
    "tunnel",
    "the frame carries {}",
    "add `tunnels` to `powers` in PERMISSIONS",
);

static OPAQUE: Why = denied(
    "opaque",
    "nobody can tell what is inside of {}",
    "add `opaque` to `powers` in PERMISSIONS",
);

static TRANSPORT: Why = denied(
    "transport",
    "the gate cannot read IP protocol {}",
    "send TCP, UDP or ICMP, or add `opaque` to `powers` in PERMISSIONS",
);

fn judge(case: &Case) -> Result<(), Reason> {
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

fn is_unknown(case: &Case, packet: &Packet) -> bool {
    let nothing = packet.protocol == NOTHING && packet.is_v6();
    packet.transport == Transport::Other
        && !nothing
        && !case.frame.is_carrier(packet)
        && infrastructure::protocol(packet.protocol).is_none()
}
