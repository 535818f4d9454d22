//! Scenario files: read, checked, made up.

use crate::failure::Failure;
use crafty_sim::{Lab, LabOptions, Size, generate, networks};
use std::path::Path;

/// The largest scenario file that is read.
const MAX_FILE: u64 = 16 << 20;

/// The network that a word names: one that is built in, or a file.
pub fn open(word: &str) -> Result<Lab, Failure> {
    let options = LabOptions::default();
    let built = match is_file(word) {
        true => Lab::from_scenario(word, &read(word)?, &options),
        false => Lab::named(word, &options),
    };
    built.map_err(|error| {
        Failure::usage(
            error.to_string(),
            "`crafty lab` lists the networks; a file is named `FILE.toml`",
        )
    })
}

/// Whether a word names a file rather than a network that is built in.
fn is_file(word: &str) -> bool {
    let is_built_in = networks().iter().any(|it| it.name == word);
    !is_built_in && (word.ends_with(".toml") || Path::new(word).is_file())
}

fn read(path: &str) -> Result<String, Failure> {
    let unreadable = |what: String| {
        Failure::usage(
            format!("cannot read `{path}`: {what}"),
            "name a scenario file",
        )
    };
    let length = std::fs::metadata(path).map(|it| it.len());
    if length.map_err(|error| unreadable(error.to_string()))? > MAX_FILE {
        return Err(unreadable("it is longer than any scenario".into()));
    }
    std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))
}

/// Checks a file: what is in it, in a sentence.
pub fn check(path: &str) -> Result<String, Failure> {
    Lab::from_scenario(path, &read(path)?, &LabOptions::default())
        .map(|_| format!("{path}: no mistakes\n"))
        .map_err(|error| {
            Failure::usage(
                error.to_string(),
                "correct these lines; `crafty lab new` makes an example",
            )
        })
}

/// A scenario that is made up.
pub fn new(size: Size, seed: u64) -> String {
    generate(&format!("new-{seed}"), size, seed)
}
