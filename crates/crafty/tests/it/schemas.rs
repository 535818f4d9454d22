//! What is printed as JSON is what `crafty schema` says, judged by somebody else's validator (the
//! Python package `jsonschema`).

use crate::house::text;
use crate::tool::{Folder, crafty, crafty_reading, example, root, run, run_reading, skipped};
use crafty_capture::{CaptureWriter, Direction, Record};
use crafty_value::Time;
use std::collections::BTreeMap;

/// Reads a schema's file and documents by the line; tells the first few that do not fit, and how
/// many there are.
const VALIDATOR: &str = r#"
import json, sys
from jsonschema import Draft202012Validator as Validator
schema = json.load(open(sys.argv[1]))
Validator.check_schema(schema)
validator, count, wrong = Validator(schema), 0, 0
for line in sys.stdin:
    count += 1
    error = next(validator.iter_errors(json.loads(line)), None)
    if error and (wrong := wrong + 1) <= 5:
        print(error.json_path, error.message[:300], [e.message[:200] for e in error.context or []][:12], line[:300])
print(count, "documents,", wrong, "wrong")
sys.exit(wrong > 0)
"#;

/// Whether these lines fit the schema; gives how many there were.
#[track_caller]
fn check(name: &str, lines: &str) -> usize {
    let folder = Folder::new();
    let schema = folder.file("schema.json", crafty(&["schema", name]).expect(0).out);
    let ran = run_reading(lines.as_bytes(), &["python3", "-c", VALIDATOR, &schema]);
    assert_eq!(ran.status, 0, "{name}\n{}\n{}", ran.out, ran.err);
    lines.lines().count()
}

fn no_validator() -> bool {
    let there = run(&[
        "python3",
        "-c",
        "from jsonschema import Draft202012Validator",
    ])
    .status
        == 0;
    skipped(there, "the Python package `jsonschema` is not installed")
}

/// All golden packets, by their outermost layer, as captures.
fn golden() -> BTreeMap<String, Vec<Vec<u8>>> {
    let mut packets: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for file in std::fs::read_dir(root().join("golden"))
        .expect("the folder")
        .flatten()
        .filter(|file| file.path().is_file())
    {
        for block in text(file.path()).split("\n\n") {
            let line = |mark: char| {
                block
                    .lines()
                    .find(|line| line.starts_with(mark))
                    .map(|line| line.trim_start_matches([mark, ' ']))
            };
            let Some(stack) = line('=').or(line('/')) else {
                continue;
            };
            let first = stack
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next()
                .unwrap_or_default();
            let digits = block
                .lines()
                .filter(|line| !line.starts_with(['#', '/', '=', '>']));
            let digits: String = digits
                .flat_map(str::chars)
                .filter(char::is_ascii_hexdigit)
                .collect();
            let octets = (0..digits.len() / 2)
                .filter_map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok())
                .collect();
            packets.entry(first.into()).or_default().push(octets);
        }
    }
    packets
}

#[test]
fn every_golden_packet_fits_its_schema() {
    if no_validator() {
        return;
    }
    let folder = Folder::new();
    let mut lines = String::new();
    for (first, packets) in golden() {
        let mut writer = CaptureWriter::new(Vec::new()).expect("memory");
        writer.interface("golden", 1).expect("memory");
        for (i, octets) in packets.into_iter().enumerate() {
            let whole = octets.len();
            // Each as it is, and cut: what is not there must not be told.
            for kept in [whole, whole * 2 / 3] {
                let (octets, time) = (octets[..kept].to_vec(), Some(Time(i as i64)));
                let (direction, comments) =
                    (Some(Direction::Inbound), vec![format!("{first} \u{1b}")]);
                let record = Record {
                    octets,
                    wire_len: whole,
                    time,
                    link: 1,
                    interface: 0,
                    direction,
                    comments,
                };
                writer.packet(&record).expect("memory");
            }
        }
        let path = folder.file("golden.pcapng", writer.finish().expect("memory"));
        lines += &crafty(&["decode", "--json", "--first", &first, &path])
            .expect(0)
            .out;
    }
    for name in crate::streams::CAPTURES {
        lines += &crafty(&["decode", "--json", &crate::streams::golden(name)])
            .expect(0)
            .out;
    }
    lines += &crafty(&["decode", "--json", "--first", "IP", "45000014"])
        .expect(0)
        .out;
    assert!(
        check("packet", &lines) >= 300,
        "{} packets",
        lines.lines().count()
    );
}

#[test]
fn a_wrong_packet_does_not_fit() {
    if no_validator() {
        return;
    }
    let folder = Folder::new();
    let schema = folder.file("schema.json", crafty(&["schema", "packet"]).expect(0).out);
    let packet = crafty(&[
        "decode",
        "--json",
        "--first",
        "IP",
        "4500001c0001000040117b4e7f0000017f0000010035003500080000",
    ])
    .expect(0)
    .out;
    let rows = [
        ("\"ttl\":64", "\"ttl\":256"),
        ("\"ttl\":64", "\"hops\":64"),
        ("\"ts\":null", "\"ts\":5"),
        ("\"layer\":\"UDP\"", "\"layer\":\"TCP\""),
    ];
    assert!(
        rows.iter().all(|(right, _)| packet.contains(right)),
        "{packet}"
    );
    let wrong: String = rows
        .iter()
        .map(|(right, wrong)| packet.replace(right, wrong))
        .collect();
    // One run for all: it reads a large schema first.
    let ran = run_reading(
        (packet + &wrong).as_bytes(),
        &["python3", "-c", VALIDATOR, &schema],
    );
    ran.expect(1).says(&["5 documents, 4 wrong"]);
}

#[test]
fn events_findings_and_mistakes_fit_their_schemas() {
    if no_validator() {
        return;
    }
    let folder = Folder::new();
    let (mut events, mut findings) = (String::new(), String::new());
    for name in [
        "ping.crafty",
        "traceroute.crafty",
        "http_get.crafty",
        "loss.crafty",
    ] {
        let capture = folder.path(name);
        let words = [
            "run",
            "--lab",
            "demo:loss=20,duplicate=20",
            "--json",
            "--findings",
            "--pcap",
            &capture,
            &example(name),
        ];
        events += &crafty(&words).out;
        findings += &crafty(&["findings", "--json", &capture]).expect(0).out;
    }
    events += &crafty(&[
        "run",
        "--lab",
        "demo",
        "--json",
        &format!("{}@east", example("udp_server.crafty")),
        &format!("{}@west", example("udp_client.crafty")),
    ])
    .out;
    let program = "BUDGET = { max_packets: 3 }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\n\
                   record all = [1, 2], at=now(), by=5ms, of=#00ff, yes=true\n\
                   /IP!(dst=192.0.2.1) {\n  UDP(dst=9)/Bytes(\"x\")\n  n = length(\"\")\n  if n == 0 { print(\"${div(1, n)}\") }\n  repeat count=2 every=1ms { UDP(dst=9)/Bytes(\"x\") }\n}\nfail \"so\"\n";
    let ran = crafty_reading(program, &["run", "--lab", "demo", "--json", "-"]);
    let dropper = "BUDGET = { max_packets: 30 }\nPERMISSIONS = { destinations: [192.0.2.80] }\nPORTS = { tcp: [45000] }\n\
                   /IP!(dst=192.0.2.80)/TCP!(dst=80) {\n  on out drop count=1 /IP/TCP/Bytes\n  Bytes(\"GET / HTTP/1.0\\r\\n\\r\\n\")\n  wait 2s\n}\n";
    events += &crafty_reading(dropper, &["run", "--lab", "demo", "--json", "-"])
        .expect(0)
        .out;
    for event in [
        "print",
        "record",
        "error",
        "failed",
        "dropped",
        "withheld",
        "finding_seen",
        "finding",
        "end",
    ] {
        assert!(
            (events.clone() + &ran.out).contains(&format!("\"event\":\"{event}\"")),
            "{event}\n{}{}",
            ran.out,
            ran.err
        );
    }
    assert!(check("event", &(events + &ran.out)) >= 30);
    assert!(check("finding", &findings) >= 1);
    let mistakes = [
        "wait 5\n",
        "x = 1\nx = 2\n",
        "/IP!(dst=192.0.2.1) { ICMP }\n",
        "while true { }\n",
        "wait 1s\n",
    ];
    let documents: String = mistakes
        .iter()
        .map(|source| crafty_reading(source, &["check", "--json", "-"]).out)
        .collect();
    let refused = crafty_reading(
        program,
        &[
            "run",
            "--lab",
            "demo",
            "--json",
            "-",
            "--destinations",
            "198.51.100.1",
        ],
    )
    .expect(3)
    .out;
    assert_eq!(check("check", &(documents + &refused)), 6);
}

#[test]
fn reviews_fit_their_schema() {
    if no_validator() {
        return;
    }
    let names = [
        "ping",
        "traceroute",
        "http_get",
        "dns_query",
        "office_rtt",
        "path_mtu",
    ];
    let documents: String = names
        .iter()
        .map(|name| {
            crafty(&["review", "--json", &example(&format!("{name}.crafty"))])
                .expect(0)
                .out
        })
        .collect();
    assert_eq!(check("review", &documents), names.len());
}

#[test]
fn all_schemas_are_listed() {
    let listing = crafty(&["schema"])
        .expect(0)
        .says(&["packet", "event", "finding", "check"])
        .out;
    for name in listing
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        crafty(&["schema", name])
            .expect(0)
            .says(&["https://json-schema.org/draft/2020-12/schema"]);
    }
    crafty(&["schema", "nonsense"])
        .expect(2)
        .complains(&["`nonsense`", "`packet`"]);
}
