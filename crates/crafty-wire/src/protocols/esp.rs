//! IP Encapsulating Security Payload: the part that is not encrypted.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ESP",
    title: "IP Encapsulating Security Payload",
    spec: "RFC 4303, RFC 3948",
    about: "Carries encrypted data, in IP or in UDP. The rest stays bytes.",
    example: "/IP(dst=192.0.2.1)/ESP(spi=0x100, seq=1)/Bytes(#00)",
    fields: &layout([
        uint("spi", 32)
            .default(0x100)
            .doc("Security association; 0 is none."),
        uint("seq", 32).modular().doc("Number of the packet."),
    ]),
    under: &[under("IP", "proto", 50), under("UDP", "dst", 4500)],
    accepts: Some(|octets| octets != [0xff] && (octets.len() < 8 || octets[..4] != [0; 4])),
    otherwise: Some(&super::nat_keepalive::LAYER),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();
