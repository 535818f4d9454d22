//! ICMP errors and redirects.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::flows::{LocalFlow, owned};
use crate::frame::{ICMP6, IpPacket, TransportHeader, quoted};
use crate::{Power, Reason, RefusalReason, Subject};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) static RULE: GateRule = GateRule {
    name: "control",
    doc: "ICMP errors and redirects need the power `control`, and are about the program's own flows",
    judge,
};

static CONTROL: RefusalReason = denied(
    "control",
    "the packet is an ICMP error or redirect",
    "add `control` to `powers` in PERMISSIONS",
);

static FOREIGN: RefusalReason = denied(
    "foreign_quote",
    "the ICMP error is about a packet that was not sent to the program",
    "quote a packet from a destination to an address and a port of the program",
);

/// ICMPv6 redirect (RFC 4861 §4.5).
const REDIRECT6: u8 = 137;

/// ICMP redirect (RFC 792).
const REDIRECT: u8 = 5;

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    for packet in case.frame.packets() {
        let redirect6 = matches!(
            packet.transport,
            TransportHeader::Icmp {
                kind: REDIRECT6,
                ..
            }
        ) && packet.protocol == ICMP6;
        if !redirect6 && !packet.is_error() {
            continue;
        }
        if !case.policy.powers.has(Power::Control) {
            return refuse(&CONTROL, Subject::Nothing);
        }
        let about_us = if redirect6 {
            redirects_to_us(case, packet)
        } else {
            quotes_us(case, packet)
        };
        if about_us != Some(true) {
            return refuse(&FOREIGN, Subject::Nothing);
        }
    }
    Ok(())
}

/// Whether the quoted packet went from a destination to an address and a port of the program.
fn quotes_us(case: &CandidateFrame, error: &IpPacket) -> Option<bool> {
    let flow = LocalFlow::quoted_received(&quoted(error)?);
    let known =
        owned(&case.policy.ports, &flow) || case.memory.sent.contains(&flow) || case.answers(&flow);
    let ours =
        case.speaks_as(flow.local) && case.policy.destinations.contains(flow.remote) && known;
    let redirect = matches!(
        error.transport,
        TransportHeader::Icmp { kind: REDIRECT, .. }
    ) && !error.is_v6();
    Some(
        ours && (!redirect
            || is_known_router(
                case,
                Ipv4Addr::from_octets(*error.body.get(4..)?.first_chunk()?).into(),
            )),
    )
}

/// Whether an ICMPv6 redirect moves traffic for an address of the program, to an address of it or
/// to a gateway.
fn redirects_to_us(case: &CandidateFrame, packet: &IpPacket) -> Option<bool> {
    let address = |at: usize| {
        packet
            .body
            .get(at..)?
            .first_chunk()
            .map(|&octets| IpAddr::V6(Ipv6Addr::from_octets(octets)))
    };
    Some(is_known_router(case, address(8)?) && case.speaks_as(address(24)?))
}

fn is_known_router(case: &CandidateFrame, address: IpAddr) -> bool {
    case.speaks_as(address) || case.host.gateways.contains(&address)
}
