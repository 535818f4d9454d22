//! QUIC packets that open a connection, known by their header (RFC 9000 §17.2, RFC 9369 §3): on any
//! port, and behind others in the same datagram (RFC 9000 §12.2).

use super::be32;

/// Packets in one datagram that are looked at; whoever coalesces more counts as opening.
const MOST: usize = 8;

/// Bytes of the longest connection identifier (RFC 9000 §17.2).
const LONGEST_ID: usize = 20;

/// What a long header announces.
enum QuicLongPacket<'a> {
    /// It makes a server keep state: Initial, 0-RTT, or of a version that makes it answer.
    Opens,
    /// Another, with what is behind it.
    Other(&'a [u8]),
}

/// Whether a datagram has a packet that opens a connection. If it is not `whole`, one may be in the
/// rest.
pub(super) fn opens(mut datagram: &[u8], whole: bool) -> bool {
    for _ in 0..MOST {
        match long(datagram) {
            None => return false,
            Some(QuicLongPacket::Opens) => return true,
            Some(QuicLongPacket::Other([])) => return !whole,
            Some(QuicLongPacket::Other(rest)) => datagram = rest,
        }
    }
    true
}

/// Reads a packet with a long header of a version that is known; `None` for anything else.
fn long(octets: &[u8]) -> Option<QuicLongPacket<'_>> {
    let first = *octets.first()?;
    let version = be32(octets, 1)?;
    let kind = first >> 4 & 3;
    let opening: &[u8] = match version {
        // Version 1 and the drafts before it; Initial and 0-RTT.
        1 | 0xff00_0000..=0xff00_00ff => &[0, 1],
        0x6b33_43cf => &[1, 2],
        // Reserved to provoke a negotiation (RFC 9000 §15), whatever the rest means.
        _ if version & 0x0f0f_0f0f == 0x0a0a_0a0a => &[0, 1, 2, 3],
        _ => return None,
    };
    if first & 0x80 == 0 {
        return None;
    }
    if opening.contains(&kind) {
        return Some(QuicLongPacket::Opens);
    }
    let ids = identifiers(octets.get(5..)?)?;
    // A retry has no length and nothing behind it; servers alone send it.
    let rest = number(ids).and_then(|(length, rest)| rest.get(usize::try_from(length).ok()?..));
    Some(QuicLongPacket::Other(rest.unwrap_or(&[])))
}

/// What follows both connection identifiers.
fn identifiers(octets: &[u8]) -> Option<&[u8]> {
    let destination = usize::from(*octets.first()?);
    let rest = octets.get(1 + destination..)?;
    let source = usize::from(*rest.first()?);
    let rest = rest.get(1 + source..)?;
    (destination <= LONGEST_ID && source <= LONGEST_ID).then_some(rest)
}

/// A variable-length integer (RFC 9000 §16), and what follows it.
fn number(octets: &[u8]) -> Option<(u64, &[u8])> {
    let first = *octets.first()?;
    let (own, rest) = octets.split_at_checked(1 << (first >> 6))?;
    let value = own[1..].iter().fold(u64::from(first & 0x3f), |sum, &byte| {
        sum << 8 | u64::from(byte)
    });
    Some((value, rest))
}
