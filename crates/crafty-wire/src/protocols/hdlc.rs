//! HDLC-like framing of PPP: address and control before it.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "HDLC",
    title: "PPP in HDLC-like framing",
    spec: "RFC 1662",
    about: "Address and control fields with fixed values before a PPP packet.",
    example: "/IP(dst=192.0.2.1)/UDP(src=1701)/L2TP(tunnel=1, session=2)/HDLC/PPP/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        uint("address", 8).default(0xff).doc("All stations."),
        uint("control", 8).default(3).doc("Unnumbered information."),
    ]),
    next: NextLayer::Always(&super::ppp::LAYER),
    accepts: Some(|octets| octets.starts_with(&[0xff, 3])),
    link_types: &[50],
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();
