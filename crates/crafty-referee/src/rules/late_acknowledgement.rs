//! Data, or what must be asked back, that is not answered.

use super::TcpRule;
use crafty_value::Duration;

/// Half a second (RFC 9293 §3.8.6.3), and what a busy machine adds.
const LATEST: Duration = Duration::millis(600);

pub static RULE: TcpRule = TcpRule {
    name: "late_acknowledgement",
    source: "RFC 9293 §3.8.6.3, §3.10.7.4, RFC 5961 §3.2, §4.2, §5.2, §7",
    doc: "Data came and nothing that acknowledges leaves within half a second. For what is old or outside the window, and for what must be \
          asked back (a SYN, an acknowledgement of what was never sent, a reset in the window that is not at the next byte), this holds \
          only where no acknowledgement left within the second before: such answers may be rationed. Told at the end itself.",
    judge: |end, now, _| {
        let late = now.since(end.owes.filter(|_| end.near && !end.closed())?);
        (late > LATEST).then(|| format!("what came is not answered for {late}"))
    },
};
