//! From the text of a call to a program that may run, or to everything that is wrong with it. Asks
//! no name server: what a call names must be an address.

use crate::answer::ListPage;
use crate::answer::{line, row_size, short};
use crate::tool_error::ToolError;
use crafty_lang::check::check;
use crafty_lang::ir::Type;
use crafty_run::{GivenParam, LoadError, LoadedProgram, ParamError, Policy, Source, load};
use crafty_syntax::diagnostic::{Fix, Occurrence, Severity};
use serde_json::{Map, Value, json};
use std::net::IpAddr;

/// What messages call the program of a call.
pub const NAME: &str = "program";

/// Bytes of a program at most, as the checker has it.
pub const MAX_PROGRAM: usize = 64 * 1024;

/// Mistakes in an answer at most; fixing the first ones often takes others away.
pub const MAX_MISTAKES: usize = 20;

/// Checks, binds and judges a program.
///
/// # Errors
/// All that is wrong with it.
pub fn loaded(
    text: &str,
    params: &[GivenParam],
    operator: &Policy,
) -> Result<LoadedProgram, LoadError> {
    let source = Source::new(NAME, text);
    addresses_only(&source, params)?;
    load(source, params, operator)
}

/// A host name would be looked up, which tells a name server whatever the caller wants it to hear.
fn addresses_only(source: &Source, params: &[GivenParam]) -> Result<(), LoadError> {
    let Some(program) = check(&source.text).program else {
        return Ok(());
    };
    for row in &program.params {
        let variable = &program.variables[row.var.0 as usize];
        let given = params.iter().find(|param| param.name == variable.name);
        let named = given.filter(|param| {
            matches!(variable.ty, Type::Ip) && param.value.trim().parse::<IpAddr>().is_err()
        });
        if let Some(param) = named {
            return Err(LoadError::Param(ParamError::HostName {
                name: param.name.clone(),
                value: short(&param.value),
            }));
        }
    }
    Ok(())
}

/// A program that may not run, as an error.
pub fn load_error(error: &LoadError) -> ToolError {
    let (code, fix) = match error {
        LoadError::Mistakes(..) => (
            "program",
            "apply the fixes below, then call again; `explain` tells a code".into(),
        ),
        LoadError::Refused(_, _, conflict) => ("policy", conflict.fix().to_string()),
        LoadError::Param(error) => ("param", param_fix(error)),
        LoadError::Source(error) => ("program", error.fix().into()),
        LoadError::Policy(error) => ("policy", error.fix().into()),
    };
    let told = match error {
        LoadError::Mistakes(_, reports) => {
            let errors = reports
                .iter()
                .filter(|report| report.diagnostic.severity == Severity::Error)
                .count();
            let s = if errors == 1 { "" } else { "s" };
            format!("the program has {errors} mistake{s}")
        }
        other => other.to_string(),
    };
    let told = ToolError::new(code, told, fix);
    match error {
        LoadError::Mistakes(source, reports) | LoadError::Refused(source, reports, _) => {
            let rows = mistakes(source, reports);
            told.with("mistakes", rows.items)
                .with("more", rows.next.map_or(0, |at| reports.len() - at))
        }
        _ => told,
    }
}

fn param_fix(error: &ParamError) -> String {
    match error {
        ParamError::Missing { name, .. } => format!("give it: params {{\"{name}\": …}}"),
        ParamError::Invalid { .. } | ParamError::HostName { .. } => {
            "write the value as a literal of the language".into()
        }
        other => other.fix(),
    }
}

/// The first mistakes, as rows.
pub fn mistakes(source: &Source, reports: &[Occurrence]) -> ListPage<Value> {
    let rows = reports.iter().map(|report| mistake(source, report));
    ListPage::cut(rows, 0, MAX_MISTAKES, row_size)
}

/// A mistake: its code, its place, a sentence, and one fix.
fn mistake(source: &Source, report: &Occurrence) -> Value {
    let (at, column) = source.position(report.span.start);
    let mut row = Map::new();
    row.insert("code".into(), report.diagnostic.code.into());
    let severity = match report.diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    row.insert("severity".into(), severity.into());
    row.insert(
        "span".into(),
        json!({ "start": report.span.start, "end": report.span.end, "line": at, "column": column }),
    );
    row.insert("message".into(), short(&report.message).into());
    row.insert("source".into(), line(source.line(report.span)).into());
    if let Some(help) = report.help.first() {
        row.insert("help".into(), short(help).into());
    }
    if let Some(fix) = report.fixes.first() {
        row.insert("fix".into(), suggested(source, fix));
    }
    row.into()
}

/// A fix as the lines that are there afterwards.
fn suggested(source: &Source, fix: &Fix) -> Value {
    let fixed = fix.apply(&source.text);
    let (old, new): (Vec<&str>, Vec<&str>) =
        (source.text.lines().collect(), fixed.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let before = old.iter().zip(&new).take_while(same).count();
    let shorter = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev());
    let after = after.take(shorter).take_while(same).count();
    let part = |lines: &[&str]| -> Vec<String> {
        lines[before..lines.len() - after]
            .iter()
            .map(|text| line(text))
            .collect()
    };
    json!({
        "title": short(&fix.title), "safe": fix.safe, "from_line": before + 1, "to_line": old.len() - after,
        "write": part(&new),
    })
}

/// The schema of a row of [`mistakes`].
pub fn mistake_schema() -> Value {
    use crate::schema::{count, flag, list, object, text};
    let span = object([
        ("start", count("first byte, from 0")),
        ("end", count("end: the first byte after it")),
        ("line", count("from 1")),
        ("column", count("from 1")),
    ]);
    let fix = object([
        ("title", text("what it does")),
        (
            "safe",
            flag("whether the meaning is certain to stay the same"),
        ),
        ("from_line", count("first line to replace, from 1")),
        (
            "to_line",
            count("last line to replace; less than `from_line` if lines are only added"),
        ),
        ("write", list(text("a line to write there"))),
    ]);
    object([
        ("code", text("`explain` tells it")),
        ("severity", json!({ "enum": ["error", "warning"] })),
        ("span", span),
        ("message", text("what is wrong")),
        ("source", text("the line")),
        ("help?", text("a fix, in words")),
        ("fix?", fix),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces the lines that a fix names.
    fn applied(text: &str, fix: &Value) -> String {
        let number = |key: &str| fix[key].as_u64().unwrap_or_default() as usize;
        let lines: Vec<&str> = text.lines().collect();
        let write = fix["write"].as_array().into_iter().flatten();
        let mut fixed: Vec<&str> = lines[..number("from_line") - 1].to_vec();
        fixed.extend(write.filter_map(Value::as_str));
        fixed.extend(&lines[number("to_line")..]);
        fixed.join("\n")
    }

    #[test]
    fn the_lines_of_a_fix_are_the_fix() {
        for diagnostic in crafty_lang::diagnostics::all() {
            let source = Source::new(NAME, diagnostic.bad);
            for report in check(&source.text).reports {
                for fix in &report.fixes {
                    let wanted = fix.apply(&source.text);
                    let row = suggested(&source, fix);
                    let wanted: Vec<&str> = wanted.lines().collect();
                    assert_eq!(applied(&source.text, &row), wanted.join("\n"), "{row}");
                }
            }
        }
    }

    #[test]
    fn a_name_is_never_looked_up() {
        let text = "param target = 192.0.2.1\nPERMISSIONS = { destinations: [target] }\n";
        let check = |value: &str, ok: bool| {
            let params = [GivenParam {
                name: "target".into(),
                value: value.into(),
            }];
            let loaded = loaded(text, &params, &Policy::everything());
            assert_eq!(loaded.is_ok(), ok, "{value}: {:?}", loaded.err());
        };
        check("192.0.2.9", true);
        check("2001:db8::1", true);
        check("secret.example", false);
        check("localhost", false);
    }
}
