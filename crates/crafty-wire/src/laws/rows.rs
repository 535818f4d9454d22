//! Laws of the rows themselves: names, sentences, numbers that fit, bindings that do not clash.

use super::*;
use crate::{Decoded, Field, FieldKind, Header, Layer, OptionShape, Part};
use crate::{all, decode, encode};
use std::collections::BTreeSet;
use std::string::String;
use std::vec::Vec;

/// Writing a number shows in that field and in no other of the same header.
#[test]
fn a_field_is_its_own() {
    let mut dice = Dice(1);
    for layer in all() {
        let numbers = || {
            layer
                .fields
                .iter()
                .filter(|field| field.slot.len != 0 && field.part == Part::Header)
        };
        for field in numbers() {
            for _ in 0..50 {
                let before = dice.octets(300);
                let mut after = before.clone();
                field.slot.set(&mut after, dice.roll());
                let other = |other: &&Field| {
                    other.name != field.name
                        && shares_header(field, other)
                        && shares_header(other, field)
                };
                for other in numbers()
                    .filter(other)
                    .filter(|other| other.present(&before) && field.present(&before))
                {
                    assert_eq!(
                        other.slot.get(&after),
                        other.slot.get(&before),
                        "{}.{} touches {}",
                        layer.name,
                        field.name,
                        other.name
                    );
                }
            }
        }
    }
}

/// Whether two fields can be in one header: not where one decides over the other.
fn shares_header(field: &Field, other: &Field) -> bool {
    use crate::When;
    !matches!(field.when, When::In(by, _) | When::NotIn(by, _) | When::Has(by, _) if by == other.name)
}

/// Each row of `under` works both ways: the child written is the child found.
#[test]
fn bindings_go_both_ways() {
    let (mut decoded, mut out) = (Decoded::new(), Vec::new());
    for child in all() {
        for (i, row) in child.under.iter().enumerate() {
            let parent = named(row.parent);
            let plain = Header::new(parent);
            let below = if i == 0 || row.first_of(child) {
                plain
            } else {
                uint(plain, row.field, row.value)
            };
            encode(&[below, Header::new(child), bytes(&[0; 64])], &mut out);
            decode(parent, &out, out.len(), &mut decoded);
            assert_eq!(
                decoded.layers.get(1).map(|found| found.layer.name),
                Some(child.name),
                "below {} {}",
                row.parent,
                row.value
            );
        }
    }
}

/// Two children never claim the same value of a parent.
#[test]
fn bindings_do_not_clash() {
    let mut rows: Vec<_> = all()
        .iter()
        .flat_map(|child| {
            child
                .under
                .iter()
                .map(|row| (row.parent, row.value, row.last))
        })
        .collect();
    rows.sort();
    for pair in rows.windows(2) {
        assert!(pair[0].0 != pair[1].0 || pair[0].2 < pair[1].1, "{pair:?}");
    }
}

/// The house rules for rows: sentences, names that fit, numbers that fit.
#[test]
fn rows_are_in_order() {
    let mut names = BTreeSet::new();
    for layer in all() {
        assert!(names.insert(layer.name), "{} twice", layer.name);
        assert!(
            !layer.title.is_empty() && !layer.spec.is_empty(),
            "{}",
            layer.name
        );
        assert!(
            layer.about.ends_with('.')
                && layer.example.starts_with('/')
                && layer.example.contains(layer.name),
            "{}",
            layer.name
        );
        for row in layer.under {
            let (_, field) = named(row.parent)
                .field(row.field)
                .expect("a field of the parent");
            assert!(
                field.width() == 64 || row.last >> field.width() == 0,
                "{} under {}",
                layer.name,
                row.parent
            );
        }
        layer
            .fields
            .iter()
            .for_each(|field| check_field(layer.name, field, 0));
    }
}

fn check_field(layer: &str, field: &Field, depth: usize) {
    let lower = |name: &str| {
        name.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    assert!(
        field.doc.ends_with('.') && lower(field.name),
        "{layer}.{}",
        field.name
    );
    let mut names = BTreeSet::new();
    match field.kind {
        FieldKind::Named(rows) => {
            for (value, name) in rows {
                assert!(
                    lower(name) && names.insert(*name),
                    "{layer}.{}: {name}",
                    field.name
                );
                assert!(
                    field.width() >= 64 || value >> field.width() == 0,
                    "{layer}.{}: {name}",
                    field.name
                );
            }
        }
        FieldKind::Flags(bits) => assert!(
            bits.iter().all(|bit| lower(bit) && names.insert(bit)),
            "{layer}.{}",
            field.name
        ),
        FieldKind::Options(tlv) if depth < 3 => {
            for option in tlv.options {
                assert!(
                    lower(option.name) && option.doc.ends_with('.') && names.insert(option.name),
                    "{layer}.{}",
                    option.name
                );
                option
                    .shape
                    .fields()
                    .for_each(|field| check_field(option.name, field, depth + 1));
            }
        }
        _ => {}
    }
}

/// A module for each file and each folder of the folder, in order.
#[test]
fn every_file_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/protocols");
    let files = std::fs::read_dir(folder)
        .expect("the folder")
        .filter_map(|file| file.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = files
        .map(|name| String::from(name.strip_suffix(".rs").unwrap_or(&name)))
        .filter(|name| name != "mod")
        .collect();
    names.sort();
    let listed: Vec<String> = crate::protocols::MODULES
        .iter()
        .map(|name| String::from(*name))
        .collect();
    assert_eq!(
        listed, names,
        "add the missing word to `protocols!` in src/protocols/mod.rs"
    );
}

/// Repeated groups are the last thing of an option, and make progress.
#[test]
fn repeated_groups_have_a_size() {
    for layer in all() {
        for field in layer.fields {
            let FieldKind::Options(tlv) = field.kind else {
                continue;
            };
            for option in tlv.options {
                if let OptionShape::Repeat(_, again) = option.shape {
                    let own = |field: &Field| {
                        field.width() > 0
                            || !matches!(field.extent, crate::Extent::Layer | crate::Extent::Header)
                    };
                    assert!(
                        !again.is_empty() && again.iter().all(own),
                        "{}",
                        option.name
                    );
                }
            }
        }
    }
}

impl crate::Under {
    fn first_of(&self, child: &Layer) -> bool {
        child
            .under
            .iter()
            .find(|row| row.parent == self.parent)
            .is_some_and(|row| row.value == self.value)
    }
}
