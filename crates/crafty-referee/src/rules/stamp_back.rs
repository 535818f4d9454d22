//! A clock that goes backwards.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "stamp_back",
    source: "RFC 7323 §4.1, §5.4",
    doc: "The time stamps of an end go backwards, so its peer drops the following segments. Checked only at the end itself.",
    judge: |end, _, event| {
        let (stamp, _) = sent_here(end, event)?.packet.stamps?;
        let back = end.stamp?.wrapping_sub(stamp) as i32;
        (back > 0 && end.stamped()).then(|| format!("the time stamp goes back by {back}"))
    },
};
