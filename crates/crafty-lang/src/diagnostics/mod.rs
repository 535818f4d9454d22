//! Every kind of mistake, one file each. To add one: write the file, then add its name to the list below.

use crate::diagnostic::Diagnostic;

macro_rules! diagnostics {
    ($($name:ident)*) => {
        $(pub mod $name;)*
        static ALL: &[&Diagnostic] = &[$(&$name::DIAGNOSTIC),*];
    };
}

diagnostics! {
    endless_work
    event_send
    over_budget
    over_rate
    pattern_content
    tainted_auto
    tainted_guard
    tainted_send
    waits_too_long
    worst_over_budget
}

/// All rows, by name.
pub fn all() -> &'static [&'static Diagnostic] {
    ALL
}

/// The row of this code (`E0601`, in either case) or name (`tainted-send`).
pub fn find(code_or_name: &str) -> Option<&'static Diagnostic> {
    ALL.iter().copied().find(|row| row.code.eq_ignore_ascii_case(code_or_name) || row.name == code_or_name)
}
