//! Logical Link Control: what a frame carries whose type is a length (IEEE 802.3).

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "LLC",
    title: "Logical Link Control",
    spec: "IEEE 802.2",
    about: "Names the protocols at both ends of a frame that has a length instead of a type.",
    example: "/Eth(dst=01:80:c2:00:00:00)/LLC/STP",
    fields: &layout([
        named("dsap", 8, ACCESS_POINTS)
            .computed(Auto::NextLayer(0))
            .doc("Service access point of the destination."),
        named("ssap", 8, ACCESS_POINTS)
            .computed(Auto::NextLayer(0))
            .doc("Service access point of the source; the lowest bit marks a response."),
        uint("control", 8)
            .default(3)
            .doc("Kind of frame; 3 is unnumbered information."),
        uint("control2", 8)
            .when(When::NotIn("control", UNNUMBERED))
            .doc("Receive number; numbered frames only."),
    ]),
    under: &[
        lengths("Eth", "type", 1500),
        lengths("VLAN", "type", 1500),
        under("SLL", "type", 4),
        under("SLL2", "type", 4),
    ],
    next: NextLayer::Field("dsap"),
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();

const ACCESS_POINTS: NameTable = &[
    (0, "null"),
    (0x06, "ip"),
    (0x42, "stp"),
    (0x7e, "x25"),
    (0xaa, "snap"),
    (0xe0, "netware"),
    (0xf0, "netbios"),
    (0xfe, "iso"),
];

/// The controls of one byte: the two lowest bits are set.
const UNNUMBERED: &[u64] = &unnumbered();

const fn unnumbered() -> [u64; 64] {
    let mut values = [0; 64];
    let mut i = 0;
    while i < 64 {
        values[i] = i as u64 * 4 + 3;
        i += 1;
    }
    values
}
