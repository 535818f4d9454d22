//! The next segment: which one, then its bytes (RFC 9293 §3.8.6, §3.7.4; RFC 3042 and RFC 8985 for
//! loss).

use super::connection::{Connection, Sent};
use super::open::SynOffer;
use super::options::{MAX_SACK, OptionWriter, SackBlock};
use super::scoreboard::MAX_FLIGHTS;
use super::search::Probe;
use super::segment::{Draft, flags};
use super::seq::Seq;
use super::state::TcpState;
use super::timers::Timer;
use alloc::vec::Vec;
use crafty_value::Time;

/// ECN codepoint "ECN-capable transport" that data carries (RFC 3168 §5).
const ECT_0: u8 = 2;

/// What the next segment is.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// A reset; whether it acknowledges.
    Reset(Seq, bool),
    Syn,
    /// Positions sent before; FIN included.
    Again(u64, u64),
    /// Positions never sent; FIN included.
    Fresh(u64, u64),
    /// An old sequence number that the peer must answer.
    PeerProbe,
    Ack,
}

/// Whether the congestion window limits what is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CongestionRule {
    Respected,
    /// A probe of the tail may exceed it by one segment (RFC 8985).
    Ignored,
}

impl Connection {
    /// Makes the next segment (TCP header and payload, checksum right); `out` is replaced. False if
    /// there is nothing to send now. To be called until it says false after each `handle_*`,
    /// [`Connection::send`] and [`Connection::close`].
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        out.clear();
        let options = self.usual_options(now);
        let Some(plan) = self.plan(now, options.len() as u32) else {
            return false;
        };
        self.counters.segments_out += 1;
        match plan {
            Plan::Reset(seq, acknowledges) => self.write_reset(seq, acknowledges, out),
            Plan::Syn => self.write_syn(now, out),
            Plan::Again(start, end) => self.write_again(now, start, end, options.as_slice(), out),
            Plan::Fresh(start, end) => self.write_fresh(now, start, end, options.as_slice(), out),
            Plan::PeerProbe => {
                let before = self.tx.here().saturating_sub(1);
                self.write_plain(before, options.as_slice(), out);
            }
            Plan::Ack => self.write_plain(self.tx.here(), options.as_slice(), out),
        }
        true
    }

    fn plan(&mut self, now: Time, options: u32) -> Option<Plan> {
        if let Some((seq, acknowledges)) = self.due.reset.take() {
            return Some(Plan::Reset(seq, acknowledges));
        }
        if !self.state.synchronised() {
            return self.plan_syn();
        }
        let mss = u64::from(self.tx.mss.saturating_sub(options).max(1));
        self.restart_after_idle(now);
        self.plan_again(mss)
            .or_else(|| self.plan_tail_probe(now, mss))
            .or_else(|| self.plan_new(now, options, mss))
            .or_else(|| core::mem::take(&mut self.due.peer_probe).then_some(Plan::PeerProbe))
            .or_else(|| self.due.ack.then_some(Plan::Ack))
    }

    fn plan_syn(&mut self) -> Option<Plan> {
        let opening = matches!(self.state, TcpState::SynSent | TcpState::SynReceived);
        let wanted = self.tx.nxt == 0 || self.tx.board.has_lost();
        if opening && wanted {
            return Some(Plan::Syn);
        }
        (self.state == TcpState::SynReceived && self.due.ack).then_some(Plan::Ack)
    }

    /// The first lost segment, if the congestion window lets it go.
    fn plan_again(&mut self, mss: u64) -> Option<Plan> {
        let lost = self.tx.board.first_lost()?;
        let end = lost.end.min(lost.start + mss);
        let pipe = self.tx.board.pipe();
        (pipe == 0 || pipe + (end - lost.start) <= u64::from(self.window.cwnd))
            .then_some(Plan::Again(lost.start, end))
    }

    /// What was known of the path has aged: no more than an initial window leaves at once (RFC 5681
    /// §4.1).
    fn restart_after_idle(&mut self, now: Time) {
        if self.tx.board.is_empty()
            && self.tx.unsent() > 0
            && now.since(self.spoke) > self.rtt.rto()
        {
            self.spoke = now;
            self.window.restart(self.config.initial_window);
            self.note_cwnd(now);
        }
    }

    /// New data if there is some, else the last segment again (RFC 8985 §7.3).
    fn plan_tail_probe(&mut self, now: Time, mss: u64) -> Option<Plan> {
        if !core::mem::take(&mut self.due.tail_probe) {
            return None;
        }
        let last = *self.tx.board.last()?;
        self.counters.probes += 1;
        // No moment for Nagle: the probe is to leave.
        self.due.small = true;
        let fresh = self.plan_fresh(now, mss, CongestionRule::Ignored);
        self.due.small = false;
        let again = Plan::Again(last.start.max(last.end.saturating_sub(mss)), last.end);
        self.start_tail_probe(now, fresh.is_none());
        Some(fresh.unwrap_or(again))
    }

    /// New data, as a probe of the path if one is due.
    fn plan_new(&mut self, now: Time, options: u32, mss: u64) -> Option<Plan> {
        match self.mtu_probe(now, options, mss) {
            Probe::None => self.plan_fresh(now, mss, CongestionRule::Respected),
            Probe::Room => None,
            Probe::Send(start, end) => Some(Plan::Fresh(start, end)),
        }
    }

    /// The next bytes that were never sent, as far as the peer's window, the congestion window and
    /// Nagle let them.
    fn plan_fresh(&mut self, now: Time, mss: u64, congestion: CongestionRule) -> Option<Plan> {
        let (start, limit) = (self.tx.nxt.max(1), self.tx.data_end());
        if start >= limit {
            // A FIN takes a sequence number, so it waits for room too (RFC 9293 §3.4), unless nothing
            // is under way: then it is the probe of the closed window (§3.8.6.1).
            let room = start < self.tx.edge || self.tx.board.is_empty();
            let due = self.tx.fin && start == limit && room;
            return due.then_some(Plan::Fresh(limit, limit + 1));
        }
        let room = self.tx.edge.saturating_sub(start);
        let wanted = mss.min(limit - start);
        let len = wanted.min(room);
        if len == 0 || !self.worth_sending(len, mss, start + len == limit) {
            self.wait_for_window(now, len < wanted);
            return None;
        }
        let pipe = self.tx.board.pipe();
        let blocked = congestion == CongestionRule::Respected
            && pipe > 0
            && pipe + len > u64::from(self.window.cwnd);
        if blocked || self.tx.board.count() >= MAX_FLIGHTS {
            return None;
        }
        self.due.small = false;
        let fin = self.tx.fin && start + len == limit && len < room;
        Some(Plan::Fresh(start, start + len + u64::from(fin)))
    }

    /// Against silly windows and small segments (RFC 9293 §3.8.6.2.1, §3.7.4).
    fn worth_sending(&self, len: u64, mss: u64, last: bool) -> bool {
        // Only small segments under way hold back a small one (Minshall): the tail of a large
        // message does not wait for a delayed acknowledgement.
        let alone = self.tx.una >= self.small_until;
        let tail = last && (!self.config.nagle || alone || self.tx.fin);
        len == mss || tail || self.due.small || 2 * len >= self.tx.max_window
    }

    fn wait_for_window(&mut self, now: Time, narrow: bool) {
        if narrow && self.tx.board.is_empty() && !self.timers.runs(Timer::Persist) {
            self.timers
                .set(Timer::Persist, now.after(self.persist_interval()));
        }
    }

    fn write_reset(&mut self, seq: Seq, acknowledges: bool, out: &mut Vec<u8>) {
        let (ack, flag) = if acknowledges {
            (self.rcv_nxt(), flags::ACK)
        } else {
            (Seq(0), 0)
        };
        let draft = Draft {
            seq,
            ack,
            flags: flags::RST | flag,
            window: 0,
            options: &[],
            payload: [&[], &[]],
        };
        draft.write(self.local, self.remote, out);
        self.sent = Sent {
            flags: draft.flags,
            ..Sent::default()
        };
    }

    fn write_syn(&mut self, now: Time, out: &mut Vec<u8>) {
        let again = self.tx.nxt > 0;
        let flags = self.syn_flags();
        let acknowledges = flags & flags::ACK != 0;
        let options = self.syn_options(now, SynOffer::Agreed);
        let window = self.rx.window.min(0xffff) as u16;
        let ack = if acknowledges { self.rcv_nxt() } else { Seq(0) };
        let draft = Draft {
            seq: self.tx.seq(0),
            ack,
            flags,
            window,
            options: options.as_slice(),
            payload: [&[], &[]],
        };
        draft.write(self.local, self.remote, out);
        self.sent = Sent {
            flags,
            retransmission: again,
            ..Sent::default()
        };
        if again {
            self.counters.retransmits += 1;
            self.tx.board.resend(0, 1, now);
        } else {
            self.put_under_way(now, 0, 1);
        }
        if acknowledges {
            self.acknowledged();
        }
    }

    fn write_again(&mut self, now: Time, start: u64, end: u64, options: &[u8], out: &mut Vec<u8>) {
        self.write_data(start, end, 0, options, out);
        self.sent.retransmission = true;
        self.counters.retransmits += 1;
        self.tx.board.resend(start, end, now);
        self.recovery.sent(end - start);
        if !self.timers.runs(Timer::Retransmit) {
            self.timers
                .set(Timer::Retransmit, now.after(self.rtt.rto()));
        }
    }

    fn write_fresh(&mut self, now: Time, start: u64, end: u64, options: &[u8], out: &mut Vec<u8>) {
        let data = end.min(self.tx.data_end()) - start;
        let reduced = if core::mem::take(&mut self.ecn.reduced) {
            flags::CWR
        } else {
            0
        };
        self.write_data(start, end, reduced, options, out);
        if self.agreed.ecn && data > 0 {
            self.sent.ecn = ECT_0;
        }
        if data < u64::from(self.mss()) {
            self.small_until = end;
        }
        self.counters.bytes_out += data;
        self.recovery.sent(data);
        self.put_under_way(now, start, end);
    }

    fn write_data(&mut self, start: u64, end: u64, more: u8, options: &[u8], out: &mut Vec<u8>) {
        let limit = self.tx.data_end();
        let push = if end >= limit { flags::PSH } else { 0 };
        let fin = if end > limit { flags::FIN } else { 0 };
        let data_end = end.min(limit);
        let push = if data_end > start { push } else { 0 };
        self.write(
            start,
            data_end,
            flags::ACK | push | fin | more,
            options,
            out,
        );
        self.sent.stream = start - 1..data_end - 1;
    }

    fn write_plain(&mut self, at: u64, options: &[u8], out: &mut Vec<u8>) {
        self.write(at, at, flags::ACK, options, out);
    }

    fn write(&mut self, start: u64, end: u64, flags: u8, options: &[u8], out: &mut Vec<u8>) {
        let flags = flags | if self.ecn.echo { flags::ECE } else { 0 };
        let window = self.rx.offer();
        let draft = Draft {
            seq: self.tx.seq(start),
            ack: self.rx.seq(self.rx.nxt),
            flags,
            window,
            options,
            payload: if end > start {
                self.tx.data(start, end)
            } else {
                [&[], &[]]
            },
        };
        draft.write(self.local, self.remote, out);
        self.sent = Sent {
            flags,
            ..Sent::default()
        };
        self.acknowledged();
    }

    /// All that came is acknowledged now.
    fn acknowledged(&mut self) {
        self.due.ack = false;
        self.due.unacked = 0;
        self.rx.acknowledged = self.rx.nxt;
        self.rx.twice = None;
        self.timers.clear(Timer::Ack);
    }

    /// Time stamps and SACK blocks, as every segment but SYN and RST has them.
    fn usual_options(&self, now: Time) -> OptionWriter {
        let mut writer = OptionWriter::default();
        if self.agreed.timestamps {
            writer.timestamps(self.stamps.value(now), self.stamps.recent);
        }
        if self.agreed.sack && !(self.rx.early.is_empty() && self.rx.twice.is_none()) {
            self.write_sack(&mut writer);
        }
        writer
    }

    /// What came twice first (RFC 2883 §4), then what is held.
    fn write_sack(&self, writer: &mut OptionWriter) {
        let mut blocks: [SackBlock; MAX_SACK] = Default::default();
        let mut n = 0;
        let twice = self.rx.twice.filter(|(start, end)| start < end);
        for (start, end) in twice
            .into_iter()
            .chain(self.rx.early.ranges())
            .take(MAX_SACK)
        {
            blocks[n] = (self.rx.seq(start), self.rx.seq(end));
            n += 1;
        }
        writer.sack(&blocks[..n]);
    }
}
