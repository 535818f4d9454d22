//! `method-call`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0129",
    name: "method-call",
    severity: Severity::Error,
    title: "a method call",
    explanation: "Values have no methods. `xs += x` appends to an array, `m[key] := x` sets an entry of a map, and functions take values in parentheses: `length(xs)`, `sort(xs)`, `has(m, key)`.",
    bad: r#"xs = [1]
xs.append(2)
print("${xs}")
"#,
    fixed: r#"xs = [1]
xs += 2
print("${xs}")
"#,
};

const APPENDS: &[&str] = &["append", "push", "push_back", "add"];
const LENGTHS: &[&str] = &["length", "len", "size", "count"];

/// `xs.append(2)` as a statement at `place`; `args` are the texts of what is given.
pub(crate) fn done(place: Span, of: &str, method: &str, args: &[&str]) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{of}` has no method `{method}`: values have no methods"),
    );
    match args {
        [value] if APPENDS.contains(&method) => {
            let written = format!("{of} += {value}");
            report.fix(format!("write `{written}`"), place, written)
        }
        _ => report.help("`xs += x` appends to an array, `m[key] := x` sets an entry of a map, `x := f(x)` calls a function"),
    }
}

/// `xs.length()` as a value.
pub(crate) fn asked(place: Span, of: &str, method: &str, args: &[&str]) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{of}` has no method `{method}`: values have no methods"),
    );
    match args {
        [] if LENGTHS.contains(&method) => {
            let written = format!("length({of})");
            report.fix(format!("write `{written}`"), place, written)
        }
        _ => report.help("use a function, such as `length(xs)` or `sort(xs)`; `crafty manual functions` lists them"),
    }
}
