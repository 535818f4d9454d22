//! How much may leave while loss is repaired: proportional rate reduction (RFC 6937), or slow start
//! after a time-out.

use super::congestion::CongestionWindow;

/// What repair is under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Recovery {
    /// None.
    #[default]
    Open,
    /// Loss was noticed in time.
    Fast(Reduction),
    /// The timer fired; the window grows from one segment.
    Timeout {
        /// What was under way then ends here.
        until: u64,
        /// Window and threshold before, until an answer shows whether the time-out was needed.
        before: Option<(u32, u32)>,
    },
}

/// Proportional rate reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    /// What was under way when loss was noticed ends here.
    pub until: u64,
    /// Bytes that were under way then.
    flight: u64,
    delivered: u64,
    pub sent: u64,
}

impl Recovery {
    pub fn is_open(&self) -> bool {
        matches!(self, Recovery::Open)
    }

    /// Where it ends.
    pub fn until(&self) -> Option<u64> {
        match self {
            Recovery::Open => None,
            Recovery::Fast(reduction) => Some(reduction.until),
            Recovery::Timeout { until, .. } => Some(*until),
        }
    }

    /// Bytes were sent.
    pub fn sent(&mut self, octets: u64) {
        if let Recovery::Fast(reduction) = self {
            reduction.sent += octets;
        }
    }
}

impl Reduction {
    pub fn new(until: u64, flight: u64) -> Reduction {
        Reduction {
            until,
            flight: flight.max(1),
            delivered: 0,
            sent: 0,
        }
    }

    /// Sets the window for `news` bytes delivered while `pipe` are under way (RFC 6937 §3, slow
    /// start reduction bound).
    pub fn delivered(&mut self, window: &mut CongestionWindow, news: u64, pipe: u64) {
        self.delivered += news;
        let ssthresh = u64::from(window.ssthresh);
        let quota = if pipe > ssthresh {
            (self.delivered * ssthresh)
                .div_ceil(self.flight)
                .saturating_sub(self.sent)
        } else {
            let bound = self.delivered.saturating_sub(self.sent).max(news) + u64::from(window.mss);
            (ssthresh - pipe).min(bound)
        };
        // The first segment is sent again at once.
        let quota = if self.sent == 0 {
            quota.max(u64::from(window.mss))
        } else {
            quota
        };
        window.cwnd = u32::try_from(pipe + quota).unwrap_or(u32::MAX);
    }
}
