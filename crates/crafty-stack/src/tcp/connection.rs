//! The connection as its owner sees it. How segments are taken and made is in the modules beside.

use super::Config;
use super::congestion::CongestionWindow;
use super::counters::TcpCounters;
use super::limiter::Limiter;
use super::rack::Rack;
use super::receiver::Receiver;
use super::recovery::Recovery;
use super::retransmit::TailProbe;
use super::rtt::Rtt;
use super::samples::Samples;
use super::search::Search;
use super::sender::Sender;
use super::seq::Seq;
use super::stamps::Stamps;
use super::state::{StateInput, TcpState};
use super::timers::{Timer, Timers};
use crate::icmp;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::net::SocketAddr;
use core::ops::Range;
use crafty_value::{Duration, Time};

/// Something that its owner should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// Data can flow.
    Established,
    /// Bytes wait to be read; said once until [`Connection::read`].
    Readable,
    /// The peer sends no more.
    PeerClosed,
    /// All that was sent is acknowledged, both ends have closed; what follows is TIME-WAIT or
    /// nothing.
    Closed,
    /// The connection was cut.
    Reset(ResetBy),
    /// It did not open in time.
    OpenTimedOut,
    /// The peer is silent: data or probes were not answered for [`Config::give_up`], or keep-alives
    /// were not.
    TimedOut,
    /// An ICMP error ended the opening.
    Unreachable(icmp::IcmpErrorKind),
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

/// Why bytes were not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// More than [`super::config::MAX_UNSENT`] bytes would wait.
    Busy,
    /// The connection is closed, or was closed from this side.
    Closed,
}

/// What the last segment made by [`Connection::poll_transmit`] was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Flags byte.
    pub flags: u8,
    /// ECN codepoint that its IP header must carry.
    pub ecn: u8,
    /// Places in our stream that its data has, the first byte ever sent being 0; empty if it has
    /// none.
    pub stream: Range<u64>,
    /// Whether the data (or SYN, or FIN) was sent before.
    pub retransmission: bool,
}

/// What the stack would write now, for literal segments in a block.
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
    pub(crate) state: TcpState,
    pub(crate) tx: Sender,
    pub(crate) rx: Receiver,
    pub(crate) timers: Timers,
    pub(crate) rtt: Rtt,
    pub(crate) rack: Rack,
    pub(crate) window: CongestionWindow,
    pub(crate) recovery: Recovery,
    pub(crate) stamps: Stamps,
    pub(crate) agreed: Agreed,
    pub(crate) due: PendingSend,
    pub(crate) ecn: Ecn,
    pub(crate) limiter: Limiter,
    pub(crate) events: VecDeque<ConnectionEvent>,
    pub(crate) counters: TcpCounters,
    pub(crate) sent: Sent,
    pub(crate) opened: Time,
    pub(crate) handshake: Option<Duration>,
    /// When something valid was received last.
    pub(crate) heard: Time,
    /// Since when nothing new was acknowledged although something is under way.
    pub(crate) stuck: Option<Time>,
    /// Time-outs and probes of a closed window since the peer answered last.
    pub(crate) unanswered: u32,
    /// Probes of a closed window since it closed or data was acknowledged: what their intervals grow
    /// by. An answer that leaves it closed does not shorten them (RFC 9293 §3.8.6.1).
    pub(crate) window_probes: u32,
    /// When data left last.
    pub(crate) spoke: Time,
    /// Duplicate acknowledgements in a row.
    pub(crate) dups: u32,
    pub(crate) tail: Option<TailProbe>,
    /// One after the last segment that was not full.
    pub(crate) small_until: u64,
    /// Bytes of the largest segment that is known to have arrived.
    pub(crate) proven: u64,
    pub(crate) search: Search,
    pub(crate) rtts: Samples<Duration>,
    pub(crate) cwnds: Samples<u32>,
}

/// What both ends agreed on in the handshake.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agreed {
    pub peer_mss: Option<u16>,
    pub peer_wscale: Option<u8>,
    pub sack: bool,
    pub timestamps: bool,
    pub ecn: bool,
}

/// What is to be sent when next asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PendingSend {
    /// An acknowledgement.
    pub ack: bool,
    /// Bytes received since the last acknowledgement.
    pub unacked: u32,
    /// The end of the flight, or new data, to learn whether the tail was lost.
    pub tail_probe: bool,
    /// A segment that makes the peer show its window, or life.
    pub peer_probe: bool,
    /// Data although the window is small (RFC 9293 §3.8.6.2.1).
    pub small: bool,
    /// A reset with this sequence number; the bytes acknowledged if it needs an ACK.
    pub reset: Option<(Seq, bool)>,
    /// Probes of either kind that were not answered.
    pub unanswered: u32,
}

/// Echoes of congestion marks (RFC 3168 §6.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ecn {
    /// A mark came that the peer has not confirmed yet.
    pub echo: bool,
    /// Our window was reduced; the peer is to be told.
    pub reduced: bool,
    /// No further reduction before this position is acknowledged.
    pub until: u64,
}

impl Connection {
    /// When [`Connection::handle_timeout`] is to be called next.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.timers.next()
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<ConnectionEvent> {
        self.events.pop_front()
    }

    /// What the last segment made was.
    pub fn last_sent(&self) -> Sent {
        self.sent.clone()
    }

    /// Queues bytes; never waits. Gives their places in the stream, to be found again in
    /// [`Sent::stream`].
    pub fn send(&mut self, octets: &[u8]) -> Result<Range<u64>, SendError> {
        self.may_send(octets.len())?;
        let start = self.tx.data_end() - 1;
        self.tx.push(octets);
        Ok(start..start + octets.len() as u64)
    }

    /// Moves what was received in order to the end of `out`; gives the number of bytes.
    pub fn read(&mut self, out: &mut Vec<u8>) -> usize {
        let octets = self.rx.ready.len();
        if out.is_empty() {
            core::mem::swap(out, &mut self.rx.ready);
        } else {
            out.append(&mut self.rx.ready);
        }
        octets
    }

    /// Bytes received in order that wait to be read.
    pub fn readable(&self) -> &[u8] {
        &self.rx.ready
    }

    /// Tells of a crafted segment of this connection that ends before `seq_end`: acknowledgements
    /// up to there are the peer's right.
    pub fn note_sent(&mut self, seq_end: u32) {
        self.tx.noted = self
            .tx
            .noted
            .max(self.tx.position(Seq(seq_end)).max(0) as u64);
    }

    /// Tells that the caller has sent `octets` (and a FIN) itself at [`Prefill::seq`]: the state
    /// moves as if we had, and they are sent again when lost. What was queued and never sent
    /// follows them; a FIN drops it.
    pub fn advance(
        &mut self,
        now: Time,
        octets: &[u8],
        fin: bool,
    ) -> Result<Range<u64>, SendError> {
        self.may_send(octets.len())?;
        if !self.state.synchronised() {
            return Err(SendError::Closed);
        }
        let start = self.tx.nxt;
        self.tx.insert(octets);
        if fin {
            self.tx.nxt = start + octets.len() as u64;
            self.tx.drop_unsent();
            self.tx.nxt = start;
            self.close(now);
        }
        let end = start + octets.len() as u64 + u64::from(fin);
        if end > start {
            self.put_under_way(now, start, end);
        }
        Ok(start - 1..start - 1 + octets.len() as u64)
    }

    /// What a segment made now would say.
    pub fn prefill(&self, now: Time) -> Prefill {
        Prefill {
            src: self.local.port(),
            dst: self.remote.port(),
            seq: self.tx.seq(self.tx.nxt).0,
            ack: self.rcv_nxt().0,
            window: self.rx.field(),
            ts: self
                .agreed
                .timestamps
                .then(|| (self.stamps.value(now), self.stamps.recent)),
        }
    }

    /// Sets the window offered from now on, in bytes, whatever the program reads. What was offered
    /// is not taken back: a smaller window is seen as data comes in (RFC 9293 §3.8.6).
    pub fn set_window(&mut self, octets: u32) {
        self.rx.set_window(octets);
        self.due.ack |= self.state.synchronised();
    }

    fn may_send(&self, octets: usize) -> Result<(), SendError> {
        match self.state.sends() && !self.tx.fin {
            true if self.tx.fits(octets) => Ok(()),
            true => Err(SendError::Busy),
            false => Err(SendError::Closed),
        }
    }

    /// Bytes are under way from now on.
    pub(crate) fn put_under_way(&mut self, now: Time, start: u64, end: u64) {
        self.tx.board.push(start, end, now);
        self.tx.nxt = end;
        self.spoke = now;
        self.stuck.get_or_insert(now);
        self.timers.clear(Timer::Persist);
        if !self.timers.runs(Timer::Retransmit) {
            self.timers
                .set(Timer::Retransmit, now.after(self.rtt.rto()));
        }
        self.arm_tail_probe(now);
    }

    pub(crate) fn tell(&mut self, event: ConnectionEvent) {
        if self.events.back() != Some(&event) {
            self.events.push_back(event);
        }
    }

    /// Keeps the congestion window as it is now, if that is news.
    pub(crate) fn note_cwnd(&mut self, now: Time) {
        self.cwnds.change(now, self.window.cwnd);
    }

    /// Moves by the table; gives whether that changed the state.
    pub(crate) fn step(&mut self, input: StateInput) -> bool {
        let before = self.state;
        self.state = before.after(input);
        before != self.state
    }
}
