//! Deadlines of a connection: one place each, no thread, no callback.

use crafty_value::Time;

/// What may be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Opening takes too long.
    Open,
    /// Nothing was acknowledged (RFC 6298).
    Retransmit,
    /// The tail may be lost (RFC 8985 §7).
    Probe,
    /// What seemed reordered counts as lost (RFC 8985 §6).
    Reorder,
    /// The peer's window is closed (RFC 9293 §3.8.6.1).
    Persist,
    /// An acknowledgement was delayed.
    Ack,
    /// The peer is silent.
    KeepAlive,
    /// Closing takes too long.
    Close,
    /// TIME-WAIT ends.
    TimeWait,
}

/// All of them, in the order in which they are served when due at once.
pub(crate) const TIMERS: [Timer; 9] = [
    Timer::Open,
    Timer::Close,
    Timer::TimeWait,
    Timer::Reorder,
    Timer::Probe,
    Timer::Retransmit,
    Timer::Persist,
    Timer::Ack,
    Timer::KeepAlive,
];

const NEVER: Time = Time(i64::MAX);

/// When each is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers([Time; TIMERS.len()]);

impl Timers {
    pub fn new() -> Timers {
        Timers([NEVER; TIMERS.len()])
    }

    pub fn set(&mut self, timer: Timer, due: Time) {
        self.0[timer as usize] = due;
    }

    pub fn clear(&mut self, timer: Timer) {
        self.0[timer as usize] = NEVER;
    }

    pub fn clear_all(&mut self) {
        *self = Timers::new();
    }

    pub fn runs(&self, timer: Timer) -> bool {
        self.0[timer as usize] != NEVER
    }

    /// When it is due, or the end of time.
    pub fn at(&self, timer: Timer) -> Time {
        self.0[timer as usize]
    }

    /// The time that the next one is due.
    pub fn next(&self) -> Option<Time> {
        self.0.iter().min().copied().filter(|due| *due != NEVER)
    }

    /// The first that is due, which is then cleared.
    pub fn take_due(&mut self, now: Time) -> Option<Timer> {
        let timer = TIMERS.into_iter().find(|t| self.0[*t as usize] <= now)?;
        self.clear(timer);
        Some(timer)
    }
}
