//! Words of the command line. Each command is one file of `commands/` that gives its words and what
//! it does; limits are flags made from the gate's table.

use crate::commands::{ALL, Command};
use crate::{output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_policy::{SETTINGS, Section, Setting};
use std::ffi::OsString;

/// Runs a command line; gives the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    match words().try_get_matches_from(args) {
        Ok(matches) => whole(dispatch(&matches)),
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

/// Lost output is a failure of the environment, unless something worse is told already.
fn whole(status: u8) -> u8 {
    if status == status::DONE && output::lost() {
        output::error(
            "standard output could not be written: what it holds is not whole",
            "is the disk full?",
        );
        return status::ENVIRONMENT;
    }
    status
}

fn dispatch(matches: &ArgMatches) -> u8 {
    let found = matches
        .subcommand()
        .and_then(|(name, args)| ALL.iter().find(|c| c.name == name).map(|c| (c, args)));
    match found {
        Some((command, args)) => (command.run)(args),
        None => {
            output::error("no command is given", "`crafty help` lists them");
            status::USAGE
        }
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

/// `FILE` and the params after it.
pub fn program_args() -> Vec<Arg> {
    vec![
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .help("A program; `-` reads standard input"),
        Arg::new("params")
            .value_name("name=value")
            .num_args(0..)
            .help("Params of the program"),
    ]
}

/// `--json`.
pub fn json_arg() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("JSON on standard output")
}

/// `--policy FILE` and one flag for each limit that an operator may set.
pub fn policy_args() -> Vec<Arg> {
    let file = Arg::new("policy")
        .long("policy")
        .value_name("FILE")
        .help("One more policy file (TOML); it can only narrow");
    std::iter::once(file)
        .chain(SETTINGS.iter().map(limit_arg))
        .collect()
}

fn limit_arg(setting: &'static Setting) -> Arg {
    Arg::new(setting.key)
        .long(flag(setting))
        .value_name("LIMIT")
        .help(format!("Narrow: {}", setting.doc))
        .help_heading("Limits")
}

/// The flag of a setting: its key with dashes; local ports say what they are.
pub fn flag(setting: &Setting) -> String {
    let ports = if setting.section == Section::Ports {
        "-ports"
    } else {
        ""
    };
    format!("{}{ports}", setting.key.replace('_', "-"))
}

/// The limits that the command line gives.
pub fn limits(args: &ArgMatches) -> Vec<(&'static Setting, String)> {
    let given = |s: &'static Setting| {
        args.try_get_one::<String>(s.key)
            .ok()
            .flatten()
            .map(|text| (s, text.clone()))
    };
    SETTINGS.iter().filter_map(given).collect()
}

/// `name=value` words, split; a word without `=` is told apart.
pub fn params(args: &ArgMatches, id: &str) -> Result<Vec<(String, String)>, String> {
    let words = args.get_many::<String>(id).into_iter().flatten();
    words
        .map(|word| {
            word.split_once('=')
                .map(|(n, v)| (n.to_string(), v.to_string()))
                .ok_or_else(|| word.clone())
        })
        .collect()
}
