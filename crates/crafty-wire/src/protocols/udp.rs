//! User Datagram Protocol.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "UDP",
    title: "User Datagram Protocol",
    spec: "RFC 768",
    about: "Carries single messages from port to port.",
    example: "/IP(dst=192.0.2.1)/UDP(dst=53)/Bytes(#00)",
    fields: &layout([
        uint("src", 16).doc("Source port."),
        uint("dst", 16)
            .computed(Auto::NextLayer(0))
            .doc("Destination port."),
        uint("len", 16)
            .computed(total_len())
            .doc("Length of header and payload, in bytes."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum {
                pseudo: true,
                zero_is_none: true,
                ..INTERNET
            }))
            .doc("Checksum of pseudo-header, header and payload; 0 means none."),
    ]),
    under: &[under("IP", "proto", 17)],
    next: NextLayer::Either("src", "dst"),
    role: LayerRole::Transport,
    ..Layer::BLANK
}
.seal();

/// Source port.
pub const SRC: Slot = LAYER.slot("src");
/// Destination port.
pub const DST: Slot = LAYER.slot("dst");
/// Length.
pub const LEN: Slot = LAYER.slot("len");
/// Checksum.
pub const CHECKSUM: Slot = LAYER.slot("checksum");
