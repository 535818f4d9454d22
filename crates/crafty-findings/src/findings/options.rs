//! TCP options that somebody on the way strips, adds or rewrites.

use crate::finding::FindingSeverity;
use crate::flow::AnalysedFlow;
use crate::observed_packet::ObservedPacket;
use crate::rule::{FindingRule, way};
use crafty_wire::protocols::tcp::{RST_FLAG, SYN_FLAG, TcpOptions, TcpSegment};

pub static RULE: FindingRule = FindingRule {
    name: "options",
    title: "options stripped or rewritten",
    severity: FindingSeverity::Warning,
    doc: "The same SYN was captured twice and differs (a clamped MSS, a removed option); a SYN-ACK accepts an option that the captured SYN did not offer; time stamps were negotiated but are missing later, or appear without having been negotiated (RFC 7323 §3.2). A single capture point cannot show what was changed before it: an MSS that was clamped earlier looks like the one that was offered.",
    observe: |packet, flow, report| {
        for change in &packet.meaning.rewritten {
            report.add(
                packet.index,
                format!("on the way, {change} in the SYN, {}", way(packet, flow)),
            );
        }
        if let (Some(flow), Some(segment), None) = (flow, &packet.tcp, packet.meaning.duplicate) {
            told_by(flow, segment, packet)
                .into_iter()
                .for_each(|subject| report.add(packet.index, subject));
        }
    },
    ..FindingRule::BLANK
};

fn told_by(
    flow: &AnalysedFlow,
    segment: &TcpSegment<'_>,
    packet: &ObservedPacket<'_>,
) -> Vec<String> {
    let opening = |side: usize| flow.sides[side].opening.as_ref().map(|it| &it.options);
    let (Some(syn), Some(answer)) = (opening(flow.opener), opening(1 - flow.opener)) else {
        return Vec::new();
    };
    if segment.has(SYN_FLAG) {
        return if packet.side == flow.opener {
            Vec::new()
        } else {
            not_offered(syn, answer)
        };
    }
    let agreed = syn.timestamps.is_some() && answer.timestamps.is_some();
    let way = flow.way(packet.side);
    match packet.tcp_options.timestamps {
        _ if segment.has(RST_FLAG) => Vec::new(),
        None if agreed => vec![format!(
            "time stamps were negotiated but are missing later, {way}"
        )],
        Some(_) if !agreed => vec![format!(
            "time stamps are sent that were not negotiated here, {way}"
        )],
        _ => Vec::new(),
    }
}

/// What an answer may only have if its SYN had it (RFC 7323 §2.2 and §3.2, RFC 2018 §2).
fn not_offered(syn: &TcpOptions, answer: &TcpOptions) -> Vec<String> {
    let rows = [
        ("wscale", syn.wscale.is_some(), answer.wscale.is_some()),
        ("ts", syn.timestamps.is_some(), answer.timestamps.is_some()),
    ];
    let odd = rows.into_iter().filter(|row| row.2 && !row.1);
    odd.map(|row| {
        format!(
            "the answer has `{}`, which the captured SYN did not offer",
            row.0
        )
    })
    .collect()
}
