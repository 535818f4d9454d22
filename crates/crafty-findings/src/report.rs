//! What rules report, gathered into cases: one for each rule, flow and subject.

use crate::flow::AnalysedFlow;
use crafty_value::Duration;
use std::collections::BTreeMap;

/// Findings that are kept at most.
pub const MAX_CASES: usize = 16_384;
/// Packet numbers that a finding lists at most.
pub const MAX_EVIDENCE: usize = 32;

/// What a rule reported, once or more, about one subject of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingCase {
    /// What it is about, in the rule's words.
    pub subject: String,
    /// How often.
    pub count: u64,
    /// The greatest extent that was reported, in the rule's unit.
    pub extent: u64,
    /// The longest time that was reported.
    pub span: Duration,
    /// The first packets that show it.
    pub evidence: Vec<u64>,
}

/// Rule, first packet of the flow (0: none), subject.
type CaseKey = (usize, u64, String);

/// All cases.
#[derive(Clone, Debug, Default)]
pub(crate) struct FindingCases {
    cases: BTreeMap<CaseKey, (FindingCase, Option<String>)>,
    /// Those that nobody has asked for yet.
    fresh: Vec<CaseKey>,
    pub let_go: u64,
}

/// Where a rule puts what it reports.
pub struct FindingReport<'a> {
    cases: &'a mut FindingCases,
    rule: usize,
    flow: Option<&'a AnalysedFlow>,
}

impl FindingReport<'_> {
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

    fn case(&mut self, subject: String) -> Option<&mut FindingCase> {
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
                FindingCase {
                    subject: key.2.clone(),
                    ..FindingCase::default()
                },
                flow.map(AnalysedFlow::to_string),
            )
        };
        Some(&mut self.cases.cases.entry(key.clone()).or_insert_with(fresh).0)
    }
}

impl FindingCase {
    /// Adds a packet number; they stay in order, and the first ones are kept.
    fn show(&mut self, index: u64) {
        if let Err(at) = self.evidence.binary_search(&index) {
            self.evidence.insert(at, index);
            self.evidence.truncate(MAX_EVIDENCE);
        }
    }
}

impl FindingCases {
    /// Where a rule puts what it has to say of a flow, or of no flow.
    pub fn report<'a>(
        &'a mut self,
        rule: usize,
        flow: Option<&'a AnalysedFlow>,
    ) -> FindingReport<'a> {
        FindingReport {
            cases: self,
            rule,
            flow,
        }
    }

    /// The cases that nobody has asked for yet, with the number of their rule and their flow.
    pub fn fresh(&mut self) -> Vec<(usize, &FindingCase, &Option<String>)> {
        let keys = std::mem::take(&mut self.fresh);
        keys.iter()
            .filter_map(|key| {
                let (case, flow) = self.cases.get(key)?;
                Some((key.0, case, flow))
            })
            .collect()
    }

    /// All cases, with the number of their rule and their flow.
    pub fn all(&self) -> impl Iterator<Item = (usize, &FindingCase, &Option<String>)> {
        self.cases
            .iter()
            .map(|((rule, ..), (case, flow))| (*rule, case, flow))
    }
}
