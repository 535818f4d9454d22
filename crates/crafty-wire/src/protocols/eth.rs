//! Ethernet II framing; a type up to 1500 is a length (IEEE 802.3).

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "Eth",
    title: "Ethernet II frame",
    spec: "IEEE 802.3 clause 3",
    about: "Carries a packet from one device to another on the same link.",
    example: "/Eth(dst=02:00:00:00:00:01)/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        mac("dst")
            .default(0xffff_ffff_ffff)
            .doc("Receiver of the frame."),
        mac("src").doc("Sender of the frame."),
        named("type", 16, ETHER_TYPES)
            .computed(Auto::NextLayer(0x88b5))
            .doc("What the frame carries; values up to 1500 are its length."),
    ]),
    under: &[
        under("GRE", "proto", 0x6558),
        under("IP", "proto", 143),
        under("VXLANGPE", "next", 3),
    ],
    next: NextLayer::Field("type"),
    body: Some(body),
    link_types: &[1],
    frame_check: Some(is_checked),
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();

/// Largest type that is a length.
const MAX_LENGTH: u64 = 1500;
const TYPE: Slot = LAYER.slot("type");

fn body(header: &[u8], rest: &[u8]) -> Body {
    let said = TYPE.get(header).filter(|said| *said <= MAX_LENGTH);
    let payload = said.map_or(rest.len(), |said| rest.len().min(said as usize));
    Body::carries(payload)
}

/// Whether the last four bytes are the CRC-32 of those before, the lowest byte first (IEEE 802.3
/// clause 3.2.9).
fn is_checked(frame: &[u8]) -> bool {
    let Some((covered, sequence)) = frame.split_last_chunk() else {
        return false;
    };
    let crc = covered.iter().fold(u32::MAX, |crc, octet| {
        CRC[usize::from(crc as u8 ^ octet)] ^ (crc >> 8)
    });
    !crc == u32::from_le_bytes(*sequence)
}

static CRC: [u32; 256] = crate::codec::reflected_crc(0xedb8_8320);
