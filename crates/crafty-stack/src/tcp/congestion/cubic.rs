//! A cubic of the time since the last loss (RFC 9438), in integers: bytes and milliseconds.

use super::{Acked, CongestionControl, CongestionWindow};
use crafty_value::Time;

/// The row.
pub static CONTROL: CongestionControl = CongestionControl {
    name: "cubic",
    doc: "A cubic function of the time since the last loss, 70 % after a loss (RFC 9438).",
    avoid,
    shrink,
};

/// What is kept between losses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Epoch {
    start: Option<Time>,
    /// Window before the last reduction, in bytes.
    w_max: u32,
    /// Milliseconds from the start of the epoch until the cubic reaches `w_max` (RFC 9438 §4.2, K).
    k: i64,
    /// The window that Reno would have (RFC 9438 §4.3).
    w_est: u32,
    credit: u32,
}

impl Epoch {
    /// Time that passes now does not count (RFC 9438 §5.8).
    pub fn pause(&mut self) {
        self.start = None;
    }
}

fn avoid(window: &mut CongestionWindow, acked: &Acked) {
    let start = *window.cubic.start.get_or_insert(acked.now);
    if start == acked.now {
        begin(window);
    }
    let elapsed = acked.now.since(start).0 / 1_000_000 + acked.srtt.0 / 1_000_000;
    let target =
        cubic(window, elapsed).clamp(window.cwnd, window.cwnd.saturating_add(window.cwnd / 2));
    friendly(window, acked.octets);
    if window.cubic.w_est > target {
        window.cwnd = window.cwnd.max(window.cubic.w_est);
        return;
    }
    let grown =
        u64::from(target - window.cwnd) * u64::from(acked.octets) / u64::from(window.cwnd.max(1));
    window.cwnd = window.cwnd.saturating_add(grown as u32);
}

fn begin(window: &mut CongestionWindow) {
    let missing = window.cubic.w_max.saturating_sub(window.cwnd);
    // K³ = (w_max - cwnd) / C with C = 0.4 segments/s³.
    window.cubic.k = cube_root(u64::from(missing) * 2_500_000_000 / u64::from(window.mss.max(1)));
    window.cubic.w_max = window.cubic.w_max.max(window.cwnd);
    window.cubic.w_est = window.cwnd;
    window.cubic.credit = 0;
}

/// `w_max + C (t - K)³`.
fn cubic(window: &CongestionWindow, elapsed: i64) -> u32 {
    let t = i128::from((elapsed - window.cubic.k).clamp(-1_000_000, 1_000_000));
    let delta = t * t * t * 4 * i128::from(window.mss) / 10_000_000_000;
    (i128::from(window.cubic.w_max) + delta).clamp(0, i128::from(super::MAX_CWND)) as u32
}

/// Grows by 3 (1 - β) / (1 + β) = 9/17 segments a window until `w_max`, then by one.
fn friendly(window: &mut CongestionWindow, octets: u32) {
    let epoch = &mut window.cubic;
    epoch.credit = epoch.credit.saturating_add(octets);
    let step = if epoch.w_est < epoch.w_max {
        window.mss * 9 / 17
    } else {
        window.mss
    };
    if epoch.credit >= epoch.w_est.max(1) {
        epoch.credit -= epoch.w_est;
        epoch.w_est = epoch.w_est.saturating_add(step).min(super::MAX_CWND);
    }
}

fn shrink(window: &mut CongestionWindow, flight: u32) -> u32 {
    let cwnd = window.cwnd;
    // Fast convergence (RFC 9438 §4.7).
    let w_max = if cwnd < window.cubic.w_max {
        (u64::from(cwnd) * 17 / 20) as u32
    } else {
        cwnd
    };
    window.cubic = Epoch {
        w_max,
        ..Epoch::default()
    };
    (u64::from(cwnd.min(flight.max(2 * window.mss))) * 7 / 10) as u32
}

fn cube_root(n: u64) -> i64 {
    let mut root = 0u64;
    for bit in (0..21).rev() {
        let trial = root | 1 << bit;
        if trial * trial * trial <= n {
            root = trial;
        }
    }
    root as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::congestion::CongestionWindow;
    use crafty_value::{Duration, Time};

    #[test]
    fn the_root_is_the_largest_whose_cube_fits() {
        for (n, root) in [
            (0, 0),
            (7, 1),
            (8, 2),
            (26, 2),
            (27, 3),
            (1_000_000_000, 1000),
            (999_999_999, 999),
        ] {
            assert_eq!(cube_root(n), root, "{n}");
        }
    }

    #[test]
    fn the_window_is_back_at_its_old_size_after_k() {
        let mut window = CongestionWindow::new(&CONTROL, 1000, 100);
        window.reduce(100_000);
        window.cwnd = window.ssthresh;
        assert_eq!(window.cwnd, 70_000);
        let (mut now, srtt) = (Time(0), Duration::millis(100));
        // K is the cube root of 30 / 0.4, that is 4.2 s.
        for _ in 0..42 {
            for _ in 0..10 {
                window.acked(&Acked {
                    octets: window.cwnd / 10,
                    now,
                    srtt,
                    una: 0,
                    nxt: 0,
                    rtt: None,
                });
            }
            now = now.after(srtt);
        }
        assert!((95_000..=105_000).contains(&window.cwnd), "{}", window.cwnd);
    }
}
