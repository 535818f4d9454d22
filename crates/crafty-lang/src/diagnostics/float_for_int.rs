//! `float-for-int`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0304",
    name: "float-for-int",
    severity: Severity::Error,
    title: "a float where an int is needed",
    explanation: "`/` never truncates: `int / int` is a float, so that a fraction is never 0 by surprise. The integer quotient is `div(a, b)`, the remainder `a % b`, the nearest whole number `round(x)`.",
    bad: r#"lost = 600
repeat count=lost / 200 {
  print("x")
}
"#,
    fixed: r#"lost = 600
repeat count=div(lost, 200) {
  print("x")
}
"#,
};
