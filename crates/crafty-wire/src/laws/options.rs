//! Laws of option lists and of notations.

use std::vec;
use std::vec::Vec;

use super::{Dice, mutate, rounds};
use crate::{
    Decoded, Field, FieldKind, FieldValue, Header, OptionValue, all, decode, encode, layer, rebuild,
};

/// Every option, built from its fields, reads back as it was.
#[test]
fn options_read_back() {
    let mut dice = Dice(3);
    for layer in all() {
        for (index, field) in layer.fields.iter().enumerate() {
            let FieldKind::Options(tlv) = field.kind else {
                continue;
            };
            for option in tlv
                .options
                .iter()
                .filter(|option| tlv.end != Some(option.kind))
            {
                let values = option
                    .shape
                    .fields()
                    .map(|field| value_for(field, usize::from(tlv.unit), &mut dice))
                    .collect();
                let list = vec![OptionValue::Named { option, values }];
                let mut octets = Vec::new();
                crate::encode_options(tlv, &list, &mut octets);
                let read: Vec<_> = crate::OptionIterator::new(tlv, &octets)
                    .map(|option| option.row.map(|row| row.name))
                    .collect();
                assert_eq!(read, [Some(option.name)], "{}.{}", layer.name, field.name);
                assert!(
                    Header::new(layer)
                        .set(index, FieldValue::Options(list))
                        .is_ok()
                );
            }
        }
    }
}

fn value_for(field: &Field, unit: usize, dice: &mut Dice) -> FieldValue {
    match field.kind {
        FieldKind::Ip6 => FieldValue::Wide(u128::from(dice.roll())),
        FieldKind::Options(_) => FieldValue::Options(Vec::new()),
        FieldKind::Bytes if field.width() > 0 => {
            FieldValue::Bytes(dice.octets(usize::from(field.width()) / 8))
        }
        FieldKind::Bytes => FieldValue::Bytes(dice.octets(unit * 2)),
        FieldKind::Text => FieldValue::Text("text".into()),
        _ => FieldValue::Uint(dice.roll() & field.slot.mask),
    }
}

/// A list of options never grows from what was on the wire, and keeps every byte.
#[test]
fn option_lists_keep_their_bytes() {
    let mut dice = Dice(5);
    for layer in all() {
        for field in layer.fields {
            let FieldKind::Options(tlv) = field.kind else {
                continue;
            };
            for _ in 0..rounds(300) {
                let count = dice.below(48);
                let mut list = dice.octets(count);
                for octet in &mut list {
                    if dice.below(3) > 0 {
                        *octet %= 10;
                    }
                }
                let spans = crate::OptionIterator::new(tlv, &list).fold(0, |at, option| {
                    assert_eq!(option.at, at);
                    at + option.octets.len()
                });
                assert!(list[spans..].iter().all(|octet| *octet == 0), "{layer:?}");
            }
        }
    }
}

/// Bytes of a head, as options have one.
const HEAD: usize = 4;

/// Every notation reads what it writes, and writes it again whatever bytes it read.
#[test]
fn notations_go_both_ways() {
    let mut dice = Dice(13);
    for field in all()
        .iter()
        .flat_map(|layer| layer.fields)
        .flat_map(|field| with_parts(field, 0))
    {
        let crate::Extent::Spelt(spelling) = field.extent else {
            continue;
        };
        let mut octets = vec![0xff; HEAD];
        (spelling.write)(spelling.example, 0, &mut octets);
        let whole = octets.len() - HEAD;
        assert!(whole > 0, "{}", field.name);
        let read = (spelling.read)(&octets, HEAD);
        assert_eq!(
            read.as_ref().map(|(text, len)| (text.as_str(), *len)),
            Some((spelling.example, whole)),
            "{}",
            field.name
        );
        for _ in 0..rounds(200) {
            mutate(&mut octets, &mut dice);
            let read = (spelling.read)(&octets, dice.below(3).min(octets.len()));
            assert!(
                read.is_none_or(|(_, len)| len <= octets.len()),
                "{}",
                field.name
            );
        }
    }
}

/// A field and those of its options, and of theirs.
fn with_parts(field: &'static Field, depth: usize) -> Vec<&'static Field> {
    let mut all = vec![field];
    if let (FieldKind::Options(tlv), 0..3) = (field.kind, depth) {
        all.extend(
            tlv.options
                .iter()
                .flat_map(|option| option.shape.fields())
                .flat_map(|field| with_parts(field, depth + 1)),
        );
    }
    all
}

/// Options in options are read down to a depth; deeper ones are bytes, and come out again.
#[test]
fn nesting_of_options_ends() {
    let mut octets = Vec::new();
    for _ in 0..40 {
        let len = (12 + octets.len()) as u16;
        octets = [&[0, 3], &len.to_be_bytes()[..], &[7; 12], &octets].concat();
    }
    let message = [&[1, 0, 0, 7], &octets[..]].concat();
    let (mut decoded, mut out) = (Decoded::new(), Vec::new());
    let layer = layer("DHCP6").expect("a layer");
    decode(layer, &message, message.len(), &mut decoded);
    let mut value = decoded.read(&message, 0, layer.field("options").expect("a field").0);
    let mut depth = 0;
    while let Some(FieldValue::Options(list)) = &value {
        value = list
            .first()
            .and_then(|option| option.value("options"))
            .cloned();
        depth += 1;
    }
    assert_eq!(
        depth, 17,
        "sixteen lists with named options, and one of bytes"
    );
    encode(&rebuild(&message, &decoded), &mut out);
    assert_eq!(out, message);
}
