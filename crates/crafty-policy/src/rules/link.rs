//! Ethernet headers: the host's own address, the next hop's, no tags.

use super::{GateRule, denied, groups, infrastructure, refuse};
use crate::case::CandidateFrame;
use crate::frame::EthernetHeader;
use crate::{Power, Reason, RefusalReason, Subject};
use core::net::IpAddr;
use crafty_value::Mac;

pub(super) static RULE: GateRule = GateRule {
    name: "link",
    doc: "the source MAC is the host's and the destination MAC that of the next hop, without tags, unless the power `link` is granted",
    judge,
};

static SOURCE_MAC: RefusalReason = denied(
    "source_mac",
    "the source MAC `{}` is not the host's",
    "add `link` to `powers` in PERMISSIONS",
);

static NEXT_HOP: RefusalReason = denied(
    "next_hop",
    "the destination MAC `{}` is not that of the next hop",
    "leave the Eth layer out, or add `link` to `powers` in PERMISSIONS",
);

static TAG: RefusalReason = denied(
    "tag",
    "the frame has a VLAN tag, an LLC header or an unknown type",
    "add `link` to `powers` in PERMISSIONS",
);

static GROUP_MAC: RefusalReason = denied(
    "group_mac",
    "the group MAC `{}` would deliver one host's packet to everybody",
    "send it to the next hop, or add `link` and `broadcast` to `powers` in PERMISSIONS",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    let Some(link) = case.frame.link else {
        return Ok(());
    };
    let granted = |power| case.policy.powers.has(power);
    if is_stray_group(case, &link) && !(granted(Power::Link) && granted(Power::Broadcast)) {
        return refuse(&GROUP_MAC, Subject::Mac(link.destination));
    }
    if granted(Power::Link) {
        return Ok(());
    }
    if !case.host.macs.contains(&link.source) {
        return refuse(&SOURCE_MAC, Subject::Mac(link.source));
    }
    let known = case
        .frame
        .foreign
        .is_none_or(|foreign| infrastructure::foreign(foreign).is_some());
    if link.tagged || !known {
        return refuse(&TAG, Subject::Nothing);
    }
    if is_next_hop(case, link.destination) {
        Ok(())
    } else {
        refuse(&NEXT_HOP, Subject::Mac(link.destination))
    }
}

/// A group MAC over something that is not for a group: an IP packet for one host, or an unknown
/// protocol.
fn is_stray_group(case: &CandidateFrame, link: &EthernetHeader) -> bool {
    if !link.destination.is_group() {
        return false;
    }
    let for_group = match case.frame.outer() {
        Some(packet) => groups::is_group(case, packet.destination),
        None if case.frame.arp.is_some() => link.destination == Mac::BROADCAST,
        None => case
            .frame
            .foreign
            .is_some_and(|foreign| infrastructure::foreign(foreign).is_some()),
    };
    !for_group
}

fn is_next_hop(case: &CandidateFrame, mac: Mac) -> bool {
    // What is neither IP nor ARP has no address to look up; ARP says itself whom it is for.
    let Some(packet) = case.frame.outer() else {
        return true;
    };
    let host = case.host;
    let to = packet.destination;
    if groups::is_group(case, to) {
        return mac == group_mac(to);
    }
    if case.resolution.is_some() {
        return !mac.is_group();
    }
    if host.is_local(to) {
        return host.macs.contains(&mac);
    }
    let known = host.neighbours.get(&to);
    if host.on_link(to) || known.is_some() {
        return known == Some(&mac);
    }
    host.neighbours
        .iter()
        .any(|(address, &known)| known == mac && host.gateways.contains(address))
}

/// RFC 1112 §6.4, RFC 2464 §7.
fn group_mac(group: IpAddr) -> Mac {
    match group {
        IpAddr::V4(a) if a.is_multicast() => {
            let [_, b, c, d] = a.octets();
            Mac([0x01, 0x00, 0x5e, b & 0x7f, c, d])
        }
        IpAddr::V4(_) => Mac::BROADCAST,
        IpAddr::V6(a) => {
            let [.., b, c, d, e] = a.octets();
            Mac([0x33, 0x33, b, c, d, e])
        }
    }
}
