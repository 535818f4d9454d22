//! Lengths that lie, in every layer that has one: a lie that cannot be is reported, and nothing
//! above it counts as verified.

use std::vec::Vec;

use super::{Dice, frame, named, rounds};
use crate::auto::Of;
use crate::{ChecksumStatus, DecodeWarning, Decoded, Layer, all, decode};

/// Numbers that lengths are set to: small ones, large ones, and any.
fn lie(dice: &mut Dice, mask: u64) -> u64 {
    mask & match dice.below(4) {
        0 => dice.below(8) as u64,
        1 => mask - dice.below(8) as u64 % (mask + 1),
        _ => dice.roll(),
    }
}

/// Whether a length of `said` bytes cannot be in a layer that was found at these places.
fn cannot_be(layer: &Layer, octets: &[u8], start: usize, header: usize) -> bool {
    let Some(said) = layer.bound.octets(&octets[start..]) else {
        return false;
    };
    let (least, most) = match layer.bound_of {
        Of::Total => (header, octets.len() - start),
        _ => (0, octets.len() - start - header),
    };
    said != 0 && !(least..=most).contains(&said)
}

/// What a length that cannot be does to the packet around it.
#[test]
fn a_length_that_cannot_be_is_told() {
    let (mut dice, mut decoded, mut tried) = (Dice(31), Decoded::new(), 0);
    for layer in all().iter().filter(|layer| layer.bound.slot.len != 0) {
        for _ in 0..rounds(200) {
            let (mut octets, first) = frame(layer, &mut dice);
            decode(first, &octets, octets.len(), &mut decoded);
            let Some(at) = decoded.position(layer, 0) else {
                continue;
            };
            let found = decoded.layers[at];
            if decoded.layers[..at]
                .iter()
                .any(|below| below.layer.quotes.is_some())
            {
                continue;
            }
            let slot = layer.bound.slot;
            let said = lie(&mut dice, slot.mask);
            slot.set(&mut octets[found.start..], said);
            decode(first, &octets, octets.len(), &mut decoded);
            let same = decoded.layers.get(at).filter(|it| it.layer == found.layer);
            let Some(header) = same.map(|it| it.payload - it.start) else {
                continue;
            };
            if !cannot_be(layer, &octets, found.start, header) {
                continue;
            }
            tried += 1;
            let told = decoded.warnings(at).any(|warning| {
                matches!(
                    warning,
                    DecodeWarning::LengthLies { .. } | DecodeWarning::Truncated { .. }
                )
            });
            assert!(told, "{} says {said}: {decoded:#?}", layer.name);
            nothing_is_verified(&octets, &decoded, at);
        }
    }
    assert!(tried > 1000, "only {tried} lies");
}

/// No checksum of a message is good in or above the layer at a position.
fn nothing_is_verified(octets: &[u8], decoded: &Decoded, from: usize) {
    for (i, found) in decoded.layers.iter().enumerate().skip(from) {
        for (index, field) in found.layer.fields.iter().enumerate() {
            let crate::Auto::Checksum(rule) = field.auto else {
                continue;
            };
            let good = decoded.checksum(octets, i, index) == ChecksumStatus::Good;
            let header = rule.over == crate::ChecksumCoverage::Header;
            assert!(
                !good || header,
                "{}.{} counts as good: {decoded:#?}",
                found.layer.name,
                field.name
            );
        }
    }
}

/// A header length under the shortest header, or a total length under the header: what follows is
/// bytes, never a layer.
#[test]
fn nothing_is_read_behind_a_header_that_lies() {
    let stack = |name: &str| {
        let headers = [
            crate::Header::new(named(name)),
            crate::Header::new(named("UDP")),
            super::bytes(&[7; 30]),
        ];
        let mut out = Vec::new();
        crate::encode(&headers, &mut out);
        out
    };
    let (mut decoded, ip) = (Decoded::new(), named("IP"));
    for (field, lies) in [("ihl", 0..5), ("len", 1..20)] {
        for said in lies {
            let mut octets = stack("IP");
            ip.slot(field).set(&mut octets, said);
            decode(ip, &octets, octets.len(), &mut decoded);
            let names: Vec<_> = decoded.layers.iter().map(|it| it.layer.name).collect();
            assert_eq!(names, ["IP", "Bytes"], "{field} {said}");
            assert!(decoded.warnings(0).next().is_some(), "{field} {said}");
        }
    }
}
