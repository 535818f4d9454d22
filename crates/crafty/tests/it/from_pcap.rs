//! Programs made from captures: they check, are formatted, reach no more than was seen, and do
//! again what was recorded, in the lab, against the recording and against kernels; whatever the
//! captures contain.

use crate::kernel::pair;
use crate::replays::{SERVER, recorded_by_the_kernel};
use crate::tool::{Folder, crafty, crafty_reading, example};
use crafty_capture::{CaptureWriter, Record};
use crafty_value::Time;
use serde_json::Value as Json;

/// A capture of examples in the lab.
fn recorded(folder: &Folder, words: &[&str]) -> String {
    let path = folder.path("recorded.pcapng");
    crafty(&[&["run", "--lab", "demo", "--pcap", &path][..], words].concat()).expect(0);
    path
}

/// Numbers of the conversations that can be made into programs.
fn conversations(capture: &str) -> Vec<String> {
    let list = crafty(&["from-pcap", capture]).expect(0).out;
    let able = list.lines().filter(|line| !line.contains("cannot be made"));
    able.filter_map(|line| line.split_whitespace().next().map(str::to_string))
        .collect()
}

/// The program of a conversation, as a file; it must check without a message, be formatted, and
/// reach the one peer and no power.
#[track_caller]
fn made(folder: &Folder, capture: &str, words: &[&str], peer: &str) -> String {
    let text = crafty(&[&["from-pcap", capture][..], words].concat())
        .expect(0)
        .out;
    let path = folder.file("made.crafty", &text);
    let checked = crafty(&["check", "--json", &path]).expect(0).out;
    let document: Json = serde_json::from_str(&checked).expect("JSON");
    assert_eq!(document["diagnostics"], serde_json::json!([]), "{text}");
    crafty(&["fmt", "--check", &path]).expect(0);
    let review: Json =
        serde_json::from_str(&crafty(&["review", "--json", &path]).expect(0).out).expect("JSON");
    assert_eq!(
        review["destinations"],
        serde_json::json!([[peer, peer]]),
        "{text}"
    );
    assert_eq!(
        (&review["powers"], &review["sources"]),
        (&serde_json::json!([]), &serde_json::json!([])),
        "{text}"
    );
    path
}

/// Ports that may be sent to, in words: `tcp 80; udp none`.
fn ports_in_words(granted: &Json) -> String {
    let protocol = |name: &str| {
        let ranges = granted[name].as_array().into_iter().flatten();
        let ranges: Vec<String> = ranges
            .map(|range| match range[0] == range[1] {
                true => range[0].to_string(),
                false => format!("{}-{}", range[0], range[1]),
            })
            .collect();
        match ranges.is_empty() {
            true => format!("{name} none"),
            false => format!("{name} {}", ranges.join(", ")),
        }
    };
    format!("{}; {}", protocol("tcp"), protocol("udp"))
}

/// Each conversation of an example, made into a program, does well in the lab and against the
/// recording.
#[track_caller]
fn again(name: &str, peer: &str, ports: &str) {
    let folder = Folder::new();
    let capture = recorded(&folder, &[&example(name)]);
    let numbers = conversations(&capture);
    assert!(!numbers.is_empty(), "{name}");
    for number in numbers {
        let program = made(&folder, &capture, &["--flow", &number], peer);
        let review: Json =
            serde_json::from_str(&crafty(&["review", "--json", &program]).expect(0).out)
                .expect("JSON");
        assert!(
            ports_in_words(&review["destination_ports"]).contains(ports),
            "{name}: {review}"
        );
        crafty(&["run", "--replay", &capture, &program]).expect(0);
        crafty(&["run", "--lab", "demo", &program]).expect(0);
    }
}

#[test]
fn conversations_of_the_lab_are_had_again() {
    again("ping.crafty", "192.0.2.1", "tcp none; udp none");
    again("ping6.crafty", "2001:db8:80::1", "tcp none; udp none");
    again("http_get.crafty", "192.0.2.80", "tcp 80; udp none");
    again("dns_query.crafty", "198.51.100.53", "tcp none; udp 53");
    again("traceroute.crafty", "192.0.2.1", "tcp none; udp 3343");
    again("port_check.crafty", "192.0.2.80", "udp none");
    again("path_mtu.crafty", "198.51.100.53", "tcp none; udp none");
    again("office_rtt.crafty", "10.100.0.50", "tcp none; udp 40100");
}

#[test]
fn a_connection_segment_by_segment() {
    let folder = Folder::new();
    for (name, number, sent) in [
        ("http_get.crafty", "2", "GET / HTTP/1."),
        ("port_check.crafty", "4", ""),
    ] {
        let capture = recorded(&folder, &[&example(name)]);
        let program = made(
            &folder,
            &capture,
            &["--flow", number, "--literal"],
            "192.0.2.80",
        );
        let text = std::fs::read_to_string(&program).expect("a program");
        assert!(
            text.contains("flags=syn, options=[mss(1460)]")
                && text.contains("seq=isn + 1")
                && text.contains(sent),
            "{text}"
        );
        crafty(&["run", "--replay", &capture, &program])
            .expect(0)
            .says(&["1: answered"]);
        crafty(&["run", "--lab", "demo", &program])
            .expect(0)
            .says(&["1: answered"]);
    }
    let capture = recorded(&folder, &[&example("http_get.crafty")]);
    crafty(&[
        "from-pcap",
        &capture,
        "--flow",
        "2",
        "--literal",
        "--role",
        "server",
    ])
    .expect(2)
    .complains(&["client's side only"]);
}

#[test]
fn both_sides_of_a_conversation() {
    let folder = Folder::new();
    let udp = [
        format!("{}@east", example("udp_server.crafty")),
        format!("{}@west", example("udp_client.crafty")),
    ];
    let served = "BUDGET = { max_duration: 30s, max_packets: 100 }\nPERMISSIONS = { destinations: [10.20.4.10] }\nPORTS = { tcp: [8080] }\n\
        /IP!/TCP!(src=8080, listen=true) {\n  expect timeout=9s /IP!(src == 10.20.4.10)/TCP!(state == established) {\n    Bytes(\"220 at your service\\r\\n\")\n    expect timeout=9s /IP!(src == 10.20.4.10)/TCP!/Bytes { Bytes(\"221 bye\\r\\n\") }\n  }\n}\n";
    let asked = "BUDGET = { max_duration: 30s, max_packets: 100, max_syns: 3 }\nPERMISSIONS = { destinations: [10.100.0.10] }\nPORTS = { tcp: [45000] }\n\
        /IP!(dst=10.100.0.10)/TCP!(dst=8080) {\n  expect timeout=9s /IP!/TCP!/Bytes { wait 30ms }\n  Bytes(\"QUIT\\r\\n\")\n  expect timeout=9s /IP!/TCP!/Bytes { }\n}\n";
    let tcp = [
        format!("{}@east", folder.file("s.crafty", served)),
        format!("{}@west", folder.file("c.crafty", asked)),
    ];
    for [server, client] in [udp, tcp] {
        let capture = recorded(&folder, &[&server, &client]);
        let number = &conversations(&capture)[0];
        let side = |role: &str, peer: &str| {
            let path = made(&folder, &capture, &["--flow", number, "--role", role], peer);
            folder.file(
                &format!("{role}.crafty"),
                std::fs::read(path).expect("a program"),
            )
        };
        let (server, client) = (side("server", "10.20.4.10"), side("client", "10.100.0.10"));
        crafty(&["run", "--replay", &capture, &server]).expect(0);
        crafty(&["run", "--replay", &capture, &client]).expect(0);
        crafty(&[
            "run",
            "--lab",
            "demo",
            &format!("{server}@east"),
            &format!("{client}@west"),
        ])
        .expect(0);
    }
}

#[test]
fn a_conversation_of_kernels_is_had_again_with_a_kernel() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let capture = folder.path("kernel.pcap");
    recorded_by_the_kernel(&spaces, &capture);
    let numbers = conversations(&capture);
    assert_eq!(numbers.len(), 2, "{numbers:?}");
    let program = made(&folder, &capture, &["--flow", &numbers[1]], "10.9.1.2");
    crafty(&["run", "--replay", &capture, &program])
        .expect(0)
        .says(&["heard 100020 bytes, 100020 were recorded"]);
    let server = spaces.python("b", SERVER);
    spaces
        .crafty("a", &["run", &program])
        .expect(0)
        .says(&["heard 100020 bytes, 100020 were recorded"]);
    server.stop();
}

/// A capture of one UDP datagram each way, made by hand.
fn datagrams(payload: &[u8]) -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new()).expect("memory");
    writer.interface("made", 101).expect("memory");
    for (i, (src, dst, ports)) in [
        ([192, 0, 2, 7], [192, 0, 2, 1], [0x9c, 0x40, 0, 9]),
        ([192, 0, 2, 1], [192, 0, 2, 7], [0, 9, 0x9c, 0x40]),
    ]
    .iter()
    .enumerate()
    {
        let length = payload.len() as u16 + 8;
        let head = [
            &[0x45, 0][..],
            &(length + 20).to_be_bytes(),
            &[0, 1, 0, 0, 64, 17, 0, 0],
            src,
            dst,
        ]
        .concat();
        let sum = head
            .chunks(2)
            .map(|c| u32::from(u16::from_be_bytes([c[0], c[1]])))
            .sum::<u32>();
        let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
        let octets = [
            &head[..10],
            &checksum.to_be_bytes(),
            &head[12..],
            ports,
            &length.to_be_bytes(),
            &[0, 0],
            payload,
        ]
        .concat();
        let record = Record {
            wire_len: octets.len(),
            octets,
            time: Some(Time(i as i64 * 1_000_000)),
            link: 101,
            ..Record::default()
        };
        writer.packet(&record).expect("memory");
    }
    writer.finish().expect("memory")
}

#[test]
fn bytes_of_a_capture_are_bytes_and_nothing_else() {
    let every: Vec<u8> = (0..=255).collect();
    let payloads: [&[u8]; 6] = [
        b"\")\n}\nfail \"taken over\"\n",
        b"${now()} $$ \\ \\\" ${missed}",
        b"# \x1b[2J \xe2\x80\xae\r\n} else { fail }",
        &every,
        b"",
        &[0x22; 40],
    ];
    for payload in payloads {
        let folder = Folder::new();
        let capture = folder.file("a b\n# \u{202e}.pcapng", datagrams(payload));
        let program = made(&folder, &capture, &["--flow", "1"], "192.0.2.1");
        let sent = folder.path("sent.pcapng");
        // A difference between what is sent and what was captured would be told.
        let ran = crafty(&["run", "--replay", &capture, "--pcap", &sent, &program]).expect(0);
        assert!(!ran.err.contains("expected"), "{payload:?}\n{}", ran.err);
        let (records, _) = crafty_capture::read_all(&std::fs::read(&sent).expect("a file")[..])
            .expect("a capture");
        assert!(
            records.len() == 2 && records[0].octets.ends_with(payload),
            "{payload:?}: {records:?}"
        );
    }
}

#[test]
fn hostile_captures_give_sound_programs_or_none() {
    let folder = Folder::new();
    let mut dice = 0x9e37_79b9_7f4a_7c15u64;
    let mut programs = 0;
    for name in ["http_get.crafty", "dns_query.crafty", "ping.crafty"] {
        let whole = std::fs::read(recorded(&folder, &[&example(name)])).expect("a capture");
        for round in 0..40 {
            let mut damaged = whole.clone();
            for _ in 0..round % 9 {
                dice ^= dice << 13;
                dice ^= dice >> 7;
                dice ^= dice << 17;
                let at = 300 + dice as usize % (damaged.len() - 300);
                damaged[at] = (dice >> 32) as u8;
            }
            let capture = folder.file("damaged.pcapng", &damaged);
            let literal: &[&str] = if round % 3 == 0 { &["--literal"] } else { &[] };
            let ran = crafty(
                &[
                    &[
                        "from-pcap",
                        "--flow",
                        if round % 2 == 0 { "2" } else { "3" },
                        &capture,
                    ],
                    literal,
                ]
                .concat(),
            );
            assert!(
                [0, 2].contains(&ran.status) && !ran.err.contains("panicked"),
                "{ran:?}"
            );
            if ran.status == 0 {
                crafty_reading(&ran.out, &["check", "-"]).expect(0);
                assert_eq!(
                    (
                        ran.out.matches("destinations: [peer]").count(),
                        ran.out.contains("powers")
                    ),
                    (1, false),
                    "{}",
                    ran.out
                );
                programs += 1;
            }
        }
    }
    assert!(programs >= 20, "{programs}");
}

#[test]
fn what_cannot_be_made_into_a_program_says_why() {
    let folder = Folder::new();
    let capture = recorded(&folder, &[&example("ping.crafty")]);
    crafty(&["from-pcap", &capture]).expect(0).says(&[
        "1  ARP",
        "(cannot be made into a program)",
        "2  ICMP echo 10.20.4.10 > 192.0.2.1, 10 packets",
    ]);
    crafty(&["from-pcap", &capture, "--flow", "1"])
        .expect(2)
        .complains(&["TCP, UDP and ICMP echo only"]);
    crafty(&["from-pcap", &capture, "--flow", "2", "--role", "server"])
        .expect(2)
        .complains(&["cannot send received bytes back"]);
    for (number, words) in [
        ("0", "there is no conversation 0"),
        ("3", "there is no conversation 3"),
        ("x", "`--flow` needs a whole number"),
    ] {
        crafty(&["from-pcap", &capture, "--flow", number])
            .expect(2)
            .complains(&[words]);
    }
    crafty(&["from-pcap", &example("ping.crafty")])
        .expect(2)
        .complains(&["neither pcap nor pcapng"]);
}
