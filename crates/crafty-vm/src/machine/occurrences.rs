//! What went wrong where, and how often.

use crate::api::{PlaceCount, RunReport};
use crafty_lang::ir::Span;
use std::collections::BTreeMap;

/// Places counted separately at most.
const MAX_PLACES: usize = 4096;

/// Counts by what and where.
#[derive(Debug, Default)]
pub(crate) struct OccurrenceCounts {
    errors: BTreeMap<(String, Span), u64>,
    dropped: BTreeMap<(String, Span), u64>,
    unasked: BTreeMap<(String, Span), u64>,
    missed: BTreeMap<(String, Span), u64>,
    failed: bool,
}

impl OccurrenceCounts {
    /// An error that makes the exit status 1. True at its first occurrence at this place.
    pub fn error(&mut self, what: &str, span: Span) -> bool {
        self.failed = true;
        count(&mut self.errors, what, span)
    }

    /// Something to report that changes no exit status. True at its first occurrence at this place.
    pub fn remark(&mut self, what: &str, span: Span) -> bool {
        count(&mut self.errors, what, span)
    }

    /// A frame that the gate dropped. True at its first occurrence at this place.
    pub fn drop(&mut self, why: &str, span: Span) -> bool {
        count(&mut self.dropped, why, span)
    }

    /// An `else` of an `expect` was taken after a packet that was not sent. True at its first
    /// occurrence at this place.
    pub fn unasked(&mut self, span: Span) -> bool {
        count(&mut self.unasked, "unasked", span)
    }

    /// So many frames nearly matched here. True at the first occurrence at this place.
    pub fn missed(&mut self, what: &str, span: Span, frames: u64) -> bool {
        let first = count(&mut self.missed, what, span);
        if let Some(sum) = self.missed.get_mut(&(what.to_string(), span)) {
            *sum = sum.saturating_add(frames - 1);
        }
        first
    }

    /// Whether any error happened.
    pub fn any_error(&self) -> bool {
        self.failed
    }

    /// Whether the gate dropped anything.
    pub fn any_dropped(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// Writes them into a report.
    pub fn fill(&self, report: &mut RunReport) {
        report.errors = list(&self.errors);
        report.dropped = list(&self.dropped);
        report.near_misses = self.missed.values().sum();
        report.unasked = self.unasked.values().sum();
    }
}

fn count(places: &mut BTreeMap<(String, Span), u64>, what: &str, span: Span) -> bool {
    let key = (what.to_string(), span);
    if places.len() >= MAX_PLACES && !places.contains_key(&key) {
        return false;
    }
    let times = places.entry(key).or_insert(0);
    *times += 1;
    *times == 1
}

fn list(places: &BTreeMap<(String, Span), u64>) -> Vec<PlaceCount> {
    places
        .iter()
        .map(|((what, span), count)| PlaceCount {
            what: what.clone(),
            span: *span,
            count: *count,
        })
        .collect()
}
