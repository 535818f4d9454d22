//! `crafty skill install`: a skill folder for agents that may run commands, made from the manual
//! and the examples, so that it is never older than the binary.

use super::Command;
use crate::failure::Failure;
use crate::skill::{FOLDERS, files};
use crate::{args, output, status};
use clap::{Arg, ArgAction, ArgMatches};
use std::path::{Path, PathBuf};

/// The command.
pub static COMMAND: Command = Command {
    name: "skill",
    about: "Write a skill for AI agents",
    more: "Examples:\n  crafty skill install\n  crafty skill install --user\n  crafty skill install --into /tmp/skills\n  crafty skill show",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("what")
            .value_name("install | show")
            .required(true)
            .value_parser(["install", "show"])
            .help("Write the folder, or print its first file"),
        Arg::new("user")
            .long("user")
            .action(ArgAction::SetTrue)
            .conflicts_with("into")
            .help("Into your home folder, in place of this one"),
        Arg::new("into")
            .long("into")
            .value_name("FOLDER")
            .help("Into this folder of skills alone"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let files = files();
    if args::text(args, "what") == Some("show") {
        files
            .iter()
            .take(1)
            .for_each(|(_, text)| output::data(text));
        return Ok(status::DONE);
    }
    for folder in folders(args)? {
        for (name, text) in &files {
            write(&folder.join("crafty").join(name), text)?;
        }
        output::line(&format!(
            "{}: {} files",
            folder.join("crafty").display(),
            files.len()
        ));
    }
    Ok(status::DONE)
}

/// The folders of skills to write into.
fn folders(args: &ArgMatches) -> Result<Vec<PathBuf>, Failure> {
    if let Some(folder) = args::text(args, "into") {
        return Ok(vec![PathBuf::from(folder)]);
    }
    let base = match args.get_flag("user") {
        false => PathBuf::from("."),
        true => std::env::home_dir().ok_or_else(|| {
            Failure::Environment(
                "there is no home folder".into(),
                "set HOME, or use `--into FOLDER`".into(),
            )
        })?,
    };
    Ok(FOLDERS.iter().map(|folder| base.join(folder)).collect())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)
    };
    written().map_err(|error| {
        Failure::unwritable(
            &path.display().to_string(),
            &error,
            "choose a folder that you may write to: `--into FOLDER`",
        )
    })
}
