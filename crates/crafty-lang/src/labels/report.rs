//! The report of a refusal: the sink first, then every step from the received packet, then the
//! fixes in order.

use super::tag::{ProvenanceStep, Tag};
use super::walk::Pass;
use crate::diagnostics::{event_send, pattern_content, tainted_guard, tainted_send};
use crate::ir::{Label, Span};
use crafty_syntax::diagnostic::{Diagnostic, Occurrence};

/// What of a send depends on what was received.
#[derive(Clone, Copy)]
enum DependsOn {
    /// Its bytes.
    Content,
    /// Whether it comes to it.
    Condition,
}

impl Pass<'_> {
    /// A field, payload or length would carry what was received.
    pub(super) fn report_content(&mut self, tag: &Tag, span: Span) {
        let (kind, message): (&'static Diagnostic, _) = match tag.label {
            Label::Content => (
                &tainted_send::DIAGNOSTIC,
                "this packet would carry received data",
            ),
            _ => (
                &event_send::DIAGNOSTIC,
                "this packet would reveal what was received, and `exfiltration: none` does not allow that",
            ),
        };
        let report = Occurrence::new(kind, span, message);
        self.tell(report, tag, DependsOn::Content);
    }

    /// Whether or when it is sent depends on what was received.
    pub(super) fn report_guard(&mut self, tag: &Tag, span: Span) {
        let (kind, message): (&'static Diagnostic, _) = match tag.label {
            Label::Content => (
                &tainted_guard::DIAGNOSTIC,
                "whether or when this packet is sent depends on received data",
            ),
            _ => (
                &event_send::DIAGNOSTIC,
                "whether or when this packet is sent depends on what arrived, and `exfiltration: none` does not allow that",
            ),
        };
        let report = Occurrence::new(kind, span, message);
        self.tell(report, tag, DependsOn::Condition);
    }

    /// A pattern would compare with content.
    pub(super) fn report_pattern(&mut self, tag: &Tag, span: Span) {
        let report = Occurrence::new(
            &pattern_content::DIAGNOSTIC,
            span,
            "a pattern compares with what the program knows, not with received data",
        );
        self.tell(report, tag, DependsOn::Condition);
    }

    fn tell(&mut self, report: Occurrence, tag: &Tag, what: DependsOn) {
        let mut report = way(report, tag.why.as_deref());
        if tag.label == Label::Content {
            report = self.ways_out(report, what);
        } else {
            report = report.help("write `exfiltration: false`: reactions are then allowed, and the review counts their bits");
        }
        self.reports.push(self.declare(report, tag.label));
    }

    fn ways_out(&self, report: Occurrence, what: DependsOn) -> Occurrence {
        let report = report.help("move the test into the pattern of an `on` or `expect`: there a reviewer can see what decides");
        let report = match what {
            DependsOn::Content => report
                .help("pick from a constant list: `choose(x, [576, 1280, 1500])`, `one_of(port, [80, 443])`")
                .help("let the stack fill it: `ack=auto`, or leave `dst` out in a handler to answer the sender"),
            DependsOn::Condition => report.help("put operations that can fail on received data into a separate block, or into a `try`"),
        };
        report.help("declare it, for the reviewer to see: `PERMISSIONS = { exfiltration: true }`")
    }

    /// The edit that declares, where the key is already.
    fn declare(&self, report: Occurrence, label: Label) -> Occurrence {
        let wanted = if label == Label::Content {
            "exfiltration: true"
        } else {
            "exfiltration: false"
        };
        let entry = self
            .program
            .settings
            .iter()
            .find(|e| e.setting.key == "exfiltration");
        match entry {
            Some(entry) => report.suggest("declare it", entry.span, wanted),
            None => report,
        }
    }
}

/// The steps, from where the data came in to here.
fn way(mut report: Occurrence, why: Option<&ProvenanceStep>) -> Occurrence {
    let mut steps: Vec<&ProvenanceStep> =
        std::iter::successors(why, |w| w.before.as_deref()).collect();
    steps.reverse();
    for (i, step) in steps.iter().enumerate() {
        let text = if i == 0 {
            format!("source: {}", step.text)
        } else {
            step.text.clone()
        };
        report = report.note(step.span, text);
    }
    report
}
