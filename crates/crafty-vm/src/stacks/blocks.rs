//! The driven blocks that are open: their peers, what they take of what is received, what
//! they count.

use crate::receiving::admitted::{BlockDelivery, DeliveredContent, FrameMetadata, StreamView};
use crate::receiving::pattern::StreamBytes;
use crate::receiving::view::DecodedPacket;
use crate::stacks::error::BlockError;
use crate::stacks::open_block::CloseBy;
use crate::stacks::open_block::OpenBlock;
use crate::stacks::peer::BlockPeer;
use crate::stacks::peer::ConnectionId;
use crate::stacks::tcp::Connections;
use crate::stacks::tunnels;
use core::net::{IpAddr, SocketAddr};
use crafty_apps::tls;
use crafty_lang::driven::LayerCounter;
use crafty_lang::ir::{DrivenKind, StackId};
use crafty_stack::icmp;
use crafty_stack::ip::{Datagram, Reassembler};
use crafty_stack::tcp::SendError;
use crafty_value::{Time, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All open blocks.
#[derive(Debug, Default)]
pub(crate) struct OpenBlocks {
    open: BTreeMap<StackId, OpenBlock>,
    pub connections: Connections,
    reassembler: Reassembler,
    /// Secrets of sessions that are over.
    pub secrets: String,
    /// What may be taken up again, once there was TLS.
    pub sessions: Option<tls::SessionCache>,
    opened: u64,
    /// Whether path MTUs stay what they are: routers choose them.
    fixed_mtu: bool,
}

/// What the stacks made of a frame.
#[derive(Debug, Default)]
pub(crate) struct StackResult {
    pub datagram: Option<Arc<DecodedPacket>>,
    pub delivered: Vec<BlockDelivery>,
    /// Whether a stack above IP takes it for its own, or it waits for the rest of its datagram.
    pub claimed: bool,
}

impl OpenBlocks {
    /// No blocks; under `exfiltration: none` what a router says of the path changes no frame.
    pub fn with_fixed_mtu(fixed_mtu: bool) -> OpenBlocks {
        OpenBlocks {
            fixed_mtu,
            ..OpenBlocks::default()
        }
    }

    /// An open block.
    pub fn get(&self, id: StackId) -> Option<&OpenBlock> {
        self.open.get(&id)
    }

    /// An open block.
    pub fn get_mut(&mut self, id: StackId) -> Option<&mut OpenBlock> {
        self.open.get_mut(&id)
    }

    /// Which opening an open block is.
    pub fn generation(&self, id: StackId) -> Option<u64> {
        self.open.get(&id).map(|o| o.generation)
    }

    /// A block is opened.
    pub fn insert(&mut self, mut open: OpenBlock) {
        self.opened += 1;
        open.generation = self.opened;
        self.open.insert(open.id, open);
    }

    /// A block is closed.
    pub fn remove(&mut self, id: StackId) {
        let session = self.open.remove(&id).and_then(|open| open.session);
        self.secrets
            .extend(session.map(|mut session| session.secrets()));
    }

    /// All open blocks.
    pub fn all(&self) -> impl Iterator<Item = &OpenBlock> {
        self.open.values()
    }

    /// All open blocks.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut OpenBlock> {
        self.open.values_mut()
    }

    /// Whether peers come and go.
    pub fn serves(&self, id: StackId) -> bool {
        self.open.get(&id).is_some_and(OpenBlock::serves)
    }

    /// Takes a frame: puts fragments together, counts, hands data to the blocks whose traffic it
    /// is.
    pub fn take(
        &mut self,
        now: Time,
        frame: &Arc<DecodedPacket>,
        about: &FrameMetadata,
    ) -> StackResult {
        let mut taken = StackResult::default();
        let mut view = Arc::clone(frame);
        while let Some(at) = tunnels::first_fragment(&view) {
            let Some(whole) = self.put_together(now, &view, at) else {
                taken.claimed = !self.open.is_empty();
                return taken;
            };
            view = Arc::new(whole);
            taken.datagram = Some(Arc::clone(&view));
        }
        let Some(octets) = view.network_bytes() else {
            return taken;
        };
        if let Some(error) = icmp::parse(octets) {
            self.take_error(now, &view, &error);
        }
        for open in self.open.values_mut() {
            let Some(claim) = open.claims(&view, about.checksum_ready) else {
                continue;
            };
            taken.claimed |= open.last_kind() != DrivenKind::Ip;
            let (peer, datagram) = (claim.peer, view.bytes_from(claim.inner));
            if claim.spoilt {
                self.connections.take_spoilt(now, open.id, datagram);
                continue;
            }
            open.count_in(&view, taken.datagram.is_some());
            match open.last_kind() {
                DrivenKind::Tcp => {
                    self.connections
                        .take(now, open, &peer, datagram, about, &mut taken.delivered)
                }
                _ => {
                    open.handle_answer(now, &view);
                    taken.delivered.push(BlockDelivery {
                        stack: open.id,
                        peer,
                        what: DeliveredContent::Datagram,
                    });
                }
            }
        }
        self.connections
            .take_orphan(now, &view, about.checksum_ready);
        taken
    }

    /// Takes the fragment at a layer; gives the frame with the whole datagram once it is the last
    /// missing one.
    fn put_together(
        &mut self,
        now: Time,
        view: &DecodedPacket,
        at: usize,
    ) -> Option<DecodedPacket> {
        let octets = view.bytes_from(at);
        let parsed = Datagram::parse(octets)?;
        self.count_fragment(parsed.source, parsed.destination);
        let whole = self.reassembler.handle_fragment(now, octets)?;
        tunnels::with_datagram(view, at, &whole.octets)
    }

    fn count_fragment(&mut self, source: IpAddr, destination: IpAddr) {
        for open in self.open.values_mut() {
            if open
                .outermost()
                .is_some_and(|ip| ip.fits(destination, source))
            {
                open.counts.fragments_in += 1;
            }
        }
    }

    /// ICMP errors are counted, lower the path MTU, and end an opening; they end nothing else.
    fn take_error(&mut self, now: Time, view: &DecodedPacket, error: &icmp::IcmpError) {
        for open in self.open.values_mut() {
            let Some(inner) = open.concerned(view, error) else {
                continue;
            };
            open.counts.icmp_errors += 1;
            if let icmp::IcmpErrorKind::TooBig { mtu } = error.kind
                && !self.fixed_mtu
            {
                open.lower_mtu(mtu as usize, error.flow.destination.is_ipv4());
            }
            self.connections.take_error(now, open, &inner);
            open.refuse_question(&inner);
        }
    }

    /// What a counter says; none if it depends on a peer and there is none.
    pub fn counter(
        &self,
        id: StackId,
        counter: &LayerCounter,
        peer: Option<&BlockPeer>,
    ) -> Option<Value> {
        let open = self.open.get(&id)?;
        if counter.of.is_session() {
            return open.session_counter(counter);
        }
        if counter.of == DrivenKind::Tcp && !matches!(counter.name, "icmp_errors") {
            let connection = peer
                .and_then(|p| p.connection)
                .or_else(|| self.connections.of(id))?;
            return self.connections.counter(connection, counter.name);
        }
        open.counter(counter, peer)
    }

    /// The stream of a connection, without its bytes.
    pub fn stream_seen(&self, connection: ConnectionId) -> Option<StreamView> {
        self.connections.seen(connection)
    }

    /// A stream, and its bytes from a place on, or from where the `expect`s are.
    pub fn stream_held(
        &self,
        connection: ConnectionId,
        from: Option<u64>,
    ) -> Option<(StreamView, StreamBytes<'_>)> {
        let seen = self.connections.seen(connection)?;
        let received = &self.connections.get(connection)?.received;
        let bytes = received.from(from.unwrap_or(received.taken()));
        let held = StreamBytes {
            connection,
            start: received.end() - bytes.len() as u64,
            bytes,
        };
        Some((seen, held))
    }

    /// Where the stream of a connection ends now.
    pub fn stream_end(&self, connection: ConnectionId) -> u64 {
        self.connections.end_of(connection)
    }

    /// Where the streams of a block end now.
    pub fn stream_ends(&self, stack: Option<StackId>) -> BTreeMap<ConnectionId, u64> {
        let Some(stack) = stack else {
            return BTreeMap::new();
        };
        self.connections
            .all_of(stack)
            .map(|id| (id, self.connections.end_of(id)))
            .collect()
    }

    /// An `expect` has taken the stream up to there.
    pub fn mark_taken_by_expect(&mut self, connection: ConnectionId, to: u64) {
        self.connections.mark_taken_by_expect(connection, to);
    }

    /// The connections of a block with their peers.
    pub fn connections_of(&self, stack: StackId) -> Vec<(ConnectionId, BlockPeer)> {
        self.connections
            .all_of(stack)
            .filter_map(|id| Some((id, self.connections.peer(id)?)))
            .collect()
    }

    /// Why a block broke; given once.
    pub fn take_break(&mut self, id: StackId) -> Option<BlockError> {
        self.open.get_mut(&id)?.broken.take()
    }

    /// Cuts all connections of a block.
    pub fn cut(&mut self, id: StackId, now: Time) {
        for connection in self.connections.all_of(id).collect::<Vec<_>>() {
            self.connections.close(connection, CloseBy::Reset, now);
        }
    }

    /// Cuts all connections.
    pub fn cut_all(&mut self, now: Time) {
        for id in self.open.keys().copied().collect::<Vec<_>>() {
            self.cut(id, now);
        }
    }

    /// Queues bytes of a block's stream, through the layers above it; `packet` stands for them, if
    /// a variable holds it.
    pub fn send(
        &mut self,
        id: StackId,
        connection: ConnectionId,
        octets: &[u8],
        packet: Option<u64>,
    ) -> Result<(), SendError> {
        let Some(open) = self.open.get_mut(&id) else {
            return Err(SendError::Closed);
        };
        let sent = self
            .connections
            .send(connection, octets, packet, open.session.as_mut());
        if sent == Err(SendError::Busy) && open.session.is_some() {
            // What was sealed and not taken is missing in the stream: nothing after it could be
            // read.
            open.broken.get_or_insert(BlockError::SendBufferFull);
        }
        sent
    }

    /// Closes the streams of a block after their last data.
    pub fn close(&mut self, id: StackId, now: Time) {
        let Some(open) = self.open.get_mut(&id) else {
            return;
        };
        for connection in self.connections.all_of(id).collect::<Vec<_>>() {
            self.connections
                .close_session(connection, open.session.as_mut());
            self.connections.close(connection, CloseBy::Fin, now);
        }
    }

    /// When fragments are given up.
    pub fn reassembly_timeout(&self) -> Option<Time> {
        self.reassembler.poll_timeout()
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time) -> Vec<BlockDelivery> {
        self.reassembler.handle_timeout(now);
        self.ask_again(now);
        let mut delivered = Vec::new();
        let open = &mut self.open;
        self.connections
            .handle_timeout(now, &mut delivered, |id, settle| {
                if let Some(open) = open.get_mut(&id) {
                    settle(open);
                }
            });
        delivered
    }

    /// `close` and `abort` in a server's handler end that peer.
    pub fn end_peer(&mut self, stack: StackId, peer: &BlockPeer, by: CloseBy, now: Time) {
        if let Some(open) = self.open.get_mut(&stack) {
            open.peers.release(SocketAddr::new(peer.remote, peer.port));
        }
        if let Some(connection) = peer.connection {
            self.connections.close(connection, by, now);
        }
    }
}
