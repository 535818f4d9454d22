//! `crafty findings` from outside: text and JSON, of captures that our own writer made and of one
//! of another tool.

use crate::tool::{Folder, crafty, root};
use crafty_capture::{CaptureWriter, Record};
use crafty_value::Time;
use serde_json::Value as Json;

const MS: i64 = 1_000_000;
const CLIENT: [u8; 4] = [10, 0, 0, 1];
const SERVER: [u8; 4] = [10, 0, 0, 2];

/// A segment: when, whether the server sends it, sequence and acknowledgement number, flags,
/// window, bytes of data.
pub type Row = (i64, bool, u32, u32, u8, u16, usize);

/// The checksum of the Internet (RFC 1071).
fn sum(octets: &[u8]) -> [u8; 2] {
    let total: u32 = octets
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)))
        .sum();
    let folded = (total & 0xffff) + (total >> 16);
    (!((folded & 0xffff) + (folded >> 16)) as u16).to_be_bytes()
}

fn frame((_, server, seq, ack, flags, window, data): Row, id: u16) -> Vec<u8> {
    let (source, destination, ports) = match server {
        true => (SERVER, CLIENT, [1, 187, 200, 0]),
        false => (CLIENT, SERVER, [200, 0, 1, 187]),
    };
    let fixed = [
        &ports[..],
        &seq.to_be_bytes(),
        &ack.to_be_bytes(),
        &[0x50, flags],
        &window.to_be_bytes(),
    ]
    .concat();
    let payload = vec![0x17; data];
    let length = (20 + data) as u16;
    let pseudo = [&source[..], &destination, &[0, 6], &length.to_be_bytes()].concat();
    let checksum = sum(&[&pseudo[..], &fixed, &[0; 4], &payload].concat());
    let total = (40 + data) as u16;
    let mut ip = [
        &[0x45, 0][..],
        &total.to_be_bytes(),
        &id.to_be_bytes(),
        &[0x40, 0, 64, 6, 0, 0],
        &source,
        &destination,
    ]
    .concat();
    let header = sum(&ip);
    ip[10..12].copy_from_slice(&header);
    [
        &[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0][..],
        &ip,
        &fixed,
        &checksum,
        &[0; 2],
        &payload,
    ]
    .concat()
}

/// A capture of these segments.
pub fn written(folder: &Folder, name: &str, rows: &[Row]) -> String {
    let mut writer = CaptureWriter::new(Vec::new()).expect("a capture");
    writer.interface("eth0", 1).expect("an interface");
    for (n, row) in rows.iter().enumerate() {
        let octets = frame(*row, n as u16 + 1);
        let time = Some(Time(1_700_000_000_000 * MS + row.0 * MS));
        writer
            .packet(&Record {
                wire_len: octets.len(),
                octets,
                time,
                link: 1,
                ..Record::default()
            })
            .expect("a packet");
    }
    folder.file(name, writer.finish().expect("a capture"))
}

pub const SYN: u8 = 2;
const RST: u8 = 4;
pub const ACK: u8 = 16;

/// An opening, a segment that is sent again, a closed window, a reset.
const TROUBLE: &[Row] = &[
    (0, false, 100, 0, SYN, 64_000, 0),
    (20, true, 500, 101, SYN | ACK, 64_000, 0),
    (20, false, 101, 501, ACK, 64_000, 0),
    (30, false, 101, 501, ACK, 64_000, 100),
    (400, false, 101, 501, ACK, 64_000, 100),
    (420, true, 501, 201, ACK, 0, 0),
    (500, true, 501, 201, RST | ACK, 0, 0),
];

#[test]
fn a_conversation_in_trouble() {
    let folder = Folder::new();
    let path = written(&folder, "trouble.pcapng", TROUBLE);
    let ran = crafty(&["findings", &path])
        .expect(0)
        .complains(&["findings in 7 packets"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    for words in [
        ["[retransmission]", "packets 5"],
        ["[zero_window]", "packets 6"],
        ["[reset]", "packets 7"],
    ] {
        assert!(
            lines
                .iter()
                .any(|line| words.iter().all(|word| line.contains(word))),
            "{words:?} in\n{}",
            ran.out
        );
    }
    assert!(
        lines
            .iter()
            .all(|line| line.contains("[TCP 10.0.0.1:51200 > 10.0.0.2:443]")),
        "{}",
        ran.out
    );
    let ran = crafty(&["findings", "--json", &path]).expect(0);
    let rows: Vec<Json> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect();
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.iter().zip(lines) {
        let of = |key: &str| row[key].as_str().unwrap_or_default();
        assert!(
            line.starts_with(&format!(
                "{}[{}]: {} [{}]",
                of("severity"),
                of("name"),
                of("sentence"),
                of("flow")
            )),
            "{line}\n{row}"
        );
        assert_eq!(
            row["count"].as_u64(),
            row["packets"]
                .as_array()
                .map(|packets| packets.len() as u64),
            "{row}"
        );
    }
}

#[test]
fn a_conversation_in_order_shows_nothing() {
    let folder = Folder::new();
    let path = written(&folder, "calm.pcapng", &TROUBLE[..4]);
    assert_eq!(
        crafty(&["findings", &path])
            .expect(0)
            .complains(&["0 findings in 4 packets"])
            .out,
        ""
    );
}

/// Five datagrams that a kernel cut in two, by tcpdump.
#[test]
fn a_capture_of_another_tool() {
    let path = root()
        .join("golden/streams/fragments.pcap")
        .display()
        .to_string();
    let ran = crafty(&["findings", &path]).expect(0);
    assert_eq!(
        ran.out,
        "notice[fragments]: 10 fragments, 10.9.0.1 to 10.9.0.1; packets 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n"
    );
    let row: Json =
        serde_json::from_str(&crafty(&["findings", "--json", &path]).expect(0).out).expect("JSON");
    assert_eq!(
        (row["name"].as_str(), row["count"].as_u64(), &row["flow"]),
        (Some("fragments"), Some(10), &Json::Null)
    );
}

#[test]
fn what_cannot_be_read_to_its_end_is_judged_as_far_as_it_goes() {
    let folder = Folder::new();
    let whole = std::fs::read(written(&folder, "whole.pcapng", TROUBLE)).expect("the capture");
    let path = folder.file("cut.pcapng", &whole[..whole.len() - 50]);
    crafty(&["findings", &path])
        .expect(2)
        .says(&["[retransmission]"])
        .complains(&["cannot read the rest of this capture"]);
    crafty(&["findings", &folder.path("none")])
        .expect(2)
        .complains(&["cannot read", "help:"]);
    crafty(&["findings", "--rules"])
        .expect(0)
        .says(&["retransmission (", "duplicate_address ("]);
}
