//! The first packets of QUIC's connections. Those of a server are encrypted with an identifier that
//! the client chose for its very first one (RFC 9001 §5.2): who saw that opens both. All later
//! packets stay closed.

use crate::handshakes::CryptoJoiner;
use crate::messages::StreamMessage;
use crafty_wire::protocols::{quic, udp};
use crafty_wire::{Decoded, OpenedInitial, PacketView, QuicEnd};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Connections that are remembered at a time; the one that began first goes.
pub const MAX_CONNECTIONS: usize = 1024;

/// Opens the first packets of a capture, packet by packet.
#[derive(Clone, Debug, Default)]
pub struct InitialOpener {
    connections: BTreeMap<InitialEndpoints, QuicConnection>,
    /// By when they began.
    order: BTreeMap<u64, InitialEndpoints>,
    serial: u64,
}

/// Both ends, the lower first.
type InitialEndpoints = [SocketAddr; 2];

#[derive(Clone, Debug)]
struct QuicConnection {
    serial: u64,
    client: SocketAddr,
    /// The identifier that its keys follow from.
    origin: Vec<u8>,
    /// What the client says, and the server.
    said: [CryptoJoiner; 2],
}

/// What a datagram holds of openings of connections, beside what its layers show by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuicHandshake {
    /// Packets that the identifier of another one opens.
    pub initials: Vec<InitialPacket>,
    /// Messages of the handshake that it completes.
    pub messages: Vec<StreamMessage>,
}

/// A packet that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialPacket {
    /// Position of its layer.
    pub layer: usize,
    /// Who sent it.
    pub from: QuicEnd,
    /// What was in it.
    pub opened: OpenedInitial,
}

impl InitialOpener {
    /// One that has seen nothing.
    pub fn new() -> InitialOpener {
        InitialOpener::default()
    }

    /// Connections that are remembered now.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Takes a packet; tells what is opened in it, if anything is.
    pub fn packet(
        &mut self,
        index: u64,
        octets: &[u8],
        decoded: &Decoded,
    ) -> Option<QuicHandshake> {
        let first = decoded
            .layers
            .iter()
            .position(|found| *found.layer == quic::LAYER)?;
        let ends = endpoints(PacketView::new(octets, decoded), first)?;
        let mut greeting = QuicHandshake::default();
        let packets = decoded
            .layers
            .iter()
            .enumerate()
            .skip(first)
            .take_while(|(_, found)| *found.layer == quic::LAYER);
        for (layer, packet) in
            packets.filter_map(|(layer, found)| Some((layer, found.header(octets)?)))
        {
            self.initial(index, ends, (layer, packet), &mut greeting);
        }
        Some(greeting).filter(|greeting| *greeting != QuicHandshake::default())
    }

    fn initial(
        &mut self,
        index: u64,
        (source, destination): (SocketAddr, SocketAddr),
        (layer, packet): (usize, &[u8]),
        greeting: &mut QuicHandshake,
    ) {
        let key = if source <= destination {
            [source, destination]
        } else {
            [destination, source]
        };
        let own = quic::destination(packet)
            .and_then(|origin| Some((origin, quic::open(packet, origin, QuicEnd::Client)?)));
        if let Some((origin, _)) = &own {
            self.begin(key, source, origin);
        }
        let Some(connection) = self.connections.get_mut(&key) else {
            return;
        };
        let from = if connection.client == source {
            QuicEnd::Client
        } else {
            QuicEnd::Server
        };
        let shows_itself = own.is_some();
        let opened = own
            .map(|(_, opened)| opened)
            .or_else(|| quic::open(packet, &connection.origin, from));
        let Some(opened) = opened else { return };
        let said = &mut connection.said[usize::from(from == QuicEnd::Server)];
        let alone = shows_itself && said.aligned();
        let messages: Vec<StreamMessage> = opened
            .handshake()
            .flat_map(|(at, piece)| said.take(at, piece, index))
            .collect();
        if !alone {
            greeting.messages.extend(messages);
        }
        if !shows_itself {
            greeting.initials.push(InitialPacket {
                layer,
                from,
                opened,
            });
        }
    }

    /// A client's packet opens by its own identifier: it is the very first one, that again, or the
    /// first after a retry, whose keys are new (RFC 9001 §5.2).
    fn begin(&mut self, key: InitialEndpoints, client: SocketAddr, origin: &[u8]) {
        if self
            .connections
            .get(&key)
            .is_some_and(|known| known.client == client && known.origin == origin)
        {
            return;
        }
        self.serial += 1;
        let connection = QuicConnection {
            serial: self.serial,
            client,
            origin: origin.to_vec(),
            said: [CryptoJoiner::new(), CryptoJoiner::new()],
        };
        if let Some(before) = self.connections.insert(key, connection) {
            self.order.remove(&before.serial);
        }
        self.order.insert(self.serial, key);
        if self.connections.len() > MAX_CONNECTIONS {
            let oldest = self.order.pop_first();
            oldest.and_then(|(_, key)| self.connections.remove(&key));
        }
    }
}

/// Source and destination of the datagram that the layer is in.
fn endpoints(view: PacketView<'_, '_>, layer: usize) -> Option<(SocketAddr, SocketAddr)> {
    let below = layer
        .checked_sub(1)
        .filter(|below| view.layer(*below) == Some(&udp::LAYER))?;
    view.endpoints(below)
}
