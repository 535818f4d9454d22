//! The output of a run, as lines for people.

use super::{divergence_words, harmless};
use crate::{finding_line, unsteered};
use crafty_lang::eval::show;
use crafty_lang::ir::Span;
use crafty_run::{Ending, KernelMonitor, ProgramReport, RunEvent, Source};
use crafty_value::Value;
use crafty_vm::{Event, PlaceCount, RunReport};

/// A line, without its end, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// What the program prints: standard output.
    Data(String),
    /// What is reported beside it: standard error.
    Note(String),
}

/// An event as a line; none where people are not told. `sources` are the programs', in order.
pub fn event_line(sources: &[Source], event: &RunEvent) -> Option<Line> {
    let source = |at: usize| sources.get(at);
    let note = match event {
        RunEvent::Program { program, event } => {
            return program_line(source(program.0)?, event);
        }
        RunEvent::NotSent {
            program,
            span,
            error,
        } => format!(
            "{}: this frame was not sent: {error}",
            source(program.0)?.quoted(*span)
        ),
        RunEvent::Unreadable { error } => format!("reading the capture failed: {error}"),
        RunEvent::Diverged { divergence, .. } => {
            let (expected, sent) = divergence_words(divergence);
            format!("diverged: the recording has {expected}; the program sent {sent}")
        }
        RunEvent::FindingSeen(_) => return None,
        RunEvent::Found(finding) => finding_line(finding),
        RunEvent::FindingsLetGo { flows, findings } => {
            format!("note: memory is limited: {flows} flows and {findings} findings were dropped")
        }
        RunEvent::Ended { report, .. } => totals_line(report),
    };
    Some(Line::Note(note))
}

fn program_line(source: &Source, event: &Event) -> Option<Line> {
    let place = |span: &Span| source.place(*span);
    let note = match event {
        Event::Print { text, .. } => return Some(Line::Data(unsteered(text))),
        Event::Record {
            name,
            value,
            labels,
            received,
            ..
        } => record_line(name, value, labels, *received),
        Event::Error {
            kind,
            message,
            span,
            ..
        } => format!(
            "{}: error {}: {}",
            place(span),
            kind.word(),
            harmless(message)
        ),
        Event::Failed { message, span, .. } => {
            format!("{}: failed: {}", place(span), one_line(message))
        }
        Event::Dropped {
            reason,
            message,
            span,
            ..
        } => format!("{}: dropped ({reason}): {message}", place(span)),
        Event::Warning { message, span } => format!("{}: warning: {message}", place(span)),
        // The program's own doing, and maybe all of a stream: the capture and the lines for
        // machines tell each.
        Event::Withheld { .. } => return None,
        Event::Late { by, span } => {
            format!("{}: warning: the machine was {by} late here", place(span))
        }
        Event::Unasked {
            line, why, span, ..
        } => format!(
            "{}: not asked: this `else` says nothing about the peer: {} was not sent, because {}",
            place(span),
            source.quoted(*line),
            one_line(why)
        ),
        Event::NearMiss { message, span, .. } => {
            format!("{}: near miss: {message}", place(span))
        }
        Event::Uncertain { span, .. } => format!(
            "{}: uncertain: packets were lost before the program saw them, so this `else` proves nothing",
            place(span)
        ),
    };
    Some(Line::Note(note))
}

fn record_line(name: &str, value: &Value, labels: &[(String, Value)], received: bool) -> String {
    let shown = |value: &Value| match received {
        true => show::marked(value, show::MARKED_BYTES),
        false => show::shown(value),
    };
    let labels: String = labels
        .iter()
        .map(|(label, value)| format!(" {label}={}", shown(value)))
        .collect();
    format!("record {name}={}{labels}", shown(value))
}

fn one_line(text: &str) -> String {
    unsteered(text).replace('\n', "\\n")
}

/// The totals of a program, and why it ended as it did.
pub fn totals_line(report: &ProgramReport) -> String {
    let (name, totals) = (&report.name, &report.totals);
    let mut text = format!(
        "{name}: {}sent {} packets ({} bytes), received {}",
        not_sent(totals),
        totals.sent.packets,
        totals.sent.bytes,
        totals.received.packets
    );
    if totals.near_misses > 0 {
        text += &format!("; {} near misses", totals.near_misses);
    }
    if totals.unasked > 0 {
        text += &format!(
            "; {} × `else` after a frame that was not sent",
            totals.unasked
        );
    }
    if totals.lost_captures > 0 {
        text += &format!(
            "; the capture lost {} packets, so missing answers prove nothing",
            totals.lost_captures
        );
    }
    text += match report.kernel_monitor {
        KernelMonitor::None => "",
        KernelMonitor::On => "; kernel monitor on",
        KernelMonitor::Off => "; kernel monitor off: see `crafty doctor`",
        KernelMonitor::TooFast => {
            "; kernel monitor off: more than 100000 packets a second are declared"
        }
    };
    for (what, count) in merged(&totals.errors) {
        text += &format!("; {count} × {what}");
    }
    if let Some(why) = &report.why {
        text += &format!("\n{name}: {}", one_line(why));
    }
    if report.ending == Ending::Unreachable {
        text += "\n  help: is the next hop up, and is it on this link? Try `ip route get ADDRESS` and `ip neigh`; `--iface` selects another interface";
    }
    text
}

/// What was not sent, which comes before everything else.
fn not_sent(totals: &RunReport) -> String {
    let reasons = merged(&totals.dropped);
    let count: u64 = reasons.iter().map(|(_, count)| count).sum();
    let listed: Vec<String> = reasons
        .iter()
        .map(|(what, count)| format!("{count} × {what}"))
        .collect();
    match count {
        0 => String::new(),
        _ => format!("NOT SENT {count} ({}); ", listed.join(", ")),
    }
}

/// What happened how often, whatever the line: each once, in order of the first.
fn merged(places: &[PlaceCount]) -> Vec<(&str, u64)> {
    let mut merged: Vec<(&str, u64)> = Vec::new();
    for (what, count) in places
        .iter()
        .map(|place| (place.what.as_str(), place.count))
    {
        match merged.iter_mut().find(|(known, _)| *known == what) {
            Some((_, sum)) => *sum = sum.saturating_add(count),
            None => merged.push((what, count)),
        }
    }
    merged
}
