//! Data that is not answered.

use super::Rule;
use crafty_value::Duration;

/// Half a second (RFC 9293 §3.8.6.3), and what a busy machine adds.
const LATEST: Duration = Duration::millis(600);

pub static RULE: Rule = Rule {
    name: "late_acknowledgement",
    source: "RFC 9293 §3.8.6.3, §3.10.7.4",
    doc: "Data came, new or old or outside the window, and nothing that acknowledges leaves within half a second. Told at the end itself.",
    judge: |end, now, _| {
        let late = now.since(end.owes.filter(|_| end.near && !end.closed())?);
        (late > LATEST).then(|| format!("data is not answered for {late}"))
    },
};
