//! Whose conversation a segment belongs to.

use super::{GateRule, denied, infrastructure, refuse};
use crate::case::CandidateFrame;
use crate::flows::{LocalFlow, owned};
use crate::frame::{ACK, ICMP, ICMP6, IpPacket, NOTHING, RST, SYN, TransportHeader};
use crate::hazards::amplifying;
use crate::{Power, Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "flows",
    doc: "TCP segments other than a SYN, and UDP datagrams, come from a port of `PORTS`, unless the power `inject` is granted; from an address that is not the host's, only a first SYN, and UDP from a port that no service uses, are sent without it",
    judge,
};

static INJECT: RefusalReason = denied(
    "inject",
    "the source port {} does not belong to the program, so neither does the conversation",
    "add the port to PORTS, or `inject` to `powers` in PERMISSIONS",
);

static FOREIGN: RefusalReason = denied(
    "inject_as_another",
    "the packet continues a conversation of `{}`, which is not this host",
    "send from the host's own address, or add `inject` to `powers` in PERMISSIONS",
);

static HIDDEN: RefusalReason = denied(
    "hidden_flow",
    "the transport header cannot be read, so the conversation is not known",
    "add `inject` to `powers` in PERMISSIONS",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    if case.policy.powers.has(Power::Inject) {
        return Ok(());
    }
    case.packets()
        .try_for_each(|packet| judge_packet(case, packet))
}

fn judge_packet(case: &CandidateFrame, packet: &IpPacket) -> Result<(), Reason> {
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
        TransportHeader::Tcp { source, .. } => ("tcp", source),
        TransportHeader::Udp { source, .. } => ("udp", source),
        _ => return Ok(()),
    };
    if owned(&case.policy.ports, &LocalFlow::sent(packet)) {
        Ok(())
    } else {
        refuse(&INJECT, Subject::Port(name, port))
    }
}

fn is_hidden(packet: &IpPacket) -> bool {
    packet.transport == TransportHeader::Hidden
        && !packet.is_later_fragment()
        && !matches!(packet.protocol, ICMP | ICMP6)
}

fn is_first_syn(packet: &IpPacket) -> bool {
    matches!(packet.transport, TransportHeader::Tcp { flags, .. } if flags & (SYN | ACK | RST) == SYN)
}

/// Whether a packet in another host's name belongs to what that host has opened or serves: its
/// declaration makes it possible to probe as somebody else, not to continue with what they began.
fn is_somebodys(case: &CandidateFrame, packet: &IpPacket) -> bool {
    match packet.transport {
        TransportHeader::Tcp { .. } => true,
        TransportHeader::Udp { source, .. } => {
            source < 1024 || infrastructure::is_udp_port(source) || amplifying(source).is_some()
        }
        TransportHeader::Other => !case.frame.is_carrier(packet) && !is_marker(packet),
        TransportHeader::Icmp { .. } | TransportHeader::Hidden => false,
    }
}

/// Nothing follows, or a protocol that has rules of its own.
fn is_marker(packet: &IpPacket) -> bool {
    packet.protocol == NOTHING && packet.is_v6()
        || infrastructure::protocol(packet.protocol).is_some()
}
