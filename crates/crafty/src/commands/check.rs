//! `crafty check`: every mistake of a program at once, each with its place and the fixed line;
//! nothing is sent.

use super::Command;
use crate::program::{self, Refusal};
use crate::{cli, operator, output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_syntax::ast::Span;
use crafty_syntax::diagnostic::{Fix, Report, Severity};
use serde_json::{Value, json};
use std::path::Path;

/// The command.
pub static COMMAND: Command = Command {
    name: "check",
    about: "Check a program and judge what it may send, without sending",
    more: "Examples:\n  crafty check ping.crafty\n  crafty check ping.crafty target=192.0.2.9 --json\n  crafty check client.crafty server.crafty\n  crafty check ping.crafty --fix",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let fix = Arg::new("fix")
        .long("fix")
        .action(ArgAction::SetTrue)
        .help("Write the edits that surely keep what was meant into the file");
    let words = vec![
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .help("A program; `-` reads standard input"),
        Arg::new("params")
            .value_name("FILE | name=value")
            .num_args(0..)
            .help("More programs, and their params"),
    ];
    [words, vec![cli::json_arg(), fix], cli::policy_args()].concat()
}

/// Every file of the words; the highest status.
fn run(args: &ArgMatches) -> u8 {
    let words: Vec<&str> = ["file", "params"]
        .iter()
        .flat_map(|id| args.get_many::<String>(id).into_iter().flatten())
        .map(String::as_str)
        .collect();
    let (params, files): (Vec<&str>, Vec<&str>) = words
        .into_iter()
        .partition(|word| word.contains('=') && !Path::new(word).exists());
    let params: Vec<_> = params
        .iter()
        .filter_map(|w| w.split_once('='))
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    if files.len() < 2 {
        return files
            .first()
            .map_or(status::USAGE, |name| one(args, name, &params));
    }
    let sources: Vec<String> = files
        .iter()
        .map(|name| program::read(name).unwrap_or_default())
        .collect();
    match program::shares(
        &params,
        &sources.iter().map(String::as_str).collect::<Vec<_>>(),
    ) {
        Ok(shares) => files
            .iter()
            .zip(shares)
            .map(|(name, share)| one(args, name, &share))
            .max()
            .unwrap_or(status::USAGE),
        Err(refusal) => refused(args, files[0], "", &refusal),
    }
}

fn one(args: &ArgMatches, name: &str, params: &[(String, String)]) -> u8 {
    match loaded(name, params, args) {
        Ok((source, loaded)) => {
            said(args, name, &source, &loaded.warnings, status::DONE);
            if !args.get_flag("json") {
                output::note(&format!(
                    "{name}: no mistakes; effective limits by `crafty review {name}`"
                ));
            }
            status::DONE
        }
        Err((source, refusal)) => {
            if args.get_flag("fix") && apply_fixes(name, &source, refusal.reports()) {
                return one(args, name, params);
            }
            refused(args, name, &source, &refusal)
        }
    }
}

type Outcome = Result<(String, program::Loaded), (String, Refusal)>;

/// Reads and judges the program that the words name.
pub fn source_and_load(name: &str, args: &ArgMatches) -> Outcome {
    let usage = |what: String, fix: &str| (String::new(), Refusal::Usage(what, fix.into()));
    let params = cli::params(args, "params").map_err(|word| {
        usage(
            format!("`{word}` is no param"),
            "write `name=value`; one program at a time",
        )
    })?;
    loaded(name, &params, args)
}

fn loaded(name: &str, params: &[(String, String)], args: &ArgMatches) -> Outcome {
    let file = args.get_one::<String>("policy").map(Path::new);
    let operator = operator::policy(&cli::limits(args), file)
        .map_err(|invalid| (String::new(), invalid.into()))?;
    let source = program::read(name).map_err(|refusal| (String::new(), refusal))?;
    let loaded = program::load(name, source.clone(), params, &operator)
        .map_err(|refusal| (source.clone(), refusal))?;
    Ok((source, loaded))
}

/// Tells a refusal in the form asked for; gives the exit status.
pub fn refused(args: &ArgMatches, name: &str, source: &str, refusal: &Refusal) -> u8 {
    match args.get_flag("json") {
        true => {
            let sentence = match refusal {
                Refusal::Usage(what, fix) => Some(format!("{what} ({fix})")),
                Refusal::Policy(_, _, what) => Some(what.clone()),
                Refusal::Mistakes(..) => None,
            };
            output::line(
                &document(name, source, refusal.reports(), refusal.status(), sentence).to_string(),
            );
        }
        false => refusal.tell(name),
    }
    refusal.status()
}

fn said(args: &ArgMatches, name: &str, source: &str, reports: &[Report], status: u8) {
    match args.get_flag("json") {
        true => output::line(&document(name, source, reports, status, None).to_string()),
        false => program::tell(source, name, reports),
    }
}

/// The document of `check --json`.
fn document(
    name: &str,
    source: &str,
    reports: &[Report],
    status: u8,
    sentence: Option<String>,
) -> Value {
    let rows: Vec<Value> = reports.iter().map(|r| diagnostic(source, r)).collect();
    let mut document = json!({ "file": name, "ok": status == status::DONE, "status": status, "diagnostics": rows });
    if let Some(sentence) = sentence {
        document["error"] = sentence.into();
    }
    document
}

/// One mistake for machines: places as bytes and as line and column, fixes as replacements.
pub fn diagnostic(source: &str, report: &Report) -> Value {
    json!({
        "code": report.diagnostic.code,
        "name": report.diagnostic.name,
        "severity": if report.diagnostic.severity == Severity::Error { "error" } else { "warning" },
        "message": report.message,
        "span": span(source, report.span),
        "notes": report.notes.iter().map(|(s, text)| json!({ "span": span(source, *s), "text": text })).collect::<Vec<_>>(),
        "help": report.help,
        "fixes": report.fixes.iter().map(|f| fix(source, f)).collect::<Vec<_>>(),
    })
}

fn fix(source: &str, fix: &Fix) -> Value {
    let edits: Vec<Value> = fix
        .edits
        .iter()
        .map(|(s, text)| json!({ "span": span(source, *s), "replacement": text }))
        .collect();
    json!({ "title": fix.title, "safe": fix.safe, "edits": edits })
}

/// Bytes from 0, lines and columns from 1.
pub fn span(source: &str, span: Span) -> Value {
    let (line, column) = position(source, span.start);
    json!({ "start": span.start, "end": span.end, "line": line, "column": column })
}

/// Line and column, from 1, of a byte of the source.
pub fn position(source: &str, at: u32) -> (usize, usize) {
    let before = source.get(..at as usize).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// Applies the safe fixes, last first, so that places stay true; tells whether the file changed.
fn apply_fixes(name: &str, source: &str, reports: &[Report]) -> bool {
    let mut fixes: Vec<&Fix> = reports
        .iter()
        .filter_map(|r| r.fixes.iter().find(|f| f.safe))
        .collect();
    fixes.sort_by_key(|f| std::cmp::Reverse(f.edits.first().map(|(s, _)| s.start)));
    let mut fixed = source.to_string();
    let mut before = u32::MAX;
    for fix in fixes {
        let end = fix.edits.iter().map(|(s, _)| s.end).max().unwrap_or(0);
        let start = fix.edits.iter().map(|(s, _)| s.start).min().unwrap_or(0);
        if end <= before {
            fixed = fix.apply(&fixed);
            before = start;
        }
    }
    fixed != source && name != "-" && std::fs::write(name, fixed).is_ok()
}
