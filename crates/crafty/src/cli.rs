//! The command line. Each command is one file of `commands/` that gives its words and what it does.

use crate::commands::{ALL, Command};
use crate::{output, status};
use clap::ArgMatches;
use std::ffi::OsString;

/// Runs a command line; gives the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    match words().try_get_matches_from(args) {
        Ok(matches) => complete(dispatch(&matches)),
        Err(error) => {
            let _ = error.print();
            if error.use_stderr() {
                status::USAGE
            } else {
                status::DONE
            }
        }
    }
}

/// Lost output is a failure of the environment, unless something worse was reported already.
fn complete(status: u8) -> u8 {
    output::end_run();
    if status == status::DONE && output::lost() {
        output::error(
            "could not write all of standard output",
            "is the disk full, or its reader slow?",
        );
        return status::ENVIRONMENT;
    }
    status
}

fn dispatch(matches: &ArgMatches) -> u8 {
    let found = matches
        .subcommand()
        .and_then(|(name, args)| ALL.iter().find(|c| c.name == name).map(|c| (c, args)));
    let Some((command, args)) = found else {
        output::error("no command is given", "`crafty help` lists them");
        return status::USAGE;
    };
    if !["run", "check", "review"].contains(&command.name) {
        warn_of_variables();
    }
    (command.run)(args).unwrap_or_else(|failure| {
        failure.tell();
        failure.status()
    })
}

/// A mistyped limit would be none: what reads the policy refuses it, others say it.
fn warn_of_variables() {
    for name in crafty_run::unknown_variables() {
        output::note(&format!(
            "warning: environment variable {} is not a setting; correct its name, or unset it",
            name.escape_debug()
        ));
    }
}

/// All commands.
pub fn words() -> clap::Command {
    let root = clap::Command::new("crafty")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A small packet language with guardrails: checks, judges and runs packet programs")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help("`crafty manual` is the whole language on a few pages. Exit statuses: `crafty manual commands`.");
    ALL.iter()
        .fold(root, |root, command| root.subcommand(subcommand(command)))
}

fn subcommand(command: &Command) -> clap::Command {
    let args = (command.args)().into_iter().map(|arg| {
        if arg.get_help().is_none() {
            arg.hide(true)
        } else {
            arg
        }
    });
    clap::Command::new(command.name)
        .about(command.about)
        .after_help(command.more)
        .args(args)
}
