//! The lines that a report speaks of, each with its marks under it.

use super::{Lines, Paint, clean, shown};
use crate::diagnostic::Occurrence;
use core::ops::Range;

/// Most characters of a line that are shown.
const WIDEST: usize = 140;

/// Characters that are shown before the place in a line that is longer.
const BEFORE: usize = 60;

/// One mark under a line.
struct Mark<'r> {
    line: usize,
    octets: Range<usize>,
    /// Few words; none for the place of the mistake itself.
    text: Option<&'r str>,
}

/// The snippet of a report.
pub(super) fn show(lines: &Lines, report: &Occurrence, margin: usize, paint: Paint) -> String {
    let mut marks = vec![mark(lines, report.span, None)];
    marks.extend(
        report
            .notes
            .iter()
            .map(|(span, text)| mark(lines, *span, Some(text))),
    );
    marks.sort_by_key(|mark| (mark.line, mark.text.is_some(), mark.octets.start));
    let empty = format!("{:margin$} |", "");
    let mut out = format!("{}\n", paint.rule(&empty));
    let mut last: Option<usize> = None;
    for mark in &marks {
        let around = mark.octets.start;
        let (text, from) = window(lines.text(mark.line), around);
        if last != Some(mark.line) {
            if last.is_some_and(|last| last + 1 < mark.line) {
                out += &format!("{}\n", paint.rule("..."));
            }
            let number = format!("{:>margin$} |", mark.line + 1);
            out += &format!("{} {}\n", paint.rule(&number), clean(text));
        }
        out += &format!(
            "{} {}\n",
            paint.rule(&empty),
            under(lines, mark, report, from, paint)
        );
        last = Some(mark.line);
    }
    out
}

fn mark<'r>(lines: &Lines, span: crate::ast::Span, text: Option<&'r str>) -> Mark<'r> {
    let (line, octets) = lines.within(span);
    Mark { line, octets, text }
}

/// The part of a line around one of its bytes, and where it begins.
pub(super) fn window(text: &str, around: usize) -> (&str, usize) {
    if text.chars().count() <= WIDEST {
        return (text, 0);
    }
    let before = text[..around]
        .char_indices()
        .rev()
        .nth(BEFORE)
        .map_or(0, |(at, _)| at);
    let end = text[before..]
        .char_indices()
        .nth(WIDEST)
        .map_or(text.len(), |(at, _)| before + at);
    (&text[before..end], before)
}

/// The carets or dashes of a mark, with its words.
fn under(lines: &Lines, mark: &Mark, report: &Occurrence, from: usize, paint: Paint) -> String {
    let line = lines.text(mark.line);
    let width = |part: &str| {
        part.chars()
            .map(|c| shown(c).chars().count())
            .sum::<usize>()
    };
    let blanks = width(line.get(from..mark.octets.start).unwrap_or("")).min(2 * WIDEST);
    let len = width(&line[mark.octets.clone()]).clamp(1, WIDEST);
    match mark.text {
        None => format!(
            "{:blanks$}{}",
            "",
            paint.severity(report.diagnostic.severity, &"^".repeat(len))
        ),
        Some(text) => format!(
            "{:blanks$}{}",
            "",
            paint.note(&format!("{} {}", "-".repeat(len), clean(text)))
        ),
    }
}
