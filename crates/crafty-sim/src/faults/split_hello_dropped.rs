//! A box that wants the first message of TLS in one segment.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "split_hello_dropped",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "The first data segment of a connection to port 443 is dropped if it does not hold the complete message that it starts.",
    plant: |lab, planting| {
        lab.inline(planting, |it| match is_cut_hello(&it.frame.bytes) {
            true => InlineVerdict::Drop,
            false => InlineVerdict::Pass,
        })
    },
};

/// Whether a segment begins a handshake message of TLS (RFC 8446 §5.1) and does not hold all of it.
fn is_cut_hello(frame: &[u8]) -> bool {
    let Some(data) = tcp::data(frame) else {
        return false;
    };
    match data {
        [22, 3, _, high, low, ..] => {
            data.len() < 5 + usize::from(u16::from_be_bytes([*high, *low]))
        }
        _ => false,
    }
}
