//! Every kind of finding, one file each. To add one: write the file, then add its name to the list
//! below.

use crate::{Case, Flow, Report, Seen, Severity};

/// A kind of finding.
#[derive(Debug)]
pub struct Rule {
    /// Name, stable.
    pub name: &'static str,
    /// Some words.
    pub title: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// When it is said, and what it does not tell.
    pub doc: &'static str,
    /// Looks at a packet, with its flow where it has one.
    pub observe: fn(&Seen<'_>, Option<&Flow>, &mut Report<'_>),
    /// Looks at a flow that is over, or at the end.
    pub finish: fn(&Flow, &mut Report<'_>),
    /// The sentence.
    pub tell: fn(&Case) -> String,
}

impl Rule {
    /// A rule that remarks nothing.
    pub(crate) const BLANK: Rule = Rule {
        name: "",
        title: "",
        severity: Severity::Notice,
        doc: "",
        observe: |_, _, _| {},
        finish: |_, _| {},
        tell: |case| case.subject.clone(),
    };
}

macro_rules! findings {
    ($($name:ident)*) => {
        $(mod $name;)*
        static ALL: &[&Rule] = &[$(&$name::RULE),*];
    };
}

findings! {
    checksum congestion_mark dscp_change duplicate_acknowledgement duplicate_address duplicate_packet fragments half_open icmp_error
    loss not_captured options reordering reset reset_ttl retransmission shrinking_window slow_answer ttl_change unanswered
    zero_window
}

/// All kinds of findings, by name.
pub fn rules() -> &'static [&'static Rule] {
    ALL
}

/// `1 segment`, `2 segments`.
fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Who sent a packet, and to whom.
fn way(seen: &Seen<'_>, flow: Option<&Flow>) -> String {
    match (flow, &seen.network) {
        (Some(flow), _) => flow.way(seen.side),
        (None, Some(network)) => format!("{} to {}", network.src, network.dst),
        (None, None) => "an unknown sender".into(),
    }
}
