//! Nothing is done although there is something to do.

use super::TcpRule;

pub static RULE: TcpRule = TcpRule {
    name: "silence",
    source: "RFC 6298 §5, RFC 9293 §3.8.1",
    doc: "Data is under way, or waits and the window is open, and the end sends nothing for much longer than its time-outs so far: neither a \
          retransmission nor new data. That more waits is known from the owner, or from a last segment without a push (RFC 9293 §3.9.1). \
          Told at the end itself.",
    judge: |end, now, _| {
        let since = end.silent_since(now).filter(|_| !end.window_is_closed())?;
        let silence = now.since(since);
        Some(format!(
            "nothing is sent, although data is in flight or waiting, for {silence}"
        ))
    },
};
