//! Mistakes for human eyes: what, where, why, and the fixed lines. Makes text only; where it goes,
//! the caller knows. What a terminal would act on is escaped: a program's text may come from
//! anywhere.

mod diff;
mod snippet;

use crate::ast::Span;
use crate::diagnostic::{Occurrence, Severity};

/// Ways out that are shown at most.
const MOST_FIXES: usize = 3;

/// A report as the terminal shows it, with its lines of `source`; ends with a line end. With
/// `colour` it has ANSI sequences, else none.
pub fn human(source: &str, file_name: &str, report: &Occurrence, colour: bool) -> String {
    let paint = Paint { colour };
    let lines = Lines::new(source);
    let mut out = heading(report, paint);
    let margin = margin(&lines, report);
    let (line, column) = lines.position(report.span.start);
    let arrow = format!("{:margin$}--> ", "");
    out += &format!(
        "{}{}:{}:{column}\n",
        paint.rule(&arrow),
        clean(file_name),
        line + 1
    );
    out += &snippet::show(&lines, report, margin, paint);
    for help in &report.help {
        out += &format!(
            "{:margin$} {} {} {}\n",
            "",
            paint.rule("="),
            paint.help("help:"),
            clean(help)
        );
    }
    for fix in report.fixes.iter().take(MOST_FIXES) {
        out += &format!("{} {}\n", paint.help("help:"), clean(&fix.title));
        out += &diff::show(source, &lines, fix, margin, paint);
    }
    out
}

fn heading(report: &Occurrence, paint: Paint) -> String {
    let severity = report.diagnostic.severity;
    let word = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let label = format!("{word}[{}]", report.diagnostic.name);
    format!(
        "{}: {}\n",
        paint.severity(severity, &label),
        paint.bold(&clean(&report.message))
    )
}

/// The width of the greatest line number.
fn margin(lines: &Lines, report: &Occurrence) -> usize {
    let notes = report.notes.iter().map(|(span, _)| span.start);
    let edits = report
        .fixes
        .iter()
        .take(MOST_FIXES)
        .flat_map(|fix| &fix.edits)
        .map(|(span, text)| (span.end, text.matches('\n').count()));
    let last = notes
        .chain([report.span.start])
        .map(|at| lines.position(at).0);
    let last = last
        .chain(edits.map(|(at, more)| lines.position(at).0 + more))
        .max()
        .unwrap_or(0);
    (last + 1).to_string().len()
}

/// The lines of a text and where they begin.
struct Lines<'s> {
    source: &'s str,
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    fn new(source: &'s str) -> Lines<'s> {
        let starts = core::iter::once(0)
            .chain(source.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Lines { source, starts }
    }

    /// The line from 0, and the column from 1 in characters.
    fn position(&self, at: u32) -> (usize, usize) {
        let at = self.boundary(at);
        let line = self
            .starts
            .partition_point(|start| *start <= at)
            .saturating_sub(1);
        (line, self.source[self.starts[line]..at].chars().count() + 1)
    }

    /// The place, moved back to where a character begins.
    fn boundary(&self, at: u32) -> usize {
        let at = (at as usize).min(self.source.len());
        (0..=at)
            .rev()
            .find(|at| self.source.is_char_boundary(*at))
            .unwrap_or(0)
    }

    /// A line without its end.
    fn text(&self, line: usize) -> &'s str {
        let Some(start) = self.starts.get(line) else {
            return "";
        };
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.source.len(), |next| next - 1);
        self.source[*start..end].trim_end_matches('\r')
    }

    /// The part of a span that lies in its first line, in bytes of that line.
    fn within(&self, span: Span) -> (usize, core::ops::Range<usize>) {
        let (start, end) = (self.boundary(span.start), self.boundary(span.end));
        let line = self.position(span.start).0;
        let len = self.text(line).len();
        let from = (start - self.starts[line]).min(len);
        let to = end.saturating_sub(self.starts[line]).clamp(from, len);
        (line, from..to)
    }
}

/// Text without anything that a terminal acts on.
fn clean(text: &str) -> String {
    text.chars().map(shown).collect()
}

/// A character as it may be printed.
fn shown(c: char) -> String {
    match c {
        '\t' => "    ".to_string(),
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => c.escape_unicode().to_string(),
        c if c.is_control() => c.escape_unicode().to_string(),
        c => c.to_string(),
    }
}

/// Colours, or none.
#[derive(Clone, Copy)]
struct Paint {
    colour: bool,
}

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }

    fn severity(self, severity: Severity, text: &str) -> String {
        self.with(
            if severity == Severity::Error {
                "1;31"
            } else {
                "1;33"
            },
            text,
        )
    }

    fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// Line numbers and the lines that frame a snippet.
    fn rule(self, text: &str) -> String {
        self.with("1;34", text)
    }

    fn note(self, text: &str) -> String {
        self.with("1;36", text)
    }

    fn help(self, text: &str) -> String {
        self.with("1;32", text)
    }

    fn removed(self, text: &str) -> String {
        self.with("31", text)
    }

    fn added(self, text: &str) -> String {
        self.with("32", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The first mistake of a program, as it is shown.
    fn check(source: &str, shown: &str) {
        let report = parse(source).reports.into_iter().next().expect("a mistake");
        assert_eq!(
            human(source, "p.crafty", &report, false),
            shown,
            "\n{}",
            human(source, "p.crafty", &report, true)
        );
    }

    #[test]
    fn the_place_the_line_and_the_fixed_line() {
        check(
            "x = 1\nif x = 1 {\n}\n",
            "error[equals-in-condition]: `=` declares; to compare `x` write `==`\n --> p.crafty:2:6\n  |\n2 | if x = 1 {\n  |      ^\nhelp: write `==`\n2 - if x = 1 {\n2 + if x == 1 {\n",
        );
    }

    #[test]
    fn notes_stand_in_the_same_snippet_and_new_lines_are_additions() {
        check(
            "if 1 < 2 {\n  print(\"a\")\n",
            "error[missing-brace]: this `{` is never closed\n --> p.crafty:1:10\n  |\n1 | if 1 < 2 {\n  |          ^\n2 |   print(\"a\")\n  |             - nothing closes it up to here\nhelp: close it\n3 + }\n",
        );
    }

    #[test]
    fn several_ways_out_are_all_shown() {
        check(
            "wait 5m\n",
            "error[unknown-unit]: `m` is not a unit\n --> p.crafty:1:6\n  |\n1 | wait 5m\n  |      ^^\nhelp: write `5min`\n1 - wait 5m\n1 + wait 5min\nhelp: write `5ms`\n1 - wait 5m\n1 + wait 5ms\n",
        );
    }

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        check(
            "\tprint(\"a\u{202e}b\")\n",
            "error[hidden-character]: there is the invisible character U+202E here\n --> p.crafty:1:10\n  |\n1 |     print(\"a\\u{202e}b\")\n  |             ^^^^^^^^\n  = help: in a string write it as an escape: `\\x1b`, `\\u{202e}`\nhelp: remove it\n1 -     print(\"a\\u{202e}b\")\n1 +     print(\"ab\")\n",
        );
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let source = format!("x = {}5m{}\n", "1 + ".repeat(100), " + 1".repeat(100));
        let report = parse(&source).reports.remove(0);
        let text = human(&source, "p.crafty", &report, false);
        assert!(
            text.lines().all(|line| line.chars().count() < 180),
            "{text}"
        );
        assert!(text.contains("5m") && text.contains("^^"), "{text}");
    }
}
