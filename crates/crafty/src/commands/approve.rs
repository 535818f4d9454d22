//! `crafty approve`: a person says yes to what `crafty review` shows, with a key, for a host, a time
//! and a number of runs; and the key for it.

use super::Command;
use super::check::{load_named, refused};
use crate::args::{self, OutputForm};
use crate::failure::{Failure, tell_reports};
use crate::{output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_lang::check::parse_value;
use crafty_lang::ir::Type;
use crafty_print::review_summary;
use crafty_run::LoadedProgram;
use crafty_run::approval::{
    ApprovalTerms, KeyError, SigningKey, approval_path, create_public, create_signing_key,
    host_name, is_host_name, save_approval,
};
use crafty_run::review::{Review, ReviewedDocument};
use crafty_value::{Duration, Value};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// The command.
pub static COMMAND: Command = Command {
    name: "approve",
    about: "Sign what `review` shows",
    more: "Examples:\n  crafty approve --new-key operator.key\n  crafty approve ping.crafty target=192.0.2.9 --key operator.key\n  crafty approve ping.crafty --key operator.key --host any --for 2h --runs 3\n\nThe approval is written to FILE.approval. `crafty run` looks for it where the operator's policy has `require_approval`; params and limits must be the same.",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let mut words = args::program_and_params();
    words[0] = Arg::new("file").value_name("FILE").help("A program");
    let own = vec![
        Arg::new("key")
            .long("key")
            .value_name("SECRETKEYFILE")
            .help("Sign with this key (minisign); one with a password asks for it"),
        Arg::new("host")
            .long("host")
            .value_name("NAME | any")
            .help("The host that it may run on (usually this one)"),
        Arg::new("for")
            .long("for")
            .value_name("DURATION")
            .help("How long runs may begin (usually `1h`)"),
        Arg::new("runs")
            .long("runs")
            .value_name("N")
            .help("How many runs may begin (usually 1)"),
        Arg::new("yes")
            .long("yes")
            .action(ArgAction::SetTrue)
            .help("Do not ask: somebody has read the page"),
        Arg::new("new-key")
            .long("new-key")
            .value_name("FILE")
            .conflicts_with_all(["file", "key", "host", "for", "runs", "yes"])
            .help("Make a key without a password: FILE, and FILE.pub for the policy"),
    ];
    [
        words,
        own,
        vec![args::json_flag().hide(true)],
        args::policy_options(),
    ]
    .concat()
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    if let Some(path) = args::text(args, "new-key") {
        return new_key(path);
    }
    let missing = |what: &str, fix: &str| Failure::usage(what, fix);
    let name = args::text(args, "file").ok_or_else(|| {
        missing(
            "no program is given",
            "name a `.crafty` file, or make a key with `--new-key FILE`",
        )
    })?;
    if name == "-" {
        return Err(missing(
            "an approval stands beside a file",
            "name a `.crafty` file",
        ));
    }
    let key = args::text(args, "key").ok_or_else(|| {
        missing(
            "no key is given",
            "write `--key FILE`; `crafty approve --new-key FILE` makes one",
        )
    })?;
    match load_named(name, args) {
        Ok(program) => approve(args, &program, Path::new(name), key),
        Err(Failure::Load(error)) => Ok(refused(args, &error)),
        Err(failure) => Err(failure),
    }
}

/// Shows what is signed, signs it and writes it.
fn approve(
    args: &ArgMatches,
    program: &LoadedProgram,
    name: &Path,
    key: &str,
) -> Result<u8, Failure> {
    let document = ReviewedDocument::of(program);
    let terms = terms(args, document.digest())?;
    let path = approval_path(name);
    if args::form(args) == OutputForm::People {
        tell_reports(&program.source, &program.warnings);
    }
    output::data(&review_summary(program, &Review::of(program)));
    let what = words(&terms, &path.display().to_string());
    if !args.get_flag("yes") && !says_yes(&what)? {
        let fix = "nothing was signed; `crafty review FILE` shows more";
        return Err(Failure::Refused("not approved".into(), fix.into()));
    }
    let signing = SigningKey::open(Path::new(key));
    let signing = signing.map_err(|error| unusable("read", key, &error))?;
    let text = signing.approve(&document, &terms);
    let text = text.map_err(|error| unusable("sign with", key, &error))?;
    let written = path.display().to_string();
    save_approval(&path, &text).map_err(|error| unusable("write", &written, &error))?;
    output::data(&format!("approved     {what}\n"));
    Ok(status::DONE)
}

/// Asks at the terminal, whatever standard input is. Only a whole `yes` is one.
fn says_yes(what: &str) -> Result<bool, Failure> {
    let nobody = |error: std::io::Error| {
        Failure::usage(
            format!("nobody can be asked: there is no terminal ({error})"),
            "run it at a terminal; or add `--yes`, once a person has read the page",
        )
    };
    let terminal = File::options().read(true).write(true).open("/dev/tty");
    let mut terminal = terminal.map_err(nobody)?;
    write!(terminal, "Approve {what}? Type `yes`: ").map_err(nobody)?;
    let mut answer = String::new();
    BufReader::new(terminal.take(LONGEST_ANSWER))
        .read_line(&mut answer)
        .map_err(nobody)?;
    Ok(answer.trim() == "yes")
}

/// Bytes of an answer that are read at most.
const LONGEST_ANSWER: u64 = 1_024;

/// `3 runs on host lab1, to begin within 7200 s: ping.crafty.approval`.
fn words(terms: &ApprovalTerms, path: &str) -> String {
    let runs = match terms.runs {
        1 => "1 run".into(),
        runs => format!("{runs} runs"),
    };
    let host = terms.host.as_deref();
    let host = host.map_or("any host".into(), |host| format!("host {host}"));
    let seconds = terms.not_after - terms.not_before;
    format!(
        "{runs} on {host}, to begin within {seconds} s: {}",
        crafty_print::cell(path)
    )
}

fn terms(args: &ArgMatches, digest: String) -> Result<ApprovalTerms, Failure> {
    let lasts = duration(args::text(args, "for").unwrap_or("1h"))?;
    let runs = args::number(args, "runs", "3")?.unwrap_or(1);
    let runs = u32::try_from(runs).ok().filter(|runs| *runs > 0);
    let runs = runs.ok_or_else(|| {
        Failure::usage(
            "`--runs` needs a number from 1 to 4294967295",
            "write `--runs 3`",
        )
    })?;
    let environment = |error: std::io::Error| {
        Failure::Environment(
            format!("this host does not tell its name or randomness: {error}"),
            String::new(),
        )
    };
    let host = match args::text(args, "host") {
        Some(host) => host.to_string(),
        None => host_name().map_err(environment)?,
    };
    if !is_host_name(&host) {
        return Err(Failure::usage(
            format!("`{}` is not the name of a host", host.escape_debug()),
            "write what `hostname` prints there, or `--host any`",
        ));
    }
    let host = Some(host).filter(|host| host != "any");
    ApprovalTerms::from_now(digest, host, lasts, runs).map_err(environment)
}

fn duration(text: &str) -> Result<Duration, Failure> {
    match parse_value(&Type::Duration, text) {
        Ok(Value::Duration(lasts)) if lasts.0 >= 1_000_000_000 => Ok(lasts),
        _ => Err(Failure::usage(
            format!(
                "`--for` needs a duration of a second or more, not `{}`",
                text.escape_debug()
            ),
            "write `--for 2h`",
        )),
    }
}

/// Makes a key, and tells the line for the policy.
fn new_key(path: &str) -> Result<u8, Failure> {
    let key =
        create_signing_key(Path::new(path)).map_err(|error| unusable("write", path, &error))?;
    let public = format!("{path}.pub");
    let text = format!(
        "untrusted comment: crafty approval public key\n{}\n",
        key.public_key()
    );
    create_public(Path::new(&public), &text)
        .map_err(|error| Failure::unwritable(&public, &error, "name a new file"))?;
    output::note(&format!(
        "`{path}` is a secret key without a password: whoever can read it can approve. The line for the policy, below `[permissions]`:"
    ));
    output::line(&format!("require_approval = [\"{}\"]", key.public_key()));
    Ok(status::DONE)
}

fn unusable(doing: &str, path: &str, error: &KeyError) -> Failure {
    let fix = match error {
        KeyError::Io(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            "move that file away, or name a new one"
        }
        KeyError::Io(_) => "name a file in a folder that you may read and write",
        KeyError::ReadableByOthers(_) => "a key that others can read approves nothing",
        KeyError::NotAKey(_) => "`crafty approve --new-key FILE` makes one",
    };
    Failure::usage(format!("cannot {doing} `{path}`: {error}"), fix)
}
