//! The byte that keeps a NAT mapping open between two ends of IPsec in UDP.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "NATKeepalive",
    title: "NAT keep-alive of IPsec in UDP",
    spec: "RFC 3948 section 2.3",
    about: "One byte that keeps the mapping of a NAT open. The receiver ignores it.",
    example: "/IP(dst=192.0.2.1)/UDP(src=4500, dst=4500)/NATKeepalive",
    fields: &layout([uint("byte", 8).default(0xff).doc("Always 0xff.")]),
    accepts: Some(|octets| octets == [0xff]),
    ..Layer::BLANK
}
.seal();
