//! What holds of every row, whoever wrote it.

use super::{ALL, all, find};
use crate::judge::whole;
use crafty_syntax::MAX_SOURCE;
use crafty_syntax::diagnostic::{Diagnostic, Occurrence, Severity};
use std::collections::BTreeSet;

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

fn codes(reports: &[Occurrence]) -> BTreeSet<&'static str> {
    reports
        .iter()
        .map(|report| report.diagnostic.code)
        .collect()
}

fn told(reports: &[Occurrence]) -> String {
    reports
        .iter()
        .map(|r| format!("{}: {}", r.diagnostic.name, r.message))
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn codes_and_names_are_unique_and_well_formed() {
    let (mut codes, mut names) = (BTreeSet::new(), BTreeSet::new());
    let repeated: Vec<&str> = all()
        .iter()
        .filter(|row| !codes.insert(row.code) | !names.insert(row.name))
        .map(|row| row.name)
        .collect();
    assert!(repeated.is_empty(), "told twice: {repeated:?}");
    law(
        "a code is a letter and four digits, a name is kebab-case",
        |row| {
            let letter = if row.severity == Severity::Error {
                'E'
            } else {
                'W'
            };
            let code = row.code.strip_prefix(letter).is_some_and(|digits| {
                digits.len() == 4 && digits.bytes().all(|c| c.is_ascii_digit())
            });
            let name = row.name.split('-').all(|word| {
                !word.is_empty()
                    && word
                        .bytes()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            });
            ensure(code && name, || "it is not".to_string())
        },
    );
}

#[test]
fn each_row_is_found_by_its_code_and_its_name() {
    law("`find` gives the row", |row| {
        let same = |found: Option<&Diagnostic>| found.is_some_and(|found| found.name == row.name);
        ensure(
            same(find(&row.code.to_lowercase())) && same(find(row.name)),
            || "another or none is found".to_string(),
        )
    });
    assert!(find("E9999").is_none());
}

#[test]
fn titles_and_explanations_are_sentences() {
    law(
        "a title is short, begins small and has no full stop",
        |row| {
            let title = row.title;
            let fits =
                !title.is_empty() && title.len() <= 90 && !title.ends_with('.') && small(title);
            ensure(fits, || format!("`{title}`"))
        },
    );
    law("an explanation is one or more full sentences", |row| {
        let text = row.explanation.trim();
        let ends = text.ends_with(['.', '`', ')']) && text.len() > 20;
        ensure(
            ends && text.starts_with(|c: char| c.is_uppercase() || c == '`'),
            || format!("`{text}`"),
        )
    });
}

/// Begins in lower case, or with a word of the user, a number or an abbreviation.
fn small(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) => {
            !first.is_uppercase() || second.is_uppercase() || second.is_ascii_digit()
        }
        _ => false,
    }
}

#[test]
fn each_bad_program_has_exactly_its_mistake() {
    law("only this row reports the bad program", |row| {
        let reports = whole(&bad(row)).1;
        ensure(codes(&reports) == BTreeSet::from([row.code]), || {
            format!("told: {}", told(&reports))
        })
    });
}

#[test]
fn each_fixed_program_has_no_mistake() {
    law(
        "the fixed program has no error, and not this warning",
        |row| {
            let reports = whole(row.fixed).1;
            let clean = reports
                .iter()
                .all(|r| r.diagnostic.severity != Severity::Error && r.diagnostic.code != row.code);
            ensure(clean, || format!("told: {}", told(&reports)))
        },
    );
}

#[test]
fn each_message_keeps_the_rules() {
    law(
        "a message begins small, has no full stop, and its backquotes are paired",
        |row| {
            let reports = whole(&bad(row)).1;
            let mut texts = reports.iter().flat_map(|r| {
                let notes = r.notes.iter().map(|(_, text)| text);
                let fixes = r.fixes.iter().map(|fix| &fix.title);
                [&r.message]
                    .into_iter()
                    .chain(&r.help)
                    .chain(notes)
                    .chain(fixes)
            });
            match texts.find(|text| {
                !small(text) || text.ends_with('.') || text.matches('`').count() % 2 == 1
            }) {
                Some(text) => Err(format!("`{text}`")),
                None => Ok(()),
            }
        },
    );
}

#[test]
fn each_place_and_each_edit_lies_in_the_text() {
    law(
        "places lie on characters of the text, edits are in order",
        |row| {
            let source = bad(row);
            for report in whole(&source).1 {
                let notes = report.notes.iter().map(|(span, _)| *span);
                let spans: Vec<_> = notes
                    .chain([report.span])
                    .chain(
                        report
                            .fixes
                            .iter()
                            .flat_map(|f| f.edits.iter().map(|e| e.0)),
                    )
                    .collect();
                let inside = spans
                    .iter()
                    .all(|s| source.get(s.start as usize..s.end as usize).is_some());
                let ordered = report.fixes.iter().all(|f| {
                    f.edits
                        .windows(2)
                        .all(|pair| pair[0].0.end <= pair[1].0.start)
                });
                ensure(inside && ordered, || format!("{spans:?}"))?;
            }
            Ok(())
        },
    );
}

#[test]
fn the_parser_reads_each_bad_program() {
    for row in ALL {
        let reports = crafty_syntax::parse(row.bad).reports;
        assert!(
            reports.is_empty(),
            "{} {}: the parser tells {}; does its row belong to crafty-syntax?",
            row.code,
            row.name,
            told(&reports)
        );
    }
}
