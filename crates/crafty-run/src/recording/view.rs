//! A packet and its layers, asked for by name.

use crafty_wire::{ChecksumStatus, Decoded, FieldValue, Kind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A decoded packet.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The packet.
    pub octets: &'a [u8],
    /// Its layers.
    pub decoded: Decoded,
}

impl<'a> View<'a> {
    /// Name of the layer at a position; empty behind the last.
    pub fn name(&self, layer: usize) -> &'static str {
        self.decoded
            .layers
            .get(layer)
            .map_or("", |found| found.layer.name)
    }

    /// Position of the first of these layers, from a position on.
    pub fn position(&self, names: &[&str], from: usize) -> Option<usize> {
        (from..self.decoded.layers.len()).find(|at| names.contains(&self.name(*at)))
    }

    fn index(&self, layer: usize, field: &str) -> Option<usize> {
        self.decoded
            .layers
            .get(layer)?
            .layer
            .field(field)
            .map(|(index, _)| index)
    }

    /// A field that is a number.
    pub fn number(&self, layer: usize, field: &str) -> Option<u64> {
        self.decoded
            .read_uint(self.octets, layer, self.index(layer, field)?)
    }

    /// Whether a field has this name's number, or this name's bit.
    pub fn has(&self, layer: usize, field: &str, name: &str) -> bool {
        let row = self
            .decoded
            .layers
            .get(layer)
            .and_then(|found| found.layer.field(field));
        let wanted = row.and_then(|(_, row)| {
            row.named(name)
                .map(|n| (n, matches!(row.kind, Kind::Flags(_))))
        });
        match (self.number(layer, field), wanted) {
            (Some(n), Some((bit, true))) => n & bit != 0,
            (Some(n), Some((value, false))) => n == value,
            _ => false,
        }
    }

    /// A field that is an address.
    pub fn address(&self, layer: usize, field: &str) -> Option<IpAddr> {
        match self
            .decoded
            .read(self.octets, layer, self.index(layer, field)?)?
        {
            FieldValue::Uint(n) => Some(Ipv4Addr::from_bits(u32::try_from(n).ok()?).into()),
            FieldValue::Wide(n) => Some(Ipv6Addr::from_bits(n).into()),
            _ => None,
        }
    }

    /// What a layer carries, as far as it is there.
    pub fn carried(&self, layer: usize) -> &'a [u8] {
        self.decoded
            .layers
            .get(layer)
            .and_then(|found| found.carried(self.octets))
            .unwrap_or_default()
    }

    /// Bytes of a layer's field as they lie in the packet, with the place of the first.
    pub fn span(&self, layer: usize, field: &str) -> Option<(usize, &'a [u8])> {
        let octets = self
            .decoded
            .read_bytes(self.octets, layer, self.index(layer, field)?)?;
        Some((
            octets.as_ptr() as usize - self.octets.as_ptr() as usize,
            octets,
        ))
    }

    /// What can be said of a layer's checksum.
    pub fn checksum(&self, layer: usize) -> Option<ChecksumStatus> {
        Some(
            self.decoded
                .checksum(self.octets, layer, self.index(layer, "checksum")?),
        )
    }
}
