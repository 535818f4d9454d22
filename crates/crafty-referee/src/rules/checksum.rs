//! Segments that nobody can take.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "checksum",
    source: "RFC 9293 §3.1",
    doc: "A segment leaves with a wrong checksum. Told at the end itself, where no adapter completes checksums.",
    judge: |end, _, event| {
        let seen = sent_here(end, event)?;
        (!seen.packet.intact).then(|| "a segment with a wrong checksum".into())
    },
};
