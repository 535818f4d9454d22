//! `crafty review`: the page for the person who must say yes, who need not know the language: what
//! is sent to whom, what can leak, how much at most, what is granted and not used.

use super::Command;
use super::check::{load_named, refused};
use crate::args::{self, OutputForm};
use crate::failure::{Failure, tell_reports};
use crate::{output, status};
use clap::{Arg, ArgMatches};
use crafty_print::{review_json, review_page};
use crafty_run::LoadedProgram;
use crafty_run::approval::{Approval, ApprovalError};
use crafty_run::review::{Review, ReviewedDocument, difference};
use std::io::Read;
use std::path::Path;

/// The command.
pub static COMMAND: Command = Command {
    name: "review",
    about: "For a reviewer: what a program sends to whom, can leak, how much at most",
    more: "Examples:\n  crafty review ping.crafty\n  crafty review ping.crafty --json\n  crafty review ping.crafty --since ping.crafty.approval",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let since = Arg::new("since")
        .long("since")
        .value_name("FILE | DIGEST")
        .conflicts_with("json")
        .help(
            "Show what changed since this approval or older program, or whether this digest is still the same",
        );
    [
        args::program_and_params(),
        vec![args::json_flag(), since],
        args::policy_options(),
    ]
    .concat()
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let program = match load_named(args::text(args, "file").unwrap_or("-"), args) {
        Ok(program) => program,
        Err(Failure::Load(error)) => return Ok(refused(args, &error)),
        Err(failure) => return Err(failure),
    };
    let review = Review::of(&program);
    match args::form(args) {
        OutputForm::Json => output::line(&review_json(&program, &review).to_string()),
        OutputForm::People => {
            tell_reports(&program.source, &program.warnings);
            output::data(&review_page(&program, &review));
            if let Some(older) = args::text(args, "since") {
                output::data(&changed(args, older, &program)?);
            }
        }
    }
    Ok(status::DONE)
}

/// What changed since an older program, which has the same params and limits; or whether a digest is
/// this program's.
fn changed(args: &ArgMatches, older: &str, program: &LoadedProgram) -> Result<String, Failure> {
    let now = ReviewedDocument::of(program);
    if older.len() == 64 && older.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(match older.eq_ignore_ascii_case(&now.digest()) {
            true => "since        nothing changed: the digest is the same\n".into(),
            false => "since        something changed: the digest is another; name the older file to see what\n".into(),
        });
    }
    let (head, then) = match approved(older, program)? {
        Some((line, document)) => (line, document),
        None => (
            String::new(),
            ReviewedDocument::of(&load_named(older, args)?),
        ),
    };
    let rows = difference(&then, &now);
    if rows.is_empty() {
        return Ok(format!("{head}since        nothing changed\n"));
    }
    let rows = rows.iter();
    let rows: String = rows
        .map(|(sign, line)| format!("since        {sign} {}\n", crafty_print::cell(line)))
        .collect();
    Ok(head + &rows)
}

/// What an approval approved, and a line about who signed it; nothing if the file is a program.
fn approved(
    path: &str,
    program: &LoadedProgram,
) -> Result<Option<(String, ReviewedDocument)>, Failure> {
    if !is_approval_file(path) {
        return Ok(None);
    }
    let unusable = |error: ApprovalError| {
        Failure::usage(
            format!("cannot compare with `{path}`: {error}"),
            "name an approval as it was signed",
        )
    };
    let approval = Approval::open(Path::new(path)).map_err(unusable)?;
    let signer = match &program.bound.policy.require_approval {
        None => "the policy names no key, so the signature is not checked",
        Some(keys) => {
            let keys = keys.iter().map(String::as_str);
            approval.signed_by(keys).map_err(unusable)?;
            "signed by a key of the policy"
        }
    };
    let line = format!(
        "since        approval of digest {} ({signer})\n",
        approval.terms.digest
    );
    Ok(Some((line, approval.document)))
}

/// Whether a file's head is that of an approval.
fn is_approval_file(path: &str) -> bool {
    let mut head = Vec::new();
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let mut read = || std::fs::File::open(path)?.take(64).read_to_end(&mut head);
    is_file && read().is_ok() && Approval::is_meant(&String::from_utf8_lossy(&head))
}
