//! Virtual eXtensible LAN: Ethernet over UDP.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "VXLAN",
    title: "Virtual eXtensible LAN",
    spec: "RFC 7348",
    about: "Carries Ethernet frames in UDP.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/VXLAN(vni=7)/Eth/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        flags("flags", &["r0", "r1", "r2", "r3", "i", "r5", "r6", "r7"])
            .default(0x08)
            .doc("`i` says that `vni` is valid."),
        uint("reserved", 24).doc("Reserved."),
        uint("vni", 24).doc("Segment that the inner frame belongs to."),
        uint("reserved2", 8).doc("Reserved."),
    ]),
    under: &[under("UDP", "dst", 4789), under("UDP", "dst", 8472)],
    next: NextLayer::Always(&super::eth::LAYER),
    role: LayerRole::Tunnel,
    network_id: Some("vni"),
    ..Layer::BLANK
}
.seal();
