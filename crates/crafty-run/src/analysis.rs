//! Findings of a run or a capture: an analyser for each interface, since one packet may be seen at
//! several, and one numbering of all packets, that of the capture file.

use crate::output;
use crafty_capture::Direction;
use crafty_findings::{Analyser, Finding, MAX_EVIDENCE};
use crafty_value::Time;
use crafty_wire::{Decoded, decode, link};
use serde_json::{Value as Json, json};

/// Interfaces that are told apart; what comes from further ones is judged with the last.
const MAX_INTERFACES: usize = 64;

/// A packet as a place saw it.
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    /// Number of the interface.
    pub interface: usize,
    /// `LINKTYPE_` number of its frames.
    pub link: u16,
    /// When, where that is known.
    pub time: Option<Time>,
    /// Which way, where that is known.
    pub direction: Option<Direction>,
    /// What was kept of it.
    pub octets: &'a [u8],
    /// Its length on the wire.
    pub wire_len: usize,
}

/// Analysers of all interfaces.
#[derive(Default)]
pub struct Analysis {
    analysers: Vec<Analyser>,
    decoded: Decoded,
    packets: u64,
}

impl Analysis {
    /// Takes the next packet; they are numbered from 1.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        self.packets += 1;
        let number = packet.interface.min(MAX_INTERFACES - 1);
        if self.analysers.len() <= number {
            self.analysers.resize_with(number + 1, Analyser::new);
        }
        decode(
            link(u32::from(packet.link), packet.octets),
            packet.octets,
            packet.wire_len,
            &mut self.decoded,
        );
        self.analysers[number].packet(
            self.packets,
            packet.time,
            packet.octets,
            &self.decoded,
            packet.direction,
        );
    }

    /// Packets so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// What is found for the first time since this was last asked.
    pub fn fresh(&mut self) -> Vec<Finding> {
        self.analysers
            .iter_mut()
            .flat_map(Analyser::fresh)
            .collect()
    }

    /// All findings, the worst first; a word on standard error where memory's bounds let something
    /// go.
    pub fn finish(self) -> Vec<Finding> {
        let sum = |of: fn(&Analyser) -> u64| self.analysers.iter().map(of).sum::<u64>();
        let let_go = (sum(Analyser::flows_let_go), sum(Analyser::findings_let_go));
        if let_go != (0, 0) {
            output::note(&format!(
                "note: memory is bounded: {} flows and {} findings were dropped",
                let_go.0, let_go.1
            ));
        }
        let mut findings: Vec<Finding> = self
            .analysers
            .into_iter()
            .flat_map(Analyser::finish)
            .collect();
        findings.sort_by_key(|it| (std::cmp::Reverse(it.severity), it.evidence.first().copied()));
        findings
    }
}

/// A finding as a line for people.
pub fn line(finding: &Finding) -> String {
    let flow = finding
        .flow
        .as_ref()
        .map_or(String::new(), |flow| format!(" [{flow}]"));
    let more = if finding.evidence.len() < MAX_EVIDENCE {
        ""
    } else {
        ", …"
    };
    let numbers: Vec<String> = finding.evidence.iter().map(u64::to_string).collect();
    format!(
        "{}[{}]: {}{flow}; packets {}{more}",
        finding.severity,
        finding.name,
        finding.sentence,
        numbers.join(", ")
    )
}

/// A finding for machines.
pub fn document(finding: &Finding) -> Json {
    json!({
        "name": finding.name,
        "severity": finding.severity.to_string(),
        "sentence": finding.sentence,
        "flow": finding.flow,
        "count": finding.count,
        "packets": finding.evidence,
    })
}
