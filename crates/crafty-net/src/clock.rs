//! The only place that asks for the time. The clock is `CLOCK_REALTIME`, the one that captures are stamped with.

use crafty_value::{Duration, Time};

/// The time now, on the clock of the captures: nanoseconds since the Unix epoch.
pub fn now() -> Time {
    read(libc::CLOCK_REALTIME)
}

/// Nanoseconds on a clock that no one sets: for spans only.
pub fn monotonic() -> Time {
    read(libc::CLOCK_MONOTONIC)
}

/// Sleeps until `due`; returns at once if that has passed.
pub fn sleep_until(due: Time) {
    while let left @ Duration(1..) = due.since(now()) {
        let span = std::time::Duration::from_nanos(left.0.unsigned_abs());
        std::thread::sleep(span);
    }
}

fn read(clock: libc::clockid_t) -> Time {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills `at`; both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &raw mut at) };
    from_timespec(at.tv_sec, at.tv_nsec)
}

/// Seconds and nanoseconds as one number; never overflows.
pub(crate) fn from_timespec(seconds: i64, nanoseconds: i64) -> Time {
    Time(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
}
