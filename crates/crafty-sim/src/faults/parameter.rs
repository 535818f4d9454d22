//! What can be set of a fault.

use crate::scenario::units;

/// A measure of a fault.
#[derive(Debug)]
pub struct Parameter {
    /// What it measures, in a word; the key of a scenario file.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Value if none is given, in the unit's smallest part.
    pub default: i64,
    /// Least value.
    pub least: i64,
    /// Greatest value.
    pub most: i64,
}

impl Parameter {
    const fn new(
        name: &'static str,
        unit: Unit,
        default: i64,
        (least, most): (i64, i64),
    ) -> Parameter {
        Parameter {
            name,
            unit,
            default,
            least,
            most,
        }
    }

    /// A share of the frames, in parts of a million.
    pub(crate) const fn share(default: i64) -> Parameter {
        Parameter::new("share", Unit::Percent, default, (0, 1_000_000))
    }

    /// Another share.
    pub(crate) const fn percent(name: &'static str, default: i64) -> Parameter {
        Parameter::new(name, Unit::Percent, default, (0, 1_000_000))
    }

    /// A time in milliseconds, at most ten minutes.
    pub(crate) const fn time(name: &'static str, milliseconds: i64) -> Parameter {
        let range = (0, 600_000_000_000);
        Parameter::new(name, Unit::Time, milliseconds * 1_000_000, range)
    }

    /// A size of a datagram.
    pub(crate) const fn size(name: &'static str, default: i64) -> Parameter {
        Parameter::new(name, Unit::Bytes, default, (68, 9000))
    }

    /// Times a second.
    pub(crate) const fn per_second(name: &'static str, default: i64) -> Parameter {
        Parameter::new(name, Unit::PerSecond, default, (1, 1_000_000))
    }

    /// Bits a second.
    pub(crate) const fn rate(name: &'static str, default: i64) -> Parameter {
        Parameter::new(name, Unit::Rate, default, (1_000, 1_000_000_000_000))
    }

    /// A number.
    pub(crate) const fn count(name: &'static str, default: i64, most: i64) -> Parameter {
        Parameter::new(name, Unit::Count, default, (0, most))
    }
}

/// What the number of a parameter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Per cent, held as parts in a million.
    Percent,
    /// Bytes.
    Bytes,
    /// Time, held in nanoseconds; a bare number is milliseconds.
    Time,
    /// Times a second.
    PerSecond,
    /// Bits a second.
    Rate,
    /// A plain number.
    Count,
}

impl Unit {
    /// Name and size of the suffixes that a number may have; the first is meant when there is none.
    const fn suffixes(self) -> &'static [(&'static str, i64)] {
        match self {
            Unit::Percent => &[("%", 10_000)],
            Unit::Bytes => &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)],
            Unit::Time => &[
                ("ms", 1_000_000),
                ("us", 1_000),
                ("ns", 1),
                ("s", 1_000_000_000),
            ],
            Unit::PerSecond => &[("/s", 1)],
            Unit::Rate => &[
                ("bit", 1),
                ("kbit", 1_000),
                ("Mbit", 1_000_000),
                ("Gbit", 1_000_000_000),
            ],
            Unit::Count => &[("", 1)],
        }
    }

    /// Reads a decimal number with a suffix or without; nothing smaller than the unit's smallest
    /// part.
    pub(crate) fn read(self, text: &str) -> Option<i64> {
        units::scaled(text, self.suffixes())
    }

    /// A value as one would write it.
    pub fn show(self, value: i64) -> String {
        match self {
            Unit::Percent if value % 10_000 == 0 => format!("{}%", value / 10_000),
            Unit::Percent => format!(
                "{}.{}%",
                value / 10_000,
                format!("{:04}", value % 10_000).trim_end_matches('0')
            ),
            Unit::Bytes | Unit::Count => value.to_string(),
            Unit::Time => crafty_value::Duration(value).to_string(),
            Unit::PerSecond => format!("{value}/s"),
            Unit::Rate if value % 1_000_000 == 0 => format!("{}Mbit", value / 1_000_000),
            Unit::Rate if value % 1_000 == 0 => format!("{}kbit", value / 1_000),
            Unit::Rate => format!("{value}bit"),
        }
    }
}
