//! How much may leave. Numbers only; `account.rs` counts.

use crafty_value::Duration;

/// The longest that a per-second limit holds a frame back before it is dropped instead: a second, in
/// which every limit is free again. So a busy machine that is late for once loses nothing.
pub const HOLD: Duration = Duration::seconds(1);

/// Limits of one run. Zero means none, never "no limit".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Time after the start at which the gate closes.
    pub max_duration: Duration,
    /// Frames in all.
    pub max_packets: u64,
    /// Frames in any half-open second.
    pub max_packets_per_secs: u64,
    /// Bytes in all: whole frames, the link header included, at least 60 each on Ethernet.
    pub max_bytes: u64,
    /// Bytes in any half-open second.
    pub max_bytes_per_secs: u64,
    /// Frames in all that open a connection: the SYN bit, SCTP INIT, QUIC Initial.
    pub max_syns: u64,
    /// Those in any half-open second.
    pub max_syns_per_secs: u64,
    /// Those in all whose source address is not the host's own.
    pub spoofed_syns: u64,
    /// Different destination addresses; the gate remembers 65,536 at most.
    pub max_destinations: u64,
}

impl Budget {
    /// What a program has that writes no `BUDGET`.
    pub const DEFAULT: Budget = Budget {
        max_duration: Duration::seconds(60),
        max_packets: 1_000,
        max_packets_per_secs: 100,
        max_bytes: 1_000_000,
        max_bytes_per_secs: u64::MAX,
        max_syns: 20,
        max_syns_per_secs: 5,
        spoofed_syns: 0,
        max_destinations: 256,
    };

    /// No limit at all.
    pub const UNLIMITED: Budget = Budget {
        max_duration: Duration(i64::MAX),
        max_packets: u64::MAX,
        max_packets_per_secs: u64::MAX,
        max_bytes: u64::MAX,
        max_bytes_per_secs: u64::MAX,
        max_syns: u64::MAX,
        max_syns_per_secs: u64::MAX,
        spoofed_syns: u64::MAX,
        max_destinations: u64::MAX,
    };

    /// The smaller of each limit.
    pub fn meet(&self, other: &Budget) -> Budget {
        Budget {
            max_duration: self.max_duration.min(other.max_duration),
            max_packets: self.max_packets.min(other.max_packets),
            max_packets_per_secs: self.max_packets_per_secs.min(other.max_packets_per_secs),
            max_bytes: self.max_bytes.min(other.max_bytes),
            max_bytes_per_secs: self.max_bytes_per_secs.min(other.max_bytes_per_secs),
            max_syns: self.max_syns.min(other.max_syns),
            max_syns_per_secs: self.max_syns_per_secs.min(other.max_syns_per_secs),
            spoofed_syns: self.spoofed_syns.min(other.spoofed_syns),
            max_destinations: self.max_destinations.min(other.max_destinations),
        }
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::DEFAULT
    }
}

/// What the main program can send at most, as the checker multiplied it out: nobody else may use it
/// up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// Frames.
    pub packets: u64,
    /// Bytes, as `Budget::max_bytes` counts them.
    pub bytes: u64,
    /// Frames that open a connection.
    pub syns: u64,
}
