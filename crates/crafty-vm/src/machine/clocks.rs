//! The moments that a machine knows of.

use crafty_value::Time;

/// What time it is for the machine, and when its program must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    /// The latest moment that the machine knows.
    pub now: Time,
    /// All packets up to this moment have been handed in.
    pub horizon: Time,
    /// The end of `max_duration`.
    pub deadline: Time,
    /// Whether a handler has run since the main program was last on time.
    pub reacted: bool,
}

impl Clocks {
    /// Before program time 0: there is no deadline yet.
    pub fn new(start: Time) -> Clocks {
        Clocks {
            now: start,
            horizon: start,
            deadline: Time(i64::MAX),
            reacted: false,
        }
    }

    /// A packet was received at `time`. Time never runs backwards.
    pub fn received(&mut self, time: Time) {
        self.now = self.now.max(time);
    }

    /// It is `now`, and all packets up to `now` have been handed in.
    pub fn passed(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.horizon = self.horizon.max(now);
    }

    /// The program time begins now and ends at `deadline`.
    pub fn begin(&mut self, deadline: Time) {
        self.horizon = self.now;
        self.deadline = deadline;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_moves_the_clock_and_not_the_horizon() {
        let mut clocks = Clocks::new(Time(10));
        clocks.received(Time(20));
        assert_eq!((clocks.now, clocks.horizon), (Time(20), Time(10)));
        clocks.passed(Time(15));
        assert_eq!((clocks.now, clocks.horizon), (Time(20), Time(15)));
        clocks.received(Time(5));
        assert_eq!(clocks.now, Time(20), "time does not run backwards");
        clocks.begin(Time(99));
        assert_eq!((clocks.horizon, clocks.deadline), (Time(20), Time(99)));
    }
}
