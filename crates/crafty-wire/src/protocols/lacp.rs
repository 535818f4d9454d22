//! Link Aggregation Control Protocol.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "LACP",
    title: "Link Aggregation Control Protocol",
    spec: "IEEE 802.1AX clause 6.4",
    about: "Both ends of several links agree to use them as one.",
    example: "/Eth(dst=01:80:c2:00:00:02)/LACP(actor_key=1, actor_state=activity+aggregation)",
    fields: &layout([
        named("subtype", 8, &[(1, "lacp"), (2, "marker"), (10, "ossp")])
            .default(1)
            .doc("Slow protocol."),
        uint("version", 8).default(1).doc("Version."),
        uint("actor_type", 8)
            .default(1)
            .doc("TLV type: the sender."),
        uint("actor_len", 8)
            .default(20)
            .doc("TLV length, in bytes."),
        uint("actor_system_priority", 16).doc("Priority of the sender."),
        mac("actor_system").doc("Address of the sender."),
        uint("actor_key", 16).doc("Links with the same key can be aggregated."),
        uint("actor_port_priority", 16).doc("Priority of its port."),
        uint("actor_port", 16).doc("Number of its port."),
        flags("actor_state", STATE).doc("State of its port."),
        uint("actor_reserved", 24).doc("Reserved."),
        uint("partner_type", 8)
            .default(2)
            .doc("TLV type: the peer, as the sender knows it."),
        uint("partner_len", 8)
            .default(20)
            .doc("TLV length, in bytes."),
        uint("partner_system_priority", 16).doc("Priority of the peer."),
        mac("partner_system").doc("Address of the peer."),
        uint("partner_key", 16).doc("Key of the peer."),
        uint("partner_port_priority", 16).doc("Priority of the peer's port."),
        uint("partner_port", 16).doc("Number of the peer's port."),
        flags("partner_state", STATE).doc("State of the peer's port."),
        uint("partner_reserved", 24).doc("Reserved."),
        uint("collector_type", 8)
            .default(3)
            .doc("TLV type: the collector."),
        uint("collector_len", 8)
            .default(16)
            .doc("TLV length, in bytes."),
        uint("max_delay", 16).doc("How long the collector may keep a frame, in units of 10 us."),
        octets("collector_reserved", 12).doc("Reserved."),
        uint("terminator_type", 8).doc("The end."),
        uint("terminator_len", 8).doc("The end."),
        octets("reserved", 50).doc("Reserved."),
    ]),
    under: &[under("Eth", "type", 0x8809)],
    otherwise: Some(&super::slow_protocol::LAYER),
    accepts: Some(|octets| octets.first() == Some(&1)),
    body: Some(all_padding),
    ..Layer::BLANK
}
.seal();

const STATE: &[&str] = &[
    "expired",
    "defaulted",
    "distributing",
    "collecting",
    "synchronization",
    "aggregation",
    "short_timeout",
    "activity",
];
