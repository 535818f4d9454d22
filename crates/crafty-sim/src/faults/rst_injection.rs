//! A box that resets connections whose content it does not like.

use super::{Fault, PlaceKind};
use crate::frame::Frame;
use crate::link::{InlineVerdict, Passing};
use crate::packet::{self, ETHERNET, Head};

/// Time to live of what the box sends: it is nearer than either end.
const TTL: u8 = 200;
/// What the box looks for.
const TRIGGER: &[u8] = b"attack";
/// Flags of a reset: RST and ACK.
const RESET: u8 = 0x14;

pub static FAULT: Fault = Fault {
    name: "rst_injection",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "A TCP segment that contains the word `attack` is dropped, and both ends get a forged reset with a different TTL.",
    plant: |lab, planting| {
        lab.inline(planting, |it| match resets(it) {
            Some(resets) => {
                it.injected.extend(resets);
                InlineVerdict::Drop
            }
            None => InlineVerdict::Pass,
        })
    },
};

/// The resets for both ends, if the frame holds the trigger.
fn resets(it: &Passing<'_>) -> Option<[(usize, Frame); 2]> {
    let frame = &it.frame.bytes;
    let datagram = frame.get(ETHERNET..)?;
    let head = Head::read(datagram)
        .ok()
        .filter(|it| it.proto == packet::TCP)?;
    let segment = head.upper(datagram);
    let header = usize::from(segment.get(12)? >> 4) * 4;
    let data = segment.get(header..)?;
    data.windows(TRIGGER.len()).find(|it| *it == TRIGGER)?;
    let sequence = u32::from_be_bytes(packet::octets(segment, 4)?);
    let acknowledged = u32::from_be_bytes(packet::octets(segment, 8)?);
    let ports = [segment[..2].to_vec(), segment[2..4].to_vec()];
    let next = sequence.wrapping_add(data.len() as u32);
    let forward = reset(&head, [&ports[0], &ports[1]], sequence, acknowledged);
    let mut back = head;
    std::mem::swap(&mut back.src, &mut back.dst);
    let back = reset(&back, [&ports[1], &ports[0]], acknowledged, next);
    let macs = [frame.get(..6)?, frame.get(6..12)?];
    Some([
        (
            it.side,
            framed(macs[0], macs[1], &back_type(&head), &forward),
        ),
        (
            1 - it.side,
            framed(macs[1], macs[0], &back_type(&head), &back),
        ),
    ])
}

fn back_type(head: &Head) -> [u8; 2] {
    if head.dst.is_ipv4() {
        [8, 0]
    } else {
        [0x86, 0xdd]
    }
}

fn framed(to: &[u8], from: &[u8], kind: &[u8], datagram: &[u8]) -> Frame {
    [to, from, kind, datagram].concat().into()
}

fn reset(head: &Head, ports: [&[u8]; 2], sequence: u32, acknowledged: u32) -> Vec<u8> {
    let mut segment = [
        ports[0],
        ports[1],
        &sequence.to_be_bytes(),
        &acknowledged.to_be_bytes(),
    ]
    .concat();
    segment.extend([0x50, RESET, 0, 0, 0, 0, 0, 0]);
    let mut datagram = packet::datagram(head.src, head.dst, packet::TCP, TTL, 0, &segment);
    if let Ok(head) = Head::read(&datagram) {
        packet::seal_upper(&mut datagram, &head);
    }
    datagram
}
