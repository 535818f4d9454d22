//! Addresses that are never destinations unless an operator opened them.

use super::{Rule, denied, refuse};
use crate::case::Case;
use crate::embedded::is_mapped;
use crate::{Reason, Subject, Why};
use core::net::{IpAddr, Ipv6Addr};

pub(super) static RULE: Rule = Rule {
    name: "never",
    doc: "the host's own addresses, loopback and metadata services are no destinations unless the operator opened them",
    judge,
};

static NEVER: Why = denied(
    "never",
    "`{}` is the host's own, a loopback address or a metadata service",
    "an operator who wants this adds {} to `opened` in the policy",
);

static MAPPED: Why = denied(
    "mapped",
    "`{}` has no place on the wire",
    "write the IPv4 address",
);

/// Loopback, "this network", and where clouds hand out credentials: Amazon, Google, Azure and
/// Oracle (link-local), Amazon's container and pod agents, Azure's wire server, Alibaba; the IPv6
/// forms of Amazon and Google.
static NEVER_V4: &[([u8; 4], u8)] = &[
    ([127, 0, 0, 0], 8),
    ([0, 0, 0, 0], 8),
    ([169, 254, 169, 254], 32),
    ([169, 254, 170, 2], 32),
    ([169, 254, 170, 23], 32),
    ([192, 0, 0, 192], 32),
    ([168, 63, 129, 16], 32),
    ([100, 100, 100, 200], 32),
];

static NEVER_V6: &[[u16; 8]] = &[
    [0, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 1],
    [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254],
    [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23],
    [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254],
];

fn judge(case: &Case) -> Result<(), Reason> {
    let ends = || {
        case.packets()
            .flat_map(|packet| [packet.source, packet.destination])
    };
    if let Some(address) = ends().find(|&address| is_mapped(address)) {
        return refuse(&MAPPED, Subject::Address(address));
    }
    let shut = |address| {
        (is_never(address) || case.host.is_local(address)) && !case.policy.opened.contains(address)
    };
    case.find_target(shut)
        .map_or(Ok(()), |address| refuse(&NEVER, Subject::Address(address)))
}

fn is_never(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => NEVER_V4
            .iter()
            .any(|&(octets, bits)| (v4.to_bits() ^ u32::from_be_bytes(octets)) >> (32 - bits) == 0),
        IpAddr::V6(v6) => NEVER_V6
            .iter()
            .any(|&segments| Ipv6Addr::from_segments(segments) == v6),
    }
}
