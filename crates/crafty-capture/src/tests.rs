//! What is written is read; what others may write is read; damage is reported, and neither panics
//! nor fills memory.

use crate::Direction;
use crate::item::{Custom, Item, Record, Secrets, Statistics};
use crate::order::Order;
use crate::pcapng::{BYTE_ORDER, block, option, padding};
use crate::{CaptureError, CaptureReader, CaptureWriter, read_all, secrets};
use crafty_value::Time;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

fn record() -> Record {
    Record {
        octets: vec![1, 2, 3, 4, 5],
        wire_len: 60,
        time: Some(Time(1_700_000_000_123_456_789)),
        link: 1,
        interface: 0,
        direction: Some(Direction::Outbound),
        comments: vec!["line 7: ICMP".into(), "sent".into()],
    }
}

fn written() -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new()).unwrap();
    writer.interface("veth0", 1).unwrap();
    writer
        .secrets(secrets::TLS_KEY_LOG, b"CLIENT_RANDOM 00 11\n")
        .unwrap();
    writer.packet(&record()).unwrap();
    writer.statistics(0, 10, 2).unwrap();
    writer.finish().unwrap()
}

fn items(file: &[u8]) -> Vec<Item> {
    let mut reader = CaptureReader::new(file).unwrap();
    std::iter::from_fn(|| reader.item().unwrap()).collect()
}

#[test]
fn what_is_written_is_read() {
    let statistics = Statistics {
        interface: 0,
        received: Some(10),
        dropped: Some(2),
        os_dropped: None,
    };
    let secrets = Secrets {
        kind: secrets::TLS_KEY_LOG,
        octets: b"CLIENT_RANDOM 00 11\n".to_vec(),
    };
    assert_eq!(
        items(&written()),
        [
            Item::Secrets(secrets),
            Item::Packet(record()),
            Item::Statistics(statistics)
        ]
    );
    let untimed = Record {
        octets: vec![7; 6],
        wire_len: 6,
        link: 1,
        ..Record::default()
    };
    let mut writer = CaptureWriter::new(Vec::new()).unwrap();
    writer.interface("", 1).unwrap();
    writer.packet(&untimed).unwrap();
    assert_eq!(items(&writer.finish().unwrap()), [Item::Packet(untimed)]);
}

/// A file made block by block, in either byte order.
struct Blocks {
    big: bool,
    octets: Vec<u8>,
}

impl Blocks {
    fn new(big: bool) -> Blocks {
        let mut blocks = Blocks {
            big,
            octets: Vec::new(),
        };
        let body = [
            blocks.words(&[BYTE_ORDER]),
            blocks.halves(&[1, 0]),
            vec![0xff; 8],
        ]
        .concat();
        blocks.block(block::SECTION, &body);
        blocks
    }

    fn words(&self, words: &[u32]) -> Vec<u8> {
        words
            .iter()
            .flat_map(|n| {
                if self.big {
                    n.to_be_bytes()
                } else {
                    n.to_le_bytes()
                }
            })
            .collect()
    }

    fn halves(&self, halves: &[u16]) -> Vec<u8> {
        halves
            .iter()
            .flat_map(|n| {
                if self.big {
                    n.to_be_bytes()
                } else {
                    n.to_le_bytes()
                }
            })
            .collect()
    }

    fn option(&self, code: u16, value: &[u8]) -> Vec<u8> {
        let head = self.halves(&[code, value.len() as u16]);
        [&head, value, &vec![0; padding(value.len())][..]].concat()
    }

    fn block(&mut self, kind: u32, body: &[u8]) {
        let body = [body, &vec![0; padding(body.len())][..]].concat();
        let length = body.len() as u32 + 12;
        let ends = self.words(&[kind, length, length]);
        self.octets.extend([&ends[..8], &body, &ends[8..]].concat());
    }

    fn interface(&mut self, link: u16, snap: u32, options: &[(u16, &[u8])]) {
        let options: Vec<u8> = options
            .iter()
            .flat_map(|(code, value)| self.option(*code, value))
            .collect();
        let body = [self.halves(&[link, 0]), self.words(&[snap]), options].concat();
        self.block(block::INTERFACE, &body);
    }

    fn packet(&mut self, interface: u32, units: u64, octets: &[u8]) {
        let head = self.words(&[
            interface,
            (units >> 32) as u32,
            units as u32,
            octets.len() as u32,
            octets.len() as u32,
        ]);
        self.block(block::ENHANCED, &[&head, octets].concat());
    }
}

#[test]
fn stamps_follow_their_interface() {
    let check = |options: &[(u16, &[u8])], units: u64, wanted: Option<i64>| {
        let mut file = Blocks::new(false);
        file.interface(1, 0, options);
        file.packet(0, units, b"x");
        let (records, error) = read_all(file.octets.as_slice()).unwrap();
        assert!(error.is_none(), "{error:?}");
        assert_eq!(records[0].time, wanted.map(Time), "{options:?} {units}");
    };
    let offset = |seconds: i64| seconds.to_le_bytes();
    check(&[], 5, Some(5_000));
    check(&[(option::IF_TSRESOL, &[9])], 5, Some(5));
    check(&[(option::IF_TSRESOL, &[0])], 5, Some(5_000_000_000));
    check(&[(option::IF_TSRESOL, &[12])], 5_999, Some(5));
    check(&[(option::IF_TSRESOL, &[127])], 5_999, Some(0));
    check(
        &[(option::IF_TSRESOL, &[0x80 | 10])],
        1536,
        Some(1_500_000_000),
    );
    check(
        &[(option::IF_TSRESOL, &[0x80 | 63])],
        1 << 63,
        Some(1_000_000_000),
    );
    check(&[(option::IF_TSRESOL, &[0xff])], u64::MAX, Some(0));
    check(
        &[(option::IF_TSOFFSET, &offset(100))],
        5,
        Some(100_000_005_000),
    );
    check(&[(option::IF_TSOFFSET, &offset(-1))], 5, Some(-999_995_000));
    check(&[(option::IF_TSOFFSET, &offset(i64::MIN))], 5, None);
    check(&[(option::IF_TSRESOL, &[0])], u64::MAX, None);
}

#[test]
fn pcap_in_both_orders_and_resolutions() {
    for (magic, big, fraction, ns) in [
        (0xa1b2c3d4u32, false, 5u32, 5_000i64),
        (0xa1b2c3d4, true, 5, 5_000),
        (0xa1b23c4d, false, 5, 5),
        (0xa1b23c4d, true, 5, 5),
    ] {
        let word = |n: u32| {
            if big {
                n.to_be_bytes()
            } else {
                n.to_le_bytes()
            }
        };
        let words = [magic, 0x0004_0002, 0, 0, 65535, 101, 7, fraction, 3, 40];
        let file: Vec<u8> = words.into_iter().flat_map(word).chain([9, 9, 9]).collect();
        let (records, error) = read_all(file.as_slice()).unwrap();
        assert!(error.is_none());
        assert_eq!(records[0].time, Some(Time(7_000_000_000 + ns)));
        assert_eq!(
            (
                records[0].link,
                records[0].wire_len,
                records[0].octets.len()
            ),
            (101, 40, 3)
        );
    }
}

#[test]
fn sections_of_both_orders_in_one_file() {
    let mut file = Vec::new();
    for (big, link) in [(false, 1), (true, 101), (false, 113)] {
        let mut blocks = Blocks::new(big);
        blocks.interface(
            link,
            3,
            &[(option::IF_NAME, b"a"), (option::IF_TSRESOL, &[9])],
        );
        blocks.interface(link + 1, 0, &[(option::IF_NAME, b"b")]);
        blocks.packet(1, 5, b"xyz");
        // A simple packet has the bytes that the first interface keeps, and no time.
        let simple = [blocks.words(&[9]), b"abc".to_vec()].concat();
        blocks.block(block::SIMPLE, &simple);
        file.extend(blocks.octets);
    }
    let (records, error) = read_all(file.as_slice()).unwrap();
    assert!(error.is_none(), "{error:?}");
    let rows: Vec<_> = records
        .iter()
        .map(|r| (r.link, r.interface, r.time, r.octets.as_slice(), r.wire_len))
        .collect();
    let wanted = [(1u16, 0usize), (101, 2), (113, 4)]
        .into_iter()
        .flat_map(|(link, first)| {
            [
                (link + 1, first + 1, Some(Time(5_000)), &b"xyz"[..], 3),
                (link, first, None, &b"abc"[..], 9),
            ]
        });
    assert_eq!(rows, wanted.collect::<Vec<_>>());
}

#[test]
fn what_stands_beside_the_packets() {
    for big in [false, true] {
        let mut file = Blocks::new(big);
        file.interface(1, 0, &[]);
        let four = file.option(1, b"\xc0\x00\x02\x01one.example\0two.example\0");
        let six = file.option(
            2,
            &[
                &[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1][..],
                b"six.example\0",
            ]
            .concat(),
        );
        file.block(block::NAMES, &[four, six, vec![0; 4]].concat());
        let custom = [file.words(&[32473]), b"own ".to_vec()].concat();
        file.block(block::CUSTOM, &custom);
        file.block(block::CUSTOM_KEPT, &custom);
        let statistics = [
            file.words(&[0, 0, 0]),
            file.option(
                option::ISB_OSDROP,
                &[
                    if big { 0 } else { 3 },
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    if big { 3 } else { 0 },
                ],
            ),
        ];
        file.block(block::STATISTICS, &statistics.concat());
        file.block(0x0bad_0bad, b"unheard of");
        let name = |address: &str, name: &str| (address.parse().unwrap(), name.to_string());
        let names = vec![
            name("192.0.2.1", "one.example"),
            name("192.0.2.1", "two.example"),
            name("2001:db8::1", "six.example"),
        ];
        let own = |copy| {
            Item::Custom(Custom {
                enterprise: 32473,
                octets: b"own ".to_vec(),
                copy,
            })
        };
        let statistics = Statistics {
            os_dropped: Some(3),
            ..Statistics::default()
        };
        let wanted = [
            Item::Names(names),
            own(true),
            own(false),
            Item::Statistics(statistics),
            Item::Unknown(0x0bad_0bad),
        ];
        assert_eq!(items(&file.octets), wanted);
    }
}

fn gzip(octets: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

fn zstd(octets: &[u8]) -> Vec<u8> {
    compress_to_vec(octets, CompressionLevel::Fastest)
}

#[test]
fn packed_files_are_read_as_they_are() {
    let whole = written();
    let (first, second) = whole.split_at(50);
    let skippable = [0x184d_2a53u32.to_le_bytes(), 3u32.to_le_bytes()].concat();
    let check = |name: &str, packed: Vec<u8>| assert_eq!(items(&packed), items(&whole), "{name}");
    check("gzip", gzip(&whole));
    check("members of gzip", [gzip(first), gzip(second)].concat());
    check("zstd", zstd(&whole));
    check(
        "frames of zstd",
        [zstd(first), zstd(b""), zstd(second)].concat(),
    );
    check(
        "a frame to be skipped",
        [&skippable[..], b"abc", &zstd(&whole)].concat(),
    );
}

#[test]
fn what_is_packed_and_damaged_is_told() {
    let packed = [gzip(&written()), zstd(&written())];
    for packed in &packed {
        for cut in 0..packed.len() {
            let error = match read_all(&packed[..cut]) {
                Ok((_, error)) => error,
                Err(error) => Some(error),
            };
            assert!(
                matches!(error, Some(CaptureError::Damaged(..))),
                "cut at {cut}: {error:?}"
            );
        }
        mutated(packed, 3_000);
    }
    // A checksum is the last four bytes of a frame that has one.
    let mut wrong = packed[0].clone();
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    assert!(matches!(
        read_all(wrong.as_slice()),
        Ok((_, Some(CaptureError::Damaged(..))))
    ));
}

/// Bytes that never end.
struct Endless(Vec<u8>, usize);

impl std::io::Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let from = self.0[self.1..].iter().chain(self.0.iter().cycle());
        into.iter_mut()
            .zip(from)
            .for_each(|(to, octet)| *to = *octet);
        self.1 = (self.1 + into.len()) % self.0.len();
        Ok(into.len())
    }
}

#[test]
fn a_bomb_is_read_packet_by_packet() {
    // One gzip member of a kilobyte or so that swells to a million zeros, again and again: a file
    // without end.
    let start = gzip(&Blocks::new(false).octets);
    let mut zeros = Blocks::new(false);
    zeros.interface(1, 0, &[]);
    zeros.packet(0, 0, &vec![0; 1 << 20]);
    let bomb = std::io::Read::chain(start.as_slice(), Endless(gzip(&zeros.octets), 0));
    let mut reader = CaptureReader::new(bomb).unwrap();
    for _ in 0..64 {
        assert_eq!(
            reader.record().unwrap().map(|r| r.octets.len()),
            Some(1 << 20)
        );
    }
    // Interfaces without end are refused before they fill memory.
    let mut described = Blocks::new(false);
    described.octets.clear();
    described.interface(1, 0, &[]);
    let swelling = std::io::Read::chain(
        start.as_slice(),
        Endless(gzip(&described.octets.repeat(1000)), 0),
    );
    assert!(matches!(
        CaptureReader::new(swelling).unwrap().record(),
        Err(CaptureError::Damaged(..))
    ));
}

/// Each so many times, or as many times more as `TEST_ROUNDS` says.
fn mutated(whole: &[u8], times: usize) {
    let mut dice = 88172645463325252u64;
    let times = times
        * std::env::var("TEST_ROUNDS")
            .ok()
            .and_then(|rounds| rounds.parse().ok())
            .unwrap_or(1);
    for _ in 0..times {
        let mut damaged = whole.to_vec();
        for _ in 0..3 {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let at = dice as usize % damaged.len();
            damaged[at] = (dice >> 32) as u8;
        }
        let Ok(mut reader) = CaptureReader::new(damaged.as_slice()) else {
            continue;
        };
        while let Ok(Some(_)) = reader.item() {}
    }
}

#[test]
fn any_damage_is_told_and_never_a_panic() {
    let mut blocks = Blocks::new(true);
    blocks.interface(
        1,
        64,
        &[
            (option::IF_NAME, b"name"),
            (option::IF_TSRESOL, &[0x8a]),
            (option::IF_TSOFFSET, &[0; 8]),
        ],
    );
    blocks.packet(0, 77, b"bytes");
    let names = blocks.option(2, b"0123456789abcdefname\0");
    blocks.block(block::NAMES, &names);
    blocks.block(block::SECRETS, &[1, 2, 3, 4, 0, 0, 0, 2, 5, 5]);
    blocks.block(block::SIMPLE, &[0, 0, 0, 2, 5, 5]);
    blocks.block(
        block::PACKET,
        &[&[0; 12][..], &[0, 0, 0, 1, 0, 0, 0, 1, 9]].concat(),
    );
    for whole in [written(), blocks.octets] {
        assert!(items(&whole).len() >= 3);
        for cut in 0..whole.len() {
            let _ = read_all(&whole[..cut]);
        }
        mutated(&whole, 20_000);
    }
}

#[test]
fn numbers_in_both_orders() {
    assert_eq!(
        (Order::Big.u16(&[1, 2]), Order::Little.u16(&[1, 2])),
        (0x102, 0x201)
    );
    assert_eq!(
        (
            Order::Big.u64(&[0, 0, 0, 0, 1, 2, 3, 4]),
            Order::Little.u64(&[4, 3, 2, 1, 0, 0, 0, 0])
        ),
        (0x102_0304, 0x102_0304)
    );
}
