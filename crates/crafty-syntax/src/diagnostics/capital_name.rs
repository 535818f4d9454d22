//! `capital-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0120",
    name: "capital-name",
    severity: Severity::Error,
    title: "a name that starts with a capital",
    explanation: "Names that start with a capital are layers (`IP`, `TCP`), except for five words of the language: `BUDGET`, `PORTS`, `PERMISSIONS`, `MATCH`, `STACK`. Names that a program declares are in `lower_snake`.",
    bad: r#"TIMEOUT = 5s
wait TIMEOUT
"#,
    fixed: r#"timeout = 5s
wait timeout
"#,
};

/// `text` begins with a capital and is to be the program's own. `places` is everywhere it is.
pub(crate) fn at(place: Span, text: &str, places: &[Span]) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` starts with a capital, and only layers may"),
    );
    if text == "SELF" {
        return report
            .suggest(
                "for the local address of a block write `STACK[IP].src`",
                place,
                "STACK[IP].src",
            )
            .help("outside a block use `source_for(target)`");
    }
    let snake = snake(text);
    let edits = places.iter().map(|place| (*place, snake.clone())).collect();
    report.suggest_all(format!("name it `{snake}`"), edits)
}

/// `camelCase`
pub(crate) fn camel(place: Span, text: &str) -> Occurrence {
    let snake = snake(text);
    Occurrence::new(&DIAGNOSTIC, place, format!("`{text}` has capitals")).suggest(
        format!("name it `{snake}`"),
        place,
        snake,
    )
}

/// The name in lower case, with `_` where a capital followed a small letter.
fn snake(text: &str) -> String {
    let mut name = String::new();
    let mut small = false;
    for c in text.chars() {
        if c.is_ascii_uppercase() && small {
            name.push('_');
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        name.push(c.to_ascii_lowercase());
    }
    name
}
