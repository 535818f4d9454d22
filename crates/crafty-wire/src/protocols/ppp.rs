//! Point-to-Point Protocol, without the bytes that HDLC puts before it.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "PPP",
    title: "Point-to-Point Protocol",
    spec: "RFC 1661",
    about: "Names what a link between two devices carries. A protocol number of one byte (compressed) stays bytes.",
    example: "/Eth/PPPoE(session=7)/PPP/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([named("proto", 16, PROTOCOLS_OF_PPP).computed(Auto::NextLayer(0xc021)).doc("What is carried.")]),
    next: NextLayer::Field("proto"),
    accepts: Some(|octets| octets.first().is_some_and(|octet| octet % 2 == 0)),
    link_types: &[9],
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();

const PROTOCOLS_OF_PPP: NameTable = &[
    (0x0021, "ip"),
    (0x0057, "ip6"),
    (0x00fd, "compressed"),
    (0x0281, "mpls"),
    (0x8021, "ipcp"),
    (0x8057, "ip6cp"),
    (0x80fd, "ccp"),
    (0xc021, "lcp"),
    (0xc023, "pap"),
    (0xc025, "lqr"),
    (0xc223, "chap"),
    (0xc227, "eap"),
];
