//! Spanning Tree Protocol, also the rapid and the multiple one.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "STP",
    title: "Spanning Tree Protocol",
    spec: "IEEE 802.1D, IEEE 802.1Q clause 14",
    about: "Bridges agree on a tree. Times are in 1/256 s; the rapid version (2) has one more byte.",
    example: "/Eth(dst=01:80:c2:00:00:00)/LLC/STP(root_priority=32768, root=02:00:00:00:00:01)",
    fields: &layout([
        uint("protocol", 16).doc("Always 0."),
        named("version", 8, &[(0, "stp"), (2, "rstp"), (3, "mstp"), (4, "spt")]).doc("Version."),
        named("type", 8, &[(0, "config"), (2, "rst"), (0x80, "topology_change")]).doc("Kind of message."),
        uint("tc_ack", 1).when(When::In("type", FULL)).doc("Acknowledges a topology change."),
        uint("agreement", 1).when(When::In("type", FULL)).doc("The peer agrees that the port forwards at once."),
        uint("forwarding", 1).when(When::In("type", FULL)).doc("The port forwards."),
        uint("learning", 1).when(When::In("type", FULL)).doc("The port learns addresses."),
        named("role", 2, ROLES).when(When::In("type", FULL)).doc("Role of the port."),
        uint("proposal", 1).when(When::In("type", FULL)).doc("The port proposes to forward at once."),
        uint("tc", 1).when(When::In("type", FULL)).doc("The topology changed."),
        uint("root_priority", 16).when(When::In("type", FULL)).default(0x8000).doc("Priority of the root, with its VLAN."),
        mac("root").when(When::In("type", FULL)).doc("Address of the root."),
        uint("path_cost", 32).when(When::In("type", FULL)).doc("Cost of the path to the root."),
        uint("bridge_priority", 16).when(When::In("type", FULL)).default(0x8000).doc("Priority of the sender, with its VLAN."),
        mac("bridge").when(When::In("type", FULL)).doc("Address of the sender."),
        uint("port", 16).when(When::In("type", FULL)).doc("Priority and number of the port."),
        uint("age", 16).when(When::In("type", FULL)).default(256).doc("Age of the information about the root."),
        uint("max_age", 16).when(When::In("type", FULL)).default(20 * 256).doc("Age at which it expires."),
        uint("hello", 16).when(When::In("type", FULL)).default(2 * 256).doc("Time between messages."),
        uint("forward_delay", 16).when(When::In("type", FULL)).default(15 * 256).doc("Time in each state before forwarding."),
        uint("version1_len", 8).when(When::In("type", &[2])).doc("Always 0; rapid version."),
        uint("version3_len", 16).when(When::In("version", MULTIPLE)).default(64).doc("Extra bytes of the multiple spanning tree version."),
        uint("format", 8).when(When::In("version", MULTIPLE)).doc("Always 0."),
        octets("region", 32).when(When::In("version", MULTIPLE)).doc("Name of the region, padded with zeros."),
        uint("revision", 16).when(When::In("version", MULTIPLE)).doc("Revision of its configuration."),
        octets("digest", 16).when(When::In("version", MULTIPLE)).doc("Digest of which VLAN is in which instance."),
        uint("internal_cost", 32).when(When::In("version", MULTIPLE)).doc("Cost of the path to the root of the region."),
        uint("cist_priority", 16).when(When::In("version", MULTIPLE)).default(0x8000).doc("Priority of the sender."),
        mac("cist_bridge").when(When::In("version", MULTIPLE)).doc("Address of the sender."),
        uint("hops", 8).when(When::In("version", MULTIPLE)).default(20).doc("Remaining hops in the region."),
        options("instances", &INSTANCES).when(When::In("version", MULTIPLE)).extent(Extent::Layer).doc("Instances."),
    ]),
    under: &[under("LLC", "dsap", 0x42), under("SNAP", "type", 0x010b)],
    ..Layer::BLANK
}
.seal();

const MULTIPLE: &[u64] = &[3];
static INSTANCES: Tlv = records(
    16,
    &[opt(
        0,
        "instance",
        OptionShape::Fields(&layout([
            uint("flags", 8).doc("As those of the message."),
            uint("priority", 16).doc("Priority of the root of the region, with the instance."),
            mac("root").doc("Address of that root."),
            uint("cost", 32).doc("Cost of the path to it."),
            uint("bridge_priority", 8).doc("Priority of the sender."),
            uint("port_priority", 8).doc("Priority of the port."),
            uint("hops", 8).doc("Remaining hops in the region."),
        ])),
        "An instance.",
    )],
);
const FULL: &[u64] = &[0, 2];
const ROLES: NameTable = &[
    (0, "master"),
    (1, "alternate"),
    (2, "root"),
    (3, "designated"),
];
