//! Subnetwork Access Protocol: an EtherType behind LLC.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SNAP",
    title: "Subnetwork Access Protocol",
    spec: "IEEE 802, RFC 1042",
    about: "Carries an EtherType in a frame that has a length instead of a type. Vendor protocols use the vendor's `oui`.",
    example: "/Eth/LLC/SNAP(oui=0x00000c)/CDP",
    fields: &layout([
        named("oui", 24, MAKERS).doc("Organization that assigned the type."),
        named("type", 16, ETHER_TYPES).computed(Auto::NextLayer(0x88b5)).doc("What the frame carries."),
    ]),
    under: &[under("LLC", "dsap", 0xaa)],
    like: Some("Eth"),
    next: NextLayer::Peek(next),
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();

const MAKERS: NameTable = &[
    (0, "ether_type"),
    (0x00_00f8, "ieee_802_1h"),
    (0x00_000c, "cisco"),
    (0x00_80c2, "ieee_802_1"),
];
const OUI: Slot = LAYER.slot("oui");
const TYPE: Slot = LAYER.slot("type");

/// Types are those of Ethernet only below some makers; a length is not a type.
fn next(header: &[u8], _: &[u8]) -> Option<&'static Layer> {
    let known = matches!(OUI.get(header)?, 0 | 0x00_00f8 | 0x00_000c);
    crate::registry::child(&LAYER, TYPE.get(header)?)
        .filter(|child| known && **child != super::llc::LAYER)
}
