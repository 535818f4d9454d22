//! What a kind of finding is: when it looks, and what it says.

use crate::finding::FindingSeverity;
use crate::flow::AnalysedFlow;
use crate::observed_packet::ObservedPacket;
use crate::packet_meaning::Retransmission;
use crate::report::{FindingCase, FindingReport};

/// A kind of finding.
#[derive(Debug)]
pub struct FindingRule {
    /// Name, stable.
    pub name: &'static str,
    /// Some words.
    pub title: &'static str,
    /// How bad it is.
    pub severity: FindingSeverity,
    /// When it is said, and what it does not tell.
    pub doc: &'static str,
    /// Looks at a packet, with its flow where it has one.
    pub observe: fn(&ObservedPacket<'_>, Option<&AnalysedFlow>, &mut FindingReport<'_>),
    /// Looks at a flow that is over, or at the end.
    pub finish: fn(&AnalysedFlow, &mut FindingReport<'_>),
    /// The sentence.
    pub tell: fn(&FindingCase) -> String,
}

impl FindingRule {
    /// A rule that reports nothing.
    pub(crate) const BLANK: FindingRule = FindingRule {
        name: "",
        title: "",
        severity: FindingSeverity::Notice,
        doc: "",
        observe: |_, _, _| {},
        finish: |_, _| {},
        tell: |case| case.subject.clone(),
    };
}

/// What looks at a retransmission: with its flow, and the side that sent it.
type RetransmissionLook = fn(&Retransmission, &AnalysedFlow, usize, &mut FindingReport<'_>);

/// Looks at each retransmission that a packet decided over.
pub(crate) fn each_judged(
    packet: &ObservedPacket<'_>,
    flow: Option<&AnalysedFlow>,
    report: &mut FindingReport<'_>,
    look: RetransmissionLook,
) {
    if let Some(flow) = flow {
        let judged = packet.meaning.judged.iter();
        judged.for_each(|it| look(it, flow, packet.side, report));
    }
}

/// Looks at each retransmission of a flow that nothing has decided over.
pub(crate) fn each_unjudged(
    flow: &AnalysedFlow,
    report: &mut FindingReport<'_>,
    look: RetransmissionLook,
) {
    for (number, side) in flow.sides.iter().enumerate() {
        let unjudged = side.resent.iter();
        unjudged.for_each(|it| look(it, flow, number, report));
    }
}

/// `1 segment`, `2 segments`.
pub(crate) fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Who sent a packet, and to whom.
pub(crate) fn way(packet: &ObservedPacket<'_>, flow: Option<&AnalysedFlow>) -> String {
    match (flow, &packet.network) {
        (Some(flow), _) => flow.way(packet.side),
        (None, Some(network)) => format!("{} to {}", network.src, network.dst),
        (None, None) => "an unknown sender".into(),
    }
}
