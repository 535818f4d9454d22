//! Slow protocols of Ethernet beside LACP: markers, and what organizations defined.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SlowProtocol",
    title: "Slow protocol of Ethernet",
    spec: "IEEE 802.3 clause 57A, ITU-T G.8264",
    about: "Markers of aggregated links, and messages that organizations defined, such as the clock quality of synchronous Ethernet. LACP has its own layer.",
    example: "/Eth(dst=01:80:c2:00:00:02, type=slow_protocols)/SlowProtocol(subtype=ossp, oui=0x0019a7, data=#0001)",
    fields: &layout([
        named("subtype", 8, &[(2, "marker"), (3, "oam"), (10, "ossp")])
            .default(10)
            .doc("Slow protocol."),
        uint("oui", 24)
            .when(When::In("subtype", &[10]))
            .doc("Organization that defined the message."),
        bytes("data").doc("Data of the protocol."),
    ]),
    ..Layer::BLANK
}
.seal();
