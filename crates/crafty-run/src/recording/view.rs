//! A recorded packet with its layers, asked for by name.

use crafty_wire::{ChecksumStatus, Decoded, PacketView};
use std::net::IpAddr;

/// A decoded packet.
#[derive(Clone, Debug)]
pub struct RecordedPacketView<'a> {
    /// The packet.
    pub octets: &'a [u8],
    /// Its layers.
    pub decoded: Decoded,
}

impl<'a> RecordedPacketView<'a> {
    /// The packet as everybody reads it.
    pub fn packet(&self) -> PacketView<'a, '_> {
        PacketView::new(self.octets, &self.decoded)
    }

    /// Name of the layer at a position; empty after the last.
    pub fn name(&self, layer: usize) -> &'static str {
        self.packet().layer(layer).map_or("", |layer| layer.name)
    }

    /// Position of the first of these layers, from a position on.
    pub fn position(&self, names: &[&str], from: usize) -> Option<usize> {
        (from..self.decoded.layers.len()).find(|at| names.contains(&self.name(*at)))
    }

    /// A field that is a number.
    pub fn number(&self, layer: usize, field: &str) -> Option<u64> {
        self.packet().uint(layer, field)
    }

    /// Whether a field has this name's number, or this name's bit.
    pub fn has(&self, layer: usize, field: &str, name: &str) -> bool {
        self.packet().has(layer, field, name)
    }

    /// A field that is an address.
    pub fn address(&self, layer: usize, field: &str) -> Option<IpAddr> {
        self.packet().address(layer, field)
    }

    /// What a layer carries, as far as it is there.
    pub fn carried(&self, layer: usize) -> &'a [u8] {
        self.packet().payload(layer)
    }

    /// Bytes of a layer's field as they lie in the packet, with the place of the first.
    pub fn span(&self, layer: usize, field: &str) -> Option<(usize, &'a [u8])> {
        self.packet().span(layer, field)
    }

    /// What can be said of a layer's checksum.
    pub fn checksum(&self, layer: usize) -> Option<ChecksumStatus> {
        self.packet().checksum(layer)
    }
}
