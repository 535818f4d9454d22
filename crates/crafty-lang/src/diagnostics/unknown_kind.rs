//! `unknown-kind`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0313",
    name: "unknown-kind",
    severity: Severity::Error,
    title: "no error has this kind",
    explanation: "The kinds of errors are a closed list; comparing `e.kind` with another word would never hold.",
    bad: r#"try {
  x = [1, 2]
  print(x[length(x)])
} else e {
  print(e.kind == "out_of_range")
}
"#,
    mended: r#"try {
  x = [1, 2]
  print(x[length(x)])
} else e {
  print(e.kind == "index")
}
"#,
};
