//! Where events go: lines for a person, JSON lines for machines, frames into a capture file.

use crate::analysis::{self, Analysis, Packet};
use crate::output::{self, unsteered};
use crate::replay::Departure;
use crafty_capture::{Direction, Record, Writer};
use crafty_findings::Finding;
use crafty_lang::eval::show;
use crafty_lang::ir::Span;
use crafty_value::{Duration, Time, Value};
use crafty_vm::{Event, FrameId, Transmit};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};

/// LINKTYPE_ETHERNET and LINKTYPE_RAW.
pub const LINKTYPES: (u16, u16) = (1, 101);

/// Where, when and which way a frame passed.
#[derive(Clone, Copy)]
pub struct Passed {
    /// Number of the interface.
    pub interface: usize,
    /// `LINKTYPE_` number of its frames.
    pub link: u16,
    /// When it was on the wire.
    pub time: Time,
    /// Which way it went.
    pub direction: Direction,
}

/// Dropped frames at most that one comment each is kept for until the next frame leaves.
const MOST_UNSAID: usize = 64;

/// How long before its time a frame may be handed to the capture, and after that of others: the
/// gate holds none for longer.
const ORDER: Duration = Duration::millis(25);

/// Takes what a run says.
pub struct Sink {
    json: bool,
    capture: Option<Writer<BufWriter<File>>>,
    /// Frames that others of an earlier time may still come before: by time, then as they came.
    unwritten: BTreeMap<(Time, u64), Record>,
    frames: u64,
    /// Looks at all frames, where findings are wanted.
    analysis: Option<Analysis>,
    /// The first failure of the capture file: told once, at the end.
    failed: Option<io::Error>,
    sources: Vec<(String, String)>,
    /// Frames that never left: whose, the number of the next one that did, and what that one is to
    /// say of them.
    withheld: Vec<(usize, FrameId, String)>,
}

impl Sink {
    /// `sources` are the names and texts of the programs, by runner.
    pub fn new(json: bool, sources: Vec<(String, String)>) -> Sink {
        Sink {
            json,
            capture: None,
            unwritten: BTreeMap::new(),
            frames: 0,
            analysis: None,
            failed: None,
            sources,
            withheld: Vec::new(),
        }
    }

    /// Writes all frames into a new pcapng file; `interfaces` are names and link types.
    pub fn record_into(&mut self, path: &str, interfaces: &[(String, u16)]) -> io::Result<()> {
        let mut writer = Writer::new(BufWriter::new(File::create(path)?))?;
        for (name, link) in interfaces {
            writer.interface(name, *link)?;
        }
        self.capture = Some(writer);
        Ok(())
    }

    /// Looks at all frames from now on; what they show is told by [`Sink::findings`], and to
    /// machines at once.
    pub fn analyse(&mut self) {
        self.analysis = Some(Analysis::default());
    }

    /// Whether anybody wants to see frames.
    pub fn records(&self) -> bool {
        self.capture.is_some() || self.analysis.is_some()
    }

    /// What the frames of the run showed.
    pub fn findings(&mut self) {
        let Some(analysis) = self.analysis.take() else {
            return;
        };
        for finding in analysis.finish() {
            match self.json {
                true => output::line(&as_event(&finding, "finding").to_string()),
                false => output::note(&analysis::line(&finding)),
            }
        }
    }

    /// A frame that passed an interface, with what the capture should say of it.
    pub fn frame(&mut self, passed: Passed, octets: &[u8], wire_len: usize, comments: Vec<String>) {
        let Passed {
            interface,
            link,
            time,
            direction,
        } = passed;
        if let Some(analysis) = &mut self.analysis {
            analysis.packet(&Packet {
                interface,
                link,
                time: Some(time),
                direction: Some(direction),
                octets,
                wire_len,
            });
            let fresh = analysis.fresh();
            fresh
                .iter()
                .filter(|_| self.json)
                .for_each(|it| output::line(&as_event(it, "showing").to_string()));
        }
        if self.capture.is_some() {
            let record = Record {
                octets: octets.to_vec(),
                wire_len,
                time: Some(time),
                link,
                interface,
                direction: Some(direction),
                comments,
            };
            self.frames += 1;
            self.unwritten.insert((time, self.frames), record);
            let latest = self
                .unwritten
                .last_key_value()
                .map_or(time, |((time, _), _)| *time);
            self.write_up_to(Time(latest.0.saturating_sub(ORDER.0)));
        }
    }

    /// Writes the frames up to a time, in its order.
    fn write_up_to(&mut self, until: Time) {
        let Some(writer) = &mut self.capture else {
            return;
        };
        while let Some(entry) = self
            .unwritten
            .first_entry()
            .filter(|entry| entry.key().0 <= until)
        {
            if let Err(error) = writer.packet(&entry.remove()) {
                self.failed.get_or_insert(error);
            }
        }
    }

    /// What decrypts frames that follow: lines of an `SSLKEYLOGFILE`.
    pub fn secrets(&mut self, lines: &str) {
        let Some(writer) = &mut self.capture else {
            return;
        };
        if let Err(error) = writer.secrets(crafty_capture::secrets::TLS_KEY_LOG, lines.as_bytes()) {
            self.failed.get_or_insert(error);
        }
    }

    /// Ends the capture; how many frames each interface received and lost.
    pub fn finish(&mut self, statistics: &[(u64, u64)]) -> io::Result<()> {
        self.write_up_to(Time(i64::MAX));
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Some(mut writer) = self.capture.take() else {
            return Ok(());
        };
        for (i, (received, lost)) in statistics.iter().enumerate() {
            writer.statistics(i as u32, *received, *lost)?;
        }
        writer.finish().map(drop)
    }

    /// What a capture says of a frame of ours: the line that sent it, the gate's verdict, and what
    /// before it never left.
    pub fn comments(&mut self, runner: usize, transmit: &Transmit) -> Vec<String> {
        if !self.records() {
            return Vec::new();
        }
        let verdict = if transmit.held > Duration(0) {
            format!("gate: held for {}", transmit.held)
        } else {
            "gate: passed".into()
        };
        let mut comments = vec![self.line(runner, transmit.line), verdict];
        let due = |(whose, before, _): &(usize, FrameId, String)| {
            *whose == runner && *before <= transmit.frame
        };
        comments.extend(
            self.withheld
                .extract_if(.., |unsaid| due(unsaid))
                .map(|(_, _, text)| text),
        );
        comments
    }

    /// `ping.crafty:7: ICMP(…)`. What precedes the first statement has no line.
    pub fn line(&self, runner: usize, span: Span) -> String {
        let (name, source) = &self.sources[runner];
        if span.start == span.end {
            return format!("{name}: before the first statement");
        }
        let (line, _) = crate::commands::check::position(source, span.start);
        let text = source.lines().nth(line - 1).unwrap_or("").trim();
        format!("{name}:{line}: {text}")
    }

    /// Something that a program or its machine says.
    pub fn event(&mut self, runner: usize, event: &Event) {
        if let (
            Event::Withheld {
                octets,
                before,
                span,
                ..
            },
            true,
        ) = (
            event,
            self.capture.is_some() && self.withheld.len() < MOST_UNSAID,
        ) {
            let by = self.line(runner, *span);
            self.withheld.push((
                runner,
                *before,
                format!("before this, {} bytes were dropped by {by}", octets.len()),
            ));
        }
        match self.json {
            true => output::line(&self.as_json(runner, event).to_string()),
            false => self.as_text(runner, event),
        }
    }

    /// A difference between the program and the recording that it runs against.
    pub fn departure(&self, departure: &Departure) {
        let Departure {
            time,
            expected,
            sent,
        } = departure;
        match self.json {
            true => {
                let row = json!({ "event": "departure", "expected": expected, "sent": sent, "time": ns(*time) });
                output::line(&row.to_string());
            }
            false => output::note(&format!(
                "the recording expected {expected}; the program sent {sent}"
            )),
        }
    }

    fn place(&self, runner: usize, span: Span) -> String {
        let (name, source) = &self.sources[runner];
        let (line, column) = crate::commands::check::position(source, span.start);
        format!("{name}:{line}:{column}")
    }

    fn as_text(&self, runner: usize, event: &Event) {
        let place = |span: &Span| self.place(runner, *span);
        match event {
            Event::Print { text, .. } => output::line(&unsteered(text)),
            Event::Record {
                name,
                value,
                labels,
                received,
                ..
            } => {
                let labels: String = labels
                    .iter()
                    .map(|(n, v)| format!(" {n}={}", text_of(v, *received)))
                    .collect();
                output::note(&format!(
                    "record {name}={}{labels}",
                    text_of(value, *received)
                ));
            }
            Event::Error {
                kind,
                message,
                span,
                ..
            } => {
                output::note(&format!(
                    "{}: error {}: {}",
                    place(span),
                    kind.word(),
                    harmless(message)
                ));
            }
            Event::Failed { message, span, .. } => output::note(&format!(
                "{}: failed: {}",
                place(span),
                unsteered(message).replace('\n', "\\n")
            )),
            Event::Dropped {
                reason,
                message,
                span,
                ..
            } => output::note(&format!("{}: dropped ({reason}): {message}", place(span))),
            Event::Warning { message, span } => {
                output::note(&format!("{}: warning: {message}", place(span)))
            }
            // The program's own doing, and maybe all of a stream: the capture and the lines for
            // machines tell each.
            Event::Withheld { .. } => {}
            Event::Late { by, span } => output::note(&format!(
                "{}: warning: the machine was {by} late here",
                place(span)
            )),
            Event::Uncertain { span, .. } => {
                output::note(&format!(
                    "{}: uncertain: packets were lost before the program saw them, so this `else` proves nothing",
                    place(span)
                ));
            }
        }
    }

    /// The event's own keys, then where and when, then whose.
    fn as_json(&self, runner: usize, event: &Event) -> Json {
        let (mut row, span, time) = parts(event);
        row["at"] = self.place(runner, span).into();
        if let Some(time) = time {
            row["time"] = ns(time);
        }
        if self.sources.len() > 1 {
            row["program"] = self.sources[runner].0.as_str().into();
        }
        row
    }
}

/// What an event says, where it stands and when it was.
fn parts(event: &Event) -> (Json, Span, Option<Time>) {
    match event {
        Event::Print { text, span, time } => (
            json!({ "event": "print", "text": text }),
            *span,
            Some(*time),
        ),
        Event::Record {
            name,
            value,
            labels,
            received,
            span,
            time,
        } => {
            let labels: Map<_, _> = labels
                .iter()
                .map(|(n, v)| (n.clone(), json_of(v, *received)))
                .collect();
            let value = json_of(value, *received);
            (
                json!({ "event": "record", "name": name, "value": value, "labels": labels, "untrusted": received }),
                *span,
                Some(*time),
            )
        }
        Event::Error {
            kind,
            message,
            span,
            time,
        } => (
            json!({ "event": "error", "kind": kind.word(), "message": harmless(message) }),
            *span,
            Some(*time),
        ),
        Event::Failed {
            message,
            span,
            time,
        } => (
            json!({ "event": "failed", "message": message }),
            *span,
            Some(*time),
        ),
        Event::Dropped {
            reason,
            message,
            span,
            time,
        } => (
            json!({ "event": "dropped", "reason": reason, "message": message }),
            *span,
            Some(*time),
        ),
        Event::Warning { message, span } => (
            json!({ "event": "warning", "message": message }),
            *span,
            None,
        ),
        Event::Withheld {
            octets, span, time, ..
        } => (
            json!({ "event": "withheld", "frame": show::hex(octets) }),
            *span,
            Some(*time),
        ),
        Event::Late { by, span } => (
            json!({ "event": "late", "by": by.0.to_string() }),
            *span,
            None,
        ),
        Event::Uncertain { span, time } => (json!({ "event": "uncertain" }), *span, Some(*time)),
    }
}

/// A finding as an event: `showing` when it shows first, `finding` with all of it at the end.
fn as_event(finding: &Finding, event: &str) -> Json {
    let mut row = analysis::document(finding);
    row["event"] = event.into();
    row
}

/// Times and durations are integers of nanoseconds in strings.
fn ns(time: Time) -> Json {
    time.0.to_string().into()
}

fn text_of(value: &Value, received: bool) -> String {
    if received {
        show::marked(value, show::MARKED_BYTES)
    } else {
        show::shown(value)
    }
}

/// Messages may quote received bytes.
fn harmless(message: &str) -> String {
    show::escaped(message.as_bytes(), 1024)
}

/// A value for machines: numbers as numbers, durations and times as strings of nanoseconds, bytes
/// as hex.
pub fn json_of(value: &Value, received: bool) -> Json {
    match value {
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Bool(b) => (*b).into(),
        Value::Duration(Duration(n)) | Value::Time(Time(n)) => n.to_string().into(),
        Value::Bytes(octets) => show::hex(octets).into(),
        Value::Str(text) if received => show::escaped(text.as_bytes(), show::MARKED_BYTES).into(),
        Value::Array(items) => items
            .iter()
            .map(|v| json_of(v, received))
            .collect::<Vec<_>>()
            .into(),
        Value::Map(map) => map
            .entries
            .iter()
            .map(|(k, v)| (show::shown(k), json_of(v, received)))
            .collect::<Map<_, _>>()
            .into(),
        other => show::shown(other).into(),
    }
}

/// The closing line of a run for machines.
pub fn summary(name: &str, ended: &super::Ended) -> Json {
    let report = &ended.report;
    let places = |rows: &[crafty_vm::Place]| {
        rows.iter()
            .map(|p| json!({ "what": p.what, "count": p.count }))
            .collect::<Vec<_>>()
    };
    json!({
        "event": "end", "program": name, "status": ended.status, "why": ended.why,
        "sent": { "packets": report.sent.packets, "bytes": report.sent.bytes },
        "received": { "packets": report.received.packets, "bytes": report.received.bytes },
        "ignored": report.ignored.packets, "capture_lost": report.lost_captures, "inbox_overflow": report.inbox_overflow,
        "dropped": places(&report.dropped), "errors": places(&report.errors),
        "late": report.late, "worst_lateness": report.worst_lateness.0.to_string(), "uncertain": report.uncertain,
    })
}
