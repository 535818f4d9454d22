//! What a capture shows: an analyser takes packets one by one and reports what an analyst would
//! notice. It has no clock, makes no system call, never sends, and uses bounded memory: flows,
//! cases and packet numbers have limits, and what is discarded is counted.
//!
//! It reports what was seen at one capture point. If that is not enough to know something (which
//! side lost a segment, whether a retransmission was spurious), the sentence says so.
#![forbid(unsafe_code)]

mod address_claims;
mod finding;
pub mod findings;
mod flow;
mod flow_key;
mod flow_side;
mod flow_tcp;
mod observed_packet;
mod packet_meaning;
mod ranges;
mod report;
mod rule;

#[cfg(test)]
mod tests;

pub use finding::{Finding, FindingSeverity};
pub use findings::rules;
pub use flow::{AnalysedFlow, MAX_FLOWS};
pub use flow_side::FlowSide;
pub use observed_packet::{NetworkHeader, ObservedPacket};
pub use packet_meaning::{
    AddressConflict, Lateness, PacketMeaning, Retransmission, RetransmissionVerdict, SynRecord,
};
pub use report::{FindingCase, FindingReport, MAX_CASES, MAX_EVIDENCE};
pub use rule::FindingRule;

use address_claims::AddressClaims;
pub use crafty_value::Direction;
use crafty_value::Time;
use crafty_wire::Decoded;
use flow::FlowTable;
use report::FindingCases;
use std::cmp::Reverse;
/// Packets in, findings out. Time is taken from the packets; without time stamps less can be told.
#[derive(Debug, Default)]
pub struct Analyser {
    flows: FlowTable,
    cases: FindingCases,
    neighbours: AddressClaims,
}

impl Analyser {
    /// One that has seen nothing.
    pub fn new() -> Analyser {
        Analyser::default()
    }

    /// Takes a packet: its number, its time, its bytes, its layers (`decoded.wire_len` says its
    /// length on the wire), and which way it went where that is known.
    pub fn packet(
        &mut self,
        index: u64,
        time: Option<Time>,
        octets: &[u8],
        decoded: &Decoded,
        direction: Option<Direction>,
    ) {
        let mut packet = ObservedPacket::new(index, time, octets, decoded, direction);
        packet.conflict = self.neighbours.take(&packet);
        for gone in self.flows.take(&mut packet) {
            finish(&mut self.cases, &gone);
        }
        let flow = packet.key.and_then(|key| self.flows.of(&key));
        for (number, rule) in rules().iter().enumerate() {
            (rule.observe)(&packet, flow, &mut self.cases.report(number, flow));
        }
    }

    /// The findings so far, the worst first, then in the order in which they showed; the analyser
    /// continues.
    pub fn so_far(&self) -> Vec<Finding> {
        let mut cases = self.cases.clone();
        self.flows.all().for_each(|flow| finish(&mut cases, flow));
        let mut all: Vec<Finding> = cases.all().map(finding).collect();
        all.sort_by_key(|it| (Reverse(it.severity), it.evidence.first().copied(), it.name));
        all
    }

    /// What packets showed for the first time since this was last asked, as far as it can be told
    /// already: some things show only at a flow's end.
    pub fn fresh(&mut self) -> Vec<Finding> {
        self.cases.fresh().into_iter().map(finding).collect()
    }

    /// The findings, the worst first, then in the order in which they showed.
    pub fn finish(self) -> Vec<Finding> {
        self.so_far()
    }

    /// Flows that were dropped because there were more than [`MAX_FLOWS`]: what they did later was
    /// taken for new.
    pub fn flows_let_go(&self) -> u64 {
        self.flows.let_go
    }

    /// Findings that found no room because there were more than [`MAX_CASES`] findings.
    pub fn findings_let_go(&self) -> u64 {
        self.cases.let_go
    }
}

/// Every rule looks at a flow that is over.
fn finish(cases: &mut FindingCases, flow: &AnalysedFlow) {
    for (number, rule) in rules().iter().enumerate() {
        (rule.finish)(flow, &mut cases.report(number, Some(flow)));
    }
}

/// What a case of a rule says.
fn finding((rule, case, flow): (usize, &FindingCase, &Option<String>)) -> Finding {
    let rule = rules()[rule];
    Finding {
        name: rule.name,
        severity: rule.severity,
        sentence: (rule.tell)(case),
        evidence: case.evidence.clone(),
        count: case.count,
        flow: flow.clone(),
    }
}
