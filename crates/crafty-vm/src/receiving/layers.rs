//! What the tables say of a layer: whether it is a link, IP, an extension header.

use crafty_lang::ir::DrivenKind;
use crafty_wire::{Field, Layer, LayerRole};

/// Whether it is a link layer, which a pattern skips unless it names it.
pub(crate) fn is_link(layer: &Layer) -> bool {
    layer.role == LayerRole::Link
}

/// Whether it is an extension header of IPv6, which a pattern skips likewise.
pub(crate) fn is_extension(layer: &Layer) -> bool {
    layer.role == LayerRole::Extension
}

/// Whether it is IP of either family.
pub(crate) fn is_ip(layer: &Layer) -> bool {
    layer.role == LayerRole::Network
}

/// Whether it is `Bytes`.
pub(crate) fn is_bytes(layer: &Layer) -> bool {
    layer.role == LayerRole::Data
}

/// Whether a driven layer of this kind is it on the wire.
pub(crate) fn is_driven(layer: &Layer, kind: DrivenKind) -> bool {
    match kind {
        DrivenKind::Ip => is_ip(layer),
        other => layer.name == other.name(),
    }
}

/// `Bytes`.
pub(crate) fn bytes_layer() -> &'static Layer {
    layer_named("Bytes")
}

/// A layer that the tables always have.
pub(crate) fn layer_named(name: &str) -> &'static Layer {
    crafty_wire::layer(name).unwrap_or(crafty_wire::all()[0])
}

/// Bytes of a header that is before the network layer: of a link, or of a label between it and IP.
pub(crate) fn link_len(layer: &Layer) -> Option<usize> {
    (is_link(layer) || layer.name == "MPLS").then_some(layer.fixed_len)
}

/// The bit of a flag.
pub(crate) fn flag_bit(field: &Field, flag: &str) -> Option<u64> {
    field.named(flag)
}
