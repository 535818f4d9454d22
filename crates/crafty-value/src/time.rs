//! Time in integer nanoseconds. Whose clock it is, the caller knows.

use core::fmt;

/// A point in time: nanoseconds since the Unix epoch on a real network, since the start in a lab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

/// A span of time in nanoseconds; may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// Units of the language, largest first: name and nanoseconds.
pub const UNITS: &[(&str, i64)] = &[
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

impl Time {
    /// The time `by` later, or the end of time.
    pub const fn after(self, by: Duration) -> Time {
        Time(self.0.saturating_add(by.0))
    }

    /// How long after `earlier` this is.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// `n` seconds.
    pub const fn seconds(n: i64) -> Duration {
        Duration(n.saturating_mul(1_000_000_000))
    }

    /// `n` milliseconds.
    pub const fn millis(n: i64) -> Duration {
        Duration(n.saturating_mul(1_000_000))
    }

    /// `n` microseconds.
    pub const fn micros(n: i64) -> Duration {
        Duration(n.saturating_mul(1_000))
    }
}

/// A unit that fits, and the fewest digits that lose nothing to the eye: three after the point at
/// most.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let (name, unit) = shown_unit(magnitude);
        let thousandths = (u128::from(magnitude) * 1000 + u128::from(unit) / 2) / u128::from(unit);
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", thousandths / 1000)?;
        match (thousandths % 1000) as u32 {
            0 => {}
            rest if rest % 100 == 0 => write!(f, ".{}", rest / 100)?,
            rest if rest % 10 == 0 => write!(f, ".{:02}", rest / 10)?,
            rest => write!(f, ".{rest:03}")?,
        }
        f.write_str(name)
    }
}

/// Seconds and smaller: minutes and hours would hide what one measures.
fn shown_unit(magnitude: u64) -> (&'static str, u64) {
    match magnitude {
        1_000_000_000.. => ("s", 1_000_000_000),
        1_000_000.. => ("ms", 1_000_000),
        1_000.. => ("us", 1_000),
        0 => ("s", 1_000_000_000),
        _ => ("ns", 1),
    }
}

/// Seconds with nine digits.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let n = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:09}", n / 1_000_000_000, n % 1_000_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn durations_print_with_a_unit_that_fits() {
        let rows = [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5us"),
            (12_345_678, "12.346ms"),
            (2_000_000_000, "2s"),
            (-40_000, "-40us"),
            (90_000_000_000, "90s"),
            (1_010_000, "1.01ms"),
        ];
        for (ns, text) in rows {
            assert_eq!(Duration(ns).to_string(), text);
        }
    }

    #[test]
    fn times_print_to_the_nanosecond() {
        assert_eq!(Time(1_000_000_001).to_string(), "1.000000001");
    }
}
