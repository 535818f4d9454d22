//! Remarks gathered into findings: one for each rule, flow and subject.

use crate::findings::{Rule, rules};
use crate::flow::Flow;
use crate::observed_packet::Seen;
use crate::{Finding, Severity};
use crafty_value::Duration;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Findings that are kept at most.
pub const MAX_CASES: usize = 16_384;
/// Packet numbers that a finding lists at most.
pub const MAX_EVIDENCE: usize = 32;

/// What a rule remarked again and again about one subject of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// What it is about, in the rule's words.
    pub subject: String,
    /// How often.
    pub count: u64,
    /// The greatest extent that was remarked, in the rule's unit.
    pub extent: u64,
    /// The longest time that was remarked.
    pub span: Duration,
    /// The first packets that show it.
    pub evidence: Vec<u64>,
}

/// Rule, first packet of the flow (0: none), subject.
type Key = (usize, u64, String);

/// All cases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cases {
    cases: BTreeMap<Key, (Case, Option<String>)>,
    /// Those that nobody has asked for yet.
    fresh: Vec<Key>,
    pub let_go: u64,
}

/// Where a rule puts its remarks.
pub struct Report<'a> {
    cases: &'a mut Cases,
    rule: usize,
    flow: Option<&'a Flow>,
}

impl Report<'_> {
    /// Packet `index` shows something about `subject`.
    pub fn add(&mut self, index: u64, subject: impl Into<String>) {
        self.measure(index, subject, 0, Duration::ZERO);
    }

    /// The same with its extent.
    pub fn measure(&mut self, index: u64, subject: impl Into<String>, extent: u64, span: Duration) {
        if let Some(case) = self.case(subject.into()) {
            case.count += 1;
            case.extent = case.extent.max(extent);
            case.span = case.span.max(span);
            case.show(index);
        }
    }

    /// Packet `index` belongs to what shows it, and does not count.
    pub fn show(&mut self, index: u64, subject: impl Into<String>) {
        if let Some(case) = self.case(subject.into()) {
            case.show(index);
        }
    }

    fn case(&mut self, subject: String) -> Option<&mut Case> {
        let key = (self.rule, self.flow.map_or(0, |flow| flow.first), subject);
        if !self.cases.cases.contains_key(&key) {
            if self.cases.cases.len() >= MAX_CASES {
                self.cases.let_go += 1;
                return None;
            }
            self.cases.fresh.push(key.clone());
        }
        let flow = self.flow;
        let fresh = || {
            (
                Case {
                    subject: key.2.clone(),
                    ..Case::default()
                },
                flow.map(Flow::to_string),
            )
        };
        Some(&mut self.cases.cases.entry(key.clone()).or_insert_with(fresh).0)
    }
}

impl Case {
    /// Adds a packet number; they stay in order, and the first ones are kept.
    fn show(&mut self, index: u64) {
        if let Err(at) = self.evidence.binary_search(&index) {
            self.evidence.insert(at, index);
            self.evidence.truncate(MAX_EVIDENCE);
        }
    }
}

impl Cases {
    pub fn observe(&mut self, seen: &Seen<'_>, flow: Option<&Flow>) {
        for (rule, row) in rules().iter().enumerate() {
            (row.observe)(
                seen,
                flow,
                &mut Report {
                    cases: self,
                    rule,
                    flow,
                },
            );
        }
    }

    pub fn finish(&mut self, flow: &Flow) {
        for (rule, row) in rules().iter().enumerate() {
            (row.finish)(
                flow,
                &mut Report {
                    cases: self,
                    rule,
                    flow: Some(flow),
                },
            );
        }
    }

    pub fn fresh(&mut self) -> Vec<Finding> {
        let keys = std::mem::take(&mut self.fresh);
        keys.iter()
            .filter_map(|key| {
                self.cases
                    .get(key)
                    .map(|(case, flow)| finding(rules()[key.0], case, flow))
            })
            .collect()
    }

    pub fn findings(&self) -> Vec<Finding> {
        let mut all: Vec<Finding> = self
            .cases
            .iter()
            .map(|((rule, ..), (case, flow))| finding(rules()[*rule], case, flow))
            .collect();
        all.sort_by_key(|it| (Reverse(it.severity), it.evidence.first().copied(), it.name));
        all
    }
}

fn finding(rule: &Rule, case: &Case, flow: &Option<String>) -> Finding {
    let severity: Severity = rule.severity;
    Finding {
        name: rule.name,
        severity,
        sentence: (rule.tell)(case),
        evidence: case.evidence.clone(),
        count: case.count,
        flow: flow.clone(),
    }
}
