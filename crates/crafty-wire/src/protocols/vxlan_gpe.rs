//! Generic Protocol Extension for VXLAN.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "VXLANGPE",
    title: "Generic Protocol Extension for VXLAN",
    spec: "draft-ietf-nvo3-vxlan-gpe",
    about: "VXLAN with a field that names what it carries.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/VXLANGPE(vni=7)/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        uint("reserved", 2).doc("Reserved."),
        uint("version", 2).doc("Version."),
        flags("flags", &["i", "p", "b", "o"]).default(0x0c).doc("`i`: the vni is valid, `p`: the next protocol is, `b`: to several receivers, `o`: for operation."),
        uint("reserved2", 16).doc("Reserved."),
        named("next", 8, NEXT).computed(Auto::NextLayer(0)).doc("What is carried."),
        uint("vni", 24).doc("Segment that the inner packet belongs to."),
        uint("reserved3", 8).doc("Reserved."),
    ]),
    under: &[under("UDP", "dst", 4790)],
    next: NextLayer::Field("next"),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();

const NEXT: NameTable = &[(1, "ip"), (2, "ip6"), (3, "eth"), (4, "nsh"), (5, "mpls")];
