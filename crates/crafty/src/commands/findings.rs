//! `crafty findings`: what a capture shows to an analyst.

use super::Command;
use crate::analysis::{Analysis, Packet, document, line};
use crate::{cli, output, status};
use clap::{Arg, ArgMatches};
use crafty_capture::{Error, Reader, Record};
use crafty_findings::{Finding, rules};
use std::io::{BufReader, Read};

/// The command.
pub static COMMAND: Command = Command {
    name: "findings",
    about: "Tell what a capture shows: loss, retransmissions, reordering, resets, closed windows, ICMP errors and more",
    more: "One line a finding, the worst first, with the numbers of the packets that show it (as `crafty decode` counts them).\n\
           Exit status 0 whatever was found, 2 where the capture cannot be read to its end: what came before is judged all the same.\n\n\
           Examples:\n  crafty findings capture.pcapng\n  crafty findings --json capture.pcapng\n  tcpdump -w - | crafty findings -\n  \
           crafty findings --rules",
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
        Arg::new("rules")
            .long("rules")
            .action(clap::ArgAction::SetTrue)
            .help("List what can be found, and what each does not tell"),
    ]
}

fn run(args: &ArgMatches) -> u8 {
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
    let show = if args.get_flag("json") {
        |it: &Finding| document(it).to_string()
    } else {
        line
    };
    if file == "-" {
        return capture(std::io::stdin().lock(), show);
    }
    match std::fs::File::open(file) {
        Ok(file) => capture(BufReader::with_capacity(1 << 18, file), show),
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
fn capture(from: impl Read, show: fn(&Finding) -> String) -> u8 {
    let mut analysis = Analysis::default();
    let read = read(from, &mut analysis);
    let packets = analysis.packets();
    let findings: String = analysis
        .finish()
        .iter()
        .map(|finding| show(finding) + "\n")
        .collect();
    output::data(&findings);
    match read {
        Ok(()) => {
            output::note(&format!(
                "{} findings in {packets} packets",
                findings.lines().count()
            ));
            status::DONE
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

fn read(from: impl Read, analysis: &mut Analysis) -> Result<(), Error> {
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
        analysis.packet(&Packet {
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
