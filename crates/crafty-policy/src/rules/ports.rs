//! To which ports.

use super::{Rule, denied, refuse};
use crate::case::Case;
use crate::flows::Flow;
use crate::frame::{Packet, Transport};
use crate::{Ports, Reason, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "destination_ports",
    doc: "TCP and UDP go to listed ports, or answer a conversation that a peer opened to one of `PORTS`; without a list to any port",
    judge,
};

static PORT: Why = denied(
    "destination_port",
    "the destination port {} is not listed",
    "add it to `destination_ports` in PERMISSIONS",
);

static HIDDEN: Why = denied(
    "hidden_port",
    "the destination port cannot be read, and `destination_ports` limits them",
    "send the whole transport header, or leave `destination_ports` out",
);

fn judge(case: &Case) -> Result<(), Reason> {
    let Some(listed) = &case.policy.destination_ports else {
        return Ok(());
    };
    case.packets()
        .try_for_each(|packet| judge_packet(case, listed, packet))
}

fn judge_packet(case: &Case, listed: &Ports, packet: &Packet) -> Result<(), Reason> {
    let (set, name, port) = match packet.transport {
        Transport::Tcp { destination, .. } => (&listed.tcp, "tcp", destination),
        Transport::Udp { destination, .. } => (&listed.udp, "udp", destination),
        Transport::Hidden if !packet.is_later_fragment() => {
            return refuse(&HIDDEN, Subject::Nothing);
        }
        _ => return Ok(()),
    };
    if set.contains(port) || case.answers(&Flow::sent(packet)) {
        return Ok(());
    }
    refuse(&PORT, Subject::Port(name, port))
}
