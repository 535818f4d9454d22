//! Remote Authentication Dial In User Service.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "RADIUS",
    title: "Remote Authentication Dial In User Service",
    spec: "RFC 2865, RFC 2866",
    about: "Asks whether a user may have access, and accounts for what the user does. Authenticators are bytes: they are neither computed nor verified.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/RADIUS(code=access_request, id=1, attributes=[user_name(\"bob\")])",
    fields: &layout([
        named("code", 8, CODES).default(1).doc("Kind of packet."),
        uint("id", 8).modular().doc("Identifies the question that an answer belongs to."),
        uint("len", 16).computed(total_len()).doc("Length of the packet, in bytes."),
        octets("authenticator", 16).doc("Random number, or proof of the shared secret."),
        options("attributes", &ATTRIBUTES).extent(Extent::Layer).doc("Attributes."),
    ]),
    under: &[under("UDP", "dst", 1812), under("UDP", "dst", 1813), under("UDP", "dst", 1645), under("UDP", "dst", 1646), under("UDP", "dst", 3799)],
    ..Layer::BLANK
}
.seal();

const CODES: NameTable = &[
    (1, "access_request"),
    (2, "access_accept"),
    (3, "access_reject"),
    (4, "accounting_request"),
    (5, "accounting_response"),
    (11, "access_challenge"),
    (12, "status_server"),
    (40, "disconnect_request"),
    (41, "disconnect_ack"),
    (42, "disconnect_nak"),
    (43, "coa_request"),
    (44, "coa_ack"),
    (45, "coa_nak"),
];

static ATTRIBUTES: Tlv = Tlv {
    options: &[
        opt(1, "user_name", TEXT, "Who."),
        opt(2, "user_password", DATA, "Password, hidden."),
        opt(3, "chap_password", DATA, "Answer to a challenge."),
        opt(4, "nas_ip", ADDRESS, "Address of the access server."),
        opt(5, "nas_port", NUMBER, "Port of the user."),
        opt(
            6,
            "service_type",
            NUMBER,
            "Service: 1 login, 2 framed, 8 authentication only.",
        ),
        opt(7, "framed_protocol", NUMBER, "1 is PPP."),
        opt(8, "framed_ip", ADDRESS, "Address of the user."),
        opt(9, "framed_mask", ADDRESS, "Mask of the user's network."),
        opt(11, "filter_id", TEXT, "Filter to apply."),
        opt(12, "framed_mtu", NUMBER, "Largest packet."),
        opt(18, "reply_message", TEXT, "Text for the user."),
        opt(24, "state", DATA, "State to be sent back."),
        opt(25, "class", DATA, "To be sent back in accounting."),
        opt(
            26,
            "cisco",
            OptionShape::Fields(&layout([options("parts", &CISCO).doc("What it defined.")])),
            "What Cisco defined.",
        )
        .begins(&[0, 0, 0, 9]),
        opt(
            26,
            "microsoft",
            OptionShape::Fields(&layout([options("parts", &PARTS).doc("What it defined.")])),
            "What Microsoft defined (RFC 2548).",
        )
        .begins(&[0, 0, 1, 0x37]),
        opt(
            26,
            "vendor",
            OptionShape::Fields(&layout([
                uint("enterprise", 32).doc("Number of the vendor."),
                bytes("data").doc("What it holds."),
            ])),
            "What a vendor defined.",
        ),
        opt(
            27,
            "session_timeout",
            NUMBER,
            "Maximum session time in seconds.",
        ),
        opt(28, "idle_timeout", NUMBER, "Maximum idle time in seconds."),
        opt(30, "called_station", TEXT, "Number that the user called."),
        opt(
            31,
            "calling_station",
            TEXT,
            "Number or address of the user.",
        ),
        opt(32, "nas_identifier", TEXT, "Name of the access server."),
        opt(33, "proxy_state", DATA, "To be sent back to a proxy."),
        opt(40, "acct_status", NUMBER, "1 start, 2 stop, 3 interim."),
        opt(
            41,
            "acct_delay",
            NUMBER,
            "Seconds that the packet was delayed.",
        ),
        opt(45, "acct_authentic", NUMBER, "1 by RADIUS, 2 locally."),
        opt(47, "acct_input_packets", NUMBER, "Packets from the user."),
        opt(48, "acct_output_packets", NUMBER, "Packets to the user."),
        opt(
            50,
            "acct_multi_session",
            TEXT,
            "Several sessions that belong together.",
        ),
        opt(
            52,
            "acct_input_gigawords",
            NUMBER,
            "How often 2^32 bytes came from the user.",
        ),
        opt(
            53,
            "acct_output_gigawords",
            NUMBER,
            "How often 2^32 bytes went to the user.",
        ),
        opt(55, "event_time", NUMBER, "When, in seconds since 1970."),
        opt(77, "connect_info", TEXT, "How the user is connected."),
        opt(88, "framed_pool", TEXT, "Pool that the address is from."),
        opt(
            97,
            "framed_ip6_prefix",
            PREFIX,
            "Prefix of the user's link (RFC 3162).",
        ),
        opt(
            101,
            "error_cause",
            NUMBER,
            "Why a request failed (RFC 5176).",
        ),
        opt(
            123,
            "delegated_ip6_prefix",
            PREFIX,
            "Prefix delegated to the user (RFC 4818).",
        ),
        opt(
            168,
            "framed_ip6",
            OptionShape::Fields(&layout([ip6("address").doc("Address.")])),
            "IPv6 address of the user (RFC 6911).",
        ),
        opt(42, "acct_input_octets", NUMBER, "Bytes from the user."),
        opt(43, "acct_output_octets", NUMBER, "Bytes to the user."),
        opt(44, "acct_session", TEXT, "Session identifier."),
        opt(46, "acct_session_time", NUMBER, "Seconds of the session."),
        opt(49, "acct_terminate_cause", NUMBER, "Why it ended."),
        opt(60, "chap_challenge", DATA, "Challenge."),
        opt(61, "nas_port_type", NUMBER, "15 Ethernet, 19 wireless LAN."),
        opt(
            64,
            "tunnel_type",
            NUMBER,
            "Tag and kind of tunnel; 13 is VLAN.",
        ),
        opt(
            65,
            "tunnel_medium",
            NUMBER,
            "Tag and medium; 6 is IEEE 802.",
        ),
        opt(79, "eap", DATA, "An EAP message, or part of one."),
        opt(
            80,
            "message_authenticator",
            OptionShape::Fields(&layout([octets("code", 16).doc("Code.")])),
            "Who sent the packet.",
        ),
        opt(81, "tunnel_group", TEXT, "Group of the tunnel: the VLAN."),
        opt(87, "nas_port_id", TEXT, "Name of the port."),
        opt(
            95,
            "nas_ip6",
            OptionShape::Fields(&layout([ip6("address").doc("Address.")])),
            "IPv6 address of the access server.",
        ),
    ],
    ..KIND_LENGTH
};

const PREFIX: OptionShape = OptionShape::Fields(&layout([
    uint("reserved", 8).doc("Reserved."),
    uint("bits", 8).doc("Prefix length."),
    bytes("prefix").doc("The prefix, in as many bytes as needed."),
]));
const PART: OptionRow = opt(
    0,
    "part",
    OptionShape::Fields(&layout([
        bytes("data").doc("What it holds."),
        uint("code", 8)
            .in_head(0)
            .doc("Number that the vendor gave."),
    ])),
    "An attribute of the vendor.",
)
.masked(0);
static PARTS: Tlv = Tlv {
    options: &[PART],
    ..KIND_LENGTH
};
static CISCO: Tlv = Tlv {
    options: &[
        opt(1, "pair", TEXT, "Name and value with `=` between."),
        PART,
    ],
    ..KIND_LENGTH
};
const TEXT: OptionShape = OptionShape::Fields(&layout([text("text").doc("Text.")]));
const DATA: OptionShape = OptionShape::Fields(&layout([bytes("data").doc("What it holds.")]));
const NUMBER: OptionShape = OptionShape::Fields(&layout([uint("value", 32).doc("Number.")]));
const ADDRESS: OptionShape = OptionShape::Fields(&layout([ip4("address").doc("Address.")]));
