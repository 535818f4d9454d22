//! `setting-range`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0163",
    name: "setting-range",
    severity: Severity::Error,
    title: "a range in a setting",
    explanation: "In settings a range of ports is a pair in brackets, both ends included: `[40000, 40100]`.",
    bad: r#"PORTS = { udp: [40000..40100] }
"#,
    fixed: r#"PORTS = { udp: [[40000, 40100]] }
"#,
};

/// `low..high`
pub(crate) fn at(place: Span, low: &str, high: &str) -> Occurrence {
    let written = format!("[{low}, {high}]");
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("in settings, write the range `{low}..{high}` as a pair"),
    )
    .fix(format!("write `{written}`"), place, written)
}
