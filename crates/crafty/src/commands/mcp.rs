//! `crafty mcp`: the server for AI agents, over standard input and output.

use super::{Command, explain};
use crate::examples::{EXAMPLES, Example};
use crate::failure::Failure;
use crate::manual::{TOPICS, chapters, topic, whole};
use crate::{args, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_lang::diagnostics;
use crafty_mcp::{CommandLine, NamedText, ServerOptions, serve_stdio};
use std::path::PathBuf;

/// The command.
pub static COMMAND: Command = Command {
    name: "mcp",
    about: "Serve AI agents (MCP)",
    more: "Without options programs run in the lab only. A live run needs approval: by a standing policy, by a digest that you name, by an approval that\n\
           a person signs, or by a person at the client.\n\n\
           Examples:\n  crafty mcp\n  crafty mcp --live\n  crafty mcp --live --standing probes.toml\n  crafty mcp --live --approved 1ded6bde…\n  crafty mcp --live --approvals /var/spool/crafty --approver RWQ…",
    args,
    run,
};

fn args() -> Vec<Arg> {
    let only_live = |arg: Arg| arg.requires("live");
    vec![
        Arg::new("live")
            .long("live")
            .action(ArgAction::SetTrue)
            .help("Programs may run on this host's network, once they are approved"),
        only_live(Arg::new("standing").long("standing").value_name("FILE"))
            .help("A policy file (TOML): what it allows needs no further approval"),
        only_live(Arg::new("approved").long("approved").value_name("DIGEST"))
            .action(ArgAction::Append)
            .help("Approve the run of this digest (`crafty review` shows it)"),
        only_live(Arg::new("approvals").long("approvals").value_name("FOLDER"))
            .help("Programs wait here for a person, and signed approvals are looked for"),
        Arg::new("approver")
            .long("approver")
            .value_name("PUBLICKEY")
            .action(ArgAction::Append)
            .requires("approvals")
            .help("Whose approvals count, where the policy names nobody"),
        Arg::new("policy")
            .long("policy")
            .value_name("FILE")
            .help("An additional policy file (TOML), for all runs; it can only narrow"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let options = ServerOptions {
        live: args.get_flag("live"),
        standing: args::text(args, "standing").map(PathBuf::from),
        approved: args::texts(args, "approved").map(String::from).collect(),
        approvals: args::text(args, "approvals").map(PathBuf::from),
        approvers: args::texts(args, "approver").map(String::from).collect(),
        policy: args::text(args, "policy").map(PathBuf::from),
    };
    // A policy that cannot be read is reported to the person who starts the server.
    let files = [&options.policy, &options.standing].into_iter().flatten();
    for file in files {
        crafty_run::operator_policy(&[], &[file])?;
    }
    crafty_run::operator_policy(&[], &[])?;
    serve_stdio(Box::new(CommandLineTool), options).map_err(|error| {
        Failure::usage(
            format!("the client does not speak MCP: {error}"),
            "an MCP client starts this command: `claude mcp add crafty -- crafty mcp`",
        )
    })?;
    Ok(status::DONE)
}

/// This command line, for the server.
struct CommandLineTool;

impl CommandLine for CommandLineTool {
    fn manual(&self) -> Vec<NamedText> {
        let page = |name: &str, about: &str, text: String| NamedText {
            name: name.into(),
            about: about.into(),
            text,
        };
        let mut pages = vec![page("whole", "all chapters, for a first reading", whole())];
        pages.extend(
            chapters()
                .iter()
                .map(|(name, title, text)| page(name, title, text.clone())),
        );
        for row in TOPICS {
            if let Some(text) =
                topic(row.name).filter(|_| pages.iter().all(|page| page.name != row.name))
            {
                pages.push(page(row.name, row.about, text));
            }
        }
        pages
    }

    fn examples(&self) -> Vec<NamedText> {
        let named = |example: &Example| NamedText {
            name: example.name.into(),
            about: example.about(),
            text: example.text.into(),
        };
        EXAMPLES.iter().map(named).collect()
    }

    fn reference(&self, name: &str) -> Option<String> {
        topic(name)
    }

    fn message(&self, code: &str) -> Option<String> {
        diagnostics::find(code).map(explain::page)
    }

    fn binary(&self) -> PathBuf {
        // What runs now, also after an update.
        PathBuf::from("/proc/self/exe")
    }
}
