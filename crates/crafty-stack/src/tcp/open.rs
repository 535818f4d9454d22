//! The handshake (RFC 9293 §3.5): both ways to begin, and what the ends agree on.

use super::connection::{Agreed, Connection, ConnectionEvent, Ecn, PendingSend, ResetBy, Sent};
use super::limiter::Limiter;
use super::options::{OptionWriter, ReceivedOptions};
use super::rack::Rack;
use super::receiver::Receiver;
use super::recovery::Recovery;
use super::samples::Samples;
use super::search::Search;
use super::segment::{Segment, TcpHeader, flags};
use super::sender::Sender;
use super::seq::Seq;
use super::stamps::Stamps;
use super::state::{StateInput, TcpState};
use super::timers::{Timer, Timers};
use super::{Config, Rtt, TcpCounters, congestion};
use alloc::collections::VecDeque;
use core::net::SocketAddr;
use crafty_value::Time;

/// Which options a SYN of ours has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SynOffer {
    /// In an answer those that the peer has offered too.
    Agreed,
    /// All of ours, as if the peer had offered everything.
    Everything,
}

impl Connection {
    /// Opens actively; the SYN is the first thing that [`Connection::poll_transmit`] gives.
    ///
    /// `isn` is the initial sequence number; the caller draws it so that outsiders cannot guess it
    /// (RFC 9293 §3.4.1).
    pub fn open(
        config: Config,
        local: SocketAddr,
        remote: SocketAddr,
        isn: u32,
        now: Time,
    ) -> Connection {
        let mut connection = Connection::closed(config, local, remote, isn, now);
        connection.step(StateInput::Open);
        connection
    }

    /// Answers a SYN to a port that listens; `None` if the segment is not a SYN, or is malformed.
    pub fn accept(config: Config, syn: &Segment<'_>, isn: u32, now: Time) -> Option<Connection> {
        let (remote, local) = syn.ends().filter(|_| syn.opens() && syn.checksum_holds())?;
        let header = syn.header()?;
        let mut connection = Connection::closed(config, local, remote, isn, now);
        connection.state = TcpState::Listen;
        connection.counters.segments_in = 1;
        connection.take_syn(now, &header);
        connection.step(StateInput::Syn);
        Some(connection)
    }

    fn closed(
        config: Config,
        local: SocketAddr,
        remote: SocketAddr,
        isn: u32,
        now: Time,
    ) -> Connection {
        let tx = Sender::new(isn, &config);
        let mut timers = Timers::new();
        timers.set(Timer::Open, now.after(config.timeout));
        Connection {
            rx: Receiver::new(Seq(0), config.receive_window(), 0),
            timers,
            rtt: Rtt::new(config.min_rto),
            rack: Rack::new(),
            window: congestion::CongestionWindow::new(config.cc, tx.mss, config.initial_window),
            recovery: Recovery::Open,
            stamps: Stamps::new(config.clock.unwrap_or(isn)),
            agreed: Agreed::default(),
            due: PendingSend::default(),
            ecn: Ecn::default(),
            limiter: Limiter::default(),
            events: VecDeque::new(),
            counters: TcpCounters::default(),
            sent: Sent::default(),
            opened: now,
            handshake: None,
            heard: now,
            spoke: now,
            stuck: None,
            unanswered: 0,
            window_probes: 0,
            dups: 0,
            tail: None,
            small_until: 0,
            proven: 0,
            search: Search::default(),
            rtts: Samples::default(),
            cwnds: Samples::default(),
            state: TcpState::Closed,
            config,
            local,
            remote,
            tx,
        }
    }

    /// A segment came in SYN-SENT (RFC 9293 §3.10.7.3).
    pub(crate) fn on_syn_sent(&mut self, now: Time, h: &TcpHeader<'_>) {
        let acks_ours = h.has(flags::ACK) && self.tx.nxt > 0 && self.tx.position(h.ack) == 1;
        if h.has(flags::ACK) && !acks_ours {
            if !h.has(flags::RST) && self.limiter.permits(now) {
                self.due.reset = Some((h.ack, false));
            }
            return;
        }
        if h.has(flags::RST) {
            self.counters.resets_in += 1;
            if acks_ours {
                self.die(ConnectionEvent::Reset(ResetBy::Refusal));
            }
            return;
        }
        if h.has(flags::SYN) {
            self.take_syn(now, h);
            if acks_ours {
                self.finish_active(now, h)
            } else {
                self.cross()
            }
        }
    }

    fn finish_active(&mut self, now: Time, h: &TcpHeader<'_>) {
        self.handshake = Some(now.since(self.opened));
        self.step(StateInput::SynAck);
        self.take_ack(now, h, 1);
        self.due.ack = true;
        self.established();
    }

    /// Both ends opened at once: ours goes again, as the answer to theirs.
    fn cross(&mut self) {
        self.step(StateInput::Syn);
        self.tx.board.lose(|_| true);
        self.due.ack = true;
    }

    /// Our SYN is acknowledged in SYN-RECEIVED.
    pub(crate) fn finish_passive(&mut self, now: Time) {
        self.handshake = Some(now.since(self.opened));
        self.step(StateInput::SynAcked);
        self.established();
        if self.tx.fin {
            self.step(StateInput::Close);
        }
    }

    fn established(&mut self) {
        self.timers.clear(Timer::Open);
        if let Some(after) = self.config.keep_alive {
            self.timers.set(Timer::KeepAlive, self.heard.after(after));
        }
        self.tell(ConnectionEvent::Established);
    }

    /// Learns from the peer's SYN; data on it is left for the peer to send again.
    fn take_syn(&mut self, now: Time, h: &TcpHeader<'_>) {
        let ours = self.offered();
        let theirs = &h.options;
        let scaled = ours.wscale.is_some() && theirs.wscale.is_some();
        // A SYN has both flags; an answer with both only repeats ours (RFC 3168 §6.1.1).
        let ecn_asked = h.has(flags::ECE)
            && h.has(flags::CWR) != h.has(flags::ACK)
            && self.counters.timeouts == 0;
        self.agreed = Agreed {
            peer_mss: theirs.mss,
            peer_wscale: theirs.wscale.map(|shift| shift.min(14)),
            sack: ours.sack_ok && theirs.sack_ok,
            timestamps: ours.timestamps.is_some() && theirs.timestamps.is_some(),
            ecn: self.config.ecn && ecn_asked,
        };
        let shift = ours.wscale.filter(|_| scaled).unwrap_or(0).min(14);
        self.rx = Receiver::new(h.seq, self.config.receive_window(), shift);
        self.tx.shift = if scaled {
            self.agreed.peer_wscale.unwrap_or(0)
        } else {
            0
        };
        // The window of a SYN is never scaled (RFC 7323 §2.2).
        self.tx.take_window(u64::from(h.window), 0, 1);
        if let Some((value, _)) = theirs.timestamps {
            self.stamps.start(now, value);
        }
        self.settle_mss();
        self.note_cwnd(now);
        self.heard = now;
    }

    /// The smaller of both sizes, but never below the floor (safety F6). What the peer does not say
    /// is the default of RFC 9293 §3.7.1.
    fn settle_mss(&mut self) {
        let default = if self.remote.is_ipv4() { 536 } else { 1220 };
        let peer = self.agreed.peer_mss.unwrap_or(default);
        // A lost SYN is a sign of congestion (RFC 5681 §3.1).
        let again = self.counters.timeouts > 0;
        let segments = if again { 1 } else { self.config.initial_window };
        if again {
            self.rtt.be_careful();
        }
        self.tx.mss = u32::from(self.config.mss.min(peer).max(self.config.min_mss).max(64));
        self.search.limit = self.tx.mss;
        self.window = congestion::CongestionWindow::new(self.config.cc, self.mss(), segments)
            .cautious(self.config.hystart);
    }

    /// The options of our SYN as the peer reads them.
    fn offered(&self) -> ReceivedOptions {
        ReceivedOptions::parse(self.syn_options(Time(0), SynOffer::Everything).as_slice())
    }

    /// The options of our SYN.
    pub(crate) fn syn_options(&self, now: Time, offer: SynOffer) -> OptionWriter {
        if let Some(octets) = &self.config.options {
            return OptionWriter::of(octets);
        }
        let answer = offer == SynOffer::Agreed && self.state != TcpState::SynSent;
        let mut writer = OptionWriter::default();
        writer.mss(self.config.mss);
        if self.config.sack && (!answer || self.agreed.sack) {
            writer.sack_ok();
        }
        if self.config.timestamps && (!answer || self.agreed.timestamps) {
            writer.timestamps(
                self.stamps.value(now),
                if answer { self.stamps.recent } else { 0 },
            );
        }
        if let Some(shift) = self
            .config
            .shift()
            .filter(|_| !answer || self.agreed.peer_wscale.is_some())
        {
            writer.wscale(shift);
        }
        writer
    }

    /// The flags of our SYN.
    pub(crate) fn syn_flags(&self) -> u8 {
        match (self.state, self.config.ecn, self.agreed.ecn) {
            // Middleboxes drop what asks for ECN: the second try does not (RFC 3168 §6.1.1.1).
            (TcpState::SynSent, true, _) if self.counters.timeouts == 0 => {
                flags::SYN | flags::ECE | flags::CWR
            }
            (TcpState::SynSent, _, _) => flags::SYN,
            (_, _, true) => flags::SYN | flags::ACK | flags::ECE,
            (_, _, false) => flags::SYN | flags::ACK,
        }
    }
}
