//! What a host says in ICMP about what it cannot take. smoltcp says it too, but quotes a header that
//! it made itself; here the quote is what arrived, byte for byte.

use crate::packet::{self, ETHERNET, Head};
use crate::router::refusal::{self, Refusal};
use crate::router::{IcmpPolicy, may_be_refused};
use crafty_value::Mac;
use std::net::IpAddr;

/// Hops that a host's errors may take.
const TTL: u8 = 64;

/// The error that answers a whole datagram to one of `own` addresses, if no socket would take it:
/// nothing listens at the UDP port, or nothing speaks the protocol.
pub(super) fn refusal_of(
    frame: &[u8],
    mac: Mac,
    own: &[IpAddr],
    listens: impl Fn(u16) -> bool,
) -> Option<Refusal> {
    let (_, to, _) = packet::ethernet(frame)?;
    let datagram = frame.get(ETHERNET..)?;
    let head = Head::read(datagram).ok()?;
    if to != mac || !own.contains(&head.dst) {
        return None;
    }
    match head.proto {
        packet::UDP => {
            let [_, _, high, low] = head.ports(datagram)?;
            let port = u16::from_be_bytes([high, low]);
            (!listens(port) && has_sound_checksum(&head, datagram)).then_some(refusal::NO_PORT)
        }
        packet::TCP | packet::ICMP | packet::ICMP6 | 0 | 43 | 44 | 60 => None,
        _ => Some(refusal::NO_PROTOCOL),
    }
}

/// The frame of an error about a datagram, back to whoever put it on the segment.
pub(super) fn error(refusal: Refusal, frame: &[u8], mac: Mac, id: u16) -> Option<Vec<u8>> {
    let (from, ..) = packet::ethernet(frame)?;
    let datagram = frame.get(ETHERNET..)?;
    let head = Head::read(datagram).ok()?;
    if !may_be_refused(&head, datagram) {
        return None;
    }
    let datagram = &datagram[..head.total];
    let mut message = refusal.message(head.dst.is_ipv4(), datagram, &IcmpPolicy::default())?;
    packet::seal_icmp(head.dst, head.src, &mut message);
    let (proto, kind) = if head.dst.is_ipv4() {
        (packet::ICMP, packet::TYPE_IP4)
    } else {
        (packet::ICMP6, packet::TYPE_IP6)
    };
    let reply = packet::datagram(head.dst, head.src, proto, TTL, id, &message);
    let mut reply = packet::framed(&reply);
    packet::address(&mut reply, mac, from, kind);
    Some(reply)
}

/// Whether a datagram's own checksum fits: what is damaged is nobody's.
fn has_sound_checksum(head: &Head, datagram: &[u8]) -> bool {
    let mut copy = datagram[..head.total].to_vec();
    packet::seal_upper(&mut copy, head);
    let at = head.upper + 6;
    let none = head.dst.is_ipv4() && datagram.get(at..at + 2) == Some(&[0, 0]);
    none || copy == datagram[..head.total]
}
