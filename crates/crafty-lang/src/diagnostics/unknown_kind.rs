//! `unknown-kind`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0313",
    name: "unknown-kind",
    severity: Severity::Error,
    title: "there is no such kind of error",
    explanation: "The kinds of errors are a fixed list. A comparison of `e.kind` with another word would never be true.",
    bad: r#"try {
  x = [1, 2]
  print(x[length(x)])
} else e {
  print(e.kind == "out_of_range")
}
"#,
    fixed: r#"try {
  x = [1, 2]
  print(x[length(x)])
} else e {
  print(e.kind == "index")
}
"#,
};
