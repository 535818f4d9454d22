//! The log of a run: events as they happen, counts for its report.

use crate::api::{Event, RunReport};
use crate::machine::occurrences::OccurrenceCounts;
use std::collections::VecDeque;

/// Events that wait to be taken, and their bytes; the statement that reaches either is done to its
/// end.
const MOST_EVENTS: usize = 4096;
const MOST_BYTES: usize = 1 << 20;

/// Events that nobody has taken yet, and the figures so far.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    events: VecDeque<Event>,
    /// Bytes that the events hold.
    bytes: usize,
    pub occurrences: OccurrenceCounts,
    pub report: RunReport,
}

impl Journal {
    /// Something happened.
    pub fn record(&mut self, event: Event) {
        self.bytes = self.bytes.saturating_add(event.size());
        self.events.push_back(event);
    }

    /// The oldest event that nobody has taken yet.
    pub fn take(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        self.bytes = self.bytes.saturating_sub(event.size());
        Some(event)
    }

    /// Whether events must be taken before more are made.
    pub fn is_full(&self) -> bool {
        self.events.len() >= MOST_EVENTS || self.bytes >= MOST_BYTES
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
    pub fn report(&self) -> RunReport {
        let mut report = self.report.clone();
        self.occurrences.fill(&mut report);
        report
    }
}
