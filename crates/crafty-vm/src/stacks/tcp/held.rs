//! One connection with what the program knows of it.

use crate::receiving::admitted::FrameMetadata;
use crate::stacks::error::BlockError;
use crate::stacks::open_block::{BlockLayer, OpenBlock};
use crate::stacks::peer::BlockPeer;
use crate::stacks::receive_buffer::ReceiveBuffer;
use crate::stacks::stall::ReadStall;
use core::net::SocketAddr;
use core::ops::Range;
use crafty_lang::ir::StackId;
use crafty_stack::tcp::{self, ConnectionEvent, ResetBy};
use crafty_value::Time;

/// A connection with what the program knows of it.
#[derive(Debug)]
pub(crate) struct HeldConnection {
    pub stack: StackId,
    /// How its segments are wrapped, also after its block has ended.
    pub pieces: Vec<BlockLayer>,
    pub peer: BlockPeer,
    pub tcp: tcp::Connection,
    pub received: ReceiveBuffer,
    /// Whether the answer to what was sent last ends with its head.
    pub bare: bool,
    pub stall: ReadStall,
    /// Sends that no segment has carried whole yet.
    pub waiting: Vec<(u64, Range<u64>)>,
    /// Those of which all segments were made, the last ones.
    pub passed: Vec<(u64, Range<u64>)>,
    /// Whether the peer and we are done with it, or it broke.
    pub over: bool,
    /// Whether its block has ended.
    pub orphan: bool,
    /// Segments that the program kept back.
    pub withheld: i64,
}

impl HeldConnection {
    pub fn ends(&self) -> ConnectionEnds {
        (self.tcp.remote(), self.tcp.local())
    }

    fn remote(&self) -> SocketAddr {
        SocketAddr::new(self.peer.remote, self.peer.port)
    }

    /// When it has a timer due.
    pub fn poll_timeout(&self) -> Option<Time> {
        [self.tcp.poll_timeout(), self.stall.until()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Moves received bytes to where they are kept, through the layers above, unless they are to
    /// wait. True if there were any for the program.
    pub fn read(
        &mut self,
        now: Time,
        open: &mut OpenBlock,
        about: &FrameMetadata,
        untaken: &mut u64,
    ) -> bool {
        let tcp = &mut self.tcp;
        if self.stall.holds(tcp, about, now) {
            return false;
        }
        let (came, lost) = self.received.take(about, |buffer| match &mut open.session {
            Some(session) => HeldConnection::read_through(tcp, session, now, buffer),
            None => tcp.read(buffer),
        });
        *untaken += lost;
        came > 0
    }

    /// What happened to the connection and what that means for its block.
    pub fn settle(&mut self, now: Time, open: &mut OpenBlock) {
        let mut up = false;
        while let Some(event) = self.tcp.poll_event() {
            up |= event == ConnectionEvent::Established;
            if let (ConnectionEvent::PeerClosed, Some(session)) = (&event, &mut open.session) {
                session.handle_end(now);
            }
            let error = match event {
                ConnectionEvent::Reset(ResetBy::Peer) => BlockError::ResetByPeer,
                ConnectionEvent::Reset(ResetBy::Refusal) => BlockError::ConnectionRefused,
                ConnectionEvent::OpenTimedOut => BlockError::NoAnswerToSyn,
                ConnectionEvent::TimedOut => BlockError::PeerSilent,
                ConnectionEvent::Unreachable(_) => BlockError::SynUnreachable,
                ConnectionEvent::Closed | ConnectionEvent::Reset(_) => {
                    self.over = true;
                    open.peers.release(self.remote());
                    continue;
                }
                ConnectionEvent::Established
                | ConnectionEvent::Readable
                | ConnectionEvent::PeerClosed => continue,
            };
            self.over = true;
            match open.tcp.as_ref().is_some_and(|s| s.listen) {
                true => open.peers.release(self.remote()),
                false => {
                    open.broken.get_or_insert(error);
                }
            }
        }
        self.drive_session(open, now, up);
    }
}

/// The peer's end and ours.
pub(super) type ConnectionEnds = (SocketAddr, SocketAddr);
