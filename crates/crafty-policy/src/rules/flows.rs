//! Whose conversation a segment belongs to.

use super::{Rule, denied, infrastructure, refuse};
use crate::case::Case;
use crate::flows::{Flow, owned};
use crate::frame::{ACK, ICMP, ICMP6, NOTHING, Packet, RST, SYN, Transport};
use crate::hazards::amplifying;
use crate::{Power, Reason, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "flows",
    doc: "TCP segments other than a SYN, and UDP datagrams, come from a port of `PORTS`, unless the power `inject` is granted; from an address that is not the host's, so do none but a first SYN and UDP from a port that no service has",
    judge,
};

static INJECT: Why = denied(
    "inject",
    "the source port {} is not the program's, so the conversation is not either",
    "add the port to PORTS, or `inject` to `powers` in PERMISSIONS",
);

static FOREIGN: Why = denied(
    "inject_as_another",
    "the packet goes on with a conversation of `{}`, which is not the host",
    "send from an own address, or add `inject` to `powers` in PERMISSIONS",
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
    if is_hidden(packet) {
        return refuse(&HIDDEN, Subject::Nothing);
    }
    if is_first_syn(packet) {
        return Ok(());
    }
    let foreign = !packet.source.is_unspecified() && !case.host.is_local(packet.source);
    if foreign && is_somebodys(case, packet) {
        return refuse(&FOREIGN, Subject::Address(packet.source));
    }
    let (name, port) = match packet.transport {
        Transport::Tcp { source, .. } => ("tcp", source),
        Transport::Udp { source, .. } => ("udp", source),
        _ => return Ok(()),
    };
    if owned(&case.policy.ports, &Flow::sent(packet)) {
        Ok(())
    } else {
        refuse(&INJECT, Subject::Port(name, port))
    }
}

fn is_hidden(packet: &Packet) -> bool {
    packet.transport == Transport::Hidden
        && !packet.is_later_fragment()
        && !matches!(packet.protocol, ICMP | ICMP6)
}

fn is_first_syn(packet: &Packet) -> bool {
    matches!(packet.transport, Transport::Tcp { flags, .. } if flags & (SYN | ACK | RST) == SYN)
}

/// Whether a packet in another host's name belongs to what that host has opened or serves: its
/// declaration makes it possible to probe as somebody else, not to go on with what they began.
fn is_somebodys(case: &Case, packet: &Packet) -> bool {
    match packet.transport {
        Transport::Tcp { .. } => true,
        Transport::Udp { source, .. } => {
            source < 1024 || infrastructure::is_udp_port(source) || amplifying(source).is_some()
        }
        Transport::Other => !case.frame.is_carrier(packet) && !is_marker(packet),
        Transport::Icmp { .. } | Transport::Hidden => false,
    }
}

/// Nothing follows, or a protocol that has rules of its own.
fn is_marker(packet: &Packet) -> bool {
    packet.protocol == NOTHING && packet.is_v6()
        || infrastructure::protocol(packet.protocol).is_some()
}
