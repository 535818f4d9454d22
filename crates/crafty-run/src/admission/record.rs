//! The lines of a journal: when a run began, and what it was given. A line is whole if it ends with a
//! full stop; nothing was ever sent for one that is not.

use crafty_policy::Quota;
use std::fmt;

/// What ends a line that was written as a whole.
const END: &str = ".";

/// When something was noted: by the clock that people set, and by the one that nobody does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalMoment {
    /// Seconds since 1970, UTC.
    pub wall: i64,
    /// Which start of the machine it was: the first digits of the kernel's `boot_id`.
    pub boot: String,
    /// Seconds since that start.
    pub since_boot: i64,
}

/// What was noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalEntry {
    /// A run of an approval began.
    Use {
        /// Which approval.
        approval: String,
        /// The second from which on the approval is not a good any more.
        until: i64,
    },
    /// So much was set aside for a run.
    Reserved {
        /// Which run.
        run: String,
        /// How much.
        quota: Quota,
    },
    /// So much of it was not used.
    Returned {
        /// Which run.
        run: String,
        /// How much.
        quota: Quota,
    },
}

/// A line of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRecord {
    /// When it was noted.
    pub at: JournalMoment,
    /// What.
    pub entry: JournalEntry,
}

impl JournalMoment {
    /// Now.
    ///
    /// # Errors
    /// If the kernel does not tell which start of the machine this is.
    pub fn now() -> std::io::Result<JournalMoment> {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
        let seconds = |time: crafty_value::Time| time.0.div_euclid(1_000_000_000);
        Ok(JournalMoment {
            wall: seconds(crafty_net::now()),
            boot: boot.trim().chars().take(13).collect(),
            since_boot: seconds(crafty_net::since_boot()),
        })
    }

    /// How long ago another moment was. What seems to lie ahead, since somebody has set the clock, is
    /// as recent as can be.
    pub fn age_of(&self, other: &JournalMoment) -> i64 {
        let age = match self.boot == other.boot {
            true => self.since_boot - other.since_boot,
            false => self.wall - other.wall,
        };
        age.max(0)
    }
}

impl fmt::Display for JournalRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, name) = match &self.entry {
            JournalEntry::Use { approval, .. } => ("use", approval),
            JournalEntry::Reserved { run, .. } => ("reserved", run),
            JournalEntry::Returned { run, .. } => ("returned", run),
        };
        let JournalMoment {
            wall,
            boot,
            since_boot,
        } = &self.at;
        write!(f, "{word} {wall} {boot} {since_boot} {name} ")?;
        match &self.entry {
            JournalEntry::Use { until, .. } => write!(f, "{until}")?,
            JournalEntry::Reserved { quota, .. } | JournalEntry::Returned { quota, .. } => {
                write!(f, "{} {} {}", quota.packets, quota.bytes, quota.syns)?;
            }
        }
        write!(f, " {END}")
    }
}

impl JournalRecord {
    /// Whether a line was written as a whole.
    pub fn is_whole(line: &str) -> bool {
        line.ends_with(END)
    }

    /// Reads a whole line; none if it is not one that we write.
    pub fn parse(line: &str) -> Option<JournalRecord> {
        let words: Vec<&str> = line.split(' ').collect();
        let [word, wall, boot, since_boot, name, rest @ ..] = words.as_slice() else {
            return None;
        };
        let at = JournalMoment {
            wall: wall.parse().ok()?,
            boot: (*boot).into(),
            since_boot: since_boot.parse().ok()?,
        };
        let run = (*name).to_string();
        let entry = match (*word, rest) {
            ("use", [until, END]) => JournalEntry::Use {
                approval: run,
                until: until.parse().ok()?,
            },
            ("reserved", [packets, bytes, syns, END]) => JournalEntry::Reserved {
                run,
                quota: quota(packets, bytes, syns)?,
            },
            ("returned", [packets, bytes, syns, END]) => JournalEntry::Returned {
                run,
                quota: quota(packets, bytes, syns)?,
            },
            _ => return None,
        };
        Some(JournalRecord { at, entry })
    }
}

fn quota(packets: &str, bytes: &str, syns: &str) -> Option<Quota> {
    Some(Quota {
        packets: packets.parse().ok()?,
        bytes: bytes.parse().ok()?,
        syns: syns.parse().ok()?,
    })
}
