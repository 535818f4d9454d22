//! `crafty from-pcap`: a recorded conversation as a program.

use super::Command;
use crate::from_pcap::{Form, Role, likely_role, listing, program};
use crate::recording::Recording;
use crate::{output, status};
use clap::{Arg, ArgAction, ArgMatches};
use std::io::BufReader;

/// The command.
pub static COMMAND: Command = Command {
    name: "from-pcap",
    about: "Make a program of a recorded conversation; without `--flow`, list the conversations",
    more: "The program reaches the peer and the ports that were seen, and no others; what it received is never in it. It goes to standard\n\
           output; read it before you run it.\n\n\
           Examples:\n  crafty from-pcap capture.pcapng\n  crafty from-pcap capture.pcapng --flow 1 > one.crafty\n  \
           crafty from-pcap capture.pcapng --flow 1 --role server > other_side.crafty\n  crafty run --replay capture.pcapng one.crafty",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .help("A capture file; `-` reads standard input"),
        Arg::new("flow")
            .long("flow")
            .value_name("N")
            .help("The conversation, by its number in the list"),
        Arg::new("role")
            .long("role")
            .value_name("client | server")
            .value_parser(["client", "server"])
            .help("The side to take; unless told, the side that was recorded, or the client"),
        Arg::new("literal")
            .long("literal")
            .action(ArgAction::SetTrue)
            .help("A TCP connection segment by segment, as its client sent them"),
    ]
}

fn run(args: &ArgMatches) -> u8 {
    let file = args.get_one::<String>("file").map_or("-", String::as_str);
    let read = match file {
        "-" => Recording::read(std::io::stdin().lock()),
        path => std::fs::File::open(path)
            .map_err(|error| error.to_string())
            .and_then(|file| Recording::read(BufReader::new(file))),
    };
    let recording = match read {
        Ok(recording) => recording,
        Err(what) => {
            return usage(
                &format!("`{file}` cannot be read: {what}"),
                "give a capture file (pcap or pcapng)",
            );
        }
    };
    if let Some(damage) = &recording.damage {
        output::note(&format!(
            "warning: `{file}` is damaged, what comes before is used: {damage}"
        ));
    }
    let Some(number) = args.get_one::<String>("flow") else {
        output::data(&listing(&recording));
        return status::DONE;
    };
    let Some(number) = number
        .parse::<usize>()
        .ok()
        .filter(|n| (1..=recording.flows.len()).contains(n))
    else {
        let fix = format!(
            "`crafty from-pcap {file}` lists those that there are: {}",
            recording.flows.len()
        );
        return usage(&format!("there is no conversation {number}"), &fix);
    };
    let role = match args.get_one::<String>("role").map(String::as_str) {
        Some("server") => Role::Server,
        Some(_) => Role::Client,
        None => likely_role(&recording, &recording.flows[number - 1]),
    };
    let form = if args.get_flag("literal") {
        Form::Segments
    } else {
        Form::Stream
    };
    match program(&recording, number - 1, role, form, file) {
        Ok(text) => {
            output::data(&text);
            status::DONE
        }
        Err(why) => usage(
            &format!("conversation {number} cannot be made into a program: {why}"),
            &format!(
                "choose another one, as `crafty from-pcap {file}` lists them, or try the other `--role`, or without `--literal`"
            ),
        ),
    }
}

fn usage(what: &str, fix: &str) -> u8 {
    output::error(what, fix);
    status::USAGE
}
