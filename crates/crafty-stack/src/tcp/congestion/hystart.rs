//! Leaves slow start when round trips grow, before a queue overflows (RFC 9406, HyStart++).

use super::Acked;
use crafty_value::Duration;

/// RFC 9406 §4.3.
const MIN_THRESHOLD: i64 = 4_000_000;
const MAX_THRESHOLD: i64 = 16_000_000;
const DIVISOR: i64 = 8;
const SAMPLES: u32 = 8;
const ROUNDS: u32 = 5;

/// How the window grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GrowthPhase {
    /// As in slow start.
    Full,
    /// A quarter of that: it is not certain yet that the path is full.
    Quarter,
    /// Slow start is over.
    Over,
}

/// Round trips by the round, and the doubt if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HyStart {
    /// The round ends when this position is acknowledged.
    end: u64,
    /// Least round trip of the last round and of this one.
    last: Option<Duration>,
    least: Option<Duration>,
    samples: u32,
    /// Least round trip when growth was slowed, and rounds since then.
    doubt: Option<(Duration, u32)>,
}

impl HyStart {
    pub fn acked(&mut self, acked: &Acked) -> GrowthPhase {
        if acked.una >= self.end {
            *self = HyStart {
                end: acked.nxt,
                last: self.least,
                least: None,
                samples: 0,
                doubt: self.doubt.map(|(rtt, n)| (rtt, n + 1)),
            };
        }
        if let Some(rtt) = acked.rtt {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
        self.decide();
        match self.doubt {
            None => GrowthPhase::Full,
            Some((_, rounds)) if rounds < ROUNDS => GrowthPhase::Quarter,
            Some(_) => GrowthPhase::Over,
        }
    }

    fn decide(&mut self) {
        let Some(least) = self.least.filter(|_| self.samples >= SAMPLES) else {
            return;
        };
        match (self.doubt, self.last) {
            // It was jitter.
            (Some((baseline, _)), _) if least < baseline => self.doubt = None,
            (None, Some(last))
                if least.0 >= last.0 + (last.0 / DIVISOR).clamp(MIN_THRESHOLD, MAX_THRESHOLD) =>
            {
                self.doubt = Some((least, 0))
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_value::Time;

    /// Rounds of ten samples each, with this round trip in milliseconds; the pace at the end of
    /// each.
    fn check(rounds: &[(i64, GrowthPhase)]) {
        let mut hystart = HyStart::default();
        for (n, (rtt, expected)) in rounds.iter().enumerate() {
            let at = n as u64 * 10;
            let mut pace = GrowthPhase::Full;
            for k in 0..10 {
                let acked = Acked {
                    octets: 1,
                    now: Time(0),
                    srtt: Duration::ZERO,
                    una: at + k,
                    nxt: at + 10,
                    rtt: Some(Duration::millis(*rtt)),
                };
                pace = hystart.acked(&acked);
            }
            assert_eq!(pace, *expected, "round {n}");
        }
    }

    #[test]
    fn growing_round_trips_end_slow_start_after_five_rounds() {
        check(&[
            (40, GrowthPhase::Full),
            (41, GrowthPhase::Full),
            (44, GrowthPhase::Full),
            (50, GrowthPhase::Quarter),
        ]);
        let doubt = [
            (40, GrowthPhase::Full),
            (50, GrowthPhase::Quarter),
            (50, GrowthPhase::Quarter),
            (50, GrowthPhase::Quarter),
            (50, GrowthPhase::Quarter),
            (50, GrowthPhase::Quarter),
        ];
        check(&[&doubt[..], &[(50, GrowthPhase::Over)]].concat());
    }

    #[test]
    fn jitter_is_forgiven() {
        check(&[
            (40, GrowthPhase::Full),
            (50, GrowthPhase::Quarter),
            (45, GrowthPhase::Full),
            (45, GrowthPhase::Full),
        ]);
    }
}
