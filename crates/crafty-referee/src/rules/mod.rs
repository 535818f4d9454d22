//! What TCP may never do, one file a rule. To add one: write the file, then add its name to the
//! list below, and a trace that breaks it to the tests.

use crate::end::{EndpointState, PlacedSegment, RuleEvent};
use crafty_value::Time;

/// Something that TCP may never do.
#[derive(Debug)]
pub struct TcpRule {
    /// Name, stable.
    pub name: &'static str,
    /// RFC and section.
    pub source: &'static str,
    /// What is forbidden, and what the rule does not tell.
    pub doc: &'static str,
    /// What was wrong, if something was.
    pub(crate) judge: fn(&EndpointState, Time, &RuleEvent<'_>) -> Option<String>,
}

macro_rules! list {
    ($($name:ident)*) => {
        $(mod $name;)*
        static ALL: &[&TcpRule] = &[$(&$name::RULE),*];
    };
}

list! {
    acknowledgement_back acknowledgement_storm acknowledgement_too_high beyond_window changed_data changed_fin checksum data_after_fin fin_beyond_window
    late_acknowledgement no_backoff over_mss over_path_mtu reset_instead_of_challenge retransmission_storm sack_of_nothing silence
    skipped_bytes stamp_back stamp_echo stamp_missing too_much_after_timeout unprobed_window window_back
}

/// All rules, by name.
pub fn rules() -> &'static [&'static TcpRule] {
    ALL
}

/// The segment, if this is one that the end sent.
fn sent<'e, 'a>(event: &'e RuleEvent<'a>) -> Option<&'e PlacedSegment<'a>> {
    match event {
        RuleEvent::Sent(seen) => Some(seen),
        _ => None,
    }
}

/// The same, if order is known: the trace is from the end itself, and this is not a reset.
fn sent_here<'e, 'a>(
    end: &EndpointState,
    event: &'e RuleEvent<'a>,
) -> Option<&'e PlacedSegment<'a>> {
    sent(event).filter(|seen| end.near && !seen.packet.has(crate::packet::bits::RST))
}
