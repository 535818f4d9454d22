//! Nothing is done although there is something to do.

use super::TcpRule;

pub static RULE: TcpRule = TcpRule {
    name: "silence",
    source: "RFC 6298 §5, RFC 9293 §3.8.6.1",
    doc: "Data is under way or waits, and the end sends nothing for much longer than its time-outs so far: neither a retransmission, nor new \
          data, nor a probe of a closed window. That more waits is known from the owner, or from a last segment without a push (RFC 9293 \
          §3.9.1). Told at the end itself.",
    judge: |end, now, _| {
        let since = end.silent_since(now)?;
        let what = if end.window_is_closed() {
            "a closed window is not probed"
        } else {
            "nothing is sent, though data is under way or waits"
        };
        Some(format!("{what} for {}", now.since(since)))
    },
};
