//! Control word of an Ethernet pseudowire. Nothing on the wire tells that it is there: it is
//! crafted, not found.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "PW",
    title: "Pseudowire control word",
    spec: "RFC 4385, RFC 4448",
    about: "Numbers the Ethernet frames of a pseudowire. It is not recognized after MPLS when reading, because only the ends of the pseudowire know that it is there.",
    example: "/Eth/MPLS(label=16)/PW(seq=1)/Eth/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        uint("nibble", 4).doc("0: not an IP version."),
        uint("flags", 4).doc("Flags of the carried protocol."),
        uint("frag", 2).doc("Whether it is a fragment."),
        uint("len", 6).doc("Length of a short frame, else 0."),
        uint("seq", 16).modular().doc("Number of the frame; 0 is none."),
    ]),
    next: NextLayer::Always(&super::eth::LAYER),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();
