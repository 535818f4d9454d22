//! `crafty findings`: what a capture shows to an analyst.

use super::Command;
use crate::{cli, output, status};
use clap::{Arg, ArgMatches};
use crafty_capture::{Direction, Error, Reader};
use crafty_findings::{Analyser, Finding, MAX_EVIDENCE, rules};
use crafty_wire::{Decoded, decode, link};
use serde_json::json;
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
        Arg::new("file").value_name("FILE").required_unless_present("rules").help("A capture file; `-` reads standard input"),
        cli::json_arg().help("One JSON document a line"),
        Arg::new("rules").long("rules").action(clap::ArgAction::SetTrue).help("List what can be found, and what each does not tell"),
    ]
}

fn run(args: &ArgMatches) -> u8 {
    if args.get_flag("rules") {
        rules().iter().for_each(|rule| output::line(&format!("{} ({}): {}\n  {}", rule.name, rule.severity, rule.title, rule.doc)));
        return status::DONE;
    }
    let file = args.get_one::<String>("file").map_or("-", String::as_str);
    let show = if args.get_flag("json") { document } else { line };
    if file == "-" {
        return capture(std::io::stdin().lock(), show);
    }
    match std::fs::File::open(file) {
        Ok(file) => capture(BufReader::with_capacity(1 << 18, file), show),
        Err(error) => {
            output::error(&format!("`{file}` cannot be read: {error}"), "give a capture file (pcap or pcapng)");
            status::USAGE
        }
    }
}

/// Packet by packet, so that memory does not grow with the file.
fn capture(from: impl Read, show: fn(&Finding) -> String) -> u8 {
    let mut analyser = Analyser::new();
    let read = read(from, &mut analyser);
    let let_go = (analyser.flows_let_go(), analyser.remarks_let_go());
    let findings: String = analyser.finish().iter().map(|finding| show(finding) + "\n").collect();
    output::data(&findings);
    if let_go != (0, 0) {
        output::note(&format!("note: memory is bounded: {} flows and {} remarks were let go", let_go.0, let_go.1));
    }
    match read {
        Ok(packets) => {
            output::note(&format!("{} findings in {packets} packets", findings.lines().count()));
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

fn read(from: impl Read, analyser: &mut Analyser) -> Result<u64, Error> {
    let mut reader = Reader::new(from)?;
    let mut decoded = Decoded::new();
    let mut index = 0;
    while let Some(record) = reader.record()? {
        index += 1;
        decode(link(u32::from(record.link), &record.octets), &record.octets, record.wire_len, &mut decoded);
        analyser.packet(index, record.time, &record.octets, &decoded, record.direction.map(direction));
    }
    Ok(index)
}

fn direction(direction: Direction) -> crafty_findings::Direction {
    match direction {
        Direction::Inbound => crafty_findings::Direction::In,
        Direction::Outbound => crafty_findings::Direction::Out,
    }
}

fn line(finding: &Finding) -> String {
    let flow = finding.flow.as_ref().map_or(String::new(), |flow| format!(" [{flow}]"));
    let more = if finding.evidence.len() < MAX_EVIDENCE { "" } else { ", …" };
    let numbers: Vec<String> = finding.evidence.iter().map(u64::to_string).collect();
    format!("{}[{}]: {}{flow}; packets {}{more}", finding.severity, finding.name, finding.sentence, numbers.join(", "))
}

fn document(finding: &Finding) -> String {
    json!({
        "name": finding.name,
        "severity": finding.severity.to_string(),
        "sentence": finding.sentence,
        "flow": finding.flow,
        "count": finding.count,
        "packets": finding.evidence,
    })
    .to_string()
}
