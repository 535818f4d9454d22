//! Why an approval is not an approval of a run, and why a key cannot sign one.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a program has no approval to run.
#[derive(Debug)]
pub enum ApprovalError {
    /// No file with one is named.
    NotNamed,
    /// There is no file with one.
    Missing(PathBuf),
    /// The system does not let us read it.
    Unreadable(PathBuf, io::Error),
    /// It is not an approval, or was changed: in which way.
    Malformed(&'static str),
    /// What `require_approval` names is not a public key.
    NotAPublicKey(String),
    /// The key with this number signed it, and the policy does not name that key.
    UnknownKey(u64),
    /// The signature is not that of the key that it names: something was changed since.
    BadSignature,
    /// Another program, other params or other limits were approved.
    Changed {
        /// The digest that was approved.
        approved: String,
        /// The digest of what is to run.
        now: String,
    },
    /// It is for another host.
    OtherHost {
        /// Which one.
        approved: String,
        /// The name of this one.
        here: String,
    },
    /// It begins to hold in so many seconds.
    NotYet(i64),
    /// It ended so many seconds ago.
    Expired(i64),
    /// All its runs have begun already: how many it allowed.
    UsedUp(u32),
    /// The clock was set back by so many seconds since a run of it began.
    ClockSetBack(i64),
}

impl fmt::Display for ApprovalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApprovalError::NotNamed => f.write_str("no approval is named"),
            ApprovalError::Missing(path) => write!(f, "there is no approval `{}`", path.display()),
            ApprovalError::Unreadable(path, error) => {
                write!(f, "`{}` cannot be read: {error}", path.display())
            }
            ApprovalError::Malformed(why) => write!(f, "the file is not valid: {why}"),
            ApprovalError::NotAPublicKey(text) => write!(
                f,
                "the policy names `{}`, which is not a minisign public key",
                text.escape_debug()
            ),
            ApprovalError::UnknownKey(number) => write!(
                f,
                "key {number:016X} signed this one, and the policy does not name that key"
            ),
            ApprovalError::BadSignature => {
                f.write_str("the signature does not fit: the file was changed after it was signed")
            }
            ApprovalError::Changed { approved, now } => write!(
                f,
                "the program, its params or its limits changed: approved was digest {approved}, and this is {now}"
            ),
            ApprovalError::OtherHost { approved, here } => {
                write!(
                    f,
                    "this one is for host `{approved}`, and this host is `{here}`"
                )
            }
            ApprovalError::NotYet(seconds) => write!(f, "this one begins in {seconds} s"),
            ApprovalError::Expired(seconds) => write!(f, "this one expired {seconds} s ago"),
            ApprovalError::UsedUp(1) => f.write_str("this one was for 1 run, which is used"),
            ApprovalError::UsedUp(runs) => {
                write!(f, "this one was for {runs} runs, and all are used")
            }
            ApprovalError::ClockSetBack(seconds) => write!(
                f,
                "this host's clock was set back by {seconds} s since an earlier run of it"
            ),
        }
    }
}

impl std::error::Error for ApprovalError {}

impl ApprovalError {
    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        match self {
            ApprovalError::NotAPublicKey(_) => {
                "`crafty approve --new-key FILE` prints the line for the policy"
            }
            ApprovalError::Changed { .. } => {
                "`crafty review FILE --since FILE.approval` shows what changed; have it approved again"
            }
            ApprovalError::NotYet(_) => "wait, or correct the clock",
            ApprovalError::ClockSetBack(_) => "correct the clock",
            _ => "have it approved: `crafty approve FILE --key KEY`; or run it with `--lab demo`",
        }
    }
}

/// Why a key cannot sign.
#[derive(Debug)]
pub enum KeyError {
    /// The system says no.
    Io(io::Error),
    /// Others than its owner may read the file.
    ReadableByOthers(PathBuf),
    /// It is not a secret key that can be used: why.
    NotAKey(String),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Io(error) => error.fmt(f),
            KeyError::ReadableByOthers(path) => {
                write!(f, "others may read it; `chmod 600 {}`", path.display())
            }
            KeyError::NotAKey(why) => write!(f, "it is not a secret key that can be used: {why}"),
        }
    }
}

impl std::error::Error for KeyError {}

impl From<io::Error> for KeyError {
    fn from(error: io::Error) -> KeyError {
        KeyError::Io(error)
    }
}
