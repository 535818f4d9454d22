//! `crafty schema`: what the JSON of other commands looks like, as JSON Schema.

use super::Command;
use crate::failure::Failure;
use crate::schema::ALL;
use crate::{args, output, status};
use clap::{Arg, ArgMatches};

/// The command.
pub static COMMAND: Command = Command {
    name: "schema",
    about: "Print the JSON Schema of a command's `--json`, or list them",
    more: "Examples:\n  crafty schema\n  crafty schema packet",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("name")
            .value_name("NAME")
            .help("Which: `packet`, `event` …"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let Some(name) = args::text(args, "name") else {
        ALL.iter()
            .for_each(|schema| output::line(&format!("{:<9} {}", schema.name, schema.about)));
        return Ok(status::DONE);
    };
    match ALL.iter().find(|schema| schema.name == name) {
        Some(schema) => {
            output::line(&format!("{:#}", schema.whole()));
            Ok(status::DONE)
        }
        None => {
            let names: Vec<String> = ALL
                .iter()
                .map(|schema| format!("`{}`", schema.name))
                .collect();
            Err(Failure::usage(
                format!("there is no schema `{name}`"),
                format!("one of {}", names.join(", ")),
            ))
        }
    }
}
