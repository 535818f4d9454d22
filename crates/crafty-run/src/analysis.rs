//! Findings of a run or a capture: an analyser for each interface, since one packet may be seen at
//! several, and one numbering of all packets, that of the capture file.

use crafty_capture::Direction;
use crafty_findings::{Analyser, Finding};
use crafty_value::Time;
use crafty_wire::{Decoded, decode, link};

/// Interfaces that are distinguished; what comes from further ones is judged with the last.
const MAX_INTERFACES: usize = 64;

/// A packet as an interface saw it.
#[derive(Clone, Copy)]
pub struct SeenPacket<'a> {
    /// Number of the interface.
    pub interface: usize,
    /// `LINKTYPE_` number of its frames.
    pub link: u16,
    /// When, where that is known.
    pub time: Option<Time>,
    /// Which way, where that is known.
    pub direction: Option<Direction>,
    /// What was kept of it.
    pub bytes: &'a [u8],
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
    pub fn packet(&mut self, packet: &SeenPacket<'_>) {
        self.packets += 1;
        let number = packet.interface.min(MAX_INTERFACES - 1);
        if self.analysers.len() <= number {
            self.analysers.resize_with(number + 1, Analyser::new);
        }
        decode(
            link(u32::from(packet.link), packet.bytes),
            packet.bytes,
            packet.wire_len,
            &mut self.decoded,
        );
        self.analysers[number].packet(
            self.packets,
            packet.time,
            packet.bytes,
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

    /// All findings, the worst first.
    pub fn finish(self) -> Findings {
        let sum = |of: fn(&Analyser) -> u64| self.analysers.iter().map(of).sum::<u64>();
        let (flows_let_go, findings_let_go) =
            (sum(Analyser::flows_let_go), sum(Analyser::findings_let_go));
        let mut findings: Vec<Finding> = self
            .analysers
            .into_iter()
            .flat_map(Analyser::finish)
            .collect();
        findings.sort_by_key(|it| (std::cmp::Reverse(it.severity), it.evidence.first().copied()));
        Findings {
            findings,
            flows_let_go,
            findings_let_go,
        }
    }
}

/// What packets showed.
#[derive(Debug, Default)]
pub struct Findings {
    /// The worst first.
    pub findings: Vec<Finding>,
    /// Flows that were forgotten, since memory is bounded.
    pub flows_let_go: u64,
    /// Findings that were not kept, likewise.
    pub findings_let_go: u64,
}
