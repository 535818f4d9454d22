//! Segments that nobody can take.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "checksum",
    source: "RFC 9293 §3.1",
    doc: "A segment is sent with a wrong checksum. Checked only at the end itself, and only if no network adapter completes checksums.",
    judge: |end, _, event| {
        let seen = sent_here(end, event)?;
        (!seen.packet.intact).then(|| "a segment with a wrong checksum".into())
    },
};
