//! What the wire showed: an analyser that takes packets one by one and says what an analyst would
//! remark. It never asks a clock or the machine, never sends, and keeps a bounded memory: flows,
//! cases and packet numbers have caps, and what is let go is counted.
//!
//! It speaks of what was seen at one place. Where that cannot tell (which side lost a segment,
//! whether it was sent needlessly), the sentence says so.
#![forbid(unsafe_code)]

mod address_claims;
pub mod findings;
mod flow;
mod flow_key;
mod flow_side;
mod flow_tcp;
mod observed_packet;
mod packet_meaning;
mod ranges;
mod report;

#[cfg(test)]
mod tests;

pub use findings::{Rule, rules};
pub use flow::{Flow, MAX_FLOWS};
pub use flow_side::Side;
pub use observed_packet::{NetworkHeader, Seen};
pub use packet_meaning::{Late, Opening, Resent, Rival, Trace, Verdict};
pub use report::{Case, MAX_CASES, MAX_EVIDENCE, Report};

use address_claims::Neighbours;
pub use crafty_value::Direction;
use crafty_value::Time;
use crafty_wire::Decoded;
use flow::Flows;
use report::Cases;
use std::fmt;

/// How much a finding should worry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Notice,
    /// Costs time or data.
    Warning,
    /// Something is broken.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Notice => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// A thing that the wire showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of its rule.
    pub name: &'static str,
    /// How bad.
    pub severity: Severity,
    /// A sentence, without the flow.
    pub sentence: String,
    /// Packets that show it, in order: the first [`MAX_EVIDENCE`] of them.
    pub evidence: Vec<u64>,
    /// How many packets showed it.
    pub count: u64,
    /// The conversation, if it is about one.
    pub flow: Option<String>,
}

/// Packets in, findings out. Time is taken from the packets; without time stamps less can be told.
#[derive(Debug, Default)]
pub struct Analyser {
    flows: Flows,
    cases: Cases,
    neighbours: Neighbours,
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
        let mut seen = Seen::new(index, time, octets, decoded, direction);
        seen.rival = self.neighbours.take(&seen);
        for gone in self.flows.take(&mut seen) {
            self.cases.finish(&gone);
        }
        let flow = seen.key.and_then(|key| self.flows.of(&key));
        self.cases.observe(&seen, flow);
    }

    /// The findings so far, the worst first, then in the order in which they showed; the analyser
    /// goes on.
    pub fn so_far(&self) -> Vec<Finding> {
        let mut cases = self.cases.clone();
        self.flows.all().for_each(|flow| cases.finish(flow));
        cases.findings()
    }

    /// What packets showed for the first time since this was last asked, as far as it can be told
    /// already: some things show only at a flow's end.
    pub fn fresh(&mut self) -> Vec<Finding> {
        self.cases.fresh()
    }

    /// The findings, the worst first, then in the order in which they showed.
    pub fn finish(self) -> Vec<Finding> {
        self.so_far()
    }

    /// Flows that were let go because there were more than [`MAX_FLOWS`]: what they did later was
    /// taken for new.
    pub fn flows_let_go(&self) -> u64 {
        self.flows.let_go
    }

    /// Remarks that found no room because there were more than [`MAX_CASES`] findings.
    pub fn remarks_let_go(&self) -> u64 {
        self.cases.let_go
    }
}
