//! One segment a round trip, and half after loss (RFC 5681, RFC 6582).

use super::{Acked, CongestionControl, CongestionWindow};

/// The row.
pub static CONTROL: CongestionControl = CongestionControl {
    name: "new_reno",
    doc: "One more segment per round trip, half after a loss (RFC 6582).",
    avoid,
    shrink,
};

pub(super) fn avoid(window: &mut CongestionWindow, acked: &Acked) {
    window.credit = window.credit.saturating_add(acked.octets);
    if window.credit >= window.cwnd {
        window.credit -= window.cwnd;
        window.cwnd = window.cwnd.saturating_add(window.mss);
    }
}

fn shrink(_: &mut CongestionWindow, flight: u32) -> u32 {
    flight / 2
}
