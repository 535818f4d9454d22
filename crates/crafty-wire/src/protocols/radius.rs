//! Remote Authentication Dial In User Service.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "RADIUS",
    title: "Remote Authentication Dial In User Service",
    spec: "RFC 2865, RFC 2866",
    about: "Asks whether a user may come in, and counts what the user does. Authenticators are octets: they are neither computed nor verified.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/RADIUS(code=access_request, id=1, attributes=[user_name(\"bob\")])",
    fields: &layout([
        named("code", 8, CODES).default(1).doc("Kind of packet."),
        uint("id", 8).modular().doc("Ties an answer to its question."),
        uint("len", 16).computed(total_len()).doc("Length of the packet, in octets."),
        octets("authenticator", 16).doc("Random number, or proof of the shared secret."),
        options("attributes", &ATTRIBUTES).extent(Extent::Layer).doc("What is asked and told."),
    ]),
    under: &[under("UDP", "dst", 1812), under("UDP", "dst", 1813), under("UDP", "dst", 1645), under("UDP", "dst", 1646)],
    ..Layer::BLANK
}
.seal();

const CODES: Names = &[
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
        opt(4, "nas_ip", ADDRESS, "Address of the one that asks."),
        opt(5, "nas_port", NUMBER, "Port that the user is at."),
        opt(6, "service_type", NUMBER, "Service: 1 login, 2 framed, 8 authentication only."),
        opt(7, "framed_protocol", NUMBER, "1 is PPP."),
        opt(8, "framed_ip", ADDRESS, "Address of the user."),
        opt(9, "framed_mask", ADDRESS, "Mask of the user's network."),
        opt(11, "filter_id", TEXT, "Filter to apply."),
        opt(12, "framed_mtu", NUMBER, "Largest packet."),
        opt(18, "reply_message", TEXT, "Text for the user."),
        opt(24, "state", DATA, "To be sent back."),
        opt(25, "class", DATA, "To be sent back in accounting."),
        opt(26, "vendor", Shape::Fields(&layout([uint("enterprise", 32).doc("Number of the vendor."), bytes("data").doc("What it holds.")])), "What a vendor defined."),
        opt(27, "session_timeout", NUMBER, "Seconds that the user may stay."),
        opt(28, "idle_timeout", NUMBER, "Seconds of silence."),
        opt(30, "called_station", TEXT, "Where the user came in."),
        opt(31, "calling_station", TEXT, "Where the user came from."),
        opt(32, "nas_identifier", TEXT, "Name of the one that asks."),
        opt(33, "proxy_state", DATA, "To be sent back to a proxy."),
        opt(40, "acct_status", NUMBER, "1 start, 2 stop, 3 interim."),
        opt(42, "acct_input_octets", NUMBER, "Octets from the user."),
        opt(43, "acct_output_octets", NUMBER, "Octets to the user."),
        opt(44, "acct_session", TEXT, "Which session."),
        opt(46, "acct_session_time", NUMBER, "Seconds of the session."),
        opt(49, "acct_terminate_cause", NUMBER, "Why it ended."),
        opt(60, "chap_challenge", DATA, "Challenge."),
        opt(61, "nas_port_type", NUMBER, "15 Ethernet, 19 wireless LAN."),
        opt(64, "tunnel_type", NUMBER, "Tag and kind of tunnel; 13 is VLAN."),
        opt(65, "tunnel_medium", NUMBER, "Tag and medium; 6 is IEEE 802."),
        opt(79, "eap", DATA, "An EAP message, or a part of it."),
        opt(80, "message_authenticator", Shape::Fields(&layout([octets("code", 16).doc("Code.")])), "Who sent the packet."),
        opt(81, "tunnel_group", TEXT, "Group of the tunnel: the VLAN."),
        opt(87, "nas_port_id", TEXT, "Name of the port."),
        opt(95, "nas_ip6", Shape::Fields(&layout([ip6("address").doc("Address.")])), "IPv6 address of the one that asks."),
    ],
    ..KIND_LENGTH
};

const TEXT: Shape = Shape::Fields(&layout([text("text").doc("Text.")]));
const DATA: Shape = Shape::Fields(&layout([bytes("data").doc("What it holds.")]));
const NUMBER: Shape = Shape::Fields(&layout([uint("value", 32).doc("Number.")]));
const ADDRESS: Shape = Shape::Fields(&layout([ip4("address").doc("Address.")]));
