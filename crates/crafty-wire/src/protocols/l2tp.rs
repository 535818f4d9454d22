//! Layer Two Tunneling Protocol, version 2.

use alloc::vec::Vec;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "L2TP",
    title: "Layer Two Tunneling Protocol",
    spec: "RFC 2661",
    about: "Carries PPP in UDP. A control message has the flags `control+length+sequence` and holds attributes.",
    example: "/IP(dst=192.0.2.1)/UDP(src=1701)/L2TP(tunnel=1, session=2)/HDLC/PPP/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        flags("flags", FLAGS).computed(Auto::Presence(0)).doc("Type of message and optional fields that are present."),
        uint("version", 4).default(2).doc("Version."),
        uint("len", 16).when(When::Has("flags", "length")).computed(total_len()).doc("Length of the message, in bytes."),
        uint("tunnel", 16).doc("The tunnel, as the receiver numbers it."),
        uint("session", 16).doc("The session, as the receiver numbers it."),
        uint("ns", 16).modular().when(When::Has("flags", "sequence")).doc("Number of this message."),
        uint("nr", 16).modular().when(When::Has("flags", "sequence")).doc("Number expected next."),
        custom("offset_pad", &PAD).when(When::Has("flags", "offset")).extent(Extent::Found(padding)).doc("Size of the padding, and the padding."),
        options("avps", &AVPS).when(When::Has("flags", "control")).extent(Extent::Layer).doc("Attributes of a control message."),
    ]),
    under: &[under("UDP", "dst", 1701)],
    next: NextLayer::Peek(next),
    accepts: Some(|octets| octets.get(1).is_some_and(|octet| octet & 15 == 2)),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();

const FLAGS: &[&str] = &[
    "control", "length", "x2", "x3", "sequence", "x5", "offset", "priority", "x8", "x9", "x10",
    "x11",
];
const CONTROL: u8 = 0x80;

static PAD: Codec = Codec {
    about: "Padding of L2TP.",
    read: |_, _| None,
    write: pad,
};

fn pad(_: &Header, _: usize, out: &mut Vec<u8>) {
    out.extend([0, 0]);
}

fn padding(octets: &[u8]) -> Option<usize> {
    Some(2 + usize::from(u16::from_be_bytes(octets.get(..2)?.try_into().ok()?)))
}

fn next(header: &[u8], payload: &[u8]) -> Option<&'static Layer> {
    match (header.first()? & CONTROL, payload.first()?) {
        (CONTROL, _) => None,
        (_, 0xff) => Some(&super::hdlc::LAYER),
        _ => Some(&super::ppp::LAYER),
    }
}

/// The kind is vendor and type in one.
static AVPS: Tlv = Tlv {
    options: &[
        opt(
            0,
            "message_type",
            OptionShape::Fields(&layout([
                uint("type", 16).doc("1 SCCRQ, 2 SCCRP, 3 SCCCN, 4 StopCCN, 6 hello, 10 ICRQ."),
                HEAD,
            ])),
            "Kind of control message.",
        ),
        opt(
            1,
            "result",
            OptionShape::Fields(&layout([
                uint("code", 16).doc("Code."),
                bytes("error").doc("Error and text."),
                HEAD,
            ])),
            "Reason for ending.",
        ),
        opt(
            2,
            "protocol_version",
            OptionShape::Fields(&layout([
                uint("version", 16).doc("Version and revision."),
                HEAD,
            ])),
            "Version.",
        ),
        opt(
            3,
            "framing",
            OptionShape::Fields(&layout([
                uint("bits", 32).doc("1 synchronous, 2 asynchronous."),
                HEAD,
            ])),
            "Supported framing.",
        ),
        opt(
            4,
            "bearer",
            OptionShape::Fields(&layout([
                uint("bits", 32).doc("1 digital, 2 analog."),
                HEAD,
            ])),
            "Supported bearers.",
        ),
        opt(
            6,
            "firmware",
            OptionShape::Fields(&layout([uint("revision", 16).doc("Revision."), HEAD])),
            "Software version.",
        ),
        opt(
            7,
            "host_name",
            OptionShape::Fields(TEXT),
            "Name of the sender.",
        ),
        opt(
            8,
            "vendor_name",
            OptionShape::Fields(TEXT),
            "Vendor of the sender.",
        ),
        opt(
            9,
            "assigned_tunnel",
            OptionShape::Fields(&layout([uint("id", 16).doc("Number."), HEAD])),
            "How the sender numbers the tunnel.",
        ),
        opt(
            10,
            "receive_window",
            OptionShape::Fields(&layout([uint("size", 16).doc("Messages."), HEAD])),
            "Receive window: messages that may be unacknowledged.",
        ),
        opt(
            11,
            "challenge",
            OptionShape::Fields(DATA),
            "Challenge, to be answered with the shared secret.",
        ),
        opt(
            13,
            "challenge_response",
            OptionShape::Fields(DATA),
            "Answer to a challenge.",
        ),
        opt(
            14,
            "assigned_session",
            OptionShape::Fields(&layout([uint("id", 16).doc("Number."), HEAD])),
            "How the sender numbers the session.",
        ),
        opt(
            15,
            "call_serial",
            OptionShape::Fields(&layout([uint("number", 32).doc("Number."), HEAD])),
            "Number of the call.",
        ),
        opt(
            19,
            "framing_type",
            OptionShape::Fields(&layout([
                uint("bits", 32).doc("1 synchronous, 2 asynchronous."),
                HEAD,
            ])),
            "Framing in use.",
        ),
        opt(
            24,
            "connect_speed",
            OptionShape::Fields(&layout([uint("bps", 32).doc("Bits per second."), HEAD])),
            "Speed of the call.",
        ),
    ],
    head: 6,
    kind: Slot::at(16, 32),
    len: Slot::at(6, 10),
    ..KIND_LENGTH
};

const HEAD: Field = flags("bits", &["mandatory", "hidden"])
    .in_head(0)
    .doc("Bits: must be understood, encrypted.");
const TEXT: &[Field] = &layout([text("text").doc("Text."), HEAD]);
const DATA: &[Field] = &layout([bytes("data").doc("What it holds."), HEAD]);
