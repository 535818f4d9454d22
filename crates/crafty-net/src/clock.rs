//! The only place that asks for the time. The clock is `CLOCK_REALTIME`, the one that captures are
//! stamped with.

use crate::sys;
use crafty_value::{Duration, Time};
use std::io;
use std::os::fd::BorrowedFd;

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

/// Waits until one of `fds` can be read, or until `due`; says whether one can. A failure on one of
/// them counts as "can be read": reading tells which.
pub fn wait_any(fds: &[BorrowedFd<'_>], due: Time) -> io::Result<bool> {
    let mut polled: Vec<_> = fds
        .iter()
        .map(|fd| sys::pollfd(*fd, libc::POLLIN))
        .collect();
    loop {
        let left = due.since(now()).0;
        if sys::poll(&mut polled, Some(left))? {
            return Ok(true);
        }
        if left <= 0 {
            return Ok(false);
        }
    }
}

/// From now on the calling thread is woken when it is due, not up to 50 us later to save power.
pub fn wake_precisely() -> io::Result<()> {
    sys::set_timer_slack(1)
}

fn read(clock: libc::clockid_t) -> Time {
    let mut at = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel fills `at`; both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &raw mut at) };
    from_timespec(at.tv_sec, at.tv_nsec)
}

/// Seconds and nanoseconds as one number; never overflows.
pub(crate) fn from_timespec(seconds: i64, nanoseconds: i64) -> Time {
    Time(
        seconds
            .saturating_mul(1_000_000_000)
            .saturating_add(nanoseconds),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn nothing_wakes_too_early() {
        wake_precisely().unwrap();
        for wait in [0, 1, 50_000, 3_000_000] {
            let due = now().after(Duration(wait));
            sleep_until(due);
            assert!(now() >= due);
            let (reader, mut writer) = io::pipe().unwrap();
            let due = now().after(Duration(wait));
            assert!(!wait_any(&[reader.as_fd()], due).unwrap() && now() >= due);
            writer.write_all(b"x").unwrap();
            assert!(wait_any(&[reader.as_fd()], Time(0)).unwrap());
        }
    }

    #[test]
    fn far_times_do_not_overflow() {
        assert_eq!(from_timespec(i64::MAX, 1), Time(i64::MAX));
        assert_eq!(from_timespec(i64::MIN, -1), Time(i64::MIN));
    }
}
