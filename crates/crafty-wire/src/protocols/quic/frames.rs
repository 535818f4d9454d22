//! The frames of QUIC's first packets (RFC 9000 §19): padding, pings, acknowledgements, the hello,
//! and the end of it all.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Frames one after the other, as far as they are whole and of a kind that may be there.
pub(crate) fn frames(mut octets: &[u8]) -> impl Iterator<Item = QuicFrame<'_>> {
    core::iter::from_fn(move || {
        let (frame, behind) = frame(octets)?;
        octets = behind;
        Some(frame)
    })
}

/// A frame.
pub(crate) enum QuicFrame<'a> {
    /// So many bytes that mean nothing.
    Padding(usize),
    /// Asks for an acknowledgement.
    Ping,
    /// The largest number that arrived, and how many before it did.
    Ack(u64, u64),
    /// A piece of the handshake, and where it belongs.
    Crypto(u64, &'a [u8]),
    /// The end of the connection: why, and in words.
    Close(u64, &'a [u8]),
}

/// A number that gives its own size (RFC 9000 §16), and what is behind it.
pub(crate) fn varint(octets: &[u8]) -> Option<(u64, &[u8])> {
    let size = 1 << (octets.first()? >> 6);
    let (number, rest) = octets.split_at_checked(size)?;
    let all = number
        .iter()
        .fold(0, |all, octet| all << 8 | u64::from(*octet));
    Some((all & (u64::MAX >> (66 - 8 * size as u32)), rest))
}

pub(crate) fn put_varint(number: u64, out: &mut Vec<u8>) {
    match number {
        0..=0x3f => out.push(number as u8),
        0x40..=0x3fff => out.extend((0x4000 | number as u16).to_be_bytes()),
        0x4000..=0x3fff_ffff => out.extend((0x8000_0000 | number as u32).to_be_bytes()),
        _ => out.extend((0xc000_0000_0000_0000 | number).to_be_bytes()),
    }
}

/// Bytes behind their length.
pub(crate) fn counted(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = varint(octets)?;
    rest.split_at_checked(usize::try_from(len).ok()?)
}

fn frame(octets: &[u8]) -> Option<(QuicFrame<'_>, &[u8])> {
    let (kind, rest) = varint(octets)?;
    match kind {
        0 => {
            let count = octets.iter().take_while(|octet| **octet == 0).count();
            Some((QuicFrame::Padding(count), &octets[count..]))
        }
        1 => Some((QuicFrame::Ping, rest)),
        2 | 3 => ack(rest, kind == 3),
        6 => {
            let (offset, rest) = varint(rest)?;
            let (data, rest) = counted(rest)?;
            Some((QuicFrame::Crypto(offset, data), rest))
        }
        0x1c => {
            let (code, rest) = varint(rest)?;
            let (_, rest) = varint(rest)?;
            let (reason, rest) = counted(rest)?;
            Some((QuicFrame::Close(code, reason), rest))
        }
        _ => None,
    }
}

fn ack(octets: &[u8], marks: bool) -> Option<(QuicFrame<'_>, &[u8])> {
    let (largest, rest) = varint(octets)?;
    let (_, rest) = varint(rest)?;
    let (ranges, rest) = varint(rest)?;
    let (first, mut rest) = varint(rest)?;
    let numbers = ranges
        .checked_mul(2)?
        .checked_add(if marks { 3 } else { 0 })?;
    for _ in 0..numbers {
        rest = varint(rest)?.1;
    }
    Some((QuicFrame::Ack(largest, first), rest))
}

/// Frames as text, with spaces between.
pub(crate) fn listed(octets: &[u8]) -> String {
    let shown = frames(octets).map(|frame| match frame {
        QuicFrame::Padding(count) => format!("padding({count})"),
        QuicFrame::Ping => "ping".into(),
        QuicFrame::Ack(largest, first) => {
            format!("ack({}..{largest})", largest.saturating_sub(first))
        }
        QuicFrame::Crypto(offset, data) => format!("crypto({offset}, {})", data.len()),
        QuicFrame::Close(code, reason) => format!("close({code:#x}, {})", reason.escape_ascii()),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// The handshake from its beginning to the first byte that these frames lack.
pub(crate) fn handshake(octets: &[u8]) -> Vec<u8> {
    let mut pieces: Vec<(u64, &[u8])> = Vec::new();
    for frame in frames(octets) {
        if let QuicFrame::Crypto(offset, data) = frame {
            pieces.push((offset, data));
        }
    }
    pieces.sort_by_key(|piece| piece.0);
    let mut all = Vec::new();
    for (offset, data) in pieces {
        let Some(known) = usize::try_from(offset)
            .ok()
            .and_then(|offset| all.len().checked_sub(offset))
        else {
            break;
        };
        all.extend_from_slice(data.get(known..).unwrap_or(&[]));
    }
    all
}
