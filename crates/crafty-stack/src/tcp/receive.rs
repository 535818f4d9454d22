//! A segment arrives (RFC 9293 §3.10.7.4, with the protections of RFC 5961).

use super::connection::{Connection, ConnectionEvent, ResetBy};
use super::segment::{Segment, TcpHeader, flags};
use super::state::{StateInput, TcpState};
use super::timers::Timer;
use crafty_value::Time;

/// ECN codepoint "congestion experienced".
const CE: u8 = 3;

impl Connection {
    /// Takes a received segment of this connection (the caller has matched [`Segment::ends`]).
    pub fn handle_segment(&mut self, now: Time, segment: &Segment<'_>) {
        self.counters.segments_in += 1;
        if !segment.checksum_holds() {
            self.counters.checksum_errors += 1;
            return;
        }
        let Some(header) = segment.header() else {
            self.counters.malformed += 1;
            return;
        };
        self.counters.urgent += u64::from(header.has(flags::URG));
        match self.state {
            TcpState::Closed | TcpState::Listen => self.on_closed(now, &header),
            TcpState::SynSent => self.on_syn_sent(now, &header),
            _ => self.on_synchronised(now, &header),
        }
    }

    fn on_synchronised(&mut self, now: Time, h: &TcpHeader<'_>) {
        let start = self.rx.position(h.seq);
        if h.has(flags::RST) {
            return self.on_reset(now, start);
        }
        if h.has(flags::SYN) && !self.completes_cross(h, start) {
            return self.on_stray_syn(now, h, start);
        }
        // A SYN that completes a simultaneous opening counts as the acknowledgement in it.
        let (start, len) = if h.has(flags::SYN) {
            (start + 1, h.len() - 1)
        } else {
            (start, h.len())
        };
        if !self.passes(now, h, start, len) || !h.has(flags::ACK) {
            return;
        }
        self.heard = now;
        self.due.unanswered = 0;
        self.learn_stamp(now, h, start);
        if !self.check_ack(now, h, start) {
            return;
        }
        self.note_marks(h);
        self.take_payload(now, h, start);
        self.take_fin(now, h, start);
    }

    /// Sequence number and time stamp are such that the segment may be new.
    fn passes(&mut self, now: Time, h: &TcpHeader<'_>, start: i64, len: u32) -> bool {
        if let Some((value, _)) = h.options.timestamps.filter(|_| self.agreed.timestamps)
            && self.stamps.stale(now, value)
        {
            self.counters.paws_drops += 1;
            self.answer_old(now, len);
            return false;
        }
        if !self.rx.acceptable(start, len) {
            self.on_unacceptable(now, h, start, len);
            return false;
        }
        true
    }

    fn on_unacceptable(&mut self, now: Time, h: &TcpHeader<'_>, start: i64, len: u32) {
        let (end, nxt) = (start + i64::from(len), self.rx.nxt as i64);
        let old = len > 0 && end <= nxt;
        if old {
            self.counters.duplicates += 1;
            self.rx.twice = Some((start.max(1) as u64, end.max(1) as u64));
        }
        // The peer may be alive and well and only our acknowledgement lost, or it sent more than we
        // offered: its own acknowledgement still counts, or both ends could wait forever (RFC 9293
        // §3.10.7.4 asks for that where our window is closed).
        let edge = self.rx.edge as i64;
        let too_much = (nxt..=edge + i64::from(self.rx.window)).contains(&start);
        if (old || too_much) && h.has(flags::ACK) {
            self.heard = now;
            self.due.unanswered = 0;
            let _ = self.check_ack(now, h, start);
        }
        self.answer_old(now, len);
        if self.state == TcpState::TimeWait && h.has(flags::FIN) {
            self.timers
                .set(Timer::TimeWait, now.after(self.config.time_wait));
        }
    }

    /// Data is answered one for one; what carries none could start a storm, so answers to it have a
    /// rate.
    fn answer_old(&mut self, now: Time, len: u32) {
        if len > 0 || self.limiter.permits(now) {
            self.due.ack = true;
        }
    }

    /// Only the very number that is expected next resets; others in the window are asked back (RFC
    /// 5961 §3.2).
    fn on_reset(&mut self, now: Time, start: i64) {
        self.counters.resets_in += 1;
        // RFC 1337: a reset does not end TIME-WAIT.
        if self.state == TcpState::TimeWait || !self.rx.acceptable(start, 0) {
            return;
        }
        if start == self.rx.nxt as i64 {
            let by = if self.state == TcpState::SynReceived {
                ResetBy::Refusal
            } else {
                ResetBy::Peer
            };
            self.die(ConnectionEvent::Reset(by));
        } else {
            self.challenge(now);
        }
    }

    /// A SYN in a connection that has one: asked back (RFC 5961 §4.2); the repetition of the first
    /// one is answered again.
    fn on_stray_syn(&mut self, now: Time, h: &TcpHeader<'_>, start: i64) {
        if self.state == TcpState::SynReceived && start == 0 && self.limiter.permits(now) {
            self.tx.board.lose(|_| true);
            return;
        }
        if start == 0 {
            // Our last word of the handshake was lost: the answer shows which of the peer's SYNs it
            // is to.
            self.learn_stamp(now, h, start);
        }
        self.challenge(now);
    }

    fn completes_cross(&self, h: &TcpHeader<'_>, start: i64) -> bool {
        self.state == TcpState::SynReceived
            && start == 0
            && h.has(flags::ACK)
            && self.tx.position(h.ack) == 1
    }

    /// RFC 5961 §7: at most so many a second.
    pub(crate) fn challenge(&mut self, now: Time) {
        if self.limiter.permits(now) {
            self.counters.challenge_acks += 1;
            self.due.ack = true;
        }
    }

    /// RFC 7323 §4.3: only a segment that spans the last acknowledgement moves the stamp that we
    /// echo.
    fn learn_stamp(&mut self, now: Time, h: &TcpHeader<'_>, start: i64) {
        if let Some((value, _)) = h.options.timestamps.filter(|_| self.agreed.timestamps)
            && start <= self.rx.acknowledged as i64
        {
            self.stamps.learn(now, value);
        }
    }

    fn note_marks(&mut self, h: &TcpHeader<'_>) {
        if h.ecn == CE {
            self.counters.ecn_marks += 1;
        }
        if !self.agreed.ecn {
            return;
        }
        if h.has(flags::CWR) {
            self.ecn.echo = false;
        }
        if h.ecn == CE {
            self.ecn.echo = true;
            self.due.ack = true;
        }
    }

    fn take_payload(&mut self, now: Time, h: &TcpHeader<'_>, start: i64) {
        if h.payload.is_empty() || !self.state.receives() {
            return;
        }
        let taken = self.rx.take(start, h.payload);
        self.counters.bytes_in += taken.in_order;
        self.counters.bytes_dropped += taken.dropped;
        self.rx.largest = self.rx.largest.max(h.payload.len() as u32);
        if taken.in_order > 0 && taken.in_order > taken.dropped {
            self.tell_readable();
        }
        let plain = taken.in_order > 0 && !taken.filled;
        if taken.early > 0 {
            self.counters.out_of_order += 1;
        } else if taken.in_order == 0 {
            self.counters.duplicates += 1;
        }
        self.plan_ack(now, h.payload.len() as u32, plain);
    }

    fn tell_readable(&mut self) {
        if !self.events.contains(&ConnectionEvent::Readable) {
            self.events.push_back(ConnectionEvent::Readable);
        }
    }

    /// At once if something is odd, or two full segments or half a window wait; else after a moment
    /// (RFC 9293 §3.8.6.3, RFC 5681 §4.2).
    fn plan_ack(&mut self, now: Time, octets: u32, plain: bool) {
        self.due.unacked = self.due.unacked.saturating_add(octets);
        // Half a window is enough too: the peer may have no room for a second segment.
        let full = self.due.unacked >= self.rx.largest.saturating_mul(2).min(self.rx.window / 2);
        if !plain || full || !self.config.delayed_ack {
            self.due.ack = true;
        } else if !self.timers.runs(Timer::Ack) {
            self.timers
                .set(Timer::Ack, now.after(self.config.ack_delay));
        }
    }

    fn take_fin(&mut self, now: Time, h: &TcpHeader<'_>, start: i64) {
        if h.has(flags::FIN) && self.rx.fin.is_none() {
            let position = start + h.payload.len() as i64;
            let in_window = position >= self.rx.nxt as i64 && position <= self.rx.edge as i64;
            self.rx.fin = in_window.then_some(position as u64);
            self.due.ack = true;
        }
        if self.rx.take_fin() {
            self.due.ack = true;
            self.step(StateInput::Fin);
            self.tell(ConnectionEvent::PeerClosed);
            if self.state == TcpState::TimeWait {
                self.begin_time_wait(now);
            }
        }
    }
}
