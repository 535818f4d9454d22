//! The command line of Crafty: the only crate that reads files, prints, and knows JSON and exit
//! statuses.
#![forbid(unsafe_code)]

mod analysis;
mod carried;
mod cli;
mod commands;
mod drive;
mod from_pcap;
mod manual;
mod operator;
mod output;
mod packet;
mod program;
mod recording;
mod replay;
mod schema;
mod status;
mod strict;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os()))
}
