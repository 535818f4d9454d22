//! Packets of a capture that fit a pattern of the language. A program with one handler of that
//! pattern is run in a medium that replays the capture and sends nothing: what the language would
//! match is what is found.

use crate::answer::short;
use crate::tool_error::ToolError;
use crafty_capture::Record;
use crafty_run::{
    Arrival, Attached, Departure, Environment, InterfaceInfo, LinkLayer, LoadError, LoadedProgram,
    Medium, MediumError, Observer, Packet, Policy, ProgramId, Run, RunEvent, Source, Stamp,
    StampSource, Time, Transmit, load,
};
use crafty_value::Mac;
use crafty_vm::Event;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

const LINKTYPE_ETHERNET: u16 = 1;
const LINKTYPE_RAW: u16 = 101;

/// Nanoseconds between two packets, on the filter's own clock.
const STEP: i64 = 1_000;

/// Which packets of a capture fit a pattern, by their positions.
///
/// # Errors
/// When the pattern is invalid.
pub fn matching(pattern: &str, records: &[Record]) -> Result<Vec<usize>, ToolError> {
    let program = program_of(pattern)?;
    let current = Rc::new(Cell::new(0));
    let mut run = Run::new(Replayed {
        records,
        next: 0,
        now: Time(0),
        current: current.clone(),
    });
    run.add(program)
        .map_err(|error| ToolError::new("internal", error.to_string(), "leave `filter` out"))?;
    let mut matched = Matched {
        current,
        positions: Vec::new(),
    };
    run.to_end(&mut matched);
    Ok(matched.positions)
}

/// A program that prints once for each packet of the pattern.
fn program_of(pattern: &str) -> Result<LoadedProgram, ToolError> {
    let example = "write a pattern as after `expect`, such as `/IP/TCP(flags has rst)`";
    if pattern.contains(['{', '}', '\n', '\r', ';']) || !pattern.trim_start().starts_with('/') {
        return Err(ToolError::argument(
            format!("`{}` is not a pattern on one line", short(pattern)),
            example,
        ));
    }
    let text = format!(
        "BUDGET = {{ max_duration: 10min }}\nPERMISSIONS = {{ destinations: [0.0.0.0/0, ::/0], powers: [observe] }}\n\
         on {pattern} {{ print(\"\") }}\nwait 5min\n"
    );
    load(Source::new("filter", text), &[], &Policy::everything()).map_err(|error| {
        let report = match &error {
            LoadError::Mistakes(_, reports) => reports.first(),
            _ => None,
        };
        let told = report.map_or_else(|| error.to_string(), |report| report.message.clone());
        let help = report.and_then(|report| report.help.first().cloned());
        ToolError::argument(
            format!("the filter has a mistake: {}", short(&told)),
            help.map_or_else(|| example.to_string(), |help| short(&help)),
        )
    })
}

/// Packets of a capture, as if they arrived.
struct Replayed<'a> {
    records: &'a [Record],
    next: usize,
    now: Time,
    /// The one that the program has just been given.
    current: Rc<Cell<usize>>,
}

impl Medium for Replayed<'_> {
    fn attach(&mut self, _: &LoadedProgram, _: Option<&str>) -> Result<Attached, MediumError> {
        let interface = |name: &str, link| InterfaceInfo {
            name: name.into(),
            mac: Mac([2, 0, 0, 0, 0, 1]),
            mtu: 65_535,
            addresses: Vec::new(),
            link,
        };
        let interfaces = vec![
            interface("ethernet", LinkLayer::Ethernet),
            interface("ip", LinkLayer::RawIp),
        ];
        let environment = Environment {
            interfaces,
            routes: Vec::new(),
            neighbours: BTreeMap::new(),
            other_addresses: Vec::new(),
            kernel_answers: true,
            seed: 0,
        };
        Ok(Attached {
            environment,
            start: Time(0),
        })
    }

    fn send(&mut self, _: ProgramId, frame: Transmit) -> Departure {
        Departure::At(Stamp {
            time: frame.at,
            source: StampSource::Clock,
        })
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        let arrival = (self.next < self.records.len()).then_some(Time(self.now.0 + STEP));
        self.now = [arrival, until].into_iter().flatten().min()?.max(self.now);
        Some(self.now)
    }

    fn receive(&mut self, _: ProgramId) -> Option<Arrival> {
        // One at a time, so that it is known which one a print is about.
        let due = Time(STEP * (self.next as i64 + 1));
        let record = self.records.get(self.next).filter(|_| due <= self.now)?;
        self.current.set(self.next);
        self.next += 1;
        let interface = match record.link {
            LINKTYPE_ETHERNET => 0,
            LINKTYPE_RAW => 1,
            _ => return self.receive(ProgramId(0)),
        };
        Some(Arrival::Packet(Packet {
            interface,
            time: due,
            octets: record.octets.clone(),
            wire_len: record.wire_len,
            checksum_ready: true,
        }))
    }
}

/// Notes the packet of each print.
struct Matched {
    current: Rc<Cell<usize>>,
    positions: Vec<usize>,
}

impl Observer for Matched {
    fn event(&mut self, event: &RunEvent) {
        if let RunEvent::Program {
            event: Event::Print { .. },
            ..
        } = event
        {
            self.positions.push(self.current.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_run::{CaptureFile, LabMedium};

    fn ping() -> Vec<Record> {
        let program = Source::open("../../examples/ping.crafty").expect("the example");
        let program = load(program, &[], &Policy::everything()).expect("a program");
        let mut run = Run::new(LabMedium::new("demo", 1).expect("the lab"));
        run.add(program).expect("room");
        let mut capture =
            CaptureFile::new(Vec::new(), run.interfaces(), Vec::new()).expect("memory");
        run.to_end(&mut capture);
        let bytes = capture.finish(run.counts()).expect("a capture");
        crafty_capture::read_all(&bytes[..]).expect("records").0
    }

    #[test]
    fn a_filter_finds_what_the_language_matches() {
        let records = ping();
        let check = |pattern: &str, wanted: usize| {
            let found = matching(pattern, &records).expect("a pattern");
            assert_eq!(found.len(), wanted, "{pattern}: {found:?}");
        };
        check("/*", records.len());
        check("/IP/ICMP", 10);
        check("/IP/ICMP(type == echo_request)", 5);
        check("/IP/ICMP(type == echo_reply, seq in 2..3)", 2);
        check("/Eth/ARP", 2);
        check("/IP/TCP", 0);
    }

    #[test]
    fn what_is_no_pattern_is_told() {
        let check = |pattern: &str, words: &str| {
            let error = matching(pattern, &[]).expect_err("no pattern");
            assert!(
                error.message.contains(words),
                "{pattern}: {}",
                error.message
            );
        };
        check("tcp port 80", "not a pattern");
        check("/IP { } on /UDP", "not a pattern");
        check("/IPX", "`IPX`");
        check("/IP(nothing == 1)", "`nothing`");
        check("/IP(src == ", "mistake");
    }
}
