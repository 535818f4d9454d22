//! How much may be under way: one control a file, all over the same window.

pub mod cubic;
mod hystart;
pub mod new_reno;

use crafty_value::{Duration, Time};
use hystart::GrowthPhase;

/// All controls.
pub static CONTROLS: &[&CongestionControl] = &[&cubic::CONTROL, &new_reno::CONTROL];

/// One way to adapt the window.
#[derive(Debug)]
pub struct CongestionControl {
    /// As written in `TCP!(cc=…)`.
    pub name: &'static str,
    /// One sentence, and the RFC.
    pub doc: &'static str,
    /// Grows the window beyond slow start, for bytes newly acknowledged while the window was in
    /// use.
    pub(crate) avoid: fn(&mut CongestionWindow, &Acked),
    /// Notes a congestion event and gives the new slow start threshold in bytes.
    pub(crate) shrink: fn(&mut CongestionWindow, flight: u32) -> u32,
}

/// The control of this name.
pub fn control(name: &str) -> Option<&'static CongestionControl> {
    CONTROLS.iter().copied().find(|c| c.name == name)
}

/// Bytes newly acknowledged, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acked {
    pub octets: u32,
    pub now: Time,
    pub srtt: Duration,
    /// Oldest position that is not acknowledged, and the next to send.
    pub una: u64,
    pub nxt: u64,
    /// Round trip of what was acknowledged, if it was sent once.
    pub rtt: Option<Duration>,
}

/// The congestion window.
#[derive(Clone, Debug)]
pub struct CongestionWindow {
    /// In bytes.
    pub cwnd: u32,
    /// Slow start threshold in bytes.
    pub ssthresh: u32,
    pub(crate) mss: u32,
    control: &'static CongestionControl,
    /// Bytes acknowledged towards the next increase.
    credit: u32,
    cubic: cubic::Epoch,
    hystart: Option<hystart::HyStart>,
}

/// No window grows beyond this, whatever is acknowledged.
const MAX_CWND: u32 = 1 << 30;

impl CongestionWindow {
    pub(crate) fn new(
        control: &'static CongestionControl,
        mss: u32,
        segments: u16,
    ) -> CongestionWindow {
        let cwnd = mss.saturating_mul(u32::from(segments.max(1))).min(MAX_CWND);
        CongestionWindow {
            cwnd,
            ssthresh: MAX_CWND,
            mss,
            control,
            credit: 0,
            cubic: cubic::Epoch::default(),
            hystart: None,
        }
    }

    /// Whether the first slow start is left when round trips grow.
    pub(crate) fn cautious(mut self, cautious: bool) -> CongestionWindow {
        self.hystart = cautious.then(hystart::HyStart::default);
        self
    }

    /// Grows for bytes newly acknowledged (RFC 5681 §3.1, RFC 3465).
    pub(crate) fn acked(&mut self, acked: &Acked) {
        if self.cwnd < self.ssthresh {
            let grown = acked.octets.min(2 * self.mss);
            match self
                .hystart
                .as_mut()
                .map_or(GrowthPhase::Full, |hystart| hystart.acked(acked))
            {
                GrowthPhase::Full => self.cwnd = self.cwnd.saturating_add(grown).min(MAX_CWND),
                GrowthPhase::Quarter => {
                    self.cwnd = self.cwnd.saturating_add(grown / 4).min(MAX_CWND)
                }
                GrowthPhase::Over => self.ssthresh = self.cwnd,
            }
        } else {
            (self.control.avoid)(self, acked);
            self.cwnd = self.cwnd.min(MAX_CWND);
        }
    }

    /// Sets the threshold after loss or an ECN mark, `flight` bytes being under way.
    pub(crate) fn reduce(&mut self, flight: u32) {
        self.ssthresh = (self.control.shrink)(self, flight).max(2 * self.mss);
        self.credit = 0;
        self.hystart = None;
    }

    /// After a silence the window begins again from `segments` at most; the threshold keeps what
    /// was learnt (RFC 5681 §4.1).
    pub(crate) fn restart(&mut self, segments: u16) {
        self.cwnd = self
            .cwnd
            .min(self.mss.saturating_mul(u32::from(segments.max(1))));
        self.cubic.pause();
    }

    /// The whole flight is taken for lost (RFC 5681 §3.1).
    pub(crate) fn collapse(&mut self) {
        self.cwnd = self.mss;
        self.credit = 0;
    }
}
