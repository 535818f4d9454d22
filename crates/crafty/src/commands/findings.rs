//! `crafty findings`: what a capture shows to an analyst.

use super::Command;
use crate::args::{self, OutputForm};
use crate::failure::Failure;
use crate::{output, status};
use clap::{Arg, ArgMatches};
use crafty_capture::{CaptureError, CaptureReader, Record};
use crafty_findings::{Finding, rules};
use crafty_print::{Line, event_line, finding_json, finding_line, violation_json, violation_line};
use crafty_referee::Violation;
use crafty_run::{Analysis, Judgement, RunEvent, SeenPacket};
use std::io::{BufReader, Read};

/// The command.
pub static COMMAND: Command = Command {
    name: "findings",
    about: "Report what a capture shows: loss, retransmissions, resets and more",
    more: "One line a finding, the worst first, with the numbers of the packets that show it (as `crafty decode` counts them).\n\
           Exit status 0 whatever was found, 2 where the capture cannot be read to its end: what came before is judged all the same.\n\
           With --strict: what an end of a TCP connection did that the RFCs forbid, each rule once an end, and exit status 1 if there is any. \
           Each end is judged by what it sent and the most that it can have heard, so a loss is nobody's fault. A capture by `crafty run --pcap` \
           shows this host's end exactly; any other shows both ends from elsewhere, where fewer rules hold.\n\n\
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
        args::json_flag().help("One JSON document per line"),
        Arg::new("strict")
            .long("strict")
            .action(clap::ArgAction::SetTrue)
            .help("Report violations of TCP's rules, with the RFC, instead of findings; exit status 1 if there are any"),
        Arg::new("rules")
            .long("rules")
            .action(clap::ArgAction::SetTrue)
            .help("List all findings, and what each cannot show"),
    ]
}

/// What a capture is judged by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FindingSource {
    /// The findings' rules.
    Findings,
    /// The referee's: what TCP may never do.
    Referee,
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let judge = match args.get_flag("strict") {
        true => FindingSource::Referee,
        false => FindingSource::Findings,
    };
    if args.get_flag("rules") {
        list(judge);
        return Ok(status::DONE);
    }
    let form = args::form(args);
    match args::text(args, "file").unwrap_or("-") {
        "-" => judged(judge, &mut std::io::stdin().lock(), form),
        path => {
            let file = std::fs::File::open(path).map_err(|error| {
                Failure::usage(
                    format!("cannot read `{path}`: {error}"),
                    "give a capture file (pcap or pcapng)",
                )
            })?;
            judged(judge, &mut BufReader::with_capacity(1 << 18, file), form)
        }
    }
}

fn list(judge: FindingSource) {
    match judge {
        FindingSource::Referee => crafty_referee::rules().iter().for_each(|rule| {
            output::line(&format!("{} ({})\n  {}", rule.name, rule.source, rule.doc))
        }),
        FindingSource::Findings => rules().iter().for_each(|rule| {
            output::line(&format!(
                "{} ({}): {}\n  {}",
                rule.name, rule.severity, rule.title, rule.doc
            ))
        }),
    }
}

fn judged(judge: FindingSource, from: &mut dyn Read, form: OutputForm) -> Result<u8, Failure> {
    match judge {
        FindingSource::Findings => findings(from, form),
        FindingSource::Referee => referee(from, form),
    }
}

/// Packet by packet, so that memory does not grow with the file.
fn findings(from: &mut dyn Read, form: OutputForm) -> Result<u8, Failure> {
    let mut analysis = Analysis::default();
    let read = read(from, |packet| analysis.packet(packet));
    let packets = analysis.packets();
    let found = analysis.finish();
    let show = |finding: &Finding| match form {
        OutputForm::Json => finding_json(finding).to_string(),
        OutputForm::People => finding_line(finding),
    };
    let lines: Vec<String> = found.findings.iter().map(show).collect();
    let let_go = RunEvent::FindingsLetGo {
        flows: found.flows_let_go,
        findings: found.findings_let_go,
    };
    if let Some(Line::Note(note)) = event_line(&[], &let_go)
        && (found.flows_let_go, found.findings_let_go) != (0, 0)
    {
        output::note(&note);
    }
    tell(&lines, packets, "findings", read)?;
    Ok(status::DONE)
}

/// The same with the referee.
fn referee(from: &mut dyn Read, form: OutputForm) -> Result<u8, Failure> {
    let mut judgement = Judgement::default();
    let read = read(from, |packet| judgement.packet(packet));
    let (packets, ignored) = (judgement.packets(), judgement.ignored());
    let show = |fault: &Violation| match form {
        OutputForm::Json => violation_json(fault).to_string(),
        OutputForm::People => violation_line(fault),
    };
    let lines: Vec<String> = judgement.finish().iter().map(show).collect();
    tell(&lines, packets, "faults", read)?;
    if ignored > 0 {
        output::note(&format!(
            "not judged to their end: connections with fragments, or of which the capture lacks packets, and those beyond {} ({ignored} packets)",
            crafty_referee::MAX_FLOWS
        ));
    }
    Ok(match lines.is_empty() {
        true => status::DONE,
        false => status::FAILED,
    })
}

fn tell(
    lines: &[String],
    packets: u64,
    what: &str,
    read: Result<(), CaptureError>,
) -> Result<(), Failure> {
    lines.iter().for_each(|line| output::line(line));
    read.map_err(|error| {
        Failure::usage(
            format!("cannot read the rest of this capture: {error}"),
            "the packets before were analysed; is the file complete?",
        )
    })?;
    output::note(&format!("{} {what} in {packets} packets", lines.len()));
    Ok(())
}

fn read(from: &mut dyn Read, mut take: impl FnMut(&SeenPacket<'_>)) -> Result<(), CaptureError> {
    let mut reader = CaptureReader::new(from)?;
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
        take(&SeenPacket {
            interface: *interface,
            link: *link,
            time: *time,
            direction: *direction,
            bytes: octets,
            wire_len: *wire_len,
        });
    }
    Ok(())
}
