//! What carriers carry (`/IP!/GRE/IP!/TCP!`, tags and labels below IP): fragments that were made
//! before they were carried, errors that quote the carrier, what tells two carriers of one kind
//! apart.

use crate::receiving::layers;
use crate::receiving::view::DecodedPacket;
use crate::stacks::open_block::{BlockLayer, OpenBlock};
use crafty_stack::ip::Datagram;
use crafty_stack::{checksum, icmp};
use crafty_wire::{FieldValue, LayerRole};

/// Whether a header on the wire is of the network that a literal one of a block names.
pub(crate) fn same_network(
    fields: &[(usize, FieldValue)],
    view: &DecodedPacket,
    at: usize,
) -> bool {
    let layer = view.layer(at);
    let tells = |index: &usize| layer.network_id == Some(layer.fields[*index].name);
    fields
        .iter()
        .filter(|(index, _)| tells(index))
        .all(|(index, value)| view.value(at, *index).as_ref() == Some(value))
}

/// The outermost IP header that is a fragment's; what an ICMP error quotes does not count.
pub(crate) fn first_fragment(view: &DecodedPacket) -> Option<usize> {
    let carried = (0..view.layers()).take_while(|at| view.layer(*at).role != LayerRole::Control);
    carried
        .filter(|at| layers::is_ip(view.layer(*at)))
        .find(|at| is_fragment(view.bytes_from(*at)))
}

fn is_fragment(datagram: &[u8]) -> bool {
    Datagram::parse(datagram).is_some_and(|d| d.piece.is_some())
}

/// The frame with a whole datagram in the place of the fragment at a layer, the lengths before it
/// being those of the whole; none if a length cannot say that much.
pub(crate) fn with_datagram(
    view: &DecodedPacket,
    at: usize,
    datagram: &[u8],
) -> Option<DecodedPacket> {
    let before = view.start_of(at)?;
    let mut octets = [view.octets.get(..before)?, datagram].concat();
    for layer in (0..at).rev() {
        let start = view.start_of(layer)?;
        stretch(view.layer(layer).name, octets.get_mut(start..)?)?;
    }
    Some(view.beginning_alike(octets))
}

/// Writes how long a carrier now is, and its checksum where it has one of its own header.
fn stretch(layer: &str, octets: &mut [u8]) -> Option<()> {
    let fixed = if layer == "IP6" { 40 } else { 0 };
    let length = u16::try_from(octets.len() - fixed.min(octets.len()))
        .ok()
        .map(u16::to_be_bytes);
    match layer {
        "IP" => {
            octets.get_mut(2..4)?.copy_from_slice(&length?);
            octets.get_mut(10..12)?.fill(0);
            let header = usize::from(octets[0] & 15) * 4;
            let sum = checksum::of(octets.get(..header)?);
            octets[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        "IP6" => octets.get_mut(4..6)?.copy_from_slice(&length?),
        "UDP" => {
            octets.get_mut(4..6)?.copy_from_slice(&length?);
            octets.get_mut(6..8)?.fill(0);
        }
        _ => {}
    }
    Some(())
}

impl OpenBlock {
    /// The error as what this block's innermost IP header would be told, if it is about a datagram
    /// of this block. Where the quote ends before that header, it is about the carrier.
    pub(crate) fn concerned(
        &self,
        view: &DecodedPacket,
        error: &icmp::IcmpError,
    ) -> Option<icmp::IcmpError> {
        if !self.is_carried() {
            return self.sent(&error.flow).then_some(*error);
        }
        let quoted = (0..view.layers()).find(|at| view.layer(*at).role == LayerRole::Control)? + 1;
        let inner = self.quoted_from(view, quoted)?;
        let Some(flow) = icmp::flow(view.bytes_from(inner)) else {
            return Some(*error);
        };
        let carrier = u32::try_from(view.start_of(inner)? - view.start_of(quoted)?).unwrap_or(0);
        let kind = match error.kind {
            icmp::IcmpErrorKind::TooBig { mtu } => icmp::IcmpErrorKind::TooBig {
                mtu: mtu.saturating_sub(carrier),
            },
            other => other,
        };
        Some(icmp::IcmpError {
            flow,
            kind,
            ..*error
        })
    }

    /// Whether there is an IP header around its innermost one.
    fn is_carried(&self) -> bool {
        self.pieces
            .iter()
            .filter(|p| {
                matches!(p, BlockLayer::Ip(_))
                    || matches!(p, BlockLayer::Literal(l, _) if layers::is_ip(l))
            })
            .count()
            > 1
    }

    /// The layer of the innermost IP header of a quoted datagram of ours, or the last one that the
    /// quote shows.
    fn quoted_from(&self, view: &DecodedPacket, quoted: usize) -> Option<usize> {
        let pieces = self.pieces.iter().skip_while(
            |p| matches!(p, BlockLayer::Literal(layer, _) if layers::link_len(layer).is_some()),
        );
        let mut inner = quoted;
        for (at, piece) in (quoted..view.layers()).zip(pieces) {
            let ours = match piece {
                BlockLayer::Literal(layer, fields) => {
                    core::ptr::eq(view.layer(at), *layer) && same_network(fields, view, at)
                }
                BlockLayer::Ip(ip) => view
                    .address(at, "src")
                    .zip(view.address(at, "dst"))
                    .is_some_and(|(from, to)| ip.fits(from, to)),
                BlockLayer::Udp(port) | BlockLayer::Tcp(port) => {
                    view.port(at, "src") == Some(port.src)
                }
            };
            // What the router cut short is bytes.
            if layers::is_bytes(view.layer(at)) {
                return (at > quoted).then_some(inner);
            }
            if !ours {
                return None;
            }
            inner = if layers::is_ip(view.layer(at)) {
                at
            } else {
                inner
            };
        }
        Some(inner)
    }
}
