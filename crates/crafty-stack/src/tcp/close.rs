//! The ends of a connection (RFC 9293 §3.6).

use super::connection::{Connection, ConnectionEvent, PendingSend, ResetBy};
use super::scoreboard::Scoreboard;
use super::segment::{Segment, TcpHeader, flags};
use super::state::{StateInput, TcpState};
use super::timers::Timer;
use crafty_value::Time;

impl Connection {
    /// Closes our direction: FIN after all that was queued. What is not closed both ways within
    /// [`super::Config::close`] is reset.
    pub fn close(&mut self, now: Time) {
        match self.state {
            TcpState::SynSent => {
                self.step(StateInput::Close);
                self.finish();
            }
            TcpState::SynReceived | TcpState::Established | TcpState::CloseWait if !self.tx.fin => {
                self.tx.fin = true;
                self.step(StateInput::Close);
                self.timers.set(Timer::Close, now.after(self.config.close));
            }
            _ => {}
        }
    }

    /// Cuts the connection; a reset is sent if the peer knows of it.
    pub fn abort(&mut self, now: Time) {
        self.heard = now;
        if self.state != TcpState::Closed {
            self.cut(ConnectionEvent::Reset(ResetBy::Us));
        }
    }

    /// The connection is gone, for a reason to be told.
    pub(crate) fn die(&mut self, event: ConnectionEvent) {
        self.step(StateInput::Reset);
        self.empty();
        self.tell(event);
    }

    /// The connection ended as it should.
    pub(crate) fn finish(&mut self) {
        self.empty();
        self.tell(ConnectionEvent::Closed);
    }

    /// Both ends have closed; what is late is waited for.
    pub(crate) fn begin_time_wait(&mut self, now: Time) {
        self.timers.clear_all();
        self.timers
            .set(Timer::TimeWait, now.after(self.config.time_wait));
        self.tell(ConnectionEvent::Closed);
    }

    /// A segment for a connection that is gone (RFC 9293 §3.10.7.1). No reset is answered.
    pub(crate) fn on_closed(&mut self, now: Time, h: &TcpHeader<'_>) {
        if h.has(flags::ACK) && !h.has(flags::RST) && self.limiter.permits(now) {
            self.due.reset = Some((h.ack, false));
        }
    }

    fn empty(&mut self) {
        self.timers.clear_all();
        self.tx.board = Scoreboard::default();
        self.tx.drop_all();
        self.due = PendingSend::default();
        self.stuck = None;
        self.unanswered = 0;
    }

    /// Whether a new connection between the same ends may take this one's place: it is closed, or
    /// in TIME-WAIT and the segment opens one that cannot be taken for the old (RFC 9293 §3.6.1,
    /// RFC 6191).
    pub fn gives_way(&self, segment: &Segment<'_>) -> bool {
        let Some(header) = segment
            .header()
            .filter(|_| segment.opens() && segment.checksum_holds())
        else {
            return false;
        };
        match (self.state, header.options.timestamps) {
            (TcpState::Closed, _) => true,
            (TcpState::TimeWait, Some((value, _))) if self.agreed.timestamps => {
                value.wrapping_sub(self.stamps.recent) as i32 > 0
            }
            (TcpState::TimeWait, _) => header.seq.distance(self.rcv_nxt()) > 0,
            _ => false,
        }
    }
}
