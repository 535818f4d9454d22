//! `crafty manual`: the whole language on a few pages, or one topic.

use super::Command;
use crate::failure::Failure;
use crate::manual::{TOPICS, topic, whole};
use crate::skill::llms;
use crate::{args, output, status};
use clap::{Arg, ArgAction, ArgMatches};

/// The command.
pub static COMMAND: Command = Command {
    name: "manual",
    about: "Print the manual, or a topic: a layer, a function, or `settings`, `powers`, `stack`, `connections`, `agents` …",
    more: "Examples:\n  crafty manual\n  crafty manual TCP\n  crafty manual functions",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("topic")
            .value_name("TOPIC")
            .help("A layer (`TCP`), a function (`quantile`), or a topic"),
        Arg::new("llms")
            .long("llms")
            .action(ArgAction::SetTrue)
            .conflicts_with("topic")
            .help("Print `llms.txt`: what there is to read"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    if args.get_flag("llms") {
        output::data(&llms());
        return Ok(status::DONE);
    }
    let Some(name) = args::text(args, "topic") else {
        output::data(&whole());
        return Ok(status::DONE);
    };
    match topic(name) {
        Some(page) => {
            output::data(&page);
            Ok(status::DONE)
        }
        None => {
            let topics: Vec<String> = TOPICS
                .iter()
                .map(|t| format!("`{}` ({})", t.name, t.about))
                .collect();
            Err(Failure::usage(
                format!("the manual has no topic `{name}`"),
                format!("a layer, a function, or one of {}", topics.join(", ")),
            ))
        }
    }
}
