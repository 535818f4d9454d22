//! Which traffic is an open block's own, and what the block says of itself.

use crate::receiving::layers;
use crate::receiving::view::DecodedPacket;
use crate::stacks::open_block::{BlockLayer, IpSettings, OpenBlock, PortPair};
use crate::stacks::peer::BlockPeer;
use crate::stacks::receive_buffer::MAX_UNTAKEN;
use crate::stacks::tunnels::same_network;
use core::net::{IpAddr, SocketAddr};
use crafty_lang::driven::LayerCounter;
use crafty_lang::ir::DrivenKind;
use crafty_stack::icmp;
use crafty_value::Value;

/// Smallest path MTU that a router may bring us down to, by family (RFC 791, RFC 8200 §5).
const MIN_MTU: (usize, usize) = (576, 1280);

/// Bytes of streams that the connections of a block may keep together.
const KEPT_FOR_ALL: usize = 64 << 20;

/// A datagram that belongs to a block.
#[derive(Debug)]
pub(crate) struct Claim {
    /// Whose it is.
    pub peer: BlockPeer,
    /// The layer of its innermost IP.
    pub inner: usize,
    /// Whether it is a TCP segment whose checksum does not hold.
    pub spoilt: bool,
}

impl IpSettings {
    /// Whether these ends are its own.
    pub(crate) fn fits(&self, local: IpAddr, remote: IpAddr) -> bool {
        self.src.is_none_or(|a| a == local) && self.dst.is_none_or(|a| a == remote)
    }
}

impl PortPair {
    fn fits(&self, local: u16, remote: u16) -> bool {
        self.src == local && self.dst.is_none_or(|p| p == remote)
    }
}

impl OpenBlock {
    /// Whether peers come and go: no address, or no port of the other side is given.
    pub fn serves(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            BlockLayer::Ip(ip) => ip.dst.is_none(),
            BlockLayer::Udp(port) | BlockLayer::Tcp(port) => port.dst.is_none(),
            BlockLayer::Literal(..) => false,
        })
    }

    /// Bytes that each connection may keep for the program: many share what one alone has.
    pub fn room(&self) -> usize {
        (KEPT_FOR_ALL / self.peers.room().max(1)).min(MAX_UNTAKEN)
    }

    /// The outermost driven IP.
    pub fn outermost(&self) -> Option<&IpSettings> {
        self.pieces.iter().find_map(|p| {
            if let BlockLayer::Ip(ip) = p {
                Some(ip)
            } else {
                None
            }
        })
    }

    /// The innermost driven IP.
    pub fn innermost(&self) -> Option<&IpSettings> {
        self.pieces.iter().rev().find_map(|p| {
            if let BlockLayer::Ip(ip) = p {
                Some(ip)
            } else {
                None
            }
        })
    }

    /// The port of its driven transport.
    pub fn port(&self) -> Option<PortPair> {
        self.pieces.iter().rev().find_map(|p| match p {
            BlockLayer::Udp(port) | BlockLayer::Tcp(port) => Some(*port),
            _ => None,
        })
    }

    /// What its last layer is.
    pub fn last_kind(&self) -> DrivenKind {
        match self.pieces.last() {
            Some(BlockLayer::Tcp(_)) => DrivenKind::Tcp,
            Some(BlockLayer::Udp(_)) => DrivenKind::Udp,
            _ => DrivenKind::Ip,
        }
    }

    /// Whether a datagram is this block's traffic, and whose. A spoilt TCP segment is claimed too,
    /// so that its connection counts it; a spoilt UDP datagram is nobody's.
    pub(crate) fn claims(&mut self, view: &DecodedPacket, checksum_ready: bool) -> Option<Claim> {
        let literal_link = matches!(self.pieces.first(), Some(BlockLayer::Literal(layer, _)) if layers::is_link(layer));
        let mut at = if literal_link {
            0
        } else {
            view.first_network()
        };
        let mut peer = BlockPeer {
            stack: self.id,
            local: IpAddr::from([0; 4]),
            remote: IpAddr::from([0; 4]),
            port: 0,
            connection: None,
        };
        let mut inner = at;
        for piece in &self.pieces {
            let next = self.fits(piece, view, at, &mut peer, checksum_ready)?;
            inner = if matches!(piece, BlockLayer::Ip(_)) {
                next - 1
            } else {
                inner
            };
            at = next;
        }
        let spoilt = self.last_kind() == DrivenKind::Tcp && view.is_corrupt(at - 1, checksum_ready);
        // What is spoilt brings no new peer.
        let known =
            spoilt || !self.serves() || self.peers.admit(SocketAddr::new(peer.remote, peer.port));
        known.then_some(Claim {
            peer,
            inner,
            spoilt,
        })
    }

    fn fits(
        &self,
        piece: &BlockLayer,
        view: &DecodedPacket,
        at: usize,
        peer: &mut BlockPeer,
        checksum_ready: bool,
    ) -> Option<usize> {
        match piece {
            BlockLayer::Literal(layer, fields) => {
                let same = at < view.layers()
                    && core::ptr::eq(view.layer(at), *layer)
                    && same_network(fields, view, at);
                same.then_some(at + 1)
            }
            BlockLayer::Ip(ip) => {
                (peer.local, peer.remote) = (view.address(at, "dst")?, view.address(at, "src")?);
                ip.fits(peer.local, peer.remote).then_some(at + 1)
            }
            BlockLayer::Udp(port) | BlockLayer::Tcp(port) => {
                let at = view.after_extensions(at);
                let kind = if matches!(piece, BlockLayer::Udp(_)) {
                    DrivenKind::Udp
                } else {
                    DrivenKind::Tcp
                };
                let right = at < view.layers()
                    && layers::is_driven(view.layer(at), kind)
                    && (kind == DrivenKind::Tcp || !view.is_corrupt(at, checksum_ready));
                peer.port = view.port(at, "src").filter(|_| right)?;
                port.fits(view.port(at, "dst")?, peer.port)
                    .then_some(at + 1)
            }
        }
    }

    /// Whether a quoted packet is one of ours.
    pub(crate) fn sent(&self, flow: &icmp::QuotedDatagram) -> bool {
        let addresses = self
            .outermost()
            .is_some_and(|ip| ip.fits(flow.source, flow.destination));
        let ports = match (self.port(), flow.ports) {
            (Some(port), Some((src, dst))) => port.fits(src, dst),
            (Some(_), None) => false,
            (None, _) => true,
        };
        addresses && ports
    }

    pub(crate) fn lower_mtu(&mut self, mtu: usize, v4: bool) {
        let floor = if v4 { MIN_MTU.0 } else { MIN_MTU.1 };
        if mtu != 0 {
            self.path_mtu = self.path_mtu.min(mtu.max(floor));
        }
    }

    pub(crate) fn count_in(&mut self, view: &DecodedPacket, reassembled: bool) {
        self.counts.packets_in += 1;
        self.counts.reassembled += i64::from(reassembled);
        self.counts.bytes_in += view.transport_payload();
    }

    pub(crate) fn counter(
        &self,
        counter: &LayerCounter,
        peer: Option<&BlockPeer>,
    ) -> Option<Value> {
        let counts = &self.counts;
        let number = match counter.name {
            "src" | "dst" => return self.end(counter, peer),
            "mtu" => i64::try_from(self.path_mtu).unwrap_or(i64::MAX),
            "packets_in" => counts.packets_in,
            "packets_out" => counts.packets_out,
            "bytes_in" => counts.bytes_in,
            "bytes_out" => counts.bytes_out,
            "fragments_in" => counts.fragments_in,
            "reassembled" => counts.reassembled,
            "icmp_errors" => counts.icmp_errors,
            _ => return None,
        };
        Some(Value::Int(number))
    }

    /// Addresses and ports: the peer's where one is meant.
    fn end(&self, counter: &LayerCounter, peer: Option<&BlockPeer>) -> Option<Value> {
        let port = || self.port();
        match (counter.of, counter.name) {
            (DrivenKind::Ip, "src") => self
                .innermost()?
                .src
                .or(peer.map(|p| p.local))
                .map(Value::Ip),
            (DrivenKind::Ip, _) => self
                .innermost()?
                .dst
                .or(peer.map(|p| p.remote))
                .map(Value::Ip),
            (_, "src") => Some(Value::Int(port()?.src.into())),
            (_, _) => port()?
                .dst
                .or(peer.map(|p| p.port))
                .map(|p| Value::Int(p.into())),
        }
    }
}
