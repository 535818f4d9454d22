//! `crafty findings`: what a capture shows to an analyst.

use super::Command;
use crate::analysis::{Analysis, Packet, document, line};
use crate::strict::{self, Judgement};
use crate::{cli, output, status};
use clap::{Arg, ArgMatches};
use crafty_capture::{Error, Reader, Record};
use crafty_findings::rules;
use std::io::{BufReader, Read};

/// The command.
pub static COMMAND: Command = Command {
    name: "findings",
    about: "Tell what a capture shows: loss, retransmissions, reordering, resets, closed windows, ICMP errors and more",
    more: "One line a finding, the worst first, with the numbers of the packets that show it (as `crafty decode` counts them).\n\
           Exit status 0 whatever was found, 2 where the capture cannot be read to its end: what came before is judged all the same.\n\n\
           Examples:\n  crafty findings capture.pcapng\n  crafty findings --json capture.pcapng\n  tcpdump -w - | crafty findings -\n  \
           crafty findings --rules\n  crafty findings --strict capture.pcapng",
    args,
    run,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("file")
            .value_name("FILE")
            .required_unless_present("rules")
            .help("A capture file; `-` reads standard input"),
        cli::json_arg().help("One JSON document a line"),
        Arg::new("strict")
            .long("strict")
            .action(clap::ArgAction::SetTrue)
            .help("Tell what TCP may never do, with the RFC, in place of findings: exit status 1 if there is any"),
        Arg::new("rules")
            .long("rules")
            .action(clap::ArgAction::SetTrue)
            .help("List what can be found, and what each does not tell"),
    ]
}

fn run(args: &ArgMatches) -> u8 {
    if args.get_flag("rules") && args.get_flag("strict") {
        crafty_referee::rules().iter().for_each(|rule| {
            output::line(&format!("{} ({})\n  {}", rule.name, rule.source, rule.doc))
        });
        return status::DONE;
    }
    if args.get_flag("rules") {
        rules().iter().for_each(|rule| {
            output::line(&format!(
                "{} ({}): {}\n  {}",
                rule.name, rule.severity, rule.title, rule.doc
            ))
        });
        return status::DONE;
    }
    let file = args.get_one::<String>("file").map_or("-", String::as_str);
    let (strict, json) = (args.get_flag("strict"), args.get_flag("json"));
    let judge: fn(&mut dyn Read, bool) -> u8 = if strict { referee } else { capture };
    if file == "-" {
        return judge(&mut std::io::stdin().lock(), json);
    }
    match std::fs::File::open(file) {
        Ok(file) => judge(&mut BufReader::with_capacity(1 << 18, file), json),
        Err(error) => {
            output::error(
                &format!("`{file}` cannot be read: {error}"),
                "give a capture file (pcap or pcapng)",
            );
            status::USAGE
        }
    }
}

/// Packet by packet, so that memory does not grow with the file.
fn capture(from: &mut dyn Read, json: bool) -> u8 {
    let mut analysis = Analysis::default();
    let read = read(from, |packet| analysis.packet(packet));
    let packets = analysis.packets();
    let show = if json {
        |it: &_| document(it).to_string()
    } else {
        line
    };
    let lines = analysis.finish().iter().map(show).collect();
    tell(lines, packets, "findings", read, status::DONE)
}

/// The same with the referee.
fn referee(from: &mut dyn Read, json: bool) -> u8 {
    let mut judgement = Judgement::default();
    let read = read(from, |packet| judgement.packet(packet));
    let packets = judgement.packets();
    let show = if json {
        |it: &_| strict::document(it).to_string()
    } else {
        strict::line
    };
    let lines: Vec<String> = judgement.finish().iter().map(show).collect();
    let found = if lines.is_empty() {
        status::DONE
    } else {
        status::FAILED
    };
    tell(lines, packets, "faults", read, found)
}

fn tell(lines: Vec<String>, packets: u64, what: &str, read: Result<(), Error>, found: u8) -> u8 {
    lines
        .iter()
        .for_each(|line| output::data(&format!("{line}\n")));
    match read {
        Ok(()) => {
            output::note(&format!("{} {what} in {packets} packets", lines.len()));
            found
        }
        Err(error) => {
            output::error(
                &format!("this capture cannot be read on: {error}"),
                "what came before was judged; see whether the file is whole",
            );
            status::USAGE
        }
    }
}

fn read(from: &mut dyn Read, mut take: impl FnMut(&Packet<'_>)) -> Result<(), Error> {
    let mut reader = Reader::new(from)?;
    while let Some(record) = reader.record()? {
        let Record {
            interface,
            link,
            time,
            direction,
            octets,
            wire_len,
            ..
        } = &record;
        take(&Packet {
            interface: *interface,
            link: *link,
            time: *time,
            direction: *direction,
            octets,
            wire_len: *wire_len,
        });
    }
    Ok(())
}
