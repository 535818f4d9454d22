//! The observer that prints: lines for people, or JSON lines.

use crate::{output, status};
use crafty_print::{Line, event_json, event_line};
use crafty_run::{Observer, RunEvent, Source};

/// How events are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintForm {
    /// Lines.
    People,
    /// JSON lines.
    Json,
    /// JSON lines, each with the line for people under the key `line`.
    JsonWithLines,
}

/// Prints what a run says.
pub struct RunPrinter {
    form: PrintForm,
    sources: Vec<Source>,
}

impl RunPrinter {
    /// `sources` are the programs', in order.
    pub fn new(form: PrintForm, sources: Vec<Source>) -> RunPrinter {
        RunPrinter { form, sources }
    }

    fn json(&self, event: &RunEvent) {
        let Some(mut row) = event_json(&self.sources, event) else {
            return;
        };
        if let RunEvent::Ended { report, .. } = event {
            row["status"] = status::of(report.ending).into();
        }
        if self.form == PrintForm::JsonWithLines {
            row["line"] = match event_line(&self.sources, event) {
                Some(Line::Data(text) | Line::Note(text)) => text.into(),
                None => serde_json::Value::Null,
            };
        }
        output::line(&row.to_string());
    }
}

impl Observer for RunPrinter {
    fn event(&mut self, event: &RunEvent) {
        match self.form {
            PrintForm::Json | PrintForm::JsonWithLines => self.json(event),
            PrintForm::People => match event_line(&self.sources, event) {
                Some(Line::Data(text)) => output::line(&text),
                Some(Line::Note(text)) => output::note(&text),
                None => {}
            },
        }
    }
}
