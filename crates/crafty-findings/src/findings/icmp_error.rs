//! Errors that somebody sent back.

use crate::finding::FindingSeverity;
use crate::observed_packet::ObservedPacket;
use crate::rule::{FindingRule, counted};
use crafty_wire::protocols::{icmp, icmp6};
use crafty_wire::{LayerRole, PacketView};

pub static RULE: FindingRule = FindingRule {
    name: "icmp_error",
    title: "an ICMP error",
    severity: FindingSeverity::Warning,
    doc: "A router or host reports that packets did not reach their destination, or asks for another route or size (RFC 792, RFC 4443). The capture cannot show whether the report is genuine.",
    observe: |packet, _, report| {
        if let Some(subject) = subject(packet) {
            report.add(packet.index, subject);
        }
    },
    tell: |case| format!("{} ({})", case.subject, counted(case.count, "message")),
    ..FindingRule::BLANK
};

/// Layer, type, code (none: any) and what it says.
static MEANINGS: &[(&str, u64, Option<u64>, &str)] = &[
    ("ICMP", 3, Some(0), "network unreachable"),
    ("ICMP", 3, Some(1), "host unreachable"),
    ("ICMP", 3, Some(2), "protocol unreachable"),
    ("ICMP", 3, Some(3), "port unreachable"),
    ("ICMP", 3, Some(4), "fragmentation needed but not allowed"),
    ("ICMP", 3, Some(9), "network prohibited"),
    ("ICMP", 3, Some(10), "host prohibited"),
    ("ICMP", 3, Some(13), "administratively prohibited"),
    ("ICMP", 3, None, "destination unreachable"),
    ("ICMP", 4, None, "source quench"),
    ("ICMP", 5, None, "redirect"),
    ("ICMP", 11, Some(1), "fragment reassembly time exceeded"),
    ("ICMP", 11, None, "time to live exceeded"),
    ("ICMP", 12, None, "parameter problem"),
    ("ICMP6", 1, Some(0), "no route"),
    ("ICMP6", 1, Some(1), "administratively prohibited"),
    ("ICMP6", 1, Some(3), "address unreachable"),
    ("ICMP6", 1, Some(4), "port unreachable"),
    ("ICMP6", 1, None, "destination unreachable"),
    ("ICMP6", 2, None, "packet too big"),
    ("ICMP6", 3, Some(1), "fragment reassembly time exceeded"),
    ("ICMP6", 3, None, "hop limit exceeded"),
    ("ICMP6", 4, None, "parameter problem"),
];

fn subject(packet: &ObservedPacket<'_>) -> Option<String> {
    let at = packet
        .position(&icmp::LAYER)
        .or_else(|| packet.position(&icmp6::LAYER))?;
    let (view, layer) = (packet.view(), packet.decoded.layers[at].layer);
    let (kind, code) = (view.uint(at, "type")?, view.uint(at, "code")?);
    let meaning = MEANINGS
        .iter()
        .find(|row| row.0 == layer.name && row.1 == kind && row.2.is_none_or(|it| it == code))?;
    let too_big = matches!((layer.name, kind, code), ("ICMP", 3, 4) | ("ICMP6", 2, _));
    let mtu = view.uint(at, "mtu").filter(|mtu| *mtu != 0 && too_big);
    let mtu = mtu.map_or(String::new(), |mtu| format!(" (MTU {mtu})"));
    Some(format!(
        "{} says `{}`{mtu}{}",
        packet.network.as_ref()?.src,
        meaning.3,
        quoted(view, at)
    ))
}

/// Whose packet it quotes.
fn quoted(view: PacketView<'_, '_>, error: usize) -> String {
    let ip = view.first(LayerRole::Network, error + 1);
    let Some((ip, (src, dst))) = ip.and_then(|ip| Some((ip, view.addresses(ip)?))) else {
        return String::new();
    };
    let transport = Some(ip + 1).filter(|at| view.role(*at) == Some(LayerRole::Transport));
    let port = transport.and_then(|at| Some((view.layer(at)?.name, view.uint(at, "dst")?)));
    let port = port.map_or(String::new(), |(name, port)| format!(" {name} port {port}"));
    format!(" about a packet from {src} to {dst}{port}")
}
