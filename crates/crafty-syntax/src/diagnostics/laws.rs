//! What holds of every row here by reading alone. What holds of all rows, those of the checker too,
//! is tested beside the checker.

use super::all;
use crate::diagnostic::{Diagnostic, Occurrence};
use crate::{MAX_SOURCE, parse};

/// Checks each row and names all that break the law.
fn law(sentence: &str, holds: impl Fn(&Diagnostic) -> Result<(), String>) {
    let broken: Vec<String> = all()
        .iter()
        .filter_map(|row| {
            holds(row)
                .err()
                .map(|why| format!("{} {}: {why}", row.code, row.name))
        })
        .collect();
    assert!(broken.is_empty(), "{sentence}:\n  {}", broken.join("\n  "));
}

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

fn bad(row: &Diagnostic) -> String {
    if row.name == "too-long" {
        "# \n".repeat(MAX_SOURCE / 3 + 1)
    } else {
        row.bad.to_string()
    }
}

fn told(reports: &[Occurrence]) -> String {
    reports
        .iter()
        .map(|r| format!("{}: {}", r.diagnostic.name, r.message))
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn each_bad_program_is_told_of_by_reading_alone() {
    law(
        "the parser tells of the bad program by this row and no other",
        |row| {
            let reports = parse(&bad(row)).reports;
            let its = reports.iter().all(|r| r.diagnostic.code == row.code);
            ensure(its && !reports.is_empty(), || {
                format!("told: {}", told(&reports))
            })
        },
    );
}

#[test]
fn each_fixed_program_can_be_read() {
    law("the parser finds nothing in the fixed program", |row| {
        let reports = parse(row.fixed).reports;
        ensure(reports.is_empty(), || format!("told: {}", told(&reports)))
    });
}

#[test]
fn each_safe_fix_of_a_syntax_error_fixes_it() {
    law(
        "after a safe fix this row reports nothing, and the text can be read",
        |row| {
            let source = bad(row);
            let reports = parse(&source).reports;
            let fixes = reports.iter().flat_map(|r| &r.fixes).filter(|fix| fix.safe);
            for fix in fixes {
                let left = parse(&fix.apply(&source)).reports;
                ensure(left.is_empty(), || {
                    format!("`{}` leaves {}", fix.title, told(&left))
                })?;
            }
            Ok(())
        },
    );
}
