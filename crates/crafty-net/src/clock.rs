//! The only place that asks for the time. Runs use the clock of the time since boot, which cannot
//! be set and continues while the machine sleeps; it is shown as time of day, by the difference
//! when the process first asked. Captures are stamped with the time of day, corrected for later
//! changes of it.

use crate::sys;
use crafty_value::{Duration, Time};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::OnceLock;

/// The time of day less the time since boot, when this was first asked.
static TIME_OF_DAY: OnceLock<Duration> = OnceLock::new();

/// A time of day that differs by less than this from what it should be was not set: the two clocks are
/// read one after the other, maybe with a pause between.
const SET: Duration = Duration::millis(1);

/// Readings of the two clocks until they were read without a pause.
const READINGS: usize = 5;

/// The time now, in nanoseconds since the Unix epoch. Never goes back, whoever sets the clock.
pub fn now() -> Time {
    since_boot().after(time_of_day())
}

/// Nanoseconds since the machine was started, sleep included.
pub fn since_boot() -> Time {
    read(libc::CLOCK_BOOTTIME)
}

/// A time of [`now`] as time since boot.
pub fn to_since_boot(time: Time) -> Time {
    time.after(Duration(-time_of_day().0))
}

/// By how much the time of day was set since the process first asked for it: to be taken off the
/// kernel's time stamps.
pub(crate) fn was_set_by() -> Duration {
    let at_first = time_of_day();
    match step(at_first, difference().1) {
        Duration::ZERO => Duration::ZERO,
        _ => step(at_first, measured()),
    }
}

fn step(at_first: Duration, now: Duration) -> Duration {
    match Duration(now.0.saturating_sub(at_first.0)) {
        small if small.0.abs() < SET.0 => Duration::ZERO,
        step => step,
    }
}

fn time_of_day() -> Duration {
    *TIME_OF_DAY.get_or_init(measured)
}

/// The time of day less the time since boot, as exactly as a few readings tell.
fn measured() -> Duration {
    let readings = (0..READINGS).map(|_| difference());
    readings
        .min_by_key(|(pause, _)| *pause)
        .map_or(Duration::ZERO, |(_, difference)| difference)
}

/// One reading of the difference, and how long it took at most.
fn difference() -> (Duration, Duration) {
    let before = since_boot();
    let day = read(libc::CLOCK_REALTIME);
    (since_boot().since(before), day.since(before))
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

/// Sleeps until a time since boot.
pub(crate) fn sleep_until_since_boot(due: Time) {
    while let left @ Duration(1..) = due.since(since_boot()) {
        std::thread::sleep(std::time::Duration::from_nanos(left.0.unsigned_abs()));
    }
}

/// Waits until `fd` takes bytes, or until `due`; says whether it does. A failure counts as "takes
/// bytes": writing tells which.
pub fn wait_writable(fd: BorrowedFd<'_>, due: Time) -> io::Result<bool> {
    wait(&mut [sys::pollfd(fd, libc::POLLOUT)], due)
}

/// Waits until one of `fds` can be read, or until `due`; says whether one can. A failure on one of
/// them counts as "can be read": reading tells which.
pub fn wait_any(fds: &[BorrowedFd<'_>], due: Time) -> io::Result<bool> {
    let mut polled: Vec<_> = fds
        .iter()
        .map(|fd| sys::pollfd(*fd, libc::POLLIN))
        .collect();
    wait(&mut polled, due)
}

/// Waits until one of `fds` can be read, or for `span`, to the nanosecond; says of each whether it can.
/// A failure counts as "can be read": reading tells which.
pub fn wait_any_for(fds: &[BorrowedFd<'_>], span: Duration) -> io::Result<Vec<bool>> {
    let mut polled: Vec<_> = fds
        .iter()
        .map(|fd| sys::pollfd(*fd, libc::POLLIN))
        .collect();
    sys::poll(&mut polled, Some(span.0.max(0)))?;
    Ok(polled.iter().map(|it| it.revents != 0).collect())
}

fn wait(polled: &mut [libc::pollfd], due: Time) -> io::Result<bool> {
    loop {
        let left = due.since(now()).0;
        if sys::poll(polled, Some(left))? {
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

/// From now on the calling thread runs before all ordinary ones whenever it has something to do
/// (`SCHED_RR`). Needs CAP_SYS_NICE.
pub fn run_before_others() -> io::Result<()> {
    sys::set_real_time_priority(1)
}

fn read(clock: libc::clockid_t) -> Time {
    let mut at = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel fills `at`; these clocks exist on every Linux.
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

    /// A clock that is set has no way in: it is read for the difference alone, and a later one is
    /// taken off what the kernel stamps.
    #[test]
    fn setting_the_time_of_day_changes_nothing() {
        let hour = Duration::seconds(3_600);
        for set in [
            hour,
            Duration(-hour.0),
            Duration::millis(2),
            Duration::millis(-2),
        ] {
            let at_first = Duration::seconds(1_700_000_000);
            let now = Duration(at_first.0 + set.0);
            let stamped = Time(5).after(now);
            let step = step(at_first, now);
            assert_eq!(stamped.after(Duration(-step.0)), Time(5).after(at_first));
        }
        assert_eq!(step(hour, Duration(hour.0 + 900_000)), Duration::ZERO);
        assert_eq!(was_set_by(), Duration::ZERO);
        let (day, shown) = (read(libc::CLOCK_REALTIME), now());
        assert!(
            shown.since(day).0.abs() < SET.0 * 10,
            "{shown:?} is not {day:?}"
        );
    }

    #[test]
    fn far_times_do_not_overflow() {
        assert_eq!(from_timespec(i64::MAX, 1), Time(i64::MAX));
        assert_eq!(from_timespec(i64::MIN, -1), Time(i64::MIN));
    }
}
