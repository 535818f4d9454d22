//! The observer that prints: lines for people, or JSON lines.

use crate::args::OutputForm;
use crate::{output, status};
use crafty_print::{Line, event_json, event_line};
use crafty_run::{Observer, RunEvent, Source};

/// Prints what a run says.
pub struct Printer {
    form: OutputForm,
    sources: Vec<Source>,
}

impl Printer {
    /// `sources` are the programs', in order.
    pub fn new(form: OutputForm, sources: Vec<Source>) -> Printer {
        Printer { form, sources }
    }

    fn json(&self, event: &RunEvent) {
        let Some(mut row) = event_json(&self.sources, event) else {
            return;
        };
        if let RunEvent::Ended { report, .. } = event {
            row["status"] = status::of(report.ending).into();
        }
        output::line(&row.to_string());
    }
}

impl Observer for Printer {
    fn event(&mut self, event: &RunEvent) {
        match self.form {
            OutputForm::Json => self.json(event),
            OutputForm::People => match event_line(&self.sources, event) {
                Some(Line::Data(text)) => output::line(&text),
                Some(Line::Note(text)) => output::note(&text),
                None => {}
            },
        }
    }
}
