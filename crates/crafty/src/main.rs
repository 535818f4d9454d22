//! The command line of Crafty: words, options, printing and exit statuses; what it prints of runs
//! and packets comes from `crafty-print`, what it runs from `crafty-run`.
#![forbid(unsafe_code)]

mod args;
mod cli;
mod commands;
mod examples;
mod failure;
mod from_pcap;
mod lab;
mod manual;
mod output;
mod output_queue;
mod printer;
mod schema;
mod skill;
mod status;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os()))
}
