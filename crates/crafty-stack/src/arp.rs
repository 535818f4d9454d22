//! ARP over Ethernet (RFC 826): the two messages that a host needs.

use crate::ip::{be16, v4};
use crate::neighbours::Notice;
use alloc::vec::Vec;
use core::net::Ipv4Addr;
use crafty_value::Mac;

const ETHER_TYPE: [u8; 2] = [0x08, 0x06];
/// Ethernet, IPv4, and the lengths of their addresses.
const KIND: [u8; 6] = [0, 1, 8, 0, 6, 4];

/// Reads a frame from its EtherType on; `None` if it is not an ARP between Ethernet and IPv4.
pub(crate) fn parse(body: &[u8]) -> Option<Notice> {
    let arp = body.strip_prefix(&ETHER_TYPE)?;
    let operation = arp.strip_prefix(&KIND).and_then(|rest| be16(rest, 0))?;
    let (sender, target) = (v4(arp, 14)?, v4(arp, 24)?);
    let mac = Mac(arp.get(8..14)?.try_into().ok()?);
    match operation {
        1 => Some(Notice {
            sender,
            mac,
            target,
            answer: false,
        }),
        2 => Some(Notice {
            sender,
            mac,
            target: sender,
            answer: true,
        }),
        _ => None,
    }
}

/// Writes a request or a reply from its EtherType on; `to` is the link address that a reply goes
/// to.
pub(crate) fn write(
    notice: &Notice,
    sender: Ipv4Addr,
    target: Ipv4Addr,
    to: Mac,
    out: &mut Vec<u8>,
) {
    let to = if notice.answer { to } else { Mac::default() };
    out.extend_from_slice(&ETHER_TYPE);
    out.extend_from_slice(&KIND);
    out.extend_from_slice(&[0, 1 + u8::from(notice.answer)]);
    out.extend_from_slice(&notice.mac.0);
    out.extend_from_slice(&sender.octets());
    out.extend_from_slice(&to.0);
    out.extend_from_slice(&target.octets());
}
