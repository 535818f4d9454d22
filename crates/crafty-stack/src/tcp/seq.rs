//! Sequence numbers, compared modulo 2³² (RFC 9293 §3.4).

use core::cmp::Ordering;

/// A sequence number. Has no order of its own: `before` and `distance` say which of two close
/// numbers comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seq(pub u32);

impl Seq {
    /// The number `by` bytes on.
    pub const fn plus(self, by: u32) -> Seq {
        Seq(self.0.wrapping_add(by))
    }

    /// The number `by` bytes back.
    pub const fn minus(self, by: u32) -> Seq {
        Seq(self.0.wrapping_sub(by))
    }

    /// How far this lies after `earlier`; negative if before.
    pub const fn distance(self, earlier: Seq) -> i32 {
        self.0.wrapping_sub(earlier.0) as i32
    }

    /// Bytes from `earlier` to this; 0 if this lies before.
    pub const fn since(self, earlier: Seq) -> u32 {
        let distance = self.distance(earlier);
        if distance < 0 { 0 } else { distance as u32 }
    }

    /// Whether this lies before `other`.
    pub const fn before(self, other: Seq) -> bool {
        self.distance(other) < 0
    }

    /// Whether this lies after `other`.
    pub const fn after(self, other: Seq) -> bool {
        self.distance(other) > 0
    }

    /// The later of two.
    pub const fn max(self, other: Seq) -> Seq {
        if self.before(other) { other } else { self }
    }

    /// The earlier of two.
    pub const fn min(self, other: Seq) -> Seq {
        if self.before(other) { self } else { other }
    }

    /// Order by distance, for searches among numbers of one window.
    pub fn compare(self, other: Seq) -> Ordering {
        self.distance(other).cmp(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_goes_round() {
        let last = Seq(u32::MAX);
        assert!(last.before(Seq(0)) && Seq(5).after(last));
        assert_eq!(Seq(5).since(last), 6);
        assert_eq!(last.since(Seq(5)), 0);
        assert_eq!((last.max(Seq(1)), last.min(Seq(1))), (Seq(1), last));
    }
}
