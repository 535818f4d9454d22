//! What all runs of a user may send together, in any hour and in any day. The gate knows one run and
//! does not ask for it: whoever starts runs does.

/// So much, and not more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Frames.
    pub packets: u64,
    /// Their bytes, link headers included.
    pub bytes: u64,
    /// Those that may open a connection.
    pub syns: u64,
}

/// What all runs of a user may send together. [`Quota::UNLIMITED`] twice is that nobody counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostQuotas {
    /// In any 60 minutes.
    pub hour: Quota,
    /// In any 24 hours.
    pub day: Quota,
}

impl Quota {
    /// Nothing.
    pub const NOTHING: Quota = Quota {
        packets: 0,
        bytes: 0,
        syns: 0,
    };

    /// No limit at all.
    pub const UNLIMITED: Quota = Quota {
        packets: u64::MAX,
        bytes: u64::MAX,
        syns: u64::MAX,
    };

    /// Each amount through `f`, with that of `other`.
    pub fn with(self, other: Quota, f: fn(u64, u64) -> u64) -> Quota {
        Quota {
            packets: f(self.packets, other.packets),
            bytes: f(self.bytes, other.bytes),
            syns: f(self.syns, other.syns),
        }
    }

    /// Every amount with its name.
    pub fn rows(self) -> [(&'static str, u64); 3] {
        [
            ("packets", self.packets),
            ("bytes", self.bytes),
            ("SYNs", self.syns),
        ]
    }
}

impl HostQuotas {
    /// Nobody counts.
    pub const UNLIMITED: HostQuotas = HostQuotas {
        hour: Quota::UNLIMITED,
        day: Quota::UNLIMITED,
    };

    /// What both leave.
    pub fn meet(self, other: HostQuotas) -> HostQuotas {
        HostQuotas {
            hour: self.hour.with(other.hour, u64::min),
            day: self.day.with(other.day, u64::min),
        }
    }
}
