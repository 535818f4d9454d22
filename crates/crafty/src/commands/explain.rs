//! `crafty explain`: the long form of any message, with the bad and the fixed program.

use super::Command;
use crate::failure::Failure;
use crate::{args, output, status};
use clap::{Arg, ArgMatches};
use crafty_lang::diagnostics;
use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The command.
pub static COMMAND: Command = Command {
    name: "explain",
    about: "Explain a message of the checker (`E0601`)",
    more: "Without a code it lists all messages.",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("code")
            .value_name("CODE")
            .help("A code or a name, such as `E0601` or `tainted-send`"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let Some(code) = args::text(args, "code") else {
        diagnostics::all()
            .iter()
            .for_each(|d| output::line(&format!("{}  {:<28} {}", d.code, d.name, d.title)));
        return Ok(status::DONE);
    };
    match diagnostics::find(code) {
        Some(diagnostic) => {
            output::data(&page(diagnostic));
            Ok(status::DONE)
        }
        None => Err(Failure::usage(
            format!("there is no message `{code}`"),
            "`crafty explain` lists them all",
        )),
    }
}

/// The page of a message, in Markdown.
pub fn page(d: &Diagnostic) -> String {
    let kind = if d.severity == Severity::Error {
        "error"
    } else {
        "warning"
    };
    format!(
        "# {} {}: {}\n\nThis is an {kind}. {}\n\nA program that shows it:\n\n```\n{}\n```\n\nFixed:\n\n```\n{}\n```\n",
        d.code,
        d.name,
        d.title,
        d.explanation,
        d.bad.trim_end(),
        d.fixed.trim_end()
    )
    .replace("an warning", "a warning")
}
