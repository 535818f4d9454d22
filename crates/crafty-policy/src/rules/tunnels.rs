//! Packets inside packets.

use super::{Rule, denied, infrastructure, refuse};
use crate::case::Case;
use crate::frame::{Packet, Transport};
use crate::{Power, Reason, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "tunnels",
    doc: "packets inside packets, and transports other than TCP, UDP and ICMP, need the power `tunnels`",
    judge,
};

static TUNNEL: Why = denied(
    "tunnel",
    "the frame carries {}",
    "add `tunnels` to `powers` in PERMISSIONS",
);

static TRANSPORT: Why = denied(
    "transport",
    "the gate cannot read IP protocol {}",
    "send TCP, UDP or ICMP, or add `tunnels` to `powers` in PERMISSIONS",
);

/// IPv6 `no next header`.
const NOTHING: u8 = 59;

fn judge(case: &Case) -> Result<(), Reason> {
    if case.policy.powers.has(Power::Tunnels) {
        return Ok(());
    }
    if let Some(name) = case.frame.tunnel {
        return refuse(&TUNNEL, Subject::Text(name));
    }
    match case.frame.packets().find(|packet| is_unknown(packet)) {
        Some(packet) => refuse(&TRANSPORT, Subject::Number(u64::from(packet.protocol))),
        None => Ok(()),
    }
}

fn is_unknown(packet: &Packet) -> bool {
    let nothing = packet.protocol == NOTHING && packet.is_v6();
    packet.transport == Transport::Other
        && !nothing
        && infrastructure::protocol(packet.protocol).is_none()
}
