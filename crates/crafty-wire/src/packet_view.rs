//! A decoded packet, asked by what its layers are for and by the names of their fields. Everybody
//! who wants to know who speaks to whom reads it here: nothing outside the tables tests a layer's
//! name for that.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::auto::Of;
use crate::codec::{ChecksumStatus, Decoded, FoundLayer, Unverifiable};
use crate::field::{Field, FieldKind};
use crate::layer::{Layer, LayerRole};
use crate::value::FieldValue;

/// A packet and its layers.
#[derive(Clone, Copy, Debug)]
pub struct PacketView<'bytes, 'layers> {
    /// The captured bytes that were decoded.
    pub bytes: &'bytes [u8],
    /// What they were decoded to.
    pub decoded: &'layers Decoded,
}

/// Which part of a datagram a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentPosition {
    /// First byte of the datagram's payload that it carries.
    pub offset: u64,
    /// Whether more fragments follow.
    pub more: bool,
}

impl<'bytes, 'layers> PacketView<'bytes, 'layers> {
    /// A view of a packet; `decoded` must come from these bytes.
    pub fn new(bytes: &'bytes [u8], decoded: &'layers Decoded) -> PacketView<'bytes, 'layers> {
        PacketView { bytes, decoded }
    }

    /// Its layers, the outermost first.
    pub fn layers(&self) -> &'layers [FoundLayer] {
        &self.decoded.layers
    }

    /// The layer at a position.
    pub fn layer(&self, at: usize) -> Option<&'static Layer> {
        self.layers().get(at).map(|found| found.layer)
    }

    /// What the layer at a position is for.
    pub fn role(&self, at: usize) -> Option<LayerRole> {
        self.layer(at).map(|layer| layer.role)
    }

    /// Position of the first layer with this role, from a position on.
    pub fn first(&self, role: LayerRole, from: usize) -> Option<usize> {
        (from..self.layers().len()).find(|at| self.role(*at) == Some(role))
    }

    /// Position of the first layer that is this one, from a position on.
    pub fn position(&self, layer: &Layer, from: usize) -> Option<usize> {
        (from..self.layers().len()).find(|at| self.layer(*at) == Some(layer))
    }

    /// Position of the innermost network header of the packet itself: not of one that an error
    /// quotes.
    pub fn network(&self) -> Option<usize> {
        self.layers().iter().rposition(|found| {
            found.layer.role == LayerRole::Network && found.partial != Unverifiable::Quoted
        })
    }

    /// Position of the network header by which the layer at a position travels.
    pub fn network_below(&self, at: usize) -> Option<usize> {
        (0..at)
            .rev()
            .find(|at| self.role(*at) == Some(LayerRole::Network))
    }

    /// Position of what the network header at a position carries, behind extension headers and
    /// authentication; its own position where nothing follows.
    pub fn upper_layer(&self, network: usize) -> usize {
        let extension = |at: &usize| {
            matches!(
                self.role(*at),
                Some(LayerRole::Extension | LayerRole::Authentication)
            )
        };
        (network + 1..self.layers().len())
            .find(|at| !extension(at))
            .unwrap_or(network)
    }

    /// Source and destination of the network header at a position.
    pub fn addresses(&self, network: usize) -> Option<(IpAddr, IpAddr)> {
        Some((self.address(network, "src")?, self.address(network, "dst")?))
    }

    /// Source and destination port of the transport header at a position.
    pub fn ports(&self, transport: usize) -> Option<(u16, u16)> {
        let port = |name| u16::try_from(self.uint(transport, name)?).ok();
        Some((port("src")?, port("dst")?))
    }

    /// Source and destination of the transport header at a position, with the addresses of the
    /// network header below it.
    pub fn endpoints(&self, transport: usize) -> Option<(SocketAddr, SocketAddr)> {
        let (source, destination) = self.addresses(self.network_below(transport)?)?;
        let (from, to) = self.ports(transport)?;
        Some((
            SocketAddr::new(source, from),
            SocketAddr::new(destination, to),
        ))
    }

    /// Where the datagram of the network header at a position ends on the wire, in bytes after the
    /// start of the packet; that may lie behind the bytes that were captured. A length of zero
    /// (jumbograms, segmentation offload) means all there is.
    pub fn datagram_end(&self, network: usize) -> Option<usize> {
        let found = self.layers().get(network)?;
        let said = found.layer.bound.octets(found.header(self.bytes)?)?;
        let start = match found.layer.bound_of {
            _ if said == 0 => return Some(self.decoded.wire_len),
            Of::Total => found.start,
            _ => found.payload,
        };
        Some(start.saturating_add(said).min(self.decoded.wire_len))
    }

    /// Which part of its datagram the network header at a position has; none for a whole one.
    pub fn fragment(&self, network: usize) -> Option<FragmentPosition> {
        let here = |at: &usize| *at == network || self.role(*at) == Some(LayerRole::Extension);
        let own = (network..self.layers().len()).take_while(here);
        own.filter_map(|at| self.fragment_at(at))
            .find(|part| part.offset != 0 || part.more)
    }

    fn fragment_at(&self, at: usize) -> Option<FragmentPosition> {
        let found = self.layers().get(at)?;
        let (layer, header) = (found.layer, found.header(self.bytes)?);
        Some(FragmentPosition {
            offset: layer.fragment_offset.get(header)? * 8,
            more: layer.fragment_more.get(header)? & layer.more_mask != 0,
        })
    }

    /// A field by its name, with its position in the table.
    pub fn field(&self, at: usize, name: &str) -> Option<(usize, &'static Field)> {
        self.layer(at)?.field(name)
    }

    /// The value of a field.
    pub fn value(&self, at: usize, name: &str) -> Option<FieldValue> {
        self.decoded.read(self.bytes, at, self.field(at, name)?.0)
    }

    /// A field that is a number of at most 64 bits.
    pub fn uint(&self, at: usize, name: &str) -> Option<u64> {
        self.decoded
            .read_uint(self.bytes, at, self.field(at, name)?.0)
    }

    /// Whether a field has the number that this name stands for, or the bit called so.
    pub fn has(&self, at: usize, field: &str, name: &str) -> bool {
        let Some((number, (_, row))) = self.uint(at, field).zip(self.field(at, field)) else {
            return false;
        };
        row.named(name).is_some_and(|named| match row.kind {
            FieldKind::Flags(_) => number & named != 0,
            _ => number == named,
        })
    }

    /// A field that is an address of either family.
    pub fn address(&self, at: usize, name: &str) -> Option<IpAddr> {
        match self.value(at, name)? {
            FieldValue::Uint(four) => Some(Ipv4Addr::from_bits(u32::try_from(four).ok()?).into()),
            FieldValue::Wide(six) => Some(Ipv6Addr::from_bits(six).into()),
            _ => None,
        }
    }

    /// The bytes of a field as they lie in the packet, with the place of the first.
    pub fn span(&self, at: usize, name: &str) -> Option<(usize, &'bytes [u8])> {
        let bytes = self
            .decoded
            .read_bytes(self.bytes, at, self.field(at, name)?.0)?;
        Some((bytes.as_ptr().addr() - self.bytes.as_ptr().addr(), bytes))
    }

    /// What the layer at a position carries, as far as it is there.
    pub fn payload(&self, at: usize) -> &'bytes [u8] {
        self.layers()
            .get(at)
            .and_then(|found| found.carried(self.bytes))
            .unwrap_or_default()
    }

    /// What can be said of the checksum of the layer at a position.
    pub fn checksum(&self, at: usize) -> Option<ChecksumStatus> {
        let (index, _) = self.field(at, "checksum")?;
        Some(self.decoded.checksum(self.bytes, at, index))
    }
}
