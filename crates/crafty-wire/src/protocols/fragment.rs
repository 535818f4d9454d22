//! Fragment header of IPv6.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "Fragment",
    title: "IPv6 fragment header",
    spec: "RFC 8200 section 4.5",
    about: "Marks the packet as a fragment of a larger one.",
    example: "/IP6(dst=2001:db8::1)/Fragment(frag=0, more=1, id=7)/UDP(dst=53)",
    fields: &layout([
        named("next", 8, PROTOCOLS)
            .computed(Auto::NextLayer(59))
            .doc("What the whole packet carries."),
        uint("reserved", 8).doc("Reserved."),
        uint("frag", 13).doc("Offset, in units of eight bytes."),
        uint("reserved2", 2).doc("Reserved."),
        uint("more", 1).doc("More fragments follow."),
        uint("id", 32)
            .modular()
            .doc("Identifies the fragments of one packet."),
    ]),
    under: &[under("IP6", "next", 44)],
    like: Some("IP6"),
    next: NextLayer::Field("next"),
    fragment: FragmentFields::By {
        offset: "frag",
        more: "more",
        bit: "",
    },
    role: LayerRole::Extension,
    ..Layer::BLANK
}
.seal();
