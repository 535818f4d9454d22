//! Packets made by the codec, a line each, and what they show.

use crate::{Analyser, Direction, Finding, MAX_EVIDENCE, MAX_FLOWS, rules};
use crafty_value::Time;
use crafty_wire::{Decoded, FieldValue, Header, OptionValue, decode, encode, layer};

/// A packet: milliseconds, and its headers (layer, fields as numbers).
type Row<'a> = (i64, &'a [(&'a str, &'a [(&'a str, u64)])]);

const A: u64 = 0x0a00_0001;
const B: u64 = 0x0a00_0002;
const SYN: u64 = 2;
const ACK: u64 = 16;
const RST: u64 = 4;

fn header(name: &str, fields: &[(&str, u64)]) -> Header {
    let table = layer(name).unwrap();
    let plain = fields.iter().filter(|it| table.field(it.0).is_some());
    let header = plain.fold(Header::new(table), |header, (field, value)| {
        header.with(field, FieldValue::Uint(*value)).unwrap()
    });
    let options: Vec<OptionValue> = fields
        .iter()
        .filter(|it| table.field(it.0).is_none())
        .map(option)
        .collect();
    if options.is_empty() {
        header
    } else {
        header
            .with("options", FieldValue::Options(options))
            .unwrap()
    }
}

/// `mss`, `wscale` and `sack_ok` as they are; `ts` and `sack` with two halves of the number.
fn option(row: &(&str, u64)) -> OptionValue {
    let halves = [(row.1 >> 32) as u32, row.1 as u32]
        .map(u32::to_be_bytes)
        .concat();
    OptionValue::Raw(match row.0 {
        "mss" => vec![2, 4, (row.1 >> 8) as u8, row.1 as u8],
        "wscale" => vec![3, 3, row.1 as u8],
        "sack_ok" => vec![4, 2],
        "ts" => [&[8, 10], &halves[..]].concat(),
        "sack" => [&[5, 10], &halves[..]].concat(),
        other => panic!("no option {other}"),
    })
}

fn frame(row: &Row<'_>) -> Vec<u8> {
    let payload = |(name, fields): &(&str, &[(&str, u64)])| match *name {
        "Bytes" => Header::new(layer("Bytes").unwrap())
            .with("data", FieldValue::Bytes(vec![7; fields[0].1 as usize]))
            .unwrap(),
        name => header(name, fields),
    };
    let headers: Vec<Header> = row.1.iter().map(payload).collect();
    let mut out = Vec::new();
    encode(&headers, &mut out);
    out
}

fn analyse(rows: &[Row<'_>], direction: Option<Direction>) -> Vec<Finding> {
    let mut analyser = Analyser::new();
    for (i, row) in rows.iter().enumerate() {
        let octets = frame(row);
        let mut decoded = Decoded::new();
        decode(
            layer(row.1[0].0).unwrap(),
            &octets,
            octets.len(),
            &mut decoded,
        );
        analyser.packet(
            i as u64 + 1,
            Some(Time(row.0 * 1_000_000)),
            &octets,
            &decoded,
            direction,
        );
    }
    analyser.finish()
}

/// These packets show these findings: name, a part of the sentence, packets.
fn check(rows: &[Row<'_>], expected: &[(&str, &str, &[u64])]) {
    let found = analyse(rows, None);
    let shown: Vec<_> = found
        .iter()
        .map(|it| (it.name, it.sentence.as_str(), &it.evidence[..]))
        .collect();
    let same = shown.len() == expected.len()
        && shown
            .iter()
            .zip(expected)
            .all(|(a, b)| a.0 == b.0 && a.1.contains(b.1) && a.2 == b.2);
    assert!(same, "{shown:#?}");
}

const TO: &[(&str, u64)] = &[("src", A), ("dst", B)];
const FRO: &[(&str, u64)] = &[("src", B), ("dst", A)];

macro_rules! tcp {
    (> $seq:expr, $ack:expr, $flags:expr $(, $name:literal = $value:expr)*) => {
        ("TCP", &[("src", 4000), ("dst", 9), ("seq", $seq), ("ack", $ack), ("flags", $flags) $(, ($name, $value))*])
    };
    (< $seq:expr, $ack:expr, $flags:expr $(, $name:literal = $value:expr)*) => {
        ("TCP", &[("src", 9), ("dst", 4000), ("seq", $seq), ("ack", $ack), ("flags", $flags) $(, ($name, $value))*])
    };
}

const OPENING: [Row<'static>; 3] = [
    (0, &[("IP", TO), tcp!(> 99, 0, SYN, "sack_ok" = 0)]),
    (
        20,
        &[("IP", FRO), tcp!(< 499, 100, SYN | ACK, "sack_ok" = 0)],
    ),
    (21, &[("IP", TO), tcp!(> 100, 500, ACK)]),
];

fn check_open(rows: &[Row<'_>], expected: &[(&str, &str, &[u64])]) {
    check(&[&OPENING[..], rows].concat(), expected);
}

#[test]
fn openings() {
    check_open(&[], &[]);
    check(
        &OPENING[..1],
        &[("unanswered", "10.0.0.2:9 did not answer (1 SYN)", &[1])],
    );
    check(
        &OPENING[..2],
        &[("half_open", "answered by 10.0.0.2:9", &[1, 2])],
    );
    let refusal: Row<'_> = (5, &[("IP", FRO), tcp!(< 0, 100, RST | ACK)]);
    check(
        &[OPENING[0], refusal],
        &[("reset", "10.0.0.2:9 refused the connection", &[2])],
    );
    let ts: Row<'_> = (20, &[("IP", FRO), tcp!(< 499, 100, SYN | ACK, "ts" = 1)]);
    check(
        &[OPENING[0], ts, OPENING[2]],
        &[(
            "options",
            "the answer has `ts`, which the captured SYN did not offer",
            &[2],
        )],
    );
}

#[test]
fn a_syn_at_two_places_shows_who_clamps() {
    let at = |ttl: u64, mss: u64| {
        frame(&(
            0,
            &[
                ("IP", &[("src", A), ("dst", B), ("id", 7), ("ttl", ttl)]),
                tcp!(> 99, 0, SYN, "mss" = mss),
            ],
        ))
    };
    let mut analyser = Analyser::new();
    for (i, octets) in [at(64, 1460), at(63, 1400)].iter().enumerate() {
        let mut decoded = Decoded::new();
        decode(layer("IP").unwrap(), octets, octets.len(), &mut decoded);
        analyser.packet(i as u64 + 1, None, octets, &decoded, None);
    }
    let found = analyser.finish();
    let shown: Vec<_> = found
        .iter()
        .map(|it| (it.name, it.sentence.contains("`mss` 1460 became 1400")))
        .collect();
    assert_eq!(shown, [("unanswered", false), ("options", true)]);
}

#[test]
fn bytes_sent_again() {
    let data: Row<'_> = (
        30,
        &[("IP", TO), tcp!(> 100, 500, ACK), ("Bytes", &[("", 100)])],
    );
    let more: Row<'_> = (
        31,
        &[("IP", TO), tcp!(> 200, 500, ACK), ("Bytes", &[("", 100)])],
    );
    let again: Row<'_> = (
        400,
        &[("IP", TO), tcp!(> 100, 500, ACK), ("Bytes", &[("", 100)])],
    );
    let acked: Row<'_> = (50, &[("IP", FRO), tcp!(< 500, 200, ACK)]);
    let held: Row<'_> = (
        51,
        &[("IP", FRO), tcp!(< 500, 100, ACK, "sack" = 200 << 32 | 300)],
    );
    let twice: Row<'_> = (
        420,
        &[("IP", FRO), tcp!(< 500, 200, ACK, "sack" = 100 << 32 | 200)],
    );
    check_open(
        &[data, again],
        &[("retransmission", "necessity unknown", &[5])],
    );
    check_open(
        &[data, acked, again],
        &[(
            "retransmission",
            "its acknowledgement had been captured",
            &[6],
        )],
    );
    check_open(
        &[data, again, twice],
        &[(
            "retransmission",
            "(spurious), 10.0.0.1:4000 to 10.0.0.2:9: the receiver reported a duplicate",
            &[5],
        )],
    );
    let lacks = "(necessary), 10.0.0.1:4000 to 10.0.0.2:9: the receiver had reported it missing";
    let lost = [
        (
            "loss",
            "between the capture point and the receiver",
            &[7][..],
        ),
        ("retransmission", lacks, &[7]),
    ];
    check_open(
        &[data, more, held, again],
        &[
            lost[0],
            lost[1],
            (
                "duplicate_acknowledgement",
                "1 acknowledgement repeated",
                &[6],
            ),
        ],
    );
    let soon: Row<'_> = (31, again.1);
    check_open(
        &[data, soon],
        &[("duplicate_packet", "1 packet seen twice", &[4, 5])],
    );
    let before = "between the sender and the capture point";
    check_open(
        &[more, again],
        &[
            ("loss", before, &[5]),
            ("retransmission", "did not reach the capture point", &[5]),
        ],
    );
    let late: Row<'_> = (38, data.1);
    check_open(
        &[more, late],
        &[("reordering", "by at most 1 segment and 7ms", &[5])],
    );
}

#[test]
fn time_stamps_tell_the_copies_apart() {
    let open: [Row<'_>; 3] = [
        (0, &[("IP", TO), tcp!(> 99, 0, SYN, "ts" = 1 << 32)]),
        (
            20,
            &[("IP", FRO), tcp!(< 499, 100, SYN | ACK, "ts" = 5 << 32 | 1)],
        ),
        (21, &[("IP", TO), tcp!(> 100, 500, ACK, "ts" = 2 << 32 | 5)]),
    ];
    let data: Row<'_> = (
        30,
        &[
            ("IP", TO),
            tcp!(> 100, 500, ACK, "ts" = 30 << 32 | 5),
            ("Bytes", &[("", 100)]),
        ],
    );
    let again: Row<'_> = (
        60,
        &[
            ("IP", TO),
            tcp!(> 100, 500, ACK, "ts" = 60 << 32 | 5),
            ("Bytes", &[("", 100)]),
        ],
    );
    let first: Row<'_> = (
        70,
        &[("IP", FRO), tcp!(< 500, 200, ACK, "ts" = 9 << 32 | 30)],
    );
    let second: Row<'_> = (
        70,
        &[("IP", FRO), tcp!(< 500, 200, ACK, "ts" = 9 << 32 | 60)],
    );
    let bare: Row<'_> = (70, &[("IP", FRO), tcp!(< 500, 200, ACK)]);
    check(
        &[&open[..], &[data, again, first]].concat(),
        &[("retransmission", "spurious", &[5])],
    );
    let loss = (
        "loss",
        "between the capture point and the receiver",
        &[5][..],
    );
    check(
        &[&open[..], &[data, again, second]].concat(),
        &[loss, ("retransmission", "necessary", &[5])],
    );
    check(
        &[&open[..], &[data, bare]].concat(),
        &[("options", "negotiated but are missing later", &[5])],
    );
}

#[test]
fn windows_marks_and_resets() {
    let zero: Row<'_> = (30, &[("IP", FRO), tcp!(< 500, 100, ACK, "window" = 0)]);
    let shrunk = ("shrinking_window", "by at most 65535 bytes", &[4][..]);
    check_open(
        &[(29, &[("IP", FRO), tcp!(< 500, 100, ACK)]), zero],
        &[
            ("zero_window", "closes 1 time", &[5]),
            (shrunk.0, shrunk.1, &[5]),
        ],
    );
    let marked: Row<'_> = (
        30,
        &[
            ("IP", &[("src", A), ("dst", B), ("ecn", 3)]),
            tcp!(> 100, 500, ACK),
        ],
    );
    check_open(
        &[marked],
        &[("congestion_mark", "marked as congested", &[4])],
    );
    let odd: Row<'_> = (
        30,
        &[
            ("IP", &[("src", B), ("dst", A), ("ttl", 250)]),
            tcp!(< 500, 0, RST),
        ],
    );
    check_open(
        &[odd],
        &[
            ("reset", "10.0.0.2:9 reset the connection", &[4]),
            (
                "reset_ttl",
                "250, but the sender's other packets had 64",
                &[4],
            ),
        ],
    );
    let other: Row<'_> = (
        30,
        &[
            ("IP", &[("src", B), ("dst", A), ("ttl", 60), ("dscp", 46)]),
            tcp!(< 500, 100, ACK),
        ],
    );
    check_open(
        &[other],
        &[
            ("dscp_change", "from 0 to 46", &[4]),
            ("ttl_change", "changes 1 time", &[4]),
        ],
    );
    let beyond: Row<'_> = (30, &[("IP", FRO), tcp!(< 500, 400, ACK)]);
    check_open(
        &[beyond],
        &[("not_captured", "at most 300 bytes at once", &[4])],
    );
}

#[test]
fn a_slow_server_is_told_from_a_slow_path() {
    let ask: Row<'_> = (
        30,
        &[("IP", TO), tcp!(> 100, 500, ACK), ("Bytes", &[("", 100)])],
    );
    let answer = |at| -> Row<'_> {
        (
            at,
            &[("IP", FRO), tcp!(< 500, 200, ACK), ("Bytes", &[("", 10)])],
        )
    };
    check_open(&[ask, answer(500)], &[]);
    check_open(
        &[ask, answer(1051)],
        &[("slow_answer", "took 1s beyond the round trip", &[5])],
    );
}

#[test]
fn beside_tcp() {
    let udp = ("UDP", &[("src", 1), ("dst", 2)][..]);
    let piece: Row<'_> = (
        0,
        &[
            ("IP", &[("src", A), ("dst", B), ("flags", 1)]),
            udp,
            ("Bytes", &[("", 8)]),
        ],
    );
    check(
        &[piece],
        &[("fragments", "1 fragment, 10.0.0.1 to 10.0.0.2", &[1])],
    );
    let wrong: Row<'_> = (
        0,
        &[
            ("IP", TO),
            ("UDP", &[("src", 1), ("dst", 2), ("checksum", 1)]),
        ],
    );
    check(
        &[wrong],
        &[("checksum", "the UDP checksum of 1 packet is wrong", &[1])],
    );
    assert_eq!(analyse(&[wrong], Some(Direction::Outbound)), []);
    let pseudo = 0x0a00 + 1 + 0x0a00 + 2 + 17 + 8;
    check(
        &[(
            0,
            &[
                ("IP", TO),
                ("UDP", &[("src", 1), ("dst", 2), ("checksum", pseudo)]),
            ],
        )],
        &[],
    );
    let router = &[("src", 0x0a00_00fe), ("dst", A)];
    let error: Row<'_> = (
        0,
        &[
            ("IP", router),
            ("ICMP", &[("type", 3), ("code", 4), ("mtu", 1400)]),
            ("IP", TO),
            udp,
        ],
    );
    let said = "10.0.0.254 says `fragmentation needed but not allowed` (MTU 1400) about a packet from 10.0.0.1 to 10.0.0.2 UDP port 2";
    check(&[error], &[("icmp_error", said, &[1])]);
    let arp = |mac: u64| {
        frame(&(
            0,
            &[
                ("Eth", &[]),
                ("ARP", &[("op", 2), ("spa", A), ("sha", mac)]),
            ],
        ))
    };
    assert_ne!(arp(1), arp(2));
    let claims: [Row<'_>; 3] = [
        (
            0,
            &[("Eth", &[]), ("ARP", &[("op", 2), ("spa", A), ("sha", 1)])],
        ),
        (
            1,
            &[("Eth", &[]), ("ARP", &[("op", 2), ("spa", A), ("sha", 1)])],
        ),
        (
            2,
            &[("Eth", &[]), ("ARP", &[("op", 1), ("spa", A), ("sha", 2)])],
        ),
    ];
    check(&claims[..2], &[]);
    check(
        &claims,
        &[(
            "duplicate_address",
            "10.0.0.1 is claimed by 00:00:00:00:00:01 and by 00:00:00:00:00:02",
            &[2, 3],
        )],
    );
}

#[test]
fn memory_is_bounded_and_what_goes_is_counted() {
    let mut analyser = Analyser::new();
    let mut decoded = Decoded::new();
    let count = MAX_FLOWS as u64 + 100;
    for i in 0..count {
        let octets = frame(&(
            0,
            &[
                ("IP", TO),
                (
                    "TCP",
                    &[
                        ("src", 1 + i % 60_000),
                        ("dst", 9),
                        ("seq", 5),
                        ("flags", SYN),
                    ],
                ),
            ],
        ));
        decode(layer("IP").unwrap(), &octets, octets.len(), &mut decoded);
        analyser.packet(i + 1, None, &octets, &decoded, None);
    }
    assert_eq!(
        (analyser.flows_let_go(), analyser.findings_let_go()),
        (100, 0)
    );
    assert_eq!(analyser.finish().len() as u64, count);
    let rows: Vec<Row<'_>> = (0..200)
        .map(|i| -> Row<'_> {
            (
                i,
                &[
                    ("IP", &[("src", A), ("dst", B), ("flags", 1)]),
                    ("Bytes", &[("", 8)]),
                ],
            )
        })
        .collect();
    let found = analyse(&rows, None);
    assert_eq!(
        (found[0].count, found[0].evidence.len()),
        (200, MAX_EVIDENCE)
    );
}

/// Bytes of chance, and packets bent at every byte: no panic, and the same findings twice.
#[test]
fn hostile_bytes_do_no_harm() {
    let rows = [
        OPENING[0],
        OPENING[1],
        (
            30,
            &[
                ("IP", TO),
                tcp!(> 100, 500, ACK, "sack" = 200 << 32 | 300, "ts" = 7),
                ("Bytes", &[("", 9)]),
            ],
        ),
    ];
    let run = || {
        let mut analyser = Analyser::new();
        let mut decoded = Decoded::new();
        let mut state = 1_u64;
        for i in 0..20_000_u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut octets = frame(&rows[(i % 3) as usize]);
            let at = (state >> 33) as usize % octets.len();
            octets[at] = (state >> 24) as u8;
            octets.truncate(octets.len() - (state >> 60) as usize % 4);
            decode(
                layer("IP").unwrap(),
                &octets,
                octets.len() + (state >> 62) as usize,
                &mut decoded,
            );
            analyser.packet(
                i,
                Some(Time((state as i64).saturating_sub(i as i64))),
                &octets,
                &decoded,
                None,
            );
        }
        analyser.finish()
    };
    let first = run();
    assert!(!first.is_empty());
    assert_eq!(first, run());
}

#[test]
fn rules_are_in_order_and_told() {
    assert!(rules().windows(2).all(|pair| pair[0].name < pair[1].name));
    for rule in rules() {
        assert!(
            rule.doc.ends_with('.') && !rule.doc.contains("  ") && !rule.title.is_empty(),
            "{}",
            rule.name
        );
    }
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/findings"))
        .unwrap()
        .count()
        - 1;
    assert_eq!(
        files,
        rules().len(),
        "a file in `src/findings` is not in the list of `src/findings/mod.rs`"
    );
}
