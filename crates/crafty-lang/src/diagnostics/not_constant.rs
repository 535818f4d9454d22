//! `not-constant`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0323",
    name: "not-constant",
    severity: Severity::Error,
    title: "a value that is known only at run time",
    explanation: "Settings, defaults of params and the lists of `choose` and `one_of` are checked before the program runs. They can use only literals, params and constants declared above. A constant is declared at top level from such values, and never assigned again.",
    bad: r#"n = 5
n := 6
xs = [1, 2]
xs += 3
print(choose(4, xs))
print(n)
"#,
    fixed: r#"n = 5
n := 6
xs = [1, 2]
print(choose(4, xs))
print(n)
"#,
};
