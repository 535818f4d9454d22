//! A finding, and how bad it is.

use std::fmt;

/// How much a finding should worry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingSeverity {
    /// Worth knowing.
    Notice,
    /// Costs time or data.
    Warning,
    /// Something is broken.
    Error,
}

impl fmt::Display for FindingSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FindingSeverity::Notice => "notice",
            FindingSeverity::Warning => "warning",
            FindingSeverity::Error => "error",
        })
    }
}

/// A thing that the wire showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of its rule.
    pub name: &'static str,
    /// How bad.
    pub severity: FindingSeverity,
    /// A sentence, without the flow.
    pub sentence: String,
    /// Packets that show it, in order: the first [`MAX_EVIDENCE`](crate::MAX_EVIDENCE) of them.
    pub evidence: Vec<u64>,
    /// How many packets showed it.
    pub count: u64,
    /// The conversation, if it is about one.
    pub flow: Option<String>,
}
