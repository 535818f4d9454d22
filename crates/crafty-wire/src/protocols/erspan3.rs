//! Encapsulated Remote SPAN, type III.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ERSPAN3",
    title: "Encapsulated Remote SPAN, type III",
    spec: "draft-foschiano-erspan",
    about: "Carries the frames of a mirrored port with time stamps. GRE below it has a sequence number: set `seq`.",
    example: "/IP(dst=192.0.2.1)/GRE(seq=1)/ERSPAN3(session=5)/Eth/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        uint("version", 4).default(2).doc("2 is type III."),
        uint("vlan", 12).doc("VLAN of the frame."),
        uint("cos", 3).doc("Class of service of the frame."),
        named("bso", 2, &[(0, "good"), (1, "short"), (2, "oversized"), (3, "bad")]).doc("Whether the frame was in order."),
        uint("truncated", 1).doc("The frame was truncated."),
        uint("session", 10).doc("The mirror session."),
        uint("timestamp", 32).modular().doc("When the frame was seen, in units of `granularity`."),
        uint("sgt", 16).doc("Security group of the frame."),
        uint("p", 1).doc("The frame is Ethernet."),
        uint("frame_type", 5).doc("Kind of frame; 0 is Ethernet."),
        uint("hardware", 6).doc("Engine that captured it."),
        uint("direction", 1).doc("0 for frames into the port, 1 for frames out of it."),
        named("granularity", 2, &[(0, "us100"), (1, "ns100"), (2, "ieee1588"), (3, "own")]).doc("Unit of the time stamp."),
        flags("optional", &["o"]).computed(Auto::Presence(0)).doc("A platform-specific part follows."),
        uint("platform", 64).when(When::Has("optional", "o")).doc("Platform-specific part."),
    ]),
    under: &[under("GRE", "proto", 0x22eb)],
    next: NextLayer::Always(&super::eth::LAYER),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();
