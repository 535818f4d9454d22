//! Least and most of frames, bytes, SYNs and time, and how those of parts make those of the whole.

use crafty_value::Duration;

/// Least and most of what something does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// Frames.
    pub packets: (u64, u64),
    /// Bytes of frames.
    pub bytes: (u64, u64),
    /// Segments with SYN.
    pub syns: (u64, u64),
    /// Packets, bytes and SYNs among the most of each that its sends make, and not its stacks: what
    /// is set aside for the main program.
    pub sends: [u64; 3],
    /// The longest time in waits.
    pub waits: Duration,
    /// Whether every way through it waits.
    pub always_waits: bool,
    /// Statements run without a wait, at most.
    pub statements: u64,
    /// Whether it may be left early (`stop`, `exit`, an error of a stack).
    pub leaves: bool,
}

impl Amount {
    /// One after the other.
    pub(super) fn then(self, next: Amount) -> Amount {
        let least = |a: u64, b: u64| if self.leaves { a } else { a.saturating_add(b) };
        Amount {
            packets: (
                least(self.packets.0, next.packets.0),
                self.packets.1.saturating_add(next.packets.1),
            ),
            bytes: (
                least(self.bytes.0, next.bytes.0),
                self.bytes.1.saturating_add(next.bytes.1),
            ),
            syns: (
                least(self.syns.0, next.syns.0),
                self.syns.1.saturating_add(next.syns.1),
            ),
            sends: [0, 1, 2].map(|i| self.sends[i].saturating_add(next.sends[i])),
            waits: Duration(self.waits.0.saturating_add(next.waits.0)),
            always_waits: self.always_waits || next.always_waits,
            statements: self.statements.saturating_add(next.statements),
            leaves: self.leaves || next.leaves,
        }
    }

    /// One of two.
    pub(super) fn or(self, other: Amount) -> Amount {
        let both = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
        Amount {
            packets: both(self.packets, other.packets),
            bytes: both(self.bytes, other.bytes),
            syns: both(self.syns, other.syns),
            sends: [0, 1, 2].map(|i| self.sends[i].max(other.sends[i])),
            waits: self.waits.max(other.waits),
            always_waits: self.always_waits && other.always_waits,
            statements: self.statements.max(other.statements),
            leaves: self.leaves || other.leaves,
        }
    }

    /// So many times.
    pub(super) fn times(self, least: u64, most: u64) -> Amount {
        let scaled = |(a, b): (u64, u64)| (a.saturating_mul(least), b.saturating_mul(most));
        let rounds = i64::try_from(most).unwrap_or(i64::MAX);
        Amount {
            packets: scaled(self.packets),
            bytes: scaled(self.bytes),
            syns: scaled(self.syns),
            sends: self.sends.map(|n| n.saturating_mul(most)),
            waits: Duration(self.waits.0.saturating_mul(rounds)),
            always_waits: self.always_waits && least > 0,
            statements: if self.always_waits {
                self.statements
            } else {
                self.statements.saturating_mul(most)
            },
            leaves: false,
        }
    }
}
