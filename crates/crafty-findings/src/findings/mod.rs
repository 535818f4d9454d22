//! Every kind of finding, one file each. To add one: write the file, then add its name to the list
//! below.

use crate::rule::FindingRule;

macro_rules! findings {
    ($($name:ident)*) => {
        $(mod $name;)*
        static ALL: &[&FindingRule] = &[$(&$name::RULE),*];
    };
}

findings! {
    checksum congestion_mark dscp_change duplicate_acknowledgement duplicate_address duplicate_packet fragments half_open icmp_error
    loss not_captured options reordering reset reset_ttl retransmission shrinking_window slow_answer ttl_change unanswered
    zero_window
}

/// All kinds of findings, by name.
pub fn rules() -> &'static [&'static FindingRule] {
    ALL
}
