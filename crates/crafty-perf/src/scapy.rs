//! Scapy's side of a comparison: scripts of the benchmark folder, run by the system's Python.

use crate::place::Testbed;
use crate::row::BenchmarkResult;
use crate::tool::{program, text};
use std::process::Command;

/// Where the package `python3-scapy` puts it.
pub const PYTHON: &str = "/usr/bin/python3";

/// Runs a script on the sending side; what it prints.
pub fn run(place: &Testbed, script: &str, args: &[&str]) -> BenchmarkResult<String> {
    text(place.here(PYTHON).arg(program(script)).args(args))
}

/// The command that runs a script, for who starts it on its own.
pub fn command(script: &str) -> Command {
    let mut command = Command::new(PYTHON);
    command.arg(program(script));
    command
}
