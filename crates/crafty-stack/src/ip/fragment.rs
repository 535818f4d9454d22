//! Cuts a finished datagram to the MTU of a link (RFC 791 §3.2, RFC 8200 §4.5). Never cuts what
//! says it must not be.

use super::{Datagram, FRAGMENT, be16};
use crate::checksum;
use alloc::vec::Vec;

/// Why a datagram was not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentError {
    /// It is not a datagram, or is cut short.
    Malformed,
    /// Its header says "do not fragment"; the MTU is too small for it.
    DontFragment,
    /// The MTU holds not even one unit of 8 bytes after the header.
    MtuTooSmall,
    /// It is a fragment of IPv6 already, which nobody may cut again.
    Fragment,
}

/// The datagrams of at most `mtu` bytes that carry `datagram`, in order; itself if it fits.
///
/// `id` is the identification of an IPv6 fragment header; IPv4 keeps the one that its header has.
pub fn fragment(datagram: &[u8], mtu: usize, id: u32) -> Result<Vec<Vec<u8>>, FragmentError> {
    let parsed = Datagram::parse(datagram)
        .filter(|d| !d.cut)
        .ok_or(FragmentError::Malformed)?;
    let datagram = &datagram[..parsed.len()];
    if datagram.len() <= mtu {
        return Ok(alloc::vec![datagram.to_vec()]);
    }
    match datagram[0] >> 4 {
        4 => cut_v4(datagram, &parsed, mtu),
        _ => cut_v6(datagram, &parsed, mtu, id),
    }
}

fn cut_v4(
    datagram: &[u8],
    parsed: &Datagram<'_>,
    mtu: usize,
) -> Result<Vec<Vec<u8>>, FragmentError> {
    let place = be16(datagram, 6).ok_or(FragmentError::Malformed)?;
    if place & 0x4000 != 0 {
        return Err(FragmentError::DontFragment);
    }
    let first = &datagram[..parsed.header_len];
    let later = copied_header(first);
    let (offset, last_more) = (usize::from(place & 0x1fff), place & 0x2000 != 0);
    let mut out = Vec::new();
    for (at, piece, more) in pieces(
        parsed.payload,
        unit(mtu, first.len())?,
        unit(mtu, later.len())?,
    ) {
        let header = if at == 0 { first } else { &later };
        let mut octets = [header, piece].concat();
        let total = octets.len() as u16;
        octets[2..4].copy_from_slice(&total.to_be_bytes());
        let flags = place & 0x8000 | u16::from(more || last_more) << 13;
        octets[6..8].copy_from_slice(&(flags | (offset + at / 8) as u16 & 0x1fff).to_be_bytes());
        octets[10..12].fill(0);
        let sum = checksum::of(&octets[..header.len()]);
        octets[10..12].copy_from_slice(&sum.to_be_bytes());
        out.push(octets);
    }
    Ok(out)
}

/// The header of later fragments: only options with the copied bit (RFC 791 §3.1).
fn copied_header(first: &[u8]) -> Vec<u8> {
    let mut header = first[..20].to_vec();
    let mut at = 20;
    while let Some(&kind) = first.get(at).filter(|&&kind| kind != 0) {
        let len = if kind == 1 {
            1
        } else {
            usize::from(*first.get(at + 1).unwrap_or(&0))
        };
        let Some(option) = first.get(at..at + len).filter(|o| !o.is_empty()) else {
            break;
        };
        if kind & 0x80 != 0 {
            header.extend_from_slice(option);
        }
        at += len;
    }
    header.resize(header.len().next_multiple_of(4), 0);
    header[0] = 0x40 | (header.len() / 4) as u8;
    header
}

fn cut_v6(
    datagram: &[u8],
    parsed: &Datagram<'_>,
    mtu: usize,
    id: u32,
) -> Result<Vec<Vec<u8>>, FragmentError> {
    if parsed.piece.is_some() {
        return Err(FragmentError::Fragment);
    }
    // Headers up to a routing header stay in each fragment; destination options behind it are cut
    // with the rest (RFC 8200 §4.5).
    let (next_at, at) = unfragmentable(datagram);
    let size = unit(mtu, at + 8)?;
    let mut out = Vec::new();
    for (offset, piece, more) in pieces(&datagram[at..], size, size) {
        let place = (offset as u16 & 0xfff8 | u16::from(more)).to_be_bytes();
        let id = id.to_be_bytes();
        let header = [
            datagram[next_at],
            0,
            place[0],
            place[1],
            id[0],
            id[1],
            id[2],
            id[3],
        ];
        let mut octets = [&datagram[..at], &header, piece].concat();
        octets[next_at] = FRAGMENT;
        let len = (octets.len() - 40) as u16;
        octets[4..6].copy_from_slice(&len.to_be_bytes());
        out.push(octets);
    }
    Ok(out)
}

/// Where the last unfragmentable header names its follower, and where the fragmentable part begins.
fn unfragmentable(datagram: &[u8]) -> (usize, usize) {
    let mut found = (6, 40);
    let (mut next_at, mut at) = (6, 40);
    while let Some(&next) = datagram.get(next_at) {
        let Some(&len) = datagram.get(at + 1) else {
            break;
        };
        if !super::EXTENSIONS.contains(&next) {
            break;
        }
        next_at = at;
        at += 8 + usize::from(len) * 8;
        if next != 60 {
            found = (next_at, at);
        }
    }
    found
}

/// Bytes of payload behind `header` bytes under `mtu`, in whole units of 8.
fn unit(mtu: usize, header: usize) -> Result<usize, FragmentError> {
    match mtu.saturating_sub(header) / 8 * 8 {
        0 => Err(FragmentError::MtuTooSmall),
        size => Ok(size),
    }
}

/// Offset, bytes and "more follow" of each piece.
fn pieces(
    payload: &[u8],
    first: usize,
    later: usize,
) -> impl Iterator<Item = (usize, &[u8], bool)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let size = if at == 0 { first } else { later };
        let piece = payload
            .get(at..payload.len().min(at + size))
            .filter(|p| !p.is_empty())?;
        let place = at;
        at += piece.len();
        Some((place, piece, at < payload.len()))
    })
}
