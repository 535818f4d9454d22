//! The connections of `TCP!` blocks: joins the stack's connections to blocks, streams to watchers,
//! sends to segments.

pub(crate) mod held;
mod inspect;
mod pairs;
mod table;

use self::pairs::UsedPairs;
use self::table::ConnectionTable;
use crate::building::identification::{STEP, mix};
use crate::receiving::admitted::{BlockDelivery, DeliveredContent, FrameMetadata};
use crate::receiving::view::DecodedPacket;
use crate::stacks::open_block::CloseBy;
use crate::stacks::open_block::OpenBlock;
use crate::stacks::open_block::TcpSettings;
use crate::stacks::peer::BlockPeer;
use crate::stacks::peer::ConnectionId;
use crate::stacks::receive_buffer::ReceiveBuffer;
use crate::stacks::stall::ReadStall;
use crate::stacks::tcp::held::HeldConnection;
use core::net::SocketAddr;
use core::ops::Range;
use crafty_apps::Session;
use crafty_lang::ir::StackId;
use crafty_stack::icmp;
use crafty_stack::tcp::{self, Config, Segment, SendError, Sent};
use crafty_stack::udp::MAX_PEERS;
use crafty_value::{Duration, Time};
use crafty_wire::MessageTurn;

/// Connections kept, those of blocks that are closed included.
const MAX_CONNECTIONS: usize = 2 * MAX_PEERS;

/// All connections.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    table: ConnectionTable,
    next: u64,
    /// For identifiers that sessions draw.
    seed: u64,
    /// For initial sequence numbers and clocks.
    secret: u64,
    pairs: UsedPairs,
    /// Bytes of streams that nobody took in time.
    pub untaken: u64,
}

/// A segment to be sent.
pub(crate) struct LeavingSegment {
    pub connection: ConnectionId,
    pub octets: Vec<u8>,
    pub sent: Sent,
}

impl Connections {
    /// What is drawn from now on depends on the run's seed alone.
    pub fn seed(&mut self, seed: u64) {
        (self.seed, self.secret) = (seed, seed);
    }

    /// Opens a connection actively.
    pub fn open(
        &mut self,
        open: &OpenBlock,
        settings: &TcpSettings,
        ends: (SocketAddr, SocketAddr),
        about: FrameMetadata,
        now: Time,
    ) -> ConnectionId {
        let (isn, config) = self.beginning(settings, ends, now);
        let (local, remote) = ends;
        self.pairs.use_now(local.port(), remote, now);
        let tcp = tcp::Connection::open(config, local, remote, isn, now);
        self.hold(open, tcp, about)
    }

    /// Where its numbers begin.
    fn beginning(
        &self,
        settings: &TcpSettings,
        ends: (SocketAddr, SocketAddr),
        now: Time,
    ) -> (u32, Config) {
        let clock = Some(pairs::secret(self.secret, ends));
        (
            settings
                .isn
                .unwrap_or_else(|| pairs::isn(self.secret, ends, now)),
            Config {
                clock,
                ..settings.config.clone()
            },
        )
    }

    fn hold(
        &mut self,
        open: &OpenBlock,
        tcp: tcp::Connection,
        about: FrameMetadata,
    ) -> ConnectionId {
        let id = ConnectionId(self.next);
        self.next += 1;
        let (local, remote) = (tcp.local(), tcp.remote());
        let peer = BlockPeer {
            stack: open.id,
            local: local.ip(),
            remote: remote.ip(),
            port: remote.port(),
            connection: Some(id),
        };
        let held = HeldConnection {
            stack: open.id,
            pieces: open.pieces.clone(),
            peer,
            tcp,
            received: ReceiveBuffer::new(about, open.room()),
            bare: false,
            stall: open
                .tcp
                .as_ref()
                .map_or(ReadStall::new(Duration::ZERO, 0), |s| {
                    ReadStall::new(
                        s.stall,
                        s.config
                            .window
                            .min(u32::try_from(open.room()).unwrap_or(u32::MAX)),
                    )
                }),
            waiting: Vec::new(),
            passed: Vec::new(),
            over: false,
            orphan: false,
            withheld: 0,
        };
        self.table.insert(id, held);
        id
    }

    /// SplitMix64, keyed by the run's seed: no outsider can guess the next one without it.
    pub fn draw(&mut self) -> u32 {
        let drawn = mix(self.seed);
        self.seed = self.seed.wrapping_add(STEP);
        (drawn >> 32) as u32
    }

    /// Hands a segment to its connection, and tells what that made of it.
    pub fn take(
        &mut self,
        now: Time,
        open: &mut OpenBlock,
        peer: &BlockPeer,
        octets: &[u8],
        about: &FrameMetadata,
        delivered: &mut Vec<BlockDelivery>,
    ) {
        let Some(segment) = Segment::of_datagram(octets, about.checksum_ready) else {
            return;
        };
        let Some(id) = self.connection_of(now, open, &segment, about) else {
            return;
        };
        let Some(held) = self.table.get_mut(id) else {
            return;
        };
        let before = held.tcp.state();
        held.tcp.handle_segment(now, &segment);
        let peer = BlockPeer {
            connection: Some(id),
            ..peer.clone()
        };
        let stack = open.id;
        let mut tell = |what| {
            delivered.push(BlockDelivery {
                stack,
                peer: peer.clone(),
                what,
            })
        };
        if held.tcp.state() != before {
            tell(DeliveredContent::State(id, held.tcp.state().name()));
        }
        if held.read(now, open, about, &mut self.untaken) {
            tell(DeliveredContent::Data(id));
        }
        held.settle(now, open);
    }

    /// The connection that a segment belongs to; a SYN to a port that listens makes one.
    fn connection_of(
        &mut self,
        now: Time,
        open: &mut OpenBlock,
        segment: &Segment<'_>,
        about: &FrameMetadata,
    ) -> Option<ConnectionId> {
        let ends = segment.ends()?;
        let known = self
            .table
            .between(ends)
            .find(|(_, h)| h.stack == open.id && !h.orphan)
            .map(|(id, _)| id);
        let listens = open.tcp.as_ref().is_some_and(|s| s.listen);
        let known = known.filter(|id| !(listens && self.gives_way(*id, segment)));
        match (known, &open.tcp) {
            (Some(id), _) => Some(id),
            (None, Some(settings)) if settings.listen && self.has_room() => {
                let (isn, config) = self.beginning(settings, (ends.1, ends.0), now);
                let window = settings
                    .config
                    .window
                    .min(u32::try_from(open.room()).unwrap_or(u32::MAX));
                let config = Config { window, ..config };
                let tcp = tcp::Connection::accept(config, segment, isn, now)?;
                Some(self.hold(open, tcp, about.clone()))
            }
            _ => None,
        }
    }

    /// Forgets a connection that is over for one that the peer opens again between the same ends.
    /// False if it continues.
    fn gives_way(&mut self, id: ConnectionId, segment: &Segment<'_>) -> bool {
        let over = self
            .table
            .get(id)
            .is_some_and(|held| held.tcp.gives_way(segment));
        if over {
            self.table.remove(id);
        }
        over
    }

    /// Whether one more connection can be kept; the oldest one that is over makes room.
    fn has_room(&mut self) -> bool {
        if self.table.len() >= MAX_CONNECTIONS {
            let over = self.table.iter().find(|(_, h)| h.over).map(|(id, _)| id);
            over.into_iter().for_each(|id| self.table.remove(id));
        }
        self.table.len() < MAX_CONNECTIONS
    }

    /// A segment whose checksum does not hold: the connection between its ends counts it.
    pub fn take_spoilt(&mut self, now: Time, stack: StackId, datagram: &[u8]) {
        let Some(segment) = Segment::of_datagram(datagram, true) else {
            return;
        };
        let known = segment.ends().and_then(|ends| {
            self.table
                .between(ends)
                .find(|(_, h)| h.stack == stack && !h.orphan)
                .map(|(id, _)| id)
        });
        if let Some(held) = known.and_then(|id| self.table.get_mut(id)) {
            held.tcp.handle_segment(now, &segment);
        }
    }

    /// Hands a segment to a connection whose block has ended.
    pub fn take_orphan(&mut self, now: Time, view: &DecodedPacket, checksum_ready: bool) {
        let Some(segment) = view
            .network_bytes()
            .and_then(|o| Segment::of_datagram(o, checksum_ready))
        else {
            return;
        };
        let orphan = segment.ends().and_then(|ends| {
            self.table
                .between(ends)
                .find(|(_, h)| h.orphan)
                .map(|(id, _)| id)
        });
        if let Some(held) = orphan.and_then(|id| self.table.get_mut(id)) {
            held.tcp.handle_segment(now, &segment);
        }
    }

    /// An ICMP error about a block's traffic goes to the connections it may be about.
    pub fn take_error(&mut self, now: Time, open: &mut OpenBlock, error: &icmp::IcmpError) {
        for id in self.all_of(open.id).collect::<Vec<_>>() {
            let Some(held) = self.table.get_mut(id) else {
                continue;
            };
            held.tcp.handle_icmp(now, error);
            held.settle(now, open);
        }
    }

    /// When a connection has a timer due.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.table.poll_timeout()
    }

    /// Does what is due in all connections; forgets those that are gone. What a connection that did
    /// not read until now has for the program was reported.
    pub fn handle_timeout(
        &mut self,
        now: Time,
        delivered: &mut Vec<BlockDelivery>,
        mut open: impl FnMut(StackId, &mut dyn FnMut(&mut OpenBlock)),
    ) {
        for id in self.table.take_due(now) {
            let Some(held) = self.table.changing(id) else {
                continue;
            };
            if held.tcp.poll_timeout().is_some_and(|t| t <= now) {
                held.tcp.handle_timeout(now);
            }
            let untaken = &mut self.untaken;
            if held.orphan {
                continue;
            }
            open(held.stack, &mut |open| {
                if let Some(about) = held.stall.ended(now)
                    && held.read(now, open, &about, untaken)
                {
                    delivered.push(BlockDelivery {
                        stack: held.stack,
                        peer: held.peer.clone(),
                        what: DeliveredContent::Data(id),
                    });
                }
                held.settle(now, open);
            });
        }
    }

    /// The next segment to send.
    pub fn poll_transmit(&mut self, now: Time) -> Option<LeavingSegment> {
        let mut octets = Vec::new();
        while let Some(id) = self.table.first_changed() {
            if let Some(held) = self.table.changing(id)
                && held.tcp.poll_transmit(now, &mut octets)
            {
                return Some(LeavingSegment {
                    connection: id,
                    octets,
                    sent: held.tcp.last_sent(),
                });
            }
            self.table.has_sent_all(id);
        }
        None
    }

    /// The sends that a segment carries part of: their packets. What it carries the end of is done
    /// with, except for segments that carry it again.
    pub fn carried(&mut self, id: ConnectionId, sent: &Sent) -> Vec<u64> {
        let Some(held) = self.table.get_mut(id) else {
            return Vec::new();
        };
        let overlaps = |r: &Range<u64>| r.start < sent.stream.end && sent.stream.start < r.end;
        let carried = |sends: &mut dyn Iterator<Item = &(u64, Range<u64>)>| {
            sends
                .filter(|(_, r)| overlaps(r))
                .map(|(p, _)| *p)
                .collect()
        };
        if sent.retransmission {
            return carried(&mut held.passed.iter().chain(&held.waiting));
        }
        let packets = carried(&mut held.waiting.iter());
        let done = held
            .waiting
            .iter()
            .filter(|(_, r)| r.end <= sent.stream.end);
        held.passed.extend(done.cloned());
        let most = held.passed.len().saturating_sub(PASSED_SENDS);
        held.passed.drain(..most);
        held.waiting.retain(|(_, r)| r.end > sent.stream.end);
        packets
    }

    /// Queues bytes, through the layers above; `packet` stands for them, if a variable holds it.
    pub fn send(
        &mut self,
        id: ConnectionId,
        octets: &[u8],
        packet: Option<u64>,
        session: Option<&mut Session>,
    ) -> Result<(), SendError> {
        let held = self.table.get_mut(id).ok_or(SendError::Closed)?;
        let range = match session {
            Some(session) => {
                session.send(octets);
                held.send_session_output(session)?
            }
            None => held.tcp.send(octets)?,
        };
        held.bare = crafty_wire::all().iter().any(|layer| {
            layer
                .turn
                .is_some_and(|turn| turn(octets) == MessageTurn::AsksBare)
        });
        held.waiting.extend(packet.map(|packet| (packet, range)));
        Ok(())
    }

    /// A connection.
    pub fn get(&self, id: ConnectionId) -> Option<&HeldConnection> {
        self.table.get(id)
    }

    /// A connection.
    pub fn get_mut(&mut self, id: ConnectionId) -> Option<&mut HeldConnection> {
        self.table.get_mut(id)
    }

    /// The one connection of a block that connects.
    pub fn of(&self, stack: StackId) -> Option<ConnectionId> {
        self.all_of(stack).next()
    }

    /// The connections of an open block.
    pub fn all_of(&self, stack: StackId) -> impl Iterator<Item = ConnectionId> + '_ {
        self.table.of_stack(stack).map(|(id, _)| id)
    }

    /// Closes a connection with FIN, or cuts it.
    pub fn close(&mut self, id: ConnectionId, by: CloseBy, now: Time) {
        if let Some(held) = self.table.get_mut(id) {
            match by {
                CloseBy::Reset => held.tcp.abort(now),
                CloseBy::Fin => held.tcp.close(now),
            }
        }
    }

    /// The block of these connections has ended; they answer what still comes.
    pub fn orphan(&mut self, stack: StackId) {
        for id in self.all_of(stack).collect::<Vec<_>>() {
            self.table.orphan(id);
            if let Some(held) = self.table.get_mut(id) {
                held.received.forget();
                held.stall.cancel();
            }
        }
    }

    /// The program has kept back a segment.
    pub fn withheld(&mut self, id: ConnectionId) {
        if let Some(held) = self.table.get_mut(id) {
            held.withheld += 1;
        }
    }

    /// A crafted segment of this connection ends before `seq_end`.
    pub fn note_sent(&mut self, id: ConnectionId, seq_end: u32) {
        if let Some(held) = self.table.get_mut(id) {
            held.tcp.note_sent(seq_end);
        }
    }

    /// The program has sent these bytes itself, and the connection is to move as if it had
    /// (`advance=true`).
    pub fn advance(&mut self, id: ConnectionId, now: Time, octets: &[u8], fin: bool) {
        if let Some(held) = self.table.get_mut(id) {
            let _ = held.tcp.advance(now, octets, fin);
        }
    }
}

/// Sends that are remembered after their last segment was made, should it have to be made again.
const PASSED_SENDS: usize = 256;

/// How long reading the `ts` of a send into a stream waits.
pub(crate) const STREAM_STAMP_WAIT: Duration = Duration::seconds(5);

impl Connections {
    /// When a connection between these ends was last opened: their peer may still remember it.
    pub fn last_used(&self, local: u16, remote: SocketAddr) -> Option<Time> {
        self.pairs.last(local, remote)
    }

    /// Forgets what is left of earlier connections from this port to this end, so that a new one
    /// may have its place.
    pub fn forget_detached(&mut self, local: u16, remote: SocketAddr) {
        let old = |h: &HeldConnection| {
            h.orphan && h.tcp.local().port() == local && h.tcp.remote() == remote
        };
        let gone: Vec<ConnectionId> = self
            .table
            .iter()
            .filter(|(_, h)| old(h))
            .map(|(id, _)| id)
            .collect();
        gone.into_iter().for_each(|id| self.table.remove(id));
    }
}
