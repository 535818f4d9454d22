//! What a run leaves behind for others: JSON lines, and a capture file that other tools read.

use crate::tool::{Folder, crafty, example, installed, run, skipped};
use crafty_capture::Direction;
use serde_json::Value as Json;

#[test]
fn json_lines() {
    let ran = crafty(&["run", "--lab", "demo", "--json", &example("ping.crafty")]).expect(0);
    let rows: Vec<Json> = ran
        .out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}")))
        .collect();
    let of = |event: &str| {
        rows.iter()
            .filter(|r| r["event"] == event)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (of("print").len(), of("record").len(), of("end").len()),
        (5, 5, 1),
        "{}",
        ran.out
    );
    let rtt = of("record")[0]["value"]
        .as_str()
        .and_then(|ns| ns.parse::<i64>().ok())
        .expect("nanoseconds in a string");
    // The links of the path take 6 ms one way.
    assert!((12_000_000..14_000_000).contains(&rtt), "{rtt}");
    let end = of("end")[0];
    assert_eq!(
        (end["status"].as_u64(), end["why"].as_str()),
        (Some(0), None)
    );
    assert!(end["sent"]["packets"].as_u64() >= Some(5));
}

#[test]
fn mistakes_as_json_too() {
    let ran =
        crate::tool::crafty_reading("x = 1\nx = 2\n", &["run", "--lab", "demo", "--json", "-"])
            .expect(2);
    let document: Json = serde_json::from_str(&ran.out).expect("one JSON document");
    assert_eq!(document["diagnostics"][0]["span"]["line"], 2);
}

#[test]
fn a_capture_has_every_frame_with_the_line_that_sent_it() {
    let folder = Folder::new();
    let path = folder.path("out.pcapng");
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &path,
        &example("ping.crafty"),
    ])
    .expect(0);
    let octets = std::fs::read(&path).expect("the capture");
    let (records, damage) = crafty_capture::read_all(&octets[..]).expect("a capture file");
    assert!(damage.is_none(), "{damage:?}");
    let sent: Vec<String> = records
        .iter()
        .filter(|r| r.direction == Some(Direction::Outbound))
        .map(|r| r.comments.join(" "))
        .collect();
    let probes = sent
        .iter()
        .filter(|c| c.contains("ping.crafty:9:") && c.contains("echo_request"))
        .count();
    assert_eq!(probes, 5, "{sent:?}");
}

#[test]
fn wireshark_reads_the_capture() {
    if skipped(installed("tshark"), "tshark is not installed") {
        return;
    }
    let folder = Folder::new();
    let path = folder.path("out.pcapng");
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &path,
        &example("ping.crafty"),
    ])
    .expect(0);
    let fields = [
        "-T",
        "fields",
        "-e",
        "icmp.type",
        "-e",
        "icmp.checksum.status",
        "-e",
        "ip.checksum.status",
        "-e",
        "frame.comment",
    ];
    let checked = ["-o", "ip.check_checksum:TRUE", "-Y", "icmp"];
    let ran = run(&[&["tshark", "-r", &path], &checked[..], &fields[..]].concat()).expect(0);
    let rows: Vec<&str> = ran.out.lines().collect();
    assert_eq!(rows.len(), 10, "{}", ran.out);
    assert!(
        rows.iter()
            .all(|r| r.split('\t').nth(1) == Some("1") && r.split('\t').nth(2) == Some("1")),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("ping.crafty:9"), "{}", ran.out);
}

#[test]
fn a_dry_run_sends_nothing_and_shows_what_it_would() {
    let folder = Folder::new();
    let path = folder.path("dry.pcapng");
    let source = "PERMISSIONS = { destinations: [192.0.2.1], sources: [host] }\nPORTS = { udp: [40000] }\n/IP(src=192.0.2.7, dst=192.0.2.1)/UDP(dst=9)/Bytes(\"x\")\n";
    let ran = crate::tool::crafty_reading(source, &["run", "--dry-run", "--pcap", &path, "-"]);
    // Where this machine has no route at all, that is what it must say.
    assert!([0, 4, 5].contains(&ran.status), "{ran:?}");
}

#[test]
fn findings_of_a_run_are_those_of_its_capture() {
    let folder = Folder::new();
    let file = folder.path("run.pcapng");
    let loss = crafty(&[
        "run",
        "--lab",
        "demo:loss=20",
        "--seed",
        "3",
        "--findings",
        "--pcap",
        &file,
        &example("tcp_hops.crafty"),
    ])
    .expect(0);
    let of_file = crafty(&["findings", &file]).expect(0).out;
    assert!(
        of_file.lines().count() >= 1 && of_file.contains("[icmp"),
        "{of_file}"
    );
    let told: String = loss
        .err
        .lines()
        .filter(|l| l.contains("; packets "))
        .map(|l| format!("{l}\n"))
        .collect();
    assert_eq!(told, of_file);
    let none = crafty(&[
        "run",
        "--lab",
        "demo:loss=20",
        "--seed",
        "3",
        &example("tcp_hops.crafty"),
    ])
    .expect(0);
    assert!(
        !none.err.contains("; packets "),
        "nobody asked: {}",
        none.err
    );
}

#[test]
fn machines_hear_of_a_finding_as_soon_as_it_shows() {
    let path = example("tcp_hops.crafty");
    let ran = crafty(&["run", "--lab", "demo", "--findings", "--json", &path]).expect(0);
    let rows: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    let at = |event: &str| {
        rows.iter().position(|r| {
            r["event"] == event && r["name"].as_str().is_some_and(|n| n.starts_with("icmp"))
        })
    };
    let (showing, finding) = (
        at("finding_seen").expect("shown at once"),
        at("finding").expect("told at the end"),
    );
    let last_print = rows
        .iter()
        .rposition(|r| r["event"] == "print")
        .expect("a print");
    assert!(showing < last_print && last_print < finding, "{}", ran.out);
    let counts = |event: &str| {
        rows.iter()
            .find(|r| r["event"] == event && r["name"] == "ttl_change")
            .and_then(|r| r["count"].as_u64())
    };
    assert!(
        counts("finding") > counts("finding_seen"),
        "all of it is reported at the end: {}",
        ran.out
    );
}
