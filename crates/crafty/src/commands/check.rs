//! `crafty check`: every mistake of a program at once, each with its place and the fixed line;
//! nothing is sent.

use super::Command;
use crate::args::{self, OutputForm, split_words};
use crate::failure::{Failure, load_fix, load_status, tell_load, tell_reports};
use crate::{output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_print::diagnostic_json;
use crafty_run::{GivenParam, LoadError, LoadedProgram, Source, load, shares};
use crafty_syntax::diagnostic::{Fix, Occurrence};
use serde_json::{Value, json};

/// The command.
pub static COMMAND: Command = Command {
    name: "check",
    about: "Check a program and judge what it may send",
    more: "Examples:\n  crafty check ping.crafty\n  crafty check ping.crafty target=192.0.2.9 --json\n  crafty check client.crafty server.crafty\n  crafty check ping.crafty --fix",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let fix = Arg::new("fix")
        .long("fix")
        .action(ArgAction::SetTrue)
        .help("Apply the safe fixes to the file");
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
    [words, vec![args::json_flag(), fix], args::policy_options()].concat()
}

/// Every file of the words; the highest status.
fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let words = ["file", "params"]
        .iter()
        .flat_map(|id| args::texts(args, id));
    let (params, files) = split_words(words);
    if files.is_empty() {
        return Err(Failure::usage(
            "no program is given",
            "name a `.crafty` file, or `-` for standard input",
        ));
    }
    if let [name] = files[..] {
        return Ok(one(args, name, &params));
    }
    // What cannot be read is reported when it is loaded.
    let texts = files.iter().map(|name| args::source(name));
    let texts: Vec<String> = texts
        .map(|source| source.map_or(String::new(), |source| source.text))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match shares(&params, &texts) {
        Ok(shares) => {
            let statuses = files.iter().zip(shares);
            let statuses = statuses.map(|(name, params)| one(args, name, &params));
            Ok(statuses.max().unwrap_or(status::USAGE))
        }
        Err(error) => Ok(refused(args, &error.into())),
    }
}

fn one(args: &ArgMatches, name: &str, params: &[GivenParam]) -> u8 {
    let program = match loaded(name, params, args) {
        Ok(program) => program,
        Err(error) if args.get_flag("fix") && repair(name, &error) => {
            return one(args, name, params);
        }
        Err(error) => return refused(args, &error),
    };
    match args::form(args) {
        OutputForm::Json => {
            let document = document(&program.source, &program.warnings, status::DONE);
            output::line(&document.to_string());
        }
        OutputForm::People => {
            tell_reports(&program.source, &program.warnings);
            output::note(&format!(
                "{name}: no mistakes; `crafty review {name}` shows the effective limits"
            ));
        }
    }
    status::DONE
}

/// Reads and judges the program that the words name.
pub fn load_named(name: &str, args: &ArgMatches) -> Result<LoadedProgram, Failure> {
    let mut params = Vec::new();
    for word in args::texts(args, "params") {
        params.push(GivenParam::parse(word).ok_or_else(|| {
            Failure::usage(
                format!("`{word}` is not a param"),
                "write `name=value`; one program at a time",
            )
        })?);
    }
    Ok(loaded(name, &params, args)?)
}

fn loaded(
    name: &str,
    params: &[GivenParam],
    args: &ArgMatches,
) -> Result<LoadedProgram, LoadError> {
    let operator = args::operator(args)?;
    load(args::source(name)?, params, &operator)
}

/// Tells in the form asked for why a program may not run; gives the exit status.
pub fn refused(args: &ArgMatches, error: &LoadError) -> u8 {
    let status = load_status(error);
    match args::form(args) {
        OutputForm::People => tell_load(error),
        OutputForm::Json => {
            let none = Source::default();
            let source = match error {
                LoadError::Mistakes(source, _) | LoadError::Refused(source, ..) => source,
                LoadError::Source(_) | LoadError::Param(_) | LoadError::Policy(_) => &none,
            };
            let mut document = document(source, error.reports(), status);
            if !matches!(error, LoadError::Mistakes(..)) {
                let fix = Some(load_fix(error)).filter(|fix| !fix.is_empty());
                let fix = fix.map_or(String::new(), |fix| format!(" ({fix})"));
                document["error"] = format!("{error}{fix}").into();
            }
            output::line(&document.to_string());
        }
    }
    status
}

/// The document of `check --json`.
fn document(source: &Source, reports: &[Occurrence], status: u8) -> Value {
    let rows: Vec<Value> = reports.iter().map(|r| diagnostic_json(source, r)).collect();
    json!({ "file": source.name, "ok": status == status::DONE, "status": status, "diagnostics": rows })
}

/// Applies the safe fixes, last first, so that places stay true; tells whether the file changed.
fn repair(name: &str, error: &LoadError) -> bool {
    let (LoadError::Mistakes(source, reports) | LoadError::Refused(source, reports, _)) = error
    else {
        return false;
    };
    let mut fixes: Vec<&Fix> = reports
        .iter()
        .filter_map(|r| r.fixes.iter().find(|f| f.safe))
        .collect();
    fixes.sort_by_key(|f| std::cmp::Reverse(f.edits.first().map(|(s, _)| s.start)));
    let mut fixed = source.text.clone();
    let mut before = u32::MAX;
    for fix in fixes {
        let end = fix.edits.iter().map(|(s, _)| s.end).max().unwrap_or(0);
        let start = fix.edits.iter().map(|(s, _)| s.start).min().unwrap_or(0);
        if end <= before {
            fixed = fix.apply(&fixed);
            before = start;
        }
    }
    fixed != source.text && name != "-" && std::fs::write(name, fixed).is_ok()
}
