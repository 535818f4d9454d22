//! What can be asked of a connection: its state, what was agreed on, the position of both streams.

use super::congestion::CongestionWindow;
use super::connection::Connection;
use super::counters::TcpCounters;
use super::rtt::Rtt;
use super::samples::Samples;
use super::seq::Seq;
use super::state::TcpState;
use core::net::SocketAddr;
use crafty_value::Duration;

impl Connection {
    /// State of the connection.
    pub fn state(&self) -> TcpState {
        self.state
    }

    /// Whether it is closed and has nothing left to send: it may be forgotten.
    pub fn finished(&self) -> bool {
        self.state == TcpState::Closed && self.due.reset.is_none()
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
    pub fn counters(&self) -> &TcpCounters {
        &self.counters
    }

    /// Oldest sequence number not acknowledged.
    pub fn snd_una(&self) -> Seq {
        self.tx.seq(self.tx.una)
    }

    /// Next sequence number to send.
    pub fn snd_nxt(&self) -> Seq {
        self.tx.seq(self.tx.nxt)
    }

    /// Next sequence number expected; 0 before the peer's SYN.
    pub fn rcv_nxt(&self) -> Seq {
        if self.state == TcpState::SynSent {
            Seq(0)
        } else {
            self.rx.seq(self.rx.nxt)
        }
    }

    /// Congestion window and threshold.
    pub fn window(&self) -> &CongestionWindow {
        &self.window
    }

    /// What is known of the round trip.
    pub fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    /// The newest round-trip times: when each was measured, and how long it was.
    pub fn rtt_samples(&self) -> &Samples<Duration> {
        &self.rtts
    }

    /// The newest changes of the congestion window: when, and its bytes from then on.
    pub fn cwnd_samples(&self) -> &Samples<u32> {
        &self.cwnds
    }

    /// Largest payload that we send, in bytes.
    pub fn mss(&self) -> u32 {
        self.tx.mss
            - if self.agreed.timestamps {
                super::stamps::BYTES
            } else {
                0
            }
    }

    /// Largest segment the peer accepts, as it said; 0 if it did not.
    pub fn peer_mss(&self) -> u16 {
        self.agreed.peer_mss.unwrap_or(0)
    }

    /// Window the peer offers, scaled, in bytes.
    pub fn peer_window(&self) -> u64 {
        self.tx.window
    }

    /// Window scale of the peer; 0 if it offered none.
    pub fn peer_wscale(&self) -> u8 {
        self.agreed.peer_wscale.unwrap_or(0)
    }

    /// Whether both ends use selective acknowledgement.
    pub fn sack_ok(&self) -> bool {
        self.agreed.sack
    }

    /// Whether both ends use time stamps.
    pub fn timestamps(&self) -> bool {
        self.agreed.timestamps
    }

    /// Whether both ends use ECN.
    pub fn ecn(&self) -> bool {
        self.agreed.ecn
    }

    /// From the first SYN to the SYN-ACK.
    pub fn handshake(&self) -> Option<Duration> {
        self.handshake
    }

    /// Largest reordering seen, in segments.
    pub fn reordering(&self) -> u64 {
        self.rack.extent.div_ceil(u64::from(self.mss()))
    }

    /// Bytes in flight: sent, not acknowledged and not considered lost.
    pub fn bytes_in_flight(&self) -> u64 {
        self.tx.board.pipe()
    }

    /// Bytes waiting to be sent for the first time.
    pub fn unsent(&self) -> u64 {
        self.tx.unsent()
    }
}
