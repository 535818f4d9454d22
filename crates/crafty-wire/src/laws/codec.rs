//! Laws of the codec: what is written is read, what is read can be written, and any bytes are taken.

use super::*;
use crate::{Auto, DecodeWarning, Decoded, Field, FieldValue, Header, Template};
use crate::{all, decode, encode, patch, rebuild};
use std::string::ToString;
use std::vec;
use std::vec::Vec;

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

/// Patching a template gives what building again gives, checksums included, for every number of
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

/// A tunnel seven layers deep, whose innermost header has a wrong checksum and reserved bits set.
fn lying_tunnel() -> [Header; 8] {
    let address = |name: &str, src: u64, dst: u64| {
        uint(uint(Header::new(named(name)), "src", src), "dst", dst)
    };
    let tcp = uint(
        uint(uint(Header::new(named("TCP")), "flags", 2), "reserved", 7),
        "checksum",
        0xdead,
    );
    [
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
    ]
}

/// Lies stay, the rest is right.
#[test]
fn a_tunnel_with_lies() {
    let (mut out, mut decoded) = (Vec::new(), Decoded::new());
    encode(&lying_tunnel(), &mut out);
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
