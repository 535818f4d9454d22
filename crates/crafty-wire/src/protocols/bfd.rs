//! Bidirectional Forwarding Detection.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "BFD",
    title: "Bidirectional Forwarding Detection",
    spec: "RFC 5880",
    about: "Two systems notice within milliseconds when the path between them fails.",
    example: "/IP(dst=192.0.2.1, ttl=255)/UDP(src=49152)/BFD(state=down, my=1)",
    fields: &layout([
        uint("version", 3).default(1).doc("Version."),
        named("diag", 5, DIAGNOSTICS).doc("Why the state changed last."),
        named(
            "state",
            2,
            &[(0, "admin_down"), (1, "down"), (2, "init"), (3, "up")],
        )
        .default(1)
        .doc("State of the sender."),
        flags(
            "flags",
            &[
                "poll",
                "final",
                "independent",
                "auth",
                "demand",
                "multipoint",
            ],
        )
        .doc("Control flags."),
        uint("multiplier", 8)
            .default(3)
            .doc("Number of missed packets after which the path counts as down."),
        uint("len", 8)
            .computed(header_len(1, 0))
            .doc("Length of the packet, in bytes."),
        uint("my", 32).doc("Number of the session at the sender."),
        uint("your", 32).doc("Number of the session at the receiver; 0 if it is not known yet."),
        uint("desired_tx", 32)
            .default(1_000_000)
            .doc("Interval that the sender would like to send at, in us."),
        uint("required_rx", 32)
            .default(1_000_000)
            .doc("Shortest interval that it can receive at, in us."),
        uint("required_echo", 32).doc("Shortest interval of echoes, in us; 0: none."),
        bytes("auth")
            .extent(Extent::Header)
            .doc("Authentication: type, length and data."),
    ]),
    under: &[
        under("UDP", "dst", 3784),
        under("UDP", "dst", 4784),
        under("UDP", "dst", 6784),
        under("UDP", "dst", 7784),
    ],
    ..Layer::BLANK
}
.seal();

const DIAGNOSTICS: NameTable = &[
    (0, "none"),
    (1, "time_expired"),
    (2, "echo_failed"),
    (3, "neighbor_down"),
    (4, "forwarding_reset"),
    (5, "path_down"),
    (6, "concatenated_path_down"),
    (7, "admin_down"),
    (8, "reverse_path_down"),
];
