//! Encapsulated Remote SPAN, type II. Type I is an Ethernet frame right behind GRE.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ERSPAN",
    title: "Encapsulated Remote SPAN, type II",
    spec: "draft-foschiano-erspan",
    about: "Carries the frames of a mirrored port. GRE below it has a sequence number: set `seq`.",
    example: "/IP(dst=192.0.2.1)/GRE(seq=1)/ERSPAN(session=5)/Eth/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        uint("version", 4).default(1).doc("1 is type II."),
        uint("vlan", 12).doc("VLAN of the frame."),
        uint("cos", 3).doc("Class of service of the frame."),
        named(
            "encap",
            2,
            &[(0, "untagged"), (1, "isl"), (2, "vlan"), (3, "kept")],
        )
        .doc("How the frame's tag was handled."),
        uint("truncated", 1).doc("The frame was truncated."),
        uint("session", 10).doc("The mirror session."),
        uint("reserved", 12).doc("Reserved."),
        uint("index", 20).doc("Port and direction."),
    ]),
    under: &[under("GRE", "proto", 0x88be)],
    next: NextLayer::Always(&super::eth::LAYER),
    accepts: Some(|octets| octets.first().is_some_and(|octet| octet >> 4 == 1)),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();
