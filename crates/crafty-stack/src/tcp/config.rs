//! What can be set about a connection; the fields of `TCP!(…)` and the bounds that protect us from
//! the peer.

use super::congestion;
use alloc::vec::Vec;
use crafty_value::Duration;

/// Largest receive window that can be asked for, in bytes.
pub const MAX_WINDOW: u32 = 4 << 20;
/// Bytes that wait to be sent or acknowledged, at most; more is `busy`.
pub const MAX_UNSENT: usize = 1 << 20;
/// Bytes in order that wait to be read, at most; what comes beyond is acknowledged, counted and
/// dropped.
pub const MAX_UNREAD: usize = 1 << 20;

/// The window scale option (RFC 7323 §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowScale {
    /// The smallest shift that lets the window be said.
    Auto,
    /// Not offered.
    Off,
    /// This shift; more than 14 counts as 14.
    Shift(u8),
}

/// Settings of one connection.
#[derive(Clone, Debug)]
pub struct Config {
    /// Largest segment that we accept and send, in bytes of payload (the MTU less 40, or less 60
    /// for IPv6).
    pub mss: u16,
    /// Smallest segment size that the peer or a router may bring us down to (safety F6).
    pub min_mss: u16,
    /// Receive window in bytes; [`MAX_WINDOW`] at most. Does not shrink when nobody reads.
    pub window: u32,
    /// Window scaling.
    pub wscale: WindowScale,
    /// Selective acknowledgement (RFC 2018).
    pub sack: bool,
    /// Time stamps (RFC 7323 §3).
    pub timestamps: bool,
    /// Explicit congestion notification (RFC 3168): asked for, and granted when asked.
    pub ecn: bool,
    /// Congestion control, a row of [`congestion::CONTROLS`].
    pub cc: &'static congestion::CongestionControl,
    /// Slow start ends when round trips grow (RFC 9406, HyStart++).
    pub hystart: bool,
    /// Small segments wait for acknowledgements (RFC 9293 §3.7.4).
    pub nagle: bool,
    /// Acknowledgements wait for a second segment (RFC 9293 §3.8.6.3).
    pub delayed_ack: bool,
    /// How long a delayed acknowledgement waits at most.
    pub ack_delay: Duration,
    /// Initial congestion window in segments (RFC 6928: 10).
    pub initial_window: u16,
    /// The options of our SYN as bytes, in place of the ones made from the fields above.
    pub options: Option<Vec<u8>>,
    /// Where our clock of time stamps begins; none: drawn from the initial sequence number. Where
    /// it goes on between the same ends, a peer in TIME-WAIT takes a new connection (RFC 7323 §5.4,
    /// RFC 6191).
    pub clock: Option<u32>,
    /// How long opening may take.
    pub timeout: Duration,
    /// How long closing may take; then a reset is sent.
    pub close: Duration,
    /// How long unacknowledged data is sent again before the connection counts as dead (RFC 9293
    /// §3.8.3: at least 100 s). It continues until as many attempts went unanswered as fit into
    /// this time from the shortest time-out on, but no more than eight.
    pub give_up: Duration,
    /// Silence after which the peer is probed (RFC 9293 §3.8.4); none: never.
    pub keep_alive: Option<Duration>,
    /// How long TIME-WAIT lasts: twice the maximum segment lifetime.
    pub time_wait: Duration,
    /// Shortest retransmission time-out. RFC 6298 §2.4 says 1 s; what hosts do is 200 ms.
    pub min_rto: Duration,
    /// Looks for segment sizes that get through when large segments vanish (RFC 4821).
    pub mtu_probing: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mss: 1460,
            min_mss: 536,
            window: 1 << 20,
            wscale: WindowScale::Auto,
            sack: true,
            timestamps: true,
            ecn: false,
            cc: &congestion::cubic::CONTROL,
            hystart: true,
            nagle: true,
            delayed_ack: true,
            ack_delay: Duration::millis(40),
            initial_window: 10,
            options: None,
            clock: None,
            timeout: Duration::seconds(5),
            close: Duration::seconds(1),
            give_up: Duration::seconds(100),
            keep_alive: None,
            time_wait: Duration::seconds(60),
            min_rto: Duration::millis(200),
            mtu_probing: true,
        }
    }
}

impl Config {
    /// The window as it will be offered.
    pub(crate) fn receive_window(&self) -> u32 {
        self.window.clamp(1, MAX_WINDOW)
    }

    /// Our shift, if we offer one.
    pub(crate) fn shift(&self) -> Option<u8> {
        match self.wscale {
            WindowScale::Off => None,
            WindowScale::Shift(shift) => Some(shift.min(14)),
            WindowScale::Auto => (0..=14).find(|shift| self.receive_window() >> shift <= 0xffff),
        }
    }
}
