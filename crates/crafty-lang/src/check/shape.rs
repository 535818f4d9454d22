//! What may be read of a packet: the layers that its pattern names, or that its send wrote or
//! filled in.

use crate::ir::DrivenKind;
use crafty_wire::Layer;

/// The layers of a packet as far as the text tells.
#[derive(Clone)]
pub(super) struct PacketShape {
    /// Outermost first; link layers that nobody wrote are left out.
    pub layers: Vec<SeenLayer>,
    /// The pattern has a `*`: any layer may be there.
    pub any: bool,
    /// Stream data: no field of a single segment.
    pub stream: bool,
    pub origin: PacketOrigin,
}

/// Where a packet comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PacketOrigin {
    Sent,
    Matched,
}

/// A layer of a packet.
#[derive(Clone, Copy)]
pub(super) enum SeenLayer {
    /// As on the wire.
    Wire(&'static Layer),
    /// Of a driven stack; `IP` may be of either family unless its addresses tell.
    Driven(DrivenKind, Option<Family>),
}

/// Families of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    V4,
    V6,
}

impl Family {
    pub fn is_v4(self) -> bool {
        self == Family::V4
    }

    pub fn of(address: std::net::IpAddr) -> Family {
        if address.is_ipv4() {
            Family::V4
        } else {
            Family::V6
        }
    }
}

impl SeenLayer {
    /// Whether a program that writes `name` means this layer.
    pub fn answers(self, name: &str) -> bool {
        match self {
            SeenLayer::Wire(layer) => layer.name == name,
            SeenLayer::Driven(DrivenKind::Ip, family) => {
                name == "IP" || name == "IP6" && family == Some(Family::V6)
            }
            SeenLayer::Driven(kind, _) => kind.name() == name,
        }
    }

    fn same(self, other: SeenLayer) -> bool {
        match (self, other) {
            (SeenLayer::Wire(a), SeenLayer::Wire(b)) => a.name == b.name,
            (SeenLayer::Driven(a, f), SeenLayer::Driven(b, g)) => a == b && f == g,
            _ => false,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            SeenLayer::Wire(layer) => layer.name,
            SeenLayer::Driven(kind, _) => kind.name(),
        }
    }
}

impl PacketShape {
    /// The layer that `[name, nth]` means, if the text tells.
    pub fn find(&self, name: &str, nth: i64) -> Option<SeenLayer> {
        let mut found = self
            .layers
            .iter()
            .copied()
            .filter(|seen| seen.answers(name));
        match usize::try_from(nth) {
            Ok(n) => found.nth(n),
            Err(_) => found.rev().nth(usize::try_from(-(nth + 1)).ok()?),
        }
    }

    /// Whether the same may be read of both.
    pub fn same(&self, other: &PacketShape) -> bool {
        let alike = self.layers.len() == other.layers.len()
            && self
                .layers
                .iter()
                .zip(&other.layers)
                .all(|(a, b)| a.same(*b));
        alike && self.any == other.any && self.stream == other.stream && self.origin == other.origin
    }

    /// As a pattern would write it.
    pub fn shown(&self) -> String {
        self.layers
            .iter()
            .map(|seen| format!("/{}", seen.name()))
            .collect()
    }
}
