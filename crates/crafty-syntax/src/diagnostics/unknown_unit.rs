//! `unknown-unit`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0103",
    name: "unknown-unit",
    severity: Severity::Error,
    title: "a number with an unknown unit",
    explanation: "Durations have the units `ns us ms s min h`; sizes have `KB MB GB` (powers of 1000) and `KiB MiB GiB` (powers of 1024). Write the unit right after the number. `5m` could be minutes or milliseconds, so it is not allowed. There are no exponents: write `1_000_000` instead of `1e6`.",
    bad: r#"wait 5m
"#,
    fixed: r#"wait 5ms
"#,
};

/// Units as others write them, and those of this language.
const MEANT: &[(&str, &[&str])] = &[
    ("m", &["min", "ms"]),
    ("sec", &["s"]),
    ("secs", &["s"]),
    ("second", &["s"]),
    ("seconds", &["s"]),
    ("S", &["s"]),
    ("msec", &["ms"]),
    ("millis", &["ms"]),
    ("mins", &["min"]),
    ("minutes", &["min"]),
    ("hours", &["h"]),
    ("hr", &["h"]),
    ("usec", &["us"]),
    ("nsec", &["ns"]),
    ("k", &["KB", "KiB"]),
    ("K", &["KB", "KiB"]),
    ("kB", &["KB"]),
    ("kb", &["KB"]),
    ("M", &["MB", "MiB"]),
    ("mb", &["MB"]),
    ("G", &["GB", "GiB"]),
    ("gb", &["GB"]),
];

/// `unit` follows `number` and is not a unit.
pub(crate) fn at(place: Span, number: &str, unit: &str) -> Occurrence {
    let report = Occurrence::new(&DIAGNOSTIC, place, format!("`{unit}` is not a unit"));
    if let Some((_, meant)) = MEANT.iter().find(|(written, _)| *written == unit) {
        return meant.iter().fold(report, |report, unit| {
            let written = format!("{number}{unit}");
            report.suggest(format!("write `{written}`"), place, written)
        });
    }
    if let Some(plain) = without_exponent(number, unit) {
        return report.help("numbers have no exponents").suggest(
            format!("write `{plain}`"),
            place,
            plain,
        );
    }
    report.help("durations are `ns us ms s min h`, sizes are `KB MB GB KiB MiB GiB`; a name cannot begin with a digit")
}

/// The digits of `1e6`, if they are whole and few.
fn without_exponent(number: &str, unit: &str) -> Option<String> {
    let zeros: usize = unit
        .strip_prefix(['e', 'E'])?
        .parse()
        .ok()
        .filter(|n| *n <= 18)?;
    let fits = number.bytes().all(|c| c.is_ascii_digit());
    fits.then(|| number.to_string() + &"0".repeat(zeros))
}
