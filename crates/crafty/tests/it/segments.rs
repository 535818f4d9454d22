//! `on out` through the whole tool: the wire, the capture, the lines for machines, the review.

use crate::tool::{Folder, crafty, crafty_reading};
use crafty_capture::{Direction, Record};

/// A connection to the lab's web server whose request is cut, whose parts change places, and whose
/// FIN is lost once.
pub const PROGRAM: &str = r#"BUDGET = { max_duration: 20s, max_packets: 200, max_syns: 5 }
PERMISSIONS = { destinations: [192.0.2.80] }
PORTS = { tcp: [[45000, 45100]] }

/IP!(dst=192.0.2.80) {
  on out duplicate count=1 TCP(flags has syn)
  TCP!(dst=80) {
    on out split=3 count=1 TCP/Bytes
    on out delay=5ms count=1 TCP/Bytes
    on out drop count=1 TCP(flags has fin)
    Bytes("GET / HTTP/1.0\r\n\r\n")
    expect timeout=5s /IP!/TCP!/Bytes(data has "HTTP/1.") {
      print("${length(MATCH[Bytes].data)} bytes, ${STACK[TCP].withheld} withheld")
    }
  }
}
"#;

fn sent(path: &str) -> Vec<Record> {
    let (records, damage) =
        crafty_capture::read_all(&std::fs::read(path).expect("the capture")[..])
            .expect("a capture file");
    assert!(damage.is_none(), "{damage:?}");
    records
        .into_iter()
        .filter(|r| r.direction == Some(Direction::Outbound) && r.octets[12..14] == [8, 0])
        .collect()
}

#[test]
fn a_cut_request_in_the_wrong_order_is_answered() {
    let folder = Folder::new();
    let path = folder.path("out.pcapng");
    crafty_reading(PROGRAM, &["run", "--lab", "demo", "--pcap", &path, "-"])
        .expect(0)
        .says(&["187 bytes, 1 withheld"]);
    let sent = sent(&path);
    let (flags, data) = (
        |r: &Record| r.octets[47],
        |r: &Record| String::from_utf8_lossy(&r.octets[54..]).into_owned(),
    );
    assert_eq!(
        sent.iter().filter(|r| flags(r) & 2 != 0).count(),
        2,
        "the SYN leaves twice"
    );
    let parts: Vec<String> = sent
        .iter()
        .filter(|r| flags(r) & 2 == 0)
        .map(data)
        .filter(|d| !d.is_empty())
        .collect();
    assert_eq!(parts, [" / HTTP/1.0\r\n\r\n", "GET"]);
    let fins: Vec<&Record> = sent.iter().filter(|r| flags(r) & 1 != 0).collect();
    assert_eq!(fins.len(), 1, "the first FIN never left");
    assert!(
        fins[0]
            .comments
            .iter()
            .any(|c| c.contains("54 bytes were dropped") && c.contains("drop count=1")),
        "{:?}",
        fins[0].comments
    );
    let late = sent
        .iter()
        .find(|r| data(r) == "GET")
        .expect("the part that came late");
    assert!(
        late.comments[0].contains("on out delay=5ms"),
        "{:?}",
        late.comments
    );
}

#[test]
fn machines_and_reviewers_are_told() {
    let ran = crafty_reading(PROGRAM, &["run", "--lab", "demo", "--json", "-"]).expect(0);
    let rows: Vec<serde_json::Value> = ran
        .out
        .lines()
        .filter_map(|l| serde_json::from_str(l).ok())
        .collect();
    let withheld: Vec<_> = rows.iter().filter(|r| r["event"] == "withheld").collect();
    assert_eq!(withheld.len(), 1, "{}", ran.out);
    assert!(
        withheld[0]["frame"]
            .as_str()
            .is_some_and(|f| f.len() == 108)
            && withheld[0]["at"]
                .as_str()
                .is_some_and(|at| at.starts_with("-:10:"))
    );
    let review = crafty_reading(PROGRAM, &["review", "-"]).expect(0);
    let looks = review
        .out
        .lines()
        .filter(|l| l.contains("WARNING") && l.contains("packets of its own stack"))
        .count();
    assert_eq!(looks, 4, "{}", review.out);
    review.says(&[
        "main program 1 to 3 packets",
        "line 10: drops its own stack's packets",
    ]);
}

/// What is added is charged, and what the gate drops of it is dropped.
#[test]
fn duplicates_are_within_the_budget() {
    let source = PROGRAM.replace("max_syns: 5", "max_syns: 1");
    // The first SYN leaves, its duplicate does not.
    crafty_reading(&source, &["run", "--lab", "demo", "-"])
        .expect(4)
        .complains(&["max_syns"])
        .says(&["1 withheld"]);
}

#[test]
fn nothing_goes_out_of_a_program_that_lets_nothing_out() {
    let source = PROGRAM.replace(
        "on out duplicate count=1 TCP(flags has syn)",
        "on out drop TCP",
    );
    let folder = Folder::new();
    let path = folder.path("out.pcapng");
    let refused = crafty_reading(&source, &["run", "--lab", "demo", "--pcap", &path, "-"]);
    assert_eq!(
        (refused.status, sent(&path).len()),
        (1, 0),
        "{}",
        refused.err
    );
    crafty(&["explain", "out-action"])
        .expect(0)
        .says(&["split=100"]);
}
