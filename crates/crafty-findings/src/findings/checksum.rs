//! Checksums that are wrong.

use crate::finding::FindingSeverity;
use crate::observed_packet::ObservedPacket;
use crate::report::FindingReport;
use crate::rule::{FindingRule, counted};
use crafty_value::Direction;
use crafty_wire::{Auto, ChecksumStatus, LayerRole, checksum};
use std::net::IpAddr;

pub static RULE: FindingRule = FindingRule {
    name: "checksum",
    title: "a wrong checksum",
    severity: FindingSeverity::Error,
    doc: "A checksum does not match the bytes. Not reported where it cannot be verified (the packet is cut off, a fragment or quoted), where the capturing machine sent the packet, or where the field holds only the sum of the pseudo-header, which software leaves for the network adapter to complete.",
    observe: |packet, _, report| {
        if packet.direction != Some(Direction::Outbound) {
            (0..packet.decoded.layers.len()).for_each(|layer| look(packet, layer, report));
        }
    },
    tell: |case| {
        format!(
            "the {} checksum of {} is wrong",
            case.subject,
            counted(case.count, "packet")
        )
    },
    ..FindingRule::BLANK
};

fn look(packet: &ObservedPacket<'_>, layer: usize, report: &mut FindingReport<'_>) {
    let table = packet.decoded.layers[layer].layer;
    for (i, field) in table
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| matches!(field.auto, Auto::Checksum(_)))
    {
        let bad = matches!(
            packet.decoded.checksum(packet.octets, layer, i),
            ChecksumStatus::Bad { .. }
        );
        if bad && !unfinished(packet, layer, field.name) {
            report.add(packet.index, table.name);
        }
    }
}

/// Whether the checksum of a transport holds the sum of the pseudo-header, uncomplemented.
fn unfinished(packet: &ObservedPacket<'_>, layer: usize, field: &str) -> bool {
    let Some(network) = packet.network.as_ref().filter(|it| it.layer < layer) else {
        return false;
    };
    // The protocol's number, by the row that puts it below IP.
    let found = packet.decoded.layers[layer].layer;
    let row = found.under.iter().find(|row| row.parent == "IP");
    let Some(number) = row.filter(|_| found.role == LayerRole::Transport) else {
        return false;
    };
    let len = network
        .end
        .saturating_sub(packet.decoded.layers[layer].start) as u32;
    let mut pseudo = Vec::new();
    for address in [network.src, network.dst] {
        match address {
            IpAddr::V4(it) => pseudo.extend(it.octets()),
            IpAddr::V6(it) => pseudo.extend(it.octets()),
        }
    }
    pseudo.extend(len.to_be_bytes());
    pseudo.extend([0, number.value as u8]);
    packet.view().uint(layer, field) == Some(u64::from(!checksum(&pseudo)))
}
