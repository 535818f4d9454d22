//! `crafty from-pcap`: a recorded conversation as a program.

use super::Command;
use crate::failure::Failure;
use crate::from_pcap::{Role, TcpStyle, likely_role, listing, program};
use crate::{args, output, status};
use clap::{Arg, ArgAction, ArgMatches};
use crafty_run::recording::Recording;

/// The command.
pub static COMMAND: Command = Command {
    name: "from-pcap",
    about: "Turn a recorded conversation into a program; without `--flow`, list the conversations",
    more: "The program may reach only the peer and the ports in the capture, and contains no received data. It is printed to standard\n\
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
            .help("The side to take; by default the side that was recorded, or the client"),
        Arg::new("literal")
            .long("literal")
            .action(ArgAction::SetTrue)
            .help("A TCP connection segment by segment, as its client sent them"),
    ]
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let file = args::text(args, "file").unwrap_or("-");
    let recording = recording(file)?;
    let Some(number) = args::number(args, "flow", "1")? else {
        output::data(&listing(&recording));
        return Ok(status::DONE);
    };
    let index = usize::try_from(number).unwrap_or(0).wrapping_sub(1);
    let Some(flow) = recording.flows.get(index) else {
        return Err(Failure::usage(
            format!("there is no conversation {number}"),
            format!(
                "`crafty from-pcap {file}` lists all conversations: {}",
                recording.flows.len()
            ),
        ));
    };
    let role = match args::text(args, "role") {
        Some("server") => Role::Server,
        Some(_) => Role::Client,
        None => likely_role(&recording, flow),
    };
    let form = match args.get_flag("literal") {
        true => TcpStyle::Segments,
        false => TcpStyle::Stream,
    };
    let text = program(&recording, index, role, form, file).map_err(|why| {
        Failure::usage(
            format!("conversation {number} cannot be made into a program: {why}"),
            format!(
                "choose another one (`crafty from-pcap {file}` lists them), try the other `--role`, or leave out `--literal`"
            ),
        )
    })?;
    output::data(&text);
    Ok(status::DONE)
}

fn recording(file: &str) -> Result<Recording, Failure> {
    let read = match file {
        "-" => Recording::read(std::io::stdin().lock()),
        path => Recording::open(path),
    };
    let recording = read
        .map_err(|error| Failure::usage(format!("cannot read `{file}`: {error}"), error.fix()))?;
    if let Some(damage) = &recording.damage {
        output::note(&format!(
            "warning: `{file}` is damaged; the part before the damage is used: {damage}"
        ));
    }
    Ok(recording)
}
