//! `crafty bench`: the benchmark for agents and sets of tools.

use super::Command;
use crate::failure::Failure;
use crate::{args, output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_bench::{BenchError, RoundPlan, TOOL_SETS, ToolSet, build, grade, serve_stdio};
use std::path::{Path, PathBuf};

/// The command.
pub static COMMAND: Command = Command {
    name: "bench",
    about: "Measure agents and tools",
    more: "  tools SET FOLDER   unpacks a set of tools from Debian packages into a new folder (root)\n\
           \x20 serve              lets a candidate work on five tickets, over MCP (root)\n\
           \x20 grade FOLDER...    puts records side by side: quality, time and size from 0 to 10\n\n\
           Examples:\n  crafty bench",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    vec![
        Arg::new("words")
            .value_name("tools SET FOLDER | serve | grade FOLDER...")
            .num_args(0..)
            .help("What to do; by default, the sets of tools"),
        option("tools", "SET", "With `serve`: the set of tools"),
        option(
            "root",
            "FOLDER",
            "With `serve`: the folder that `tools` made",
        ),
        option(
            "network",
            "NAME",
            "With `serve`: a network with tickets (acme)",
        ),
        option(
            "seed",
            "N",
            "With `serve`: chooses the tickets, the same for all candidates (1)",
        ),
        option(
            "candidate",
            "NAME",
            "With `serve`: what the candidate is called",
        ),
        option(
            "record",
            "FOLDER",
            "With `serve`: a new folder for the record",
        ),
        Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .help("With `grade`: JSON on standard output"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let words: Vec<&str> = args::texts(args, "words").collect();
    match words[..] {
        [] => output::data(&listing()),
        ["tools", set, folder] => {
            let crafty = std::env::current_exe().map_err(|it| told(BenchError::Transport(it)))?;
            build(set_named(set)?, Path::new(folder), &crafty).map_err(told)?;
        }
        ["serve"] => serve_stdio(plan(args)?).map_err(told)?,
        ["grade", ref folders @ ..] if !folders.is_empty() => {
            let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
            let rows = grade::grade(&folders).map_err(told)?;
            output::data(&match args.get_flag("json") {
                true => format!(
                    "{}\n",
                    serde_json::Value::from_iter(rows.iter().map(|it| it.to_json()))
                ),
                false => grade::table(&rows),
            });
        }
        _ => {
            return Err(Failure::usage(
                format!(
                    "`{}` is not something that the benchmark does",
                    words.join(" ")
                ),
                "write `crafty bench tools SET FOLDER`, `crafty bench serve --tools SET --root FOLDER --record FOLDER` or `crafty bench grade FOLDER`",
            ));
        }
    }
    Ok(status::DONE)
}

fn plan(args: &ArgMatches) -> Result<RoundPlan, Failure> {
    let needed = |option: &str| {
        args::text(args, option).ok_or_else(|| {
            Failure::usage(
                format!("`serve` needs `--{option}`"),
                "write `crafty bench serve --tools scapy --root tools-scapy --record round1`",
            )
        })
    };
    let tools = set_named(needed("tools")?)?;
    Ok(RoundPlan {
        network: args::text(args, "network").unwrap_or("acme").into(),
        seed: args::number(args, "seed", "7")?.unwrap_or(1),
        candidate: args::text(args, "candidate").unwrap_or(tools.name).into(),
        tools,
        root: needed("root")?.into(),
        folder: needed("record")?.into(),
    })
}

fn set_named(name: &str) -> Result<&'static ToolSet, Failure> {
    crafty_bench::named(name).ok_or_else(|| {
        Failure::usage(
            format!("there is no set of tools `{name}`"),
            "`crafty bench` lists them",
        )
    })
}

fn listing() -> String {
    TOOL_SETS
        .iter()
        .map(|it| format!("{:<10} {}\n", it.name, it.about))
        .collect()
}

fn told(error: BenchError) -> Failure {
    let text = error.to_string();
    match error {
        BenchError::Network(_) | BenchError::File { .. } => {
            Failure::usage(text, "`crafty bench --help` shows what it takes")
        }
        BenchError::Portal(error) => crate::lab::real_time::told(error),
        BenchError::Package { .. } => Failure::Environment(
            text,
            "packages come from Debian's archive: is it reachable?".into(),
        ),
        BenchError::Transport(_) => Failure::Environment(
            text,
            "the client speaks MCP over standard input and output".into(),
        ),
    }
}
