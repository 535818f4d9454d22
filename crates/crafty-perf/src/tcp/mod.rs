//! Streams over TCP: our stack and smoltcp do the same work in turn.

pub mod many;
pub mod memory;
pub mod wire;

use crafty_stack::checksum;
use std::net::Ipv4Addr;

/// Writes an IPv4 header for a TCP segment of `len` bytes after what is in `out`.
fn put_header(source: Ipv4Addr, destination: Ipv4Addr, ecn: u8, len: usize, out: &mut Vec<u8>) {
    let [high, low] = ((20 + len) as u16).to_be_bytes();
    let start = out.len();
    out.extend_from_slice(&[0x45, ecn, high, low, 0, 0, 0x40, 0, 64, 6, 0, 0]);
    out.extend_from_slice(&source.octets());
    out.extend_from_slice(&destination.octets());
    let sum = checksum::of(&out[start..]);
    out[start + 10..start + 12].copy_from_slice(&sum.to_be_bytes());
}
