//! Checksums that are wrong.

use super::{Rule, counted};
use crate::{Report, Seen, Severity};
use crafty_value::Direction;
use crafty_wire::{Auto, ChecksumStatus, Role, checksum};
use std::net::IpAddr;

pub static RULE: Rule = Rule {
    name: "checksum",
    title: "a wrong checksum",
    severity: Severity::Error,
    doc: "A checksum does not fit the bytes. Not said where it cannot be verified (cut, fragment, quoted), where the packet was sent by \
          the capturing machine, or where it holds the sum of the pseudo-header alone, as software leaves it for an adapter to finish.",
    observe: |seen, _, report| {
        if seen.direction != Some(Direction::Outbound) {
            (0..seen.decoded.layers.len()).for_each(|layer| look(seen, layer, report));
        }
    },
    tell: |case| {
        format!(
            "the {} checksum of {} is wrong",
            case.subject,
            counted(case.count, "packet")
        )
    },
    ..Rule::BLANK
};

fn look(seen: &Seen<'_>, layer: usize, report: &mut Report<'_>) {
    let table = seen.decoded.layers[layer].layer;
    for (i, field) in table
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| matches!(field.auto, Auto::Checksum(_)))
    {
        let bad = matches!(
            seen.decoded.checksum(seen.octets, layer, i),
            ChecksumStatus::Bad { .. }
        );
        if bad && !unfinished(seen, layer, field.name) {
            report.add(seen.index, table.name);
        }
    }
}

/// Whether the checksum of a transport holds the sum of the pseudo-header, uncomplemented.
fn unfinished(seen: &Seen<'_>, layer: usize, field: &str) -> bool {
    let Some(network) = seen.network.as_ref().filter(|it| it.layer < layer) else {
        return false;
    };
    // The protocol's number, by the row that puts it below IP.
    let found = seen.decoded.layers[layer].layer;
    let row = found.under.iter().find(|row| row.parent == "IP");
    let Some(number) = row.filter(|_| found.role == Role::Transport) else {
        return false;
    };
    let len = network.end.saturating_sub(seen.decoded.layers[layer].start) as u32;
    let mut pseudo = Vec::new();
    for address in [network.src, network.dst] {
        match address {
            IpAddr::V4(it) => pseudo.extend(it.octets()),
            IpAddr::V6(it) => pseudo.extend(it.octets()),
        }
    }
    pseudo.extend(len.to_be_bytes());
    pseudo.extend([0, number.value as u8]);
    seen.view().uint(layer, field) == Some(u64::from(!checksum(&pseudo)))
}
