//! `crafty lab`: which networks can be simulated, where a program can stand in them, and which
//! faults can be planted.

use super::Command;
use crate::failure::Failure;
use crate::{args, output, status};
use clap::{Arg, ArgMatches};
use crafty_sim::{Lab, LabOptions, faults, networks};

/// The command.
pub static COMMAND: Command = Command {
    name: "lab",
    about: "Show the simulated networks and the faults that can be planted",
    more: "Examples:\n  crafty lab\n  crafty lab demo\n  crafty run --lab demo:loss=5,mtu_hole ping.crafty",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("name")
            .value_name("NAME")
            .help("A network, to see its map"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    match args::text(args, "name") {
        None => {
            output::data(&listing());
            Ok(status::DONE)
        }
        Some(name) => match Lab::named(name, &LabOptions::default()) {
            Ok(lab) => {
                output::data(lab.describe());
                Ok(status::DONE)
            }
            Err(what) => Err(Failure::usage(
                what.to_string(),
                "`crafty lab` lists the networks",
            )),
        },
    }
}

/// Networks and faults, a line each.
fn listing() -> String {
    let mut text = String::from("networks:\n");
    for network in networks() {
        text += &format!("  {:<12} {}\n", network.name, network.doc());
    }
    text += "\nfaults (`--lab NAME:fault,fault=value`):\n";
    for fault in faults() {
        text += &format!("  {:<18} {}\n", fault.name, fault.doc);
    }
    text
}
