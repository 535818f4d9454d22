//! `not-a-collection`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0708",
    name: "not-a-collection",
    severity: Severity::Error,
    title: "`foreach` over something that has no elements",
    explanation: "`foreach` loops over the elements of an array, the keys of a map, or a range with both ends included.",
    bad: r#"foreach n 5 {
  print(n)
}
"#,
    fixed: r#"foreach n 1..5 {
  print(n)
}
"#,
};
