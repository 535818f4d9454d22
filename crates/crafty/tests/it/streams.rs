//! Messages of streams and whole datagrams in `crafty decode`: captures of other tools'
//! conversations, read as tshark reads them.

use crate::tool::{Folder, Ran, crafty, installed, root, run, skipped};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Captures of `openssl s_server` and `s_client`, of Python's `http.server`, of a name server that
/// writes its length in a byte of its own, and of datagrams that a kernel cut; on a loopback whose
/// MTU is 1500, by tcpdump. In `tls_chain.pcap` the server sends records of 512 bytes at most;
/// `quic.pcap` has the packets of RFC 9001 appendices A.2 and A.3, then a conversation of aioquic
/// whose first hello takes two datagrams.
pub const CAPTURES: [&str; 7] = [
    "tls1_2.pcap",
    "tls1_3.pcap",
    "tls_chain.pcap",
    "http.pcap",
    "dns_tcp.pcap",
    "fragments.pcap",
    "quic.pcap",
];

/// The path of one of them.
pub fn golden(name: &str) -> String {
    root()
        .join("golden/streams")
        .join(name)
        .display()
        .to_string()
}

fn documents(ran: &Ran) -> Vec<Json> {
    ran.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

/// The layers that a packet shows: its own, then those of what it completes.
fn layers(document: &Json) -> Vec<&Json> {
    let own = document["layers"].as_array().into_iter().flatten();
    let whole = document["datagram"]["layers"]
        .as_array()
        .into_iter()
        .flatten();
    let messages = document["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|m| m["layers"].as_array().into_iter().flatten());
    own.chain(whole).chain(messages).collect()
}

/// Number of the packet, layers above TCP, and packets of each message that is put together.
fn told(name: &str, more: &[&str]) -> Vec<String> {
    let path = golden(name);
    let rows = documents(&crafty(&[&["decode", "--json", &path], more].concat()).expect(0));
    let row = |document: &Json| {
        let names = layers(document)
            .into_iter()
            .map(|layer| layer["layer"].as_str().unwrap_or_default());
        let above: Vec<&str> = names
            .filter(|name| !["Eth", "IP", "TCP", "Bytes"].contains(name))
            .collect();
        let packets = document["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|message| message["packets"].to_string());
        let packets: Vec<String> = packets
            .chain(document["datagram"].get("packets").map(Json::to_string))
            .collect();
        format!(
            "{} {} {}",
            document["index"],
            above.join(" "),
            packets.join(" ")
        )
        .trim()
        .to_string()
    };
    rows.iter()
        .map(row)
        .filter(|row| row.contains(' '))
        .collect()
}

#[test]
fn messages_stand_at_the_packet_that_completes_them() {
    let rows: [(&str, &[&str]); 5] = [
        (
            "tls_chain.pcap",
            &[
                "4 TLS",
                "6 TLS TLS TLS TLS TLS TLS TLS TLSHandshake [6]",
                "8 TLS TLS TLS",
                "9 TLS TLS TLS",
                "10 TLS",
                "14 TLS",
            ],
        ),
        (
            "quic.pcap",
            &[
                "1 UDP QUIC",
                "2 UDP QUIC TLSHandshake [2]",
                "3 UDP QUIC",
                "4 UDP QUIC TLSHandshake [3,4]",
                "5 UDP QUIC QUIC TLSHandshake [5]",
                "6 UDP QUIC",
                "7 UDP QUIC QUIC QUIC",
                "8 UDP QUIC",
                "9 UDP QUIC",
            ],
        ),
        (
            "tls1_2.pcap",
            &[
                "4 TLS",
                "6 TLS [6]",
                "7 TLS TLS TLS [6,7] [7] [7]",
                "10 TLS TLS TLS",
                "11 TLS TLS TLS",
                "12 TLS",
                "16 TLS [13,14,15,16]",
                "19 TLS",
                "20 TLS",
            ],
        ),
        (
            "dns_tcp.pcap",
            &[
                "4 DNSTCP DNS DNSTCP DNS [4] [4]",
                "9 DNSTCP DNS [6,8,9]",
                "15 DNSTCP DNS [12,14,15]",
            ],
        ),
        (
            "fragments.pcap",
            &[
                "1 ICMP",
                "2 ICMP [1,2]",
                "3 ICMP",
                "4 ICMP [3,4]",
                "5 ICMP",
                "6 ICMP [5,6]",
                "7 ICMP",
                "8 ICMP [7,8]",
                "9 UDP",
                "10 UDP [9,10]",
            ],
        ),
    ];
    for (name, wanted) in rows {
        assert_eq!(told(name, &[]), wanted, "{name}");
    }
    // Each packet by itself: what a segment begins with is read, whatever is missing.
    assert_eq!(
        told("tls1_2.pcap", &["--no-reassembly"])[..3],
        ["4 TLS", "6 TLS TLS", "10 TLS TLS TLS"]
    );
    assert!(
        documents(
            &crafty(&[
                "decode",
                "--json",
                "--no-reassembly",
                &golden("dns_tcp.pcap")
            ])
            .expect(0)
        )
        .iter()
        .all(|d| d.get("stream").is_none())
    );
}

#[test]
fn certificate_names_over_several_segments() {
    let names = "www.example.org mail.example.org a-rather-long-name.example.org";
    let text = crafty(&["decode", &golden("tls1_2.pcap")]).expect(0);
    text.says(&[
        &format!("cert_names=\"{names}\""),
        "# message of stream 1 in packets 6, 7, 1670 bytes:",
        "# stream 1: part of a message of TLS that begins in packet 13: 2896 of 5006 bytes",
    ]);
    let line = crafty(&["decode", "--summary", &golden("http.pcap")]).expect(0);
    line.says(&[
        "[part of a message of HTTP that begins in packet 13: 188 of 7189 bytes]",
        "+ /HTTP/Bytes of packets 13, 14, 15, 16, 17, 20",
    ]);
}

#[test]
fn both_hellos_of_quic() {
    let text = crafty(&["decode", &golden("quic.pcap")]).expect(0);
    text.says(&[
        "sni=\"example.com\"",
        "# opened: packet 1 of the server: ack(0..0) crypto(0, 90)",
        "/TLSHandshake(type=server_hello, len=86,",
        "versions=\"tls1_3\"",
        "# message in packets 3, 4, 1906 bytes:",
        "sni=\"two.example.org\"",
        "# opened: packet 2 of the client: ack(0..0)",
    ]);
    let rows = documents(&crafty(&["decode", "--json", &golden("quic.pcap")]).expect(0));
    let wanted = serde_json::json!([{ "layer": 3, "from": "server", "number": 1, "frames": "ack(0..0) crypto(0, 90)" }]);
    assert_eq!(rows[1]["initials"], wanted);
    assert_eq!(rows[0].get("initials"), None);
}

#[test]
fn certificate_names_over_several_records() {
    let text = crafty(&["decode", &golden("tls_chain.pcap")]).expect(0);
    text.says(&["cert_names=\"chain.example.org www.chain.example.org mail.chain.example.org\""]);
}

#[test]
fn streams_of_ports_that_no_table_has() {
    let folder = Folder::new();
    let (head, mut records) = records("http.pcap");
    for record in &mut records {
        // Behind the record's head, Ethernet and IP; that the checksums are wrong then does not
        // matter here.
        let at = [50, 52]
            .into_iter()
            .find(|at| record[*at..].starts_with(&[0, 80]))
            .expect("a port");
        record[at..at + 2].copy_from_slice(&8000_u16.to_be_bytes());
    }
    let octets = [head, records.concat()].concat();
    let path = folder.file("8000.pcap", &octets);
    let unasked = crafty(&["decode", "--summary", &path]).expect(0);
    unasked.says(&["+ /HTTP of packet 4 [recognized by its content"]);
    crafty(&["decode", "--summary", "--as", "8000=HTTP", &path])
        .expect(0)
        .says(&[
            "/Eth/IP/TCP/HTTP 10.9.0.1 > 10.9.0.1 41748 > 8000 psh+ack",
            "+ /HTTP/Bytes of packets 13, 14, 15, 16, 17, 20",
        ]);
    for wrong in ["8000", "8000=NTP", "80000=HTTP", "x=HTTP"] {
        crafty(&["decode", "--as", wrong, &path])
            .expect(2)
            .complains(&[
                "does not name a port and a layer",
                "--as 8000=HTTP",
                "`BGP`",
            ]);
    }
}

/// Layer, field, and what tshark calls it; it shows all values of a packet with commas between.
const FIELDS: &[(&str, &str, &str)] = &[
    ("TLS", "len", "tls.record.length"),
    ("TLS", "sni", "tls.handshake.extensions_server_name"),
    ("TLS", "random", "tls.handshake.random"),
    ("TLS", "cipher", "tls.handshake.ciphersuite"),
    ("TLS", "cert_names", "x509ce.dNSName"),
    ("HTTP", "method", "http.request.method"),
    ("HTTP", "target", "http.request.uri"),
    ("HTTP", "status", "http.response.code"),
    ("HTTP", "content_length", "http.content_length_header"),
    ("HTTP", "user_agent", "http.user_agent"),
    ("DNS", "id", "dns.id"),
    ("DNS", "qname", "dns.qry.name"),
    ("DNS", "ancount", "dns.count.answers"),
    ("DNSTCP", "len", "dns.length"),
    ("ICMP", "seq", "icmp.seq"),
    ("UDP", "len", "udp.length"),
];

#[test]
fn tshark_finds_the_same_messages_in_the_same_packets() {
    if skipped(installed("tshark"), "tshark is not installed") {
        return;
    }
    let mut compared = 0;
    for name in CAPTURES {
        let path = golden(name);
        let ours = documents(&crafty(&["decode", "--json", &path]).expect(0));
        let words: Vec<&str> = FIELDS.iter().flat_map(|row| ["-e", row.2]).collect();
        let theirs = run(&[
            &[
                "tshark",
                "-n",
                "-r",
                &path,
                "-T",
                "fields",
                "-E",
                "separator=|",
            ],
            &words[..],
        ]
        .concat())
        .expect(0);
        assert_eq!(theirs.out.lines().count(), ours.len(), "{name}");
        for (document, line) in ours.iter().zip(theirs.out.lines()) {
            for ((layer, field, called), theirs) in FIELDS.iter().zip(line.split('|')) {
                let (ours, theirs) = (values(document, layer, field), theirs_of(called, theirs));
                // Ciphers that a client offers are one field of theirs, the first fragment's header
                // one of ours. A packet of QUIC shows of a hello in it who is wanted, not its
                // random bytes, and that as soon as it is there.
                let index = document["index"].as_u64().unwrap_or(0);
                if *field == "cipher" && theirs.len() != 1
                    || matches!(
                        (name, index, *field),
                        ("quic.pcap", 1, "random") | ("quic.pcap", 3, "sni")
                    )
                    || name == "fragments.pcap" && index % 2 == 1
                {
                    continue;
                }
                compared += theirs.len();
                assert_eq!(
                    ours, theirs,
                    "{name}, packet {}, {called}",
                    document["index"]
                );
            }
        }
    }
    assert!(compared > 80, "only {compared} values");
}

/// The values of a field in a packet, those of what it completes last. Hellos and certificates of
/// TLS are in other layers too.
fn values(document: &Json, layer: &str, field: &str) -> Vec<String> {
    let text = |value: &Json| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_string)
    };
    let mut seen: BTreeMap<usize, String> = BTreeMap::new();
    let here = |row: &Json| {
        row["layer"] == layer
            || layer == "TLS"
                && field != "len"
                && (row["layer"] == "TLSHandshake" || row["layer"] == "QUIC")
    };
    for (n, row) in layers(document)
        .into_iter()
        .enumerate()
        .filter(|(_, row)| here(row))
    {
        seen.extend(row["fields"].get(field).map(|value| (n, text(value))));
    }
    seen.into_values()
        .flat_map(|value| value.split(' ').map(str::to_string).collect::<Vec<_>>())
        .collect()
}

fn theirs_of(called: &str, values: &str) -> Vec<String> {
    let plain = |value: &str| match value
        .strip_prefix("0x")
        .map(|digits| u64::from_str_radix(digits, 16))
    {
        Some(Ok(number)) => number.to_string(),
        _ => value.replace(':', ""),
    };
    let spaced = called == "http.user_agent";
    values
        .split(',')
        .filter(|value| !value.is_empty())
        .map(|value| {
            if spaced {
                value.to_string()
            } else {
                plain(value)
            }
        })
        .collect()
}

/// The head of a capture, and its records with their heads.
fn records(name: &str) -> (Vec<u8>, Vec<Vec<u8>>) {
    let octets = std::fs::read(golden(name)).expect("the capture");
    let (head, mut rest) = octets.split_at(24);
    let mut records = Vec::new();
    while let Some(length) = rest.get(8..12) {
        let length = 16 + u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
        records.push(rest[..length].to_vec());
        rest = &rest[length..];
    }
    (head.to_vec(), records)
}

/// Frames of all captures, changed at random places: whatever that makes of streams, decoding tells
/// it and ends well.
#[test]
fn changed_captures() {
    let folder = Folder::new();
    let mut state = 1_u64;
    let mut roll = |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let mut out = records("http.pcap").0;
    for round in 0..12 {
        for mut record in CAPTURES.into_iter().flat_map(|name| records(name).1) {
            for _ in 0..round {
                let place = 30 + roll(record.len() - 30);
                record[place] = [0, 0xff, record[place] ^ 1, roll(256) as u8][roll(4)];
            }
            let times = [0, 1, 1, 1, 1, 1, 1, 2][roll(8)];
            (0..times).for_each(|_| out.extend(&record));
        }
    }
    let path = folder.file("changed.pcap", &out);
    for form in ["--json", "--summary"] {
        let ran = crafty(&["decode", form, &path]).expect(0);
        assert!(
            ran.out.lines().count() > 1000 && ran.err.is_empty(),
            "{}",
            ran.err
        );
    }
    crafty(&["decode", "--summary", &path]).expect(0).says(&[
        "differ from those seen before",
        "were not seen",
        "were seen before",
    ]);
}
