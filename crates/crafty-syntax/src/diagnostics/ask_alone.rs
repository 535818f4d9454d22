//! `ask-alone`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0174",
    name: "ask-alone",
    severity: Severity::Error,
    title: "`ask` without `expect`",
    explanation: "`ask tries=3 { … } expect timeout=1s PATTERN { … } else { … }` runs its first block, waits for an answer, and runs the block again while none comes, at most `tries` times. The `expect` says what an answer is.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
ask tries=3 { /IP(dst=192.0.2.1)/ICMP(id=7, seq=1) }
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
ask tries=3 { /IP(dst=192.0.2.1)/ICMP(id=7, seq=1) } expect timeout=1s /IP/ICMP(type == echo_reply, id == 7) { }
"#,
};

/// `end` is behind the block of the `ask` at `place`.
pub(crate) fn at(place: Span, end: Span) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        "`ask` needs an `expect` behind its block, which says what an answer is",
    )
    .note(end, "here")
    .help("write `ask tries=3 { … } expect timeout=1s PATTERN { … } else { … }`")
}
