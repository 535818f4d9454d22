//! Transmission Control Protocol.

mod segment;

use crate::table::*;

pub use segment::{TcpOptions, TcpSegment, Timestamps};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "TCP",
    title: "Transmission Control Protocol",
    spec: "RFC 9293",
    about: "Carries a stream of bytes from port to port, in order and without loss.",
    example: "/IP(dst=192.0.2.1)/TCP(dst=80, flags=syn, options=[mss(1460), sack_ok])",
    fields: &layout([
        uint("src", 16).doc("Source port."),
        uint("dst", 16)
            .computed(Auto::NextLayer(80))
            .doc("Destination port."),
        uint("seq", 32)
            .modular()
            .doc("Sequence number of the first byte carried."),
        uint("ack", 32)
            .modular()
            .doc("Next sequence number expected from the peer."),
        uint("offset", 4)
            .computed(header_len(4, 0))
            .doc("Header length, in 32-bit words."),
        uint("reserved", 3).doc("Reserved; should be zero."),
        flags(
            "flags",
            &["ae", "cwr", "ece", "urg", "ack", "psh", "rst", "syn", "fin"],
        )
        .doc("Control bits."),
        uint("window", 16)
            .default(65535)
            .doc("Bytes that the sender will accept, before scaling."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum {
                pseudo: true,
                ..INTERNET
            }))
            .doc("Checksum of pseudo-header, header and payload."),
        uint("urgent", 16).doc("End of urgent data, counted from `seq`."),
        options("options", &OPTIONS).doc("Negotiated extensions."),
    ]),
    under: &[under("IP", "proto", 6)],
    next: NextLayer::Either("src", "dst"),
    role: LayerRole::Transport,
    ..Layer::BLANK
}
.seal();

static OPTIONS: Tlv = Tlv {
    options: &[
        opt(0, "eol", OptionShape::Bare, "End of the list."),
        opt(1, "nop", OptionShape::Bare, "Padding between options."),
        opt(
            2,
            "mss",
            OptionShape::Fields(&layout([uint("size", 16).doc("Bytes.")])),
            "Largest segment that the sender accepts.",
        ),
        opt(
            3,
            "wscale",
            OptionShape::Fields(&layout([uint("shift", 8).doc("Bits.")])),
            "Window scale (RFC 7323).",
        ),
        opt(
            4,
            "sack_ok",
            OptionShape::Fields(&[]),
            "Selective acknowledgement permitted (RFC 2018).",
        ),
        opt(
            5,
            "sack",
            OptionShape::Repeat(
                &[],
                &layout([
                    uint("left", 32).modular().doc("First byte held."),
                    uint("right", 32)
                        .modular()
                        .doc("First byte after the block."),
                ]),
            ),
            "Blocks held (RFC 2018).",
        ),
        opt(
            8,
            "ts",
            OptionShape::Fields(&layout([
                uint("val", 32).modular().doc("Clock of the sender."),
                uint("ecr", 32).modular().doc("Clock of the peer, echoed."),
            ])),
            "Time stamps (RFC 7323).",
        ),
        opt(
            19,
            "md5",
            OptionShape::Fields(&layout([octets("digest", 16).doc("MD5.")])),
            "Signature (RFC 2385).",
        ),
        opt(
            28,
            "user_timeout",
            OptionShape::Fields(&layout([
                uint("minutes", 1).doc("1: the time is in minutes, 0: in seconds."),
                uint("timeout", 15).doc("The time."),
            ])),
            "How long data may stay unacknowledged (RFC 5482).",
        ),
        opt(
            29,
            "ao",
            OptionShape::Fields(&layout([
                uint("key", 8).doc("Key in use."),
                uint("next_key", 8).doc("Key that the sender will use next."),
                bytes("mac").doc("Code."),
            ])),
            "Authentication (RFC 5925).",
        ),
        opt(
            30,
            "mptcp",
            OptionShape::Fields(&layout([bytes("data").doc("Subtype and what it holds.")])),
            "Multipath (RFC 8684).",
        ),
        opt(
            34,
            "tfo",
            OptionShape::Fields(&layout([bytes("cookie").doc("Empty: requests a cookie.")])),
            "Fast open (RFC 7413).",
        ),
    ],
    end: Some(0),
    align: 4,
    ..KIND_LENGTH
};

/// No more data (RFC 9293 §3.1).
pub const FIN_FLAG: u64 = LAYER.bit("flags", "fin");
/// Opens.
pub const SYN_FLAG: u64 = LAYER.bit("flags", "syn");
/// Resets.
pub const RST_FLAG: u64 = LAYER.bit("flags", "rst");
/// The acknowledgement number counts.
pub const ACK_FLAG: u64 = LAYER.bit("flags", "ack");
/// Congestion was marked (RFC 3168 §6.1).
pub const ECE_FLAG: u64 = LAYER.bit("flags", "ece");

/// Source port.
pub const SRC: Slot = LAYER.slot("src");
/// Destination port.
pub const DST: Slot = LAYER.slot("dst");
/// Sequence number.
pub const SEQ: Slot = LAYER.slot("seq");
/// Acknowledgement number.
pub const ACK: Slot = LAYER.slot("ack");
/// Header length in words.
pub const OFFSET: Slot = LAYER.slot("offset");
/// Control bits.
pub const FLAGS: Slot = LAYER.slot("flags");
/// Window.
pub const WINDOW: Slot = LAYER.slot("window");
/// Checksum.
pub const CHECKSUM: Slot = LAYER.slot("checksum");
/// End of urgent data.
pub const URGENT: Slot = LAYER.slot("urgent");
