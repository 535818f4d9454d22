//! `crafty findings --strict` from outside: what it says, how it ends, and that it accuses nobody
//! without reason.

use crate::findings::{ACK, Row, SYN, written};
use crate::tool::{Folder, crafty, root};
use serde_json::Value as Json;

const OPENING: [Row; 3] = [
    (0, false, 100, 0, SYN, 64_000, 0),
    (20, true, 500, 101, SYN | ACK, 1000, 0),
    (20, false, 101, 501, ACK, 64_000, 0),
];

#[test]
fn a_fault_is_told_with_its_rfc_and_in_the_status() {
    let folder = Folder::new();
    let rows = [&OPENING[..], &[(30, false, 101, 501, ACK, 64_000, 1100)]].concat();
    let path = written(&folder, "beyond.pcapng", &rows);
    let line = "error[beyond_window]: data up to 1101, 100 beyond the highest right edge that was ever offered (RFC 9293 §3.4, §3.8.6), once \
                [TCP 10.0.0.1:51200 to 10.0.0.2:443]; first in packet 4\n";
    let ran = crafty(&["findings", "--strict", &path])
        .expect(1)
        .complains(&["1 faults in 4 packets"]);
    assert_eq!(ran.out, line);
    let ran = crafty(&["findings", "--strict", "--json", &path]).expect(1);
    let fault: Json = serde_json::from_str(ran.out.trim()).expect("one document");
    assert_eq!(fault["name"], "beyond_window");
    assert_eq!(fault["packets"], serde_json::json!([4]));
}

#[test]
fn what_keeps_to_the_rules_ends_well() {
    let folder = Folder::new();
    let rows = [&OPENING[..], &[(30, false, 101, 501, ACK, 64_000, 1000)]].concat();
    let path = written(&folder, "within.pcapng", &rows);
    let ran = crafty(&["findings", "--strict", &path]).expect(0);
    assert_eq!(ran.out, "");
}

/// The acknowledged bytes passed elsewhere, or the capture was too slow: no end is to blame, and
/// that the verdict stops there is reported.
#[test]
fn a_capture_that_lacks_packets_accuses_nobody() {
    let folder = Folder::new();
    let later = [
        (40, true, 501, 1101, ACK, 1000, 0),
        (50, false, 1101, 501, ACK, 64_000, 1100),
    ];
    let path = written(&folder, "lacks.pcapng", &[&OPENING[..], &later].concat());
    let ran = crafty(&["findings", "--strict", &path])
        .expect(0)
        .complains(&["0 faults in 5 packets", "not judged to their end"]);
    assert_eq!(ran.out, "");
}

#[test]
fn captures_of_others_show_no_fault() {
    let folder = root().join("golden/streams");
    let files = std::fs::read_dir(folder).expect("captures of others");
    let mut judged = 0;
    for file in files.map(|file| file.expect("a file").path()) {
        let path = file.display().to_string();
        let ran = crafty(&["findings", "--strict", &path]).expect(0);
        assert_eq!(ran.out, "", "{path}");
        judged += 1;
    }
    assert!(judged >= 7, "{judged} captures are there");
}
