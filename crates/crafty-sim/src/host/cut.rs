//! Cuts what a host says to the MTU of its segment (RFC 791 §3.2, RFC 8200 §4.5).

use crate::packet::{self, ETHERNET, Head};
use crate::reassembly::FRAGMENT;

/// The frames that carry a frame's datagram in pieces of at most `mtu` bytes, all with this
/// identification.
pub(crate) fn cut(frame: Vec<u8>, mtu: usize, id: u32) -> Vec<Vec<u8>> {
    if frame.len() <= ETHERNET + mtu {
        return vec![frame];
    }
    match packet::ethernet(&frame) {
        Some((_, _, packet::TYPE_IP4)) => cut4(frame, mtu, id as u16),
        Some((_, _, packet::TYPE_IP6)) if mtu >= 1280 => cut6(&frame, mtu, id),
        _ => vec![frame],
    }
}

/// smoltcp sets DF on whatever it did not cut itself; here it is the host's own word, and taken
/// back.
fn cut4(mut frame: Vec<u8>, mtu: usize, id: u16) -> Vec<Vec<u8>> {
    let Ok(head) = Head::read(&frame[ETHERNET..]) else {
        return vec![frame];
    };
    frame[ETHERNET + 4..ETHERNET + 6].copy_from_slice(&id.to_be_bytes());
    let (header, datagram) = frame.split_at(ETHERNET);
    packet::fragments(datagram, &head, mtu)
        .into_iter()
        .map(|piece| [header, &piece].concat())
        .collect()
}

fn cut6(frame: &[u8], mtu: usize, id: u32) -> Vec<Vec<u8>> {
    let (front, payload) = frame.split_at(ETHERNET + 40);
    let room = (mtu - 48) & !7;
    let last = payload.len().div_ceil(room) - 1;
    let piece = |(number, octets): (usize, &[u8])| {
        let mut piece = front.to_vec();
        let word = (number * room) as u16 | u16::from(number < last);
        piece[ETHERNET + 4..ETHERNET + 6].copy_from_slice(&(8 + octets.len() as u16).to_be_bytes());
        let next = std::mem::replace(&mut piece[ETHERNET + 6], FRAGMENT);
        piece.extend([next, 0]);
        piece.extend(word.to_be_bytes());
        piece.extend(id.to_be_bytes());
        piece.extend_from_slice(octets);
        piece
    };
    payload.chunks(room).enumerate().map(piece).collect()
}
