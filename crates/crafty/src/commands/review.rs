//! `crafty review`: the page for the person who must say yes, who need not know the language: what
//! is sent to whom, what can leak, how much at most, what is granted and not used.

use super::Command;
use super::check::{load_named, refused};
use crate::args::{self, OutputForm};
use crate::failure::{Failure, tell_reports};
use crate::{output, status};
use clap::{Arg, ArgMatches};
use crafty_print::{review_json, review_page};
use crafty_run::review::Review;

/// The command.
pub static COMMAND: Command = Command {
    name: "review",
    about: "A page for a reviewer: what a program sends to whom, what it can leak, how much at most",
    more: "Examples:\n  crafty review ping.crafty\n  crafty review ping.crafty --json",
    args,
    run,
};

fn args() -> Vec<Arg> {
    [
        args::program_and_params(),
        vec![args::json_flag()],
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
        }
    }
    Ok(status::DONE)
}
