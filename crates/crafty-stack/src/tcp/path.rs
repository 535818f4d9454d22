//! How large a segment the path takes: told by routers (RFC 1191, RFC 8201) or found out (RFC
//! 4821).

use super::connection::{Connection, ConnectionEvent};
use super::scoreboard::Flight;
use super::search::{GUESSED_WAIT, TOLD_WAIT};
use super::seq::Seq;
use super::state::TcpState;
use super::timers::Timer;
use crate::icmp::{self, IcmpErrorKind};
use crate::ip;
use crafty_value::{Duration, Time};

/// MTUs that links have, for routers that do not tell theirs (RFC 1191 §7.1).
const PLATEAUS: [u32; 9] = [32_000, 17_914, 8_166, 4_352, 2_002, 1_492, 1_006, 576, 508];
/// Every IPv6 link takes this (RFC 8200 §5).
const MIN_MTU_V6: u32 = 1280;
/// Segment size that gets through nearly everywhere (RFC 4821 §7.7 has 1024 bytes).
const SAFE_SEGMENT: u32 = 1024;
/// Time-outs in a row that make a black hole likely: where no segment of that size ever arrived,
/// and where one did.
const BLACK_HOLE: u32 = 2;
/// See [`BLACK_HOLE`].
const NEW_BLACK_HOLE: u32 = 6;

impl Connection {
    /// Takes an ICMP error that quotes a segment between these ends. It must quote what is under
    /// way (RFC 5927 §4.1); it ends an opening, and later it can only lower the segment size.
    pub fn handle_icmp(&mut self, now: Time, error: &icmp::IcmpError) {
        if !self.concerns(&error.flow) {
            return;
        }
        self.counters.icmp_errors += 1;
        match error.kind {
            IcmpErrorKind::TooBig { mtu } => self.on_too_big(now, mtu),
            kind @ (IcmpErrorKind::Unreachable { .. } | IcmpErrorKind::TimeExceeded { .. })
                if matches!(self.state, TcpState::SynSent | TcpState::SynReceived) =>
            {
                self.die(ConnectionEvent::Unreachable(kind));
            }
            _ => {}
        }
    }

    fn concerns(&self, flow: &icmp::QuotedDatagram) -> bool {
        let ends = (
            self.local.ip(),
            self.remote.ip(),
            Some((self.local.port(), self.remote.port())),
        );
        let quoted = flow.seq.map(|seq| self.tx.position(Seq(seq)));
        let under_way =
            quoted.is_some_and(|at| (self.tx.una as i64..self.tx.nxt as i64).contains(&at));
        flow.protocol == ip::TCP && (flow.source, flow.destination, flow.ports) == ends && under_way
    }

    fn on_too_big(&mut self, now: Time, mtu: u32) {
        let overhead = if self.local.is_ipv4() { 40 } else { 60 };
        let told = match mtu {
            0 => *PLATEAUS
                .iter()
                .find(|plateau| **plateau < self.tx.mss + overhead)
                .unwrap_or(&0),
            _ => mtu,
        };
        let floor = if self.local.is_ipv4() { 0 } else { MIN_MTU_V6 };
        let told = told.max(floor).saturating_sub(overhead);
        if self.shrink_segments(now, told, TOLD_WAIT) || self.probed_beyond(told) {
            let size = u64::from(self.mss());
            // Not a sign of congestion (RFC 1191 §6.5): what is too large goes again at once, cut
            // again. The FIN takes a sequence number and no room.
            let end = self.tx.data_end();
            let data = |flight: &Flight| flight.end.min(end).saturating_sub(flight.start);
            if self.tx.board.lose(|flight| data(flight) > size) > 0 {
                self.lost_only_the_probe(now);
                self.timers
                    .set(Timer::Retransmit, now.after(self.rtt.rto()));
            }
        }
    }

    /// Segments vanish while small ones would get through: tries smaller ones (RFC 4821 §7.7, RFC
    /// 2923 §2.1).
    pub(crate) fn suspect_black_hole(&mut self, now: Time) {
        let Some(first) = self.tx.board.iter().next().map(|first| first.len()) else {
            return;
        };
        let large = first > u64::from(SAFE_SEGMENT);
        let patience = if self.proven >= first {
            NEW_BLACK_HOLE
        } else {
            BLACK_HOLE
        };
        let asked = self.config.mtu_probing && self.state.synchronised() && self.tx.window > 0;
        let likely = asked && self.rtt.backoff() >= patience;
        if likely && large {
            self.shrink_segments(now, SAFE_SEGMENT, GUESSED_WAIT);
        } else if likely && self.rtt.backoff() > patience {
            self.shrink_segments(now, u32::from(self.config.min_mss), GUESSED_WAIT);
        }
    }

    fn shrink_segments(&mut self, now: Time, size: u32, wait: Duration) -> bool {
        let size = size.max(u32::from(self.config.min_mss)).max(64);
        let smaller = size < self.tx.mss;
        if smaller {
            self.tx.mss = size;
            self.window.mss = self.mss();
            self.counters.mtu_reductions += 1;
            self.search.begin(now, wait);
        }
        smaller
    }
}
