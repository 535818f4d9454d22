//! VLAN tag, customer (0x8100) or service (0x88a8).

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "VLAN",
    title: "Virtual LAN tag",
    spec: "IEEE 802.1Q",
    about: "Names the virtual LAN of a frame, and its priority. For a service tag, set the type of the layer below to `service_vlan`.",
    example: "/Eth/VLAN(id=5)/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        uint("pcp", 3).doc("Priority."),
        uint("dei", 1).doc("The frame may be dropped first."),
        uint("id", 12).doc("The virtual LAN."),
        named("type", 16, ETHER_TYPES).computed(Auto::NextLayer(0x88b5)).doc("What the frame carries."),
    ]),
    under: &[under("Eth", "type", 0x8100), under("Eth", "type", 0x88a8), under("Eth", "type", 0x9100)],
    like: Some("Eth"),
    next: NextLayer::Field("type"),
    role: LayerRole::Link,
    network_id: Some("id"),
    ..Layer::BLANK
}
.seal();
