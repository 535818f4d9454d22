//! Round-trip time and the time-out that follows from it (RFC 6298), in integer nanoseconds.

use crafty_value::Duration;

/// Time-out before there is a sample (RFC 6298 §2.1).
const INITIAL_RTO: Duration = Duration::seconds(1);
/// The same for data, if a SYN had to be sent again (RFC 6298 §5.7).
const CAREFUL_RTO: Duration = Duration::seconds(3);
/// Longest time-out (RFC 6298 §2.5 allows 60 s and more).
pub(crate) const MAX_RTO: Duration = Duration::seconds(60);
/// Granularity of the clock: how much a time-out exceeds a round trip that never varies.
const GRANULARITY: Duration = Duration::millis(1);

/// What is known of the round trip.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// Smoothed.
    pub srtt: Option<Duration>,
    /// Mean deviation.
    pub rttvar: Duration,
    /// Smallest sample.
    pub min: Option<Duration>,
    /// Newest sample.
    pub latest: Option<Duration>,
    min_rto: Duration,
    initial: Duration,
    backoff: u32,
}

impl Rtt {
    pub(crate) fn new(min_rto: Duration) -> Rtt {
        Rtt {
            srtt: None,
            rttvar: Duration::ZERO,
            min: None,
            latest: None,
            min_rto,
            initial: INITIAL_RTO,
            backoff: 0,
        }
    }

    /// Takes a sample, and with it an end to backing off (RFC 6298 §2, §5.7).
    pub(crate) fn sample(&mut self, rtt: Duration) {
        let rtt = rtt.max(Duration::ZERO);
        let (srtt, rttvar) = match self.srtt {
            None => (rtt.0, rtt.0 / 2),
            Some(srtt) => {
                let deviation = srtt.0.saturating_sub(rtt.0).saturating_abs();
                (
                    srtt.0 - srtt.0 / 8 + rtt.0 / 8,
                    self.rttvar.0 - self.rttvar.0 / 4 + deviation / 4,
                )
            }
        };
        (self.srtt, self.rttvar) = (Some(Duration(srtt)), Duration(rttvar));
        self.min = Some(self.min.map_or(rtt, |min| min.min(rtt)));
        self.latest = Some(rtt);
        self.backoff = 0;
    }

    /// The retransmission time-out, backed off.
    pub fn rto(&self) -> Duration {
        self.rto_after(self.backoff)
    }

    /// The time-out after this many that were not answered.
    pub(crate) fn rto_after(&self, unanswered: u32) -> Duration {
        let base = match self.srtt {
            None => self.initial,
            Some(srtt) => Duration(
                srtt.0
                    .saturating_add(self.rttvar.0.saturating_mul(4).max(GRANULARITY.0)),
            ),
        };
        Duration(
            base.max(self.min_rto)
                .0
                .saturating_mul(1 << unanswered.min(16)),
        )
        .min(MAX_RTO)
    }

    /// The SYN had to be sent again: data waits longer, until there is a sample.
    pub(crate) fn be_careful(&mut self) {
        self.initial = CAREFUL_RTO;
    }

    /// RFC 6298 §5.5.
    pub(crate) fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Times backed off since the last sample.
    pub(crate) fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Something new was acknowledged.
    pub(crate) fn forward(&mut self) {
        self.backoff = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_out_follows_rfc_6298() {
        let mut rtt = Rtt::new(Duration::millis(200));
        assert_eq!(rtt.rto(), Duration::seconds(1));
        rtt.sample(Duration::millis(100));
        assert_eq!(rtt.rto(), Duration::millis(300));
        rtt.sample(Duration::millis(100));
        assert_eq!(rtt.rto(), Duration::micros(250_000));
        (0..40).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), MAX_RTO);
        rtt.sample(Duration(i64::MAX));
        assert_eq!(rtt.rto(), MAX_RTO);
    }
}
