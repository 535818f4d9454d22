//! EAP over LANs: what a station and a switch say before the port is open.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "EAPOL",
    title: "EAP over LANs",
    spec: "IEEE 802.1X clause 11",
    about: "Carries EAP between a device and the port that it wants to use, and the keys of Wi-Fi.",
    example: "/Eth(dst=01:80:c2:00:00:03)/EAPOL(type=start)",
    fields: &layout([
        uint("version", 8).default(2).doc("Version."),
        named("type", 8, TYPES)
            .computed(Auto::NextLayer(1))
            .doc("Type of the packet."),
        uint("len", 16)
            .computed(payload_len())
            .doc("Length of what follows, in bytes."),
    ]),
    under: &[under("Eth", "type", 0x888e)],
    next: NextLayer::Field("type"),
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (0, "eap"),
    (1, "start"),
    (2, "logoff"),
    (3, "key"),
    (4, "asf_alert"),
    (5, "mka"),
];
