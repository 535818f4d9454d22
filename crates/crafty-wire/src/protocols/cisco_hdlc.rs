//! Cisco's HDLC: a type of Ethernet behind address and control.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "CiscoHDLC",
    title: "Cisco HDLC",
    spec: "LINKTYPE_C_HDLC",
    about: "Carries packets over a serial line.",
    example: "/CiscoHDLC/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        named("address", 8, &[(0x0f, "unicast"), (0x8f, "multicast")])
            .default(0x0f)
            .doc("Receiver of the frame."),
        uint("control", 8).doc("Always 0."),
        named("type", 16, ETHER_TYPES)
            .computed(Auto::NextLayer(0x88b5))
            .doc("What the frame carries."),
    ]),
    like: Some("Eth"),
    next: NextLayer::Field("type"),
    link_types: &[104],
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();
