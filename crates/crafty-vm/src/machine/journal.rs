//! The log of a run: events as they happen, counts for its report.

use crate::api::{Event, Report};
use crate::machine::occurrences::OccurrenceCounts;
use std::collections::VecDeque;

/// Events that nobody has taken yet, and the figures so far.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    pub events: VecDeque<Event>,
    pub occurrences: OccurrenceCounts,
    pub report: Report,
}

impl Journal {
    /// Something happened.
    pub fn record(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// A frame was received that is not for the program.
    pub fn ignored(&mut self, bytes: usize) {
        self.report.ignored.packets += 1;
        self.report.ignored.bytes += bytes as u64;
    }

    /// A frame was received that the program may know of.
    pub fn received(&mut self, bytes: usize) {
        self.report.received.packets += 1;
        self.report.received.bytes += bytes as u64;
    }

    /// The figures so far, with the occurrences of errors and drops.
    pub fn report(&self) -> Report {
        let mut report = self.report.clone();
        self.occurrences.fill(&mut report);
        report
    }
}
