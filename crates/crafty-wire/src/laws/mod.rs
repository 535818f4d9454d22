//! Laws that hold for every row of every table, tried before anybody writes a test for a row.

use std::collections::BTreeSet;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use crate::{
    Auto, DecodeWarning, Decoded, Field, FieldKind, FieldValue, Header, Layer, OptionShape, Part,
    Template,
};
use crate::{all, decode, encode, layer, patch, rebuild};

/// Bytes from hex digits.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hex")
        })
        .collect()
}

mod lies;
mod options;
mod roles;

/// A die of the tests' own: same seed, same bytes.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() >> 16) as usize % end.max(1)
    }

    fn octets(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.roll() as u8).collect()
    }
}

/// Rounds of a law: `TEST_ROUNDS=100 cargo test -p crafty-wire laws` tries a hundred times as
/// many.
fn rounds(usual: usize) -> usize {
    let times = std::env::var("TEST_ROUNDS")
        .ok()
        .and_then(|times| times.parse().ok());
    usual * times.unwrap_or(1)
}

fn named(name: &str) -> &'static Layer {
    layer(name).unwrap_or_else(|| panic!("no layer `{name}`"))
}

fn bytes(octets: &[u8]) -> Header {
    Header::new(named("Bytes"))
        .with("data", FieldValue::Bytes(octets.to_vec()))
        .expect("bytes")
}

fn uint(header: Header, field: &str, value: u64) -> Header {
    header
        .with(field, FieldValue::Uint(value))
        .expect("a number that fits")
}

/// Frames that reach every layer: each layer below its parents, with random fields.
fn frame(layer: &'static Layer, dice: &mut Dice) -> (Vec<u8>, &'static Layer) {
    let mut headers = vec![Header::new(layer), bytes(&dice.octets(40))];
    let mut first = layer;
    while let Some(row) = first.under.get(dice.below(first.under.len())) {
        first = named(row.parent);
        let below = uint(Header::new(first), row.field, row.value);
        headers.insert(0, below);
        if headers.len() > 6 {
            break;
        }
    }
    let mut out = Vec::new();
    encode(&headers, &mut out);
    (out, first)
}

fn mutate(octets: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..dice.below(6) {
        let at = dice.below(octets.len());
        if let Some(octet) = octets.get_mut(at) {
            *octet = match dice.below(4) {
                0 => 0,
                1 => 0xff,
                2 => octet.wrapping_add(1),
                _ => dice.roll() as u8,
            };
        }
    }
    if dice.below(4) == 0 {
        octets.truncate(dice.below(octets.len() + 1));
    }
}

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

/// Whatever is found in any bytes, setting each field to what was read gives the same bytes back.
#[test]
fn what_is_read_can_be_written() {
    let (mut dice, mut decoded, mut out, mut depths) =
        (Dice(7), Decoded::new(), Vec::new(), [0; 17]);
    for layer in all() {
        for _ in 0..rounds(400) {
            let (mut octets, first) = frame(layer, &mut dice);
            mutate(&mut octets, &mut dice);
            decode(first, &octets, octets.len(), &mut decoded);
            depths[decoded.layers.len()] += 1;
            encode(&rebuild(&octets, &decoded), &mut out);
            assert_eq!(out, octets, "{decoded:#?}");
        }
    }
    assert!(
        depths[3..].iter().sum::<i32>() > 1000,
        "the law was tried on nested frames: {depths:?}"
    );
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

impl crate::Under {
    fn first_of(&self, child: &Layer) -> bool {
        child
            .under
            .iter()
            .find(|row| row.parent == self.parent)
            .is_some_and(|row| row.value == self.value)
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

/// Nothing from the wire makes the codec panic, run on, or find what is not there.
#[test]
fn any_bytes_are_read() {
    let (mut dice, mut decoded) = (Dice(11), Decoded::new());
    for round in 0..rounds(200) {
        for layer in all() {
            let (mut octets, mut first) = frame(layer, &mut dice);
            if round % 3 == 0 {
                let count = dice.below(200);
                (octets, first) = (dice.octets(count), layer);
            }
            mutate(&mut octets, &mut dice);
            let wire_len = octets.len() + dice.below(3) * 100;
            decode(first, &octets, wire_len, &mut decoded);
            read_all(&octets, &decoded);
            if let Some(i) = decoded.layers.len().checked_sub(1) {
                let _ = patch(
                    &mut octets.clone(),
                    &decoded,
                    i,
                    dice.below(8),
                    dice.roll() & 0xff,
                );
            }
        }
    }
}

fn read_all(octets: &[u8], decoded: &Decoded) {
    assert!(decoded.layers.len() <= crate::MAX_LAYERS);
    for (i, found) in decoded.layers.iter().enumerate() {
        assert!(
            found.start < found.payload
                && found.payload <= found.trailer
                && found.trailer <= found.end,
            "{decoded:?}"
        );
        assert!(found.end <= octets.len(), "{decoded:?}");
        let mut fields: Vec<_> = decoded
            .fields(octets, i)
            .map(|(index, field, seen)| (index, field.name, seen.into_value()))
            .collect();
        let single = |(index, field): (usize, &Field)| {
            Some((index, field.name, decoded.read(octets, i, index)?))
        };
        assert_eq!(
            fields,
            found
                .layer
                .fields
                .iter()
                .enumerate()
                .filter_map(single)
                .collect::<Vec<_>>()
        );
        fields.sort_by_key(|row| row.1);
        assert!(
            fields.windows(2).all(|pair| pair[0].1 != pair[1].1),
            "a name twice: {fields:?}"
        );
        for (index, field) in found.layer.fields.iter().enumerate() {
            let value = decoded.read(octets, i, index);
            assert_eq!(
                decoded.read_uint(octets, i, index),
                value.as_ref().and_then(FieldValue::as_uint),
                "{}",
                field.name
            );
            decoded.checksum(octets, i, index);
            decoded.option(octets, i, index, "mss");
        }
    }
    decoded
        .all_warnings()
        .for_each(|(_, warning)| drop(warning.to_string()));
}

/// Patching a template gives what building anew gives, checksums included, for every number of
/// every layer.
#[test]
fn a_patch_is_a_new_build() {
    let mut dice = Dice(9);
    let stacks = [
        vec!["Eth", "IP", "UDP"],
        vec!["Eth", "IP", "TCP"],
        vec!["IP6", "TCP"],
        vec!["IP", "ICMP"],
        vec!["IP6", "ICMP6"],
        vec!["Eth", "IP", "UDP", "VXLAN", "Eth", "IP", "UDP"],
        vec!["IP", "IP6", "UDP"],
        vec!["IP", "GRE", "IP", "TCP"],
    ];
    for names in stacks {
        let mut headers: Vec<Header> = names.iter().map(|name| Header::new(named(name))).collect();
        headers.push(bytes(&dice.octets(33)));
        for i in 0..names.len() {
            let layer = headers[i].layer();
            for (index, field) in layer
                .fields
                .iter()
                .enumerate()
                .filter(|(_, field)| matches!(field.auto, Auto::Default(_)))
            {
                if field.slot.len == 0 || !field.extent.is_bits() || field.name == "type" {
                    continue;
                }
                let mut template = Template::new(&headers);
                let Some(place) = template.place(i, index) else {
                    continue;
                };
                for _ in 0..20 {
                    let value = dice.roll() & field.slot.mask;
                    template.patch(place, value);
                    let (mut anew, mut out) = (headers.clone(), Vec::new());
                    anew[i]
                        .set(index, FieldValue::Uint(value))
                        .expect("it fits");
                    encode(&anew, &mut out);
                    assert_eq!(
                        template.octets(),
                        out,
                        "{names:?} {}.{}",
                        layer.name,
                        field.name
                    );
                }
            }
        }
    }
}

/// A tunnel seven layers deep with a wrong checksum and reserved bits set: lies stay, the rest is
/// right.
#[test]
fn a_tunnel_with_lies() {
    let address = |name: &str, src: u64, dst: u64| {
        uint(uint(Header::new(named(name)), "src", src), "dst", dst)
    };
    let tcp = uint(
        uint(uint(Header::new(named("TCP")), "flags", 2), "reserved", 7),
        "checksum",
        0xdead,
    );
    let stack = [
        Header::new(named("Eth")),
        address("IP", 0x0a00_0001, 0x0a00_0002),
        uint(Header::new(named("UDP")), "src", 5555),
        uint(
            uint(Header::new(named("VXLAN")), "vni", 42),
            "reserved",
            0xab_cdef,
        ),
        Header::new(named("Eth")),
        address("IP", 0xc0a8_0001, 0xc0a8_0002),
        tcp,
        bytes(b"hello"),
    ];
    let (mut out, mut decoded) = (Vec::new(), Decoded::new());
    encode(&stack, &mut out);
    decode(named("Eth"), &out, out.len(), &mut decoded);
    let names: Vec<_> = decoded
        .layers
        .iter()
        .map(|found| found.layer.name)
        .collect();
    assert_eq!(
        names,
        ["Eth", "IP", "UDP", "VXLAN", "Eth", "IP", "TCP", "Bytes"]
    );
    let status = |i: usize| {
        decoded.checksum(
            &out,
            i,
            decoded.layers[i]
                .layer
                .field("checksum")
                .expect("it has one")
                .0,
        )
    };
    use crate::ChecksumStatus::{Bad, Good};
    assert_eq!((status(1), status(2), status(5)), (Good, Good, Good));
    assert!(matches!(status(6), Bad { .. }));
    let at = |i: usize, name: &str| {
        decoded.read_uint(
            &out,
            i,
            decoded.layers[i].layer.field(name).expect("it has one").0,
        )
    };
    assert_eq!(
        (at(6, "checksum"), at(6, "reserved"), at(3, "reserved")),
        (Some(0xdead), Some(7), Some(0xab_cdef))
    );
    assert_eq!(decoded.all_warnings().count(), 0);
}

/// Sixteen layers are the end.
#[test]
fn nesting_ends() {
    let stack: Vec<Header> = (0..40)
        .map(|_| Header::new(named("VLAN")))
        .chain([bytes(b"x")])
        .collect();
    let (mut out, mut decoded) = (Vec::new(), Decoded::new());
    encode(&stack, &mut out);
    decode(named("VLAN"), &out, out.len(), &mut decoded);
    assert_eq!(decoded.layers.len(), 16);
    assert_eq!(
        decoded
            .layers
            .last()
            .map(|found| (found.layer.name, found.end)),
        Some(("Bytes", out.len()))
    );
    assert_eq!(
        decoded.warnings(15).collect::<Vec<_>>(),
        [DecodeWarning::TooDeep]
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
