//! The connection as its owner sees it. How segments are taken and made is in the modules beside.

use super::counters::Counters;
use super::state::State;
use super::{Config, Segment};
use crate::icmp;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::net::SocketAddr;
use core::ops::Range;
use crafty_value::Time;

/// Something that its owner should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Data can flow.
    Established,
    /// Octets wait to be read; said once until [`Connection::read`].
    Readable,
    /// The peer sends no more.
    PeerClosed,
    /// All that was sent is acknowledged, both ends have closed; what follows is TIME-WAIT or nothing.
    Closed,
    /// The connection was cut.
    Reset(ResetBy),
    /// It did not open in time.
    OpenTimedOut,
    /// The peer is silent: data, a probe or keep-alives were not answered for [`Config::give_up`].
    TimedOut,
    /// An ICMP error ended the opening (semantics 4.9).
    Unreachable(icmp::Kind),
}

/// Who cut the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetBy {
    /// A reset came that RFC 5961 §3 lets through.
    Peer,
    /// The peer refused the opening.
    Refusal,
    /// [`Connection::abort`].
    Us,
    /// Closing took longer than [`Config::close`].
    CloseTimeout,
}

/// Why octets were not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// More than [`super::config::MAX_UNSENT`] octets would wait.
    Busy,
    /// The connection is closed, or was closed from this side.
    Closed,
}

/// What the last segment made by [`Connection::poll_transmit`] was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Flags octet.
    pub flags: u8,
    /// ECN codepoint that its IP header must carry.
    pub ecn: u8,
    /// Places in our stream that its data has, the first octet ever sent being 0; empty if it has none.
    pub stream: Range<u64>,
    /// Whether the data (or SYN, or FIN) was sent before.
    pub retransmission: bool,
}

/// What the stack would write now, for literal segments in a block (semantics 4.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefill {
    /// Own port.
    pub src: u16,
    /// Peer's port.
    pub dst: u16,
    /// Next sequence number to send.
    pub seq: u32,
    /// Next sequence number expected.
    pub ack: u32,
    /// Window field, scaled as the header has it.
    pub window: u16,
    /// Time stamp value and echo, if the connection uses them.
    pub ts: Option<(u32, u32)>,
}

/// One connection.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(crate) config: Config,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) state: State,
    pub(crate) events: VecDeque<Event>,
    pub(crate) counters: Counters,
}

impl Connection {
    /// Opens actively; the SYN is the first thing that [`Connection::poll_transmit`] gives.
    ///
    /// `isn` is the initial sequence number; the caller draws it so that outsiders cannot guess it (RFC 9293 §3.4.1).
    pub fn open(config: Config, local: SocketAddr, remote: SocketAddr, isn: u32, now: Time) -> Connection {
        let _ = (isn, now);
        Connection { config, local, remote, state: State::SynSent, events: VecDeque::new(), counters: Counters::default() }
    }

    /// Answers a SYN to a port that listens; `None` if the segment is none, or broken.
    pub fn accept(config: Config, syn: &Segment<'_>, isn: u32, now: Time) -> Option<Connection> {
        let (remote, local) = syn.ends().filter(|_| syn.opens() && syn.checksum_holds())?;
        Some(Connection::open(config, local, remote, isn, now))
    }

    /// Takes a received segment of this connection (the caller has matched [`Segment::ends`]).
    pub fn handle_segment(&mut self, now: Time, segment: &Segment<'_>) {
        let _ = (now, segment);
    }

    /// Takes an ICMP error that quotes a segment between these ends.
    pub fn handle_icmp(&mut self, now: Time, error: &icmp::Error) {
        let _ = (now, error);
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time) {
        let _ = now;
    }

    /// Makes the next segment (TCP header and payload, checksum right); `out` is replaced. False if there is nothing to send now.
    /// To be called until it says false after each `handle_*`, [`Connection::send`] and [`Connection::close`].
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        let _ = now;
        out.clear();
        false
    }

    /// What the last segment made was.
    pub fn last_sent(&self) -> Sent {
        Sent::default()
    }

    /// When [`Connection::handle_timeout`] is to be called next.
    pub fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Queues octets; never waits. Gives their places in the stream, to be found again in [`Sent::stream`].
    pub fn send(&mut self, octets: &[u8]) -> Result<Range<u64>, SendError> {
        let _ = octets;
        Err(SendError::Closed)
    }

    /// Moves what was received in order to the end of `out`; gives the number of octets.
    pub fn read(&mut self, out: &mut Vec<u8>) -> usize {
        let _ = out;
        0
    }

    /// Octets received in order that wait to be read.
    pub fn readable(&self) -> &[u8] {
        &[]
    }

    /// Closes our direction: FIN after all that was queued.
    pub fn close(&mut self, now: Time) {
        let _ = now;
    }

    /// Cuts the connection; a reset is sent if the peer knows of it.
    pub fn abort(&mut self, now: Time) {
        let _ = now;
    }

    /// Tells of a crafted segment of this connection that ends before `seq_end`: acknowledgements up to there are the peer's right (semantics 4.13).
    pub fn note_sent(&mut self, seq_end: u32) {
        let _ = seq_end;
    }

    /// Tells that the caller has sent `octets` (and a FIN) itself at [`Prefill::seq`]: the state moves as if we had, and they are sent again when lost.
    pub fn advance(&mut self, now: Time, octets: &[u8], fin: bool) -> Result<Range<u64>, SendError> {
        let _ = (now, octets, fin);
        Err(SendError::Closed)
    }

    /// What a segment made now would say.
    pub fn prefill(&self, now: Time) -> Prefill {
        let _ = now;
        Prefill { src: self.local.port(), dst: self.remote.port(), seq: 0, ack: 0, window: 0, ts: None }
    }

    /// Sets the window offered from now on, in octets, whatever the program reads; 0 closes it.
    pub fn set_window(&mut self, octets: u32) {
        let _ = octets;
    }
}

/// Live state.
impl Connection {
    /// State of the connection.
    pub fn state(&self) -> State {
        self.state
    }

    /// Own end.
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// Peer's end.
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// What happened so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
}
