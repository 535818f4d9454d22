//! Layers of a block as headers: with the values of its head, or those of the live state.

use crate::building::layer::{FrameLayer, LiveFields};
use crate::receiving::field_values;
use crate::receiving::layers;
use crate::stacks::open_block::{BlockLayer, IpSettings, PortPair};
use crate::stacks::peer::BlockPeer;
use crafty_stack::tcp::Prefill;
use crafty_wire::{FieldValue, Layer};

/// A layer of a block as it is sent.
pub(crate) fn piece_part(piece: &BlockLayer, peer: Option<&BlockPeer>) -> FrameLayer {
    let (layer, fields) = match piece {
        BlockLayer::Literal(layer, fields) => return FrameLayer::with(layer, fields.clone()),
        BlockLayer::Ip(ip) => (ip_layer(ip, peer), ip_fields(ip, peer)),
        BlockLayer::Udp(port) => (layers::layer_named("UDP"), port_fields(port, peer)),
        BlockLayer::Tcp(port) => (layers::layer_named("TCP"), port_fields(port, peer)),
    };
    let mut part = FrameLayer::of(layer);
    for (name, value) in fields {
        part.put(name, value);
    }
    if matches!(piece, BlockLayer::Ip(IpSettings { df: Some(true), .. })) {
        part.put_flags("df");
    }
    part
}

fn ip_layer(ip: &IpSettings, peer: Option<&BlockPeer>) -> &'static Layer {
    let v6 = ip
        .dst
        .or(ip.src)
        .or(peer.map(|p| p.remote))
        .is_some_and(|a| a.is_ipv6());
    layers::layer_named(if v6 { "IP6" } else { "IP" })
}

fn ip_fields(ip: &IpSettings, peer: Option<&BlockPeer>) -> LiveFields {
    let mut fields = vec![("ttl", unsigned(ip.ttl)), ("dscp", unsigned(ip.dscp))];
    if let Some(src) = ip.src.or(peer.map(|p| p.local)) {
        fields.push(("src", field_values::address_to_wire(src)));
    }
    if let Some(dst) = ip.dst.or(peer.map(|p| p.remote)) {
        fields.push(("dst", field_values::address_to_wire(dst)));
    }
    fields
}

fn unsigned(n: i64) -> FieldValue {
    FieldValue::Uint(u64::try_from(n).unwrap_or(0))
}

fn port_fields(port: &PortPair, peer: Option<&BlockPeer>) -> LiveFields {
    let mut fields = vec![("src", FieldValue::Uint(port.src.into()))];
    if let Some(dst) = port.dst.or(peer.map(|p| p.port)) {
        fields.push(("dst", FieldValue::Uint(dst.into())));
    }
    fields
}

/// What the live state of a layer gives a literal one in its place.
pub(crate) fn live_fields(
    piece: &BlockLayer,
    peer: Option<&BlockPeer>,
    prefill: Option<Prefill>,
) -> LiveFields {
    match (piece, prefill) {
        (BlockLayer::Ip(ip), _) => ip_fields(ip, peer),
        (BlockLayer::Tcp(_), Some(live)) => segment_fields(&live),
        (BlockLayer::Udp(port) | BlockLayer::Tcp(port), _) => port_fields(port, peer),
        (BlockLayer::Literal(..), _) => LiveFields::new(),
    }
}

fn segment_fields(live: &Prefill) -> LiveFields {
    let mut fields = vec![
        ("src", FieldValue::Uint(live.src.into())),
        ("dst", FieldValue::Uint(live.dst.into())),
        ("seq", FieldValue::Uint(live.seq.into())),
        ("ack", FieldValue::Uint(live.ack.into())),
        // What every segment of a connection carries once it is up (RFC 9293 §3.1).
        (
            "flags",
            FieldValue::Uint(crafty_wire::protocols::tcp::LAYER.bit("flags", "ack")),
        ),
        ("window", FieldValue::Uint(live.window.into())),
    ];
    if let Some(options) = live.ts.and_then(|(val, ecr)| timestamps(val, ecr)) {
        fields.push(("options", options));
    }
    fields
}

/// The form that RFC 7323 appendix A recommends: two `nop`s before the option.
fn timestamps(val: u32, ecr: u32) -> Option<FieldValue> {
    let nop = field_values::option_of("TCP", "nop", &[])?;
    let stamps = field_values::option_of("TCP", "ts", &[val.into(), ecr.into()])?;
    Some(FieldValue::Options(vec![nop.clone(), nop, stamps]))
}

/// Whether a literal layer is of the kind of a layer of the block.
pub(crate) fn piece_is(piece: &BlockLayer, layer: &Layer) -> bool {
    match piece {
        BlockLayer::Ip(_) => layers::is_ip(layer),
        BlockLayer::Udp(_) => layer.name == "UDP",
        BlockLayer::Tcp(_) => layer.name == "TCP",
        BlockLayer::Literal(own, _) => core::ptr::eq(*own, layer),
    }
}
