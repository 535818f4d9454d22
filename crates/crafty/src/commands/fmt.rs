//! `crafty fmt`: the one layout of a program.

use super::Command;
use crate::{output, program, status};
use clap::{Arg, ArgAction, ArgMatches};

/// The command.
pub static COMMAND: Command = Command {
    name: "fmt",
    about: "Lay programs out in the one way; comments are kept",
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
            .help("Programs to rewrite in place; `-` prints standard input laid out"),
        Arg::new("check")
            .long("check")
            .action(ArgAction::SetTrue)
            .help("Change nothing; exit status 1 if a file is not laid out"),
    ]
}

fn run(args: &ArgMatches) -> u8 {
    let files = args.get_many::<String>("files").into_iter().flatten();
    files
        .map(|name| lay_out(name, args.get_flag("check")))
        .max()
        .unwrap_or(status::DONE)
}

fn lay_out(name: &str, check: bool) -> u8 {
    let source = match program::read(name) {
        Ok(source) => source,
        Err(refusal) => {
            refusal.tell(name);
            return refusal.status();
        }
    };
    match crafty_syntax::format(&source) {
        Err(reports) => {
            program::tell(&source, name, &reports);
            status::USAGE
        }
        Ok(text) if name == "-" => {
            output::data(&text);
            status::DONE
        }
        Ok(text) if text == source => status::DONE,
        Ok(_) if check => {
            output::note(&format!("{name} is not laid out"));
            status::FAILED
        }
        Ok(text) => match std::fs::write(name, text) {
            Ok(()) => status::DONE,
            Err(error) => {
                output::error(&format!("cannot write `{name}`: {error}"), "");
                status::ENVIRONMENT
            }
        },
    }
}
