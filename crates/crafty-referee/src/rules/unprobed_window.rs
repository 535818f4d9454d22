//! A closed window that nobody asks about.

use super::TcpRule;

pub static RULE: TcpRule = TcpRule {
    name: "unprobed_window",
    source: "RFC 9293 §3.8.6.1",
    doc: "Data waits before a closed window, and the end sends no probe for much longer than its time-outs so far: if the peer's word that it \
          has opened is lost, both wait forever. That more waits is known as for `silence`. Told at the end itself.",
    judge: |end, now, _| {
        let since = end.silent_since(now).filter(|_| end.window_is_closed())?;
        Some(format!(
            "a closed window is not probed for {}",
            now.since(since)
        ))
    },
};
