//! Time stamps: our clock in the option, the peer's to be echoed, and segments that are too old
//! (RFC 7323 §3 to §5).

use crafty_value::{Duration, Time};

/// Bytes that the option takes in each segment.
pub(crate) const BYTES: u32 = 12;
/// After this silence the peer's last stamp proves nothing (RFC 7323 §5.5).
const OUTDATED: Duration = Duration::seconds(24 * 24 * 3600);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    /// Our clock does not start at the system's (RFC 7323 §5.4).
    offset: u32,
    /// The stamp that we echo (TS.Recent), and when it came.
    pub recent: u32,
    at: Time,
}

impl Stamps {
    pub fn new(seed: u32) -> Stamps {
        Stamps {
            offset: seed.rotate_left(16).wrapping_mul(0x9e37_79b1),
            recent: 0,
            at: Time(0),
        }
    }

    /// Our clock: milliseconds.
    pub fn value(&self, now: Time) -> u32 {
        self.offset.wrapping_add(now.0.div_euclid(1_000_000) as u32)
    }

    /// How long ago our clock said this.
    pub fn age(&self, now: Time, value: u32) -> Option<Duration> {
        let age = self.value(now).wrapping_sub(value) as i32;
        (age >= 0).then(|| Duration::millis(i64::from(age)))
    }

    /// Whether a segment is older than one that was taken before (RFC 7323 §5.3 R1).
    pub fn stale(&self, now: Time, value: u32) -> bool {
        (value.wrapping_sub(self.recent) as i32) < 0 && now.since(self.at) < OUTDATED
    }

    pub fn learn(&mut self, now: Time, value: u32) {
        if !self.stale(now, value) {
            (self.recent, self.at) = (value, now);
        }
    }

    /// The first stamp of the peer.
    pub fn start(&mut self, now: Time, value: u32) {
        (self.recent, self.at) = (value, now);
    }
}
