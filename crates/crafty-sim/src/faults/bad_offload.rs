//! A virtual machine whose checksums nobody fills in.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{self, ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "bad_offload",
    parameters: &[],
    place: PlaceKind::Host,
    doc: "TCP and UDP packets of the host carry only the pseudo-header's sum as checksum, as if offload had failed: pings work, connections do not.",
    plant: |lab, planting| {
        lab.inline(planting, |it| {
            let datagram = it.frame.bytes.get_mut(ETHERNET..).unwrap_or_default();
            if let Ok(head) = Head::read(datagram) {
                spoil(datagram, &head);
            }
            InlineVerdict::Pass
        })
    },
};

/// Leaves the sum of the pseudo-header in the place of the checksum.
fn spoil(datagram: &mut [u8], head: &Head) {
    let at = match head.proto {
        packet::TCP => head.upper + 16,
        packet::UDP => head.upper + 6,
        _ => return,
    };
    if head.offset > 0 || head.more || head.total < at + 2 || !head.dst.is_ipv4() {
        return;
    }
    let length = (head.total - head.upper) as u16;
    let [high, low] = length.to_be_bytes();
    let pseudo = [&datagram[12..20], &[0, head.proto, high, low]].concat();
    let sum = !packet::checksum(&pseudo);
    datagram[at..at + 2].copy_from_slice(&sum.to_be_bytes());
}
