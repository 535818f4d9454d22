//! To which ports.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::flows::LocalFlow;
use crate::frame::{IpPacket, TransportHeader};
use crate::{Ports, Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "destination_ports",
    doc: "TCP and UDP go to listed ports, or answer a conversation that a peer opened to one of `PORTS`; without a list to any port",
    judge,
};

static PORT: RefusalReason = denied(
    "destination_port",
    "the destination port {} is not listed",
    "add it to `destination_ports` in PERMISSIONS",
);

static HIDDEN: RefusalReason = denied(
    "hidden_port",
    "the destination port cannot be read, and `destination_ports` limits them",
    "send the whole transport header, or leave `destination_ports` out",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    let Some(listed) = &case.policy.destination_ports else {
        return Ok(());
    };
    case.packets()
        .try_for_each(|packet| judge_packet(case, listed, packet))
}

fn judge_packet(case: &CandidateFrame, listed: &Ports, packet: &IpPacket) -> Result<(), Reason> {
    let (set, name, port) = match packet.transport {
        TransportHeader::Tcp { destination, .. } => (&listed.tcp, "tcp", destination),
        TransportHeader::Udp { destination, .. } => (&listed.udp, "udp", destination),
        TransportHeader::Hidden if !packet.is_later_fragment() => {
            return refuse(&HIDDEN, Subject::Nothing);
        }
        _ => return Ok(()),
    };
    if set.contains(port) || case.answers(&LocalFlow::sent(packet)) {
        return Ok(());
    }
    refuse(&PORT, Subject::Port(name, port))
}
