//! The golden packets, harmed again and again: changed, cut, doubled, spliced into each other, and
//! read as any layer. Whatever comes of it is read without a panic, in memory that the bytes bound,
//! and gives the same bytes when it is written again.

use crafty_wire::{
    Decoded, FieldValue, Layer, MAX_LAYERS, OptionValue, all, decode, encode, layer, rebuild,
};

use crate::dice::{Dice, rounds};
use crate::golden::{Golden, blocks, oddities};
use crate::notation::show;

/// Bytes of values that one byte of a packet may give: a label of a name is counted for each record
/// that points to it.
const MOST_OF_ONE: usize = 2_000;
/// What may be told of the smallest packet.
const MOST_OF_NONE: usize = 20_000;
/// Longest packet that is made.
const MOST: usize = 4_096;

#[test]
fn harmed_packets_are_read_and_written_again() {
    let corpus: Vec<(&'static Layer, Vec<u8>)> = blocks()
        .iter()
        .map(|(_, block)| Golden::parse(block))
        .map(|golden| (layer(&golden.layers[0]).expect("a layer"), golden.octets))
        .collect();
    assert!(corpus.len() >= 150, "only {} packets", corpus.len());
    let (mut dice, mut deep) = (Dice(0xc0ffee), 0);
    for _ in 0..rounds(30) {
        for (first, octets) in &corpus {
            let first = if dice.below(8) == 0 {
                all()[dice.below(all().len())]
            } else {
                first
            };
            let mut octets = octets.clone();
            for _ in 0..1 + dice.below(4) {
                harm(&mut octets, &corpus[dice.below(corpus.len())].1, &mut dice);
            }
            let wire_len = octets.len() + [0, 0, 0, 7, 1_000][dice.below(5)];
            deep += usize::from(read(first, &octets, wire_len) > 3);
        }
    }
    assert!(deep > 500, "only {deep} were deep");
}

fn harm(octets: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let (at, len) = (dice.below(octets.len()), 1 + dice.below(16));
    let end = (at + len).min(octets.len());
    match dice.below(8) {
        0 => octets.truncate(at),
        1 => drop(octets.drain(at..end)),
        2 => {
            _ = octets.splice(
                at..at,
                other.iter().copied().skip(dice.below(other.len())).take(64),
            )
        }
        3 => octets.extend_from_within(at..end),
        4 => octets[at..end].fill([0, 0xff, 0x80, 0xc0][dice.below(4)]),
        5 => octets[at..end]
            .iter_mut()
            .for_each(|octet| *octet = dice.roll() as u8),
        _ => {
            if let Some(octet) = octets.get_mut(at) {
                *octet ^= 1 << dice.below(8);
            }
        }
    }
    octets.truncate(MOST);
}

/// Reads all of a packet and writes it again; how many layers it had.
fn read(first: &'static Layer, octets: &[u8], wire_len: usize) -> usize {
    let (mut decoded, mut out) = (Decoded::new(), Vec::new());
    decode(first, octets, wire_len, &mut decoded);
    assert!(decoded.layers.len() <= MAX_LAYERS);
    assert!(
        decoded.all_warnings().count() <= 8 * MAX_LAYERS,
        "{}",
        show(octets)
    );
    let told: usize = (0..decoded.layers.len())
        .flat_map(|i| decoded.fields(octets, i))
        .map(|(_, _, seen)| size(&seen.into_value()))
        .sum();
    assert!(
        told <= MOST_OF_NONE + MOST_OF_ONE * octets.len(),
        "{told} bytes told of {}",
        show(octets)
    );
    oddities(octets, &decoded);
    encode(&rebuild(octets, &decoded), &mut out);
    assert!(
        out == octets,
        "{} {:?}\nread    {}\nwritten {}",
        first.name,
        decoded.layers,
        show(octets),
        show(&out)
    );
    decoded.layers.len()
}

/// Memory that a value takes, about.
fn size(value: &FieldValue) -> usize {
    match value {
        FieldValue::Uint(_) | FieldValue::Wide(_) => 16,
        FieldValue::Bytes(octets) => octets.len(),
        FieldValue::Text(text) => text.len(),
        FieldValue::Options(list) => list.iter().map(of_option).sum(),
    }
}

fn of_option(option: &OptionValue) -> usize {
    match option {
        OptionValue::Raw(octets) => 32 + octets.len(),
        OptionValue::Named { values, .. } => {
            32 + values.iter().map(|value| 32 + size(value)).sum::<usize>()
        }
    }
}
