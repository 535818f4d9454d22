//! Bytes that no layer explains.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "Bytes",
    title: "Bytes",
    spec: "this manual",
    about: "Raw bytes: data, or anything that no other layer describes.",
    example: "/IP(dst=192.0.2.1)/UDP(dst=7)/Bytes(\"hello\")",
    fields: &layout([bytes("data").doc("The bytes.")]),
    role: LayerRole::Data,
    ..Layer::BLANK
}
.seal();
