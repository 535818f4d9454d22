//! `too-long`

use crate::MAX_SOURCE;
use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row. Its bad program is made by the laws: nobody would read one of 64 KiB.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0109",
    name: "too-long",
    severity: Severity::Error,
    title: "a program of more than 64 KiB",
    explanation: "A program has at most 65,536 bytes. What a longer one would hold is data; a packet program decides by patterns and constants.",
    bad: "",
    mended: "print(\"short\")\n",
};

/// A text of `len` bytes.
pub(crate) fn at(place: Span, len: usize) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("the program has {len} bytes, and {MAX_SOURCE} is the most"),
    )
    .help("split it into several programs")
}
