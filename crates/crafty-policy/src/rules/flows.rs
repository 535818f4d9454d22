//! Whose conversation a segment belongs to.

use super::{Rule, denied, refuse};
use crate::case::Case;
use crate::flows::{Flow, owned};
use crate::frame::{ACK, ICMP, ICMP6, Packet, RST, SYN, Transport};
use crate::{Power, Reason, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "flows",
    doc: "TCP segments other than a SYN, and UDP datagrams, come from a port of `PORTS`, unless the power `inject` is granted",
    judge,
};

static INJECT: Why = denied(
    "inject",
    "the source port {} is not the program's, so the conversation is not either",
    "add the port to PORTS, or `inject` to `powers` in PERMISSIONS",
);

static HIDDEN: Why = denied(
    "hidden_flow",
    "the transport header cannot be read, so the conversation is not known",
    "add `inject` to `powers` in PERMISSIONS",
);

fn judge(case: &Case) -> Result<(), Reason> {
    if case.policy.powers.has(Power::Inject) {
        return Ok(());
    }
    case.packets()
        .try_for_each(|packet| judge_packet(case, packet))
}

fn judge_packet(case: &Case, packet: &Packet) -> Result<(), Reason> {
    let (name, port) = match packet.transport {
        Transport::Tcp { flags, .. } if flags & (SYN | ACK | RST) == SYN => return Ok(()),
        Transport::Tcp { source, .. } => ("tcp", source),
        Transport::Udp { source, .. } => ("udp", source),
        Transport::Hidden
            if !packet.is_later_fragment() && !matches!(packet.protocol, ICMP | ICMP6) =>
        {
            return refuse(&HIDDEN, Subject::Nothing);
        }
        _ => return Ok(()),
    };
    if owned(&case.policy.ports, &Flow::sent(packet)) {
        Ok(())
    } else {
        refuse(&INJECT, Subject::Port(name, port))
    }
}
