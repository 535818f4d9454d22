//! `crafty fmt`: the standard format of a program.

use super::Command;
use crate::failure::Failure;
use crate::{args, output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_run::LoadError;

/// The command.
pub static COMMAND: Command = Command {
    name: "fmt",
    about: "Format programs; comments are kept",
    more: "Examples:\n  crafty fmt ping.crafty\n  crafty fmt --check *.crafty\n  crafty fmt - < ping.crafty",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("files")
            .value_name("FILE")
            .num_args(1..)
            .required(true)
            .help("Programs to rewrite in place; `-` prints standard input formatted"),
        Arg::new("check")
            .long("check")
            .action(ArgAction::SetTrue)
            .help("Change nothing; exit status 1 if a file is not formatted"),
    ]
}

/// Whether files may be changed.
#[derive(Clone, Copy)]
enum FormatMode {
    Rewrite,
    Check,
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let mode = match args.get_flag("check") {
        true => FormatMode::Check,
        false => FormatMode::Rewrite,
    };
    // Every file is looked at, whatever is wrong with those before it.
    let statuses = args::texts(args, "files").map(|name| {
        format(name, mode).unwrap_or_else(|failure| {
            failure.tell();
            failure.status()
        })
    });
    Ok(statuses.max().unwrap_or(status::DONE))
}

fn format(name: &str, mode: FormatMode) -> Result<u8, Failure> {
    let source = args::source(name)?;
    let text = match crafty_syntax::format(&source.text) {
        Ok(text) => text,
        Err(reports) => return Err(LoadError::Mistakes(source, reports).into()),
    };
    match mode {
        _ if name == "-" => output::data(&text),
        _ if text == source.text => {}
        FormatMode::Check => {
            output::note(&format!("{name} is not formatted"));
            return Ok(status::FAILED);
        }
        FormatMode::Rewrite => std::fs::write(name, text)
            .map_err(|error| Failure::unwritable(name, &error, "is the file writable?"))?,
    }
    Ok(status::DONE)
}
