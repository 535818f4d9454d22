//! How many answers a second a peer can make us give (RFC 5961 §7).

use crafty_value::{Duration, Time};

/// Challenges and answers to segments out of the window, a second.
const PER_SECOND: u32 = 10;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limiter {
    since: Time,
    given: u32,
}

impl Limiter {
    /// Whether one more may be given.
    pub fn permits(&mut self, now: Time) -> bool {
        if self.given == 0 || now.since(self.since) >= Duration::seconds(1) {
            *self = Limiter {
                since: now,
                given: 0,
            };
        }
        self.given += 1;
        self.given <= PER_SECOND
    }
}
