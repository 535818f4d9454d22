//! A token bucket: what is within a rate and a burst (RFC 2697).

use crafty_value::Time;

/// Tokens are bits of a thousand-millionth, so that nothing is rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenBucket {
    rate: i128,
    burst: i128,
    tokens: i128,
    since: Time,
}

impl TokenBucket {
    /// A full bucket: bits a second, bytes.
    pub fn new(rate: i64, burst: i64) -> TokenBucket {
        let burst = i128::from(burst) * 8_000_000_000;
        TokenBucket {
            rate: i128::from(rate),
            burst,
            tokens: burst,
            since: Time(0),
        }
    }

    /// Takes tokens for so many bytes, if there are enough.
    pub fn take(&mut self, now: Time, bytes: usize) -> bool {
        let earned = i128::from(now.since(self.since).0) * self.rate;
        self.tokens = (self.tokens + earned).min(self.burst);
        self.since = now;
        let price = bytes as i128 * 8_000_000_000;
        let enough = self.tokens >= price;
        if enough {
            self.tokens -= price;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_value::Duration;

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let mut bucket = TokenBucket::new(1_000_000, 10_000);
        let burst = (0..100).filter(|_| bucket.take(Time(0), 1000)).count();
        assert_eq!(burst, 10);
        // A megabit is 125 kilobytes in a second.
        let taken = (1..=10_000)
            .filter(|n| bucket.take(Time(0).after(Duration::micros(n * 100)), 1000))
            .count();
        assert_eq!(taken, 125);
    }
}
