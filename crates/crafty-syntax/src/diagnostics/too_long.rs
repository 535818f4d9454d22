//! `too-long`

use crate::MAX_SOURCE;
use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row. Its bad program is made by the laws: nobody would read one of 64 KiB.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0109",
    name: "too-long",
    severity: Severity::Error,
    title: "a program of more than 64 KiB",
    explanation: "A program has at most 65,536 bytes. More than that is mostly data, and a packet program needs only patterns and constants.",
    bad: "",
    fixed: "print(\"short\")\n",
};

/// A text of `len` bytes.
pub(crate) fn at(place: Span, len: usize) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("the program has {len} bytes, and at most {MAX_SOURCE} are allowed"),
    )
    .help("split it into several programs")
}
