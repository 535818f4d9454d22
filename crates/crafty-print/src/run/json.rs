//! The output of a run, as JSON (`crafty schema event`).

use super::{divergence_words, harmless};
use crate::finding_json;
use crafty_findings::Finding;
use crafty_lang::eval::show;
use crafty_lang::ir::Span;
use crafty_run::{KernelMonitor, ProgramReport, RunEvent, Source};
use crafty_value::{Duration, Time, Value};
use crafty_vm::{Event, PlaceCount};
use serde_json::{Map, Value as Json, json};

/// An event as an object; none for one that only a capture file has. `sources` are the programs', in
/// order.
pub fn event_json(sources: &[Source], event: &RunEvent) -> Option<Json> {
    Some(match event {
        RunEvent::Program { program, event } => {
            let (mut row, span, time) = match spoken(event) {
                Some(spoken) => spoken,
                None => observed(event)?,
            };
            let source = sources.get(program.0)?;
            row["at"] = source.place(span).into();
            if let Some(time) = time {
                row["time"] = nanoseconds(time);
            }
            of_program(row, sources, source)
        }
        RunEvent::NotSent {
            program,
            span,
            error,
        } => {
            let source = sources.get(program.0)?;
            let row = json!({ "event": "not_sent", "error": error, "at": source.place(*span) });
            of_program(row, sources, source)
        }
        RunEvent::Unreadable { error } => json!({ "event": "unreadable", "error": error }),
        RunEvent::Diverged { divergence, .. } => {
            let (expected, sent) = divergence_words(divergence);
            json!({ "event": "diverged", "expected": expected, "sent": sent, "time": nanoseconds(divergence.time) })
        }
        RunEvent::FindingSeen(finding) => found(finding, "finding_seen"),
        RunEvent::Found(finding) => found(finding, "finding"),
        RunEvent::FindingsLetGo { flows, findings } => {
            json!({ "event": "findings_let_go", "flows": flows, "findings": findings })
        }
        RunEvent::Ended { report, .. } => ended(report),
    })
}

/// Whose it is, where several run.
fn of_program(mut row: Json, sources: &[Source], source: &Source) -> Json {
    if sources.len() > 1 {
        row["program"] = source.name.as_str().into();
    }
    row
}

/// An event without its place: its own keys, where it is and when it was.
type EventParts = (Json, Span, Option<Time>);

/// What the program says.
fn spoken(event: &Event) -> Option<EventParts> {
    Some(match event {
        Event::Print { text, span, time } => {
            let row = json!({ "event": "print", "text": text });
            (row, *span, Some(*time))
        }
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
                .map(|(n, v)| (n.clone(), value_json(v, *received)))
                .collect();
            let value = value_json(value, *received);
            let row = json!({ "event": "record", "name": name, "value": value, "labels": labels, "untrusted": received });
            (row, *span, Some(*time))
        }
        Event::Error {
            kind,
            message,
            span,
            time,
        } => {
            let message = harmless(message);
            let row = json!({ "event": "error", "kind": kind.word(), "message": message });
            (row, *span, Some(*time))
        }
        Event::Failed {
            message,
            span,
            time,
        } => {
            let row = json!({ "event": "failed", "message": message });
            (row, *span, Some(*time))
        }
        _ => return None,
    })
}

/// What its machine says.
fn observed(event: &Event) -> Option<EventParts> {
    Some(match event {
        Event::Dropped {
            reason,
            message,
            span,
            time,
        } => {
            let row = json!({ "event": "dropped", "reason": reason, "message": message });
            (row, *span, Some(*time))
        }
        Event::Warning { message, span } => {
            let row = json!({ "event": "warning", "message": message });
            (row, *span, None)
        }
        Event::Withheld {
            octets, span, time, ..
        } => {
            let row = json!({ "event": "withheld", "frame": show::hex(octets) });
            (row, *span, Some(*time))
        }
        Event::Late { by, span } => {
            let row = json!({ "event": "late", "by": by.0.to_string() });
            (row, *span, None)
        }
        Event::Unasked {
            why, span, time, ..
        } => {
            let row = json!({ "event": "unasked", "why": why });
            (row, *span, Some(*time))
        }
        Event::NearMiss {
            message,
            count,
            span,
            time,
        } => {
            let row = json!({ "event": "near_miss", "message": message, "count": count });
            (row, *span, Some(*time))
        }
        Event::Uncertain { span, time } => (json!({ "event": "uncertain" }), *span, Some(*time)),
        _ => return None,
    })
}

fn found(finding: &Finding, event: &str) -> Json {
    let mut row = finding_json(finding);
    row["event"] = event.into();
    row
}

fn ended(report: &ProgramReport) -> Json {
    let totals = &report.totals;
    let places = |rows: &[PlaceCount]| {
        rows.iter()
            .map(|place| json!({ "what": place.what, "count": place.count }))
            .collect::<Vec<_>>()
    };
    json!({
        "event": "end", "program": report.name, "ending": report.ending.word(), "why": report.why,
        "sent": { "packets": totals.sent.packets, "bytes": totals.sent.bytes },
        "received": { "packets": totals.received.packets, "bytes": totals.received.bytes },
        "ignored": totals.ignored.packets, "capture_lost": totals.lost_captures, "inbox_overflow": totals.inbox_overflow,
        "dropped": places(&totals.dropped), "errors": places(&totals.errors),
        "late": totals.late, "worst_lateness": totals.worst_lateness.0.to_string(), "uncertain": totals.uncertain,
        "unasked": totals.unasked, "near_misses": totals.near_misses,
        "kernel_monitor": match report.kernel_monitor {
            KernelMonitor::None => Json::Null,
            KernelMonitor::On => true.into(),
            KernelMonitor::Off | KernelMonitor::TooFast => false.into(),
        },
    })
}

/// Times and durations are integers of nanoseconds in strings.
fn nanoseconds(time: Time) -> Json {
    time.0.to_string().into()
}

/// A value for machines: numbers, durations and times as strings of nanoseconds, bytes
/// as hex. What was received is escaped.
pub fn value_json(value: &Value, received: bool) -> Json {
    match value {
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Bool(b) => (*b).into(),
        Value::Duration(Duration(n)) | Value::Time(Time(n)) => n.to_string().into(),
        Value::Bytes(octets) => show::hex(octets).into(),
        Value::Str(text) if received => show::escaped(text.as_bytes(), show::MARKED_BYTES).into(),
        Value::Array(items) => items
            .iter()
            .map(|v| value_json(v, received))
            .collect::<Vec<_>>()
            .into(),
        Value::Map(map) => map
            .entries
            .iter()
            .map(|(k, v)| (show::shown(k), value_json(v, received)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Record(record) => record
            .entries()
            .map(|(name, part)| (name.to_string(), value_json(part, received)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Nothing => Json::Null,
        other => show::shown(other).into(),
    }
}
