//! Capture files of others and ours: what we read agrees with `tshark` on the same file, what we
//! write is read by it.

use crate::tool::{CRAFTY, Folder, crafty, example, installed, run, run_reading, skipped};
use crafty_capture::{CaptureReader, CaptureWriter, Direction, Record, secrets};
use crafty_value::Time;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// A capture of a run in the lab.
fn recorded(folder: &Folder, program: &str) -> String {
    let path = folder.path(&format!("{program}.pcapng"));
    crafty(&["run", "--lab", "demo", "--pcap", &path, &example(program)]).expect(0);
    path
}

/// What a file says of each packet: time, lengths, interface, direction, comments, in the words of
/// `tshark`.
fn ours(path: &str) -> Vec<String> {
    let mut reader =
        CaptureReader::new(std::fs::File::open(path).expect("the file")).expect("a capture");
    let mut rows = Vec::new();
    while let Some(record) = reader.record().expect("a whole file") {
        let time = record.time.map_or(String::new(), |Time(ns)| {
            format!(
                "{}.{:09}",
                ns.div_euclid(1_000_000_000),
                ns.rem_euclid(1_000_000_000)
            )
        });
        let name = reader.interface_name(record.interface).unwrap_or_default();
        let direction = record.direction.map_or("", |d| {
            if d == Direction::Inbound {
                "0x00000001"
            } else {
                "0x00000002"
            }
        });
        let Record {
            octets,
            wire_len,
            comments,
            ..
        } = record;
        rows.push(format!(
            "{time}|{wire_len}|{}|{name}|{direction}|{}",
            octets.len(),
            comments.join(",")
        ));
    }
    rows
}

fn theirs(path: &str) -> Vec<String> {
    let fields = [
        "frame.time_epoch",
        "frame.len",
        "frame.cap_len",
        "frame.interface_name",
        "frame.packet_flags_direction",
        "frame.comment",
    ];
    let words: Vec<&str> = fields.iter().flat_map(|field| ["-e", field]).collect();
    let ran = run(&[
        &["tshark", "-r", path, "-T", "fields", "-E", "separator=|"],
        &words[..],
    ]
    .concat())
    .expect(0);
    ran.out.lines().map(str::to_string).collect()
}

#[track_caller]
fn agree(path: &str) {
    let (ours, theirs) = (ours(path), theirs(path));
    assert!(ours.len() >= 5, "{path}: {ours:?}");
    assert_eq!(ours, theirs, "{path}");
}

#[test]
fn files_of_others_are_read_as_they_read_them() {
    if skipped(
        ["tshark", "editcap", "mergecap", "gzip"]
            .iter()
            .all(|t| installed(t)),
        "tshark, editcap, mergecap or gzip is not installed",
    ) {
        return;
    }
    let folder = Folder::new();
    let (ping, http) = (
        recorded(&folder, "ping.crafty"),
        recorded(&folder, "http_get.crafty"),
    );
    let made = |name: &str, words: &[&str]| {
        let path = folder.path(name);
        run(&[words, &[&path]].concat()).expect(0);
        path
    };
    let merged = folder.path("merged.pcapng");
    run(&["mergecap", "-w", &merged, &ping, &http]).expect(0);
    let concatenated = folder.file(
        "sections.pcapng",
        [std::fs::read(&http), std::fs::read(&ping)]
            .map(|f| f.expect("a file"))
            .concat(),
    );
    let files = [
        made("nanoseconds.pcap", &["editcap", "-F", "nsecpcap", &ping]),
        made("microseconds.pcap", &["editcap", "-F", "pcap", &ping]),
        made(
            "cut.pcapng",
            &["editcap", "-s", "40", "-t", "1700000000.5", &http],
        ),
        merged,
        concatenated,
        http,
    ];
    for file in &files {
        agree(file);
        run(&["gzip", "-k", file]).expect(0);
        assert_eq!(ours(&format!("{file}.gz")), ours(file), "{file}");
        if !skipped(installed("zstd"), "zstd is not installed") {
            run(&["zstd", "-q", file]).expect(0);
            assert_eq!(ours(&format!("{file}.zst")), ours(file), "{file}");
        }
    }
}

#[test]
fn what_is_written_is_read_by_others() {
    if skipped(
        installed("tshark") && installed("capinfos"),
        "tshark or capinfos is not installed",
    ) {
        return;
    }
    let folder = Folder::new();
    agree(&recorded(&folder, "traceroute.crafty"));
    let mut writer = CaptureWriter::new(Vec::new()).expect("memory");
    for name in ["inside", "outside"] {
        writer.interface(name, 1).expect("memory");
    }
    let log = format!("CLIENT_RANDOM {} {}\n", "11".repeat(32), "22".repeat(48));
    writer
        .secrets(secrets::TLS_KEY_LOG, log.as_bytes())
        .expect("memory");
    for interface in 0..6 {
        let comments = vec![
            "p.crafty:3: Bytes(\"x\")".to_string(),
            "gate: passed".to_string(),
        ];
        let (octets, time, direction) = (
            vec![0; 60],
            Some(Time(interface * 1_000_000_001)),
            Some(Direction::Inbound),
        );
        let interface = interface as usize % 2;
        writer
            .packet(&Record {
                octets,
                wire_len: 1514,
                time,
                link: 1,
                interface,
                direction,
                comments,
            })
            .expect("memory");
    }
    writer.statistics(1, 4_294_967_296, 7).expect("memory");
    let path = folder.file("written.pcapng", writer.finish().expect("memory"));
    agree(&path);
    run(&["capinfos", &path]).expect(0).says(&[
        "Number of interfaces in file: 2",
        "Number of decryption secrets in file: 1",
        "Name = outside",
    ]);
    let blocks = run(&[
        "tshark",
        "-X",
        "read_format:MIME Files Format",
        "-V",
        "-r",
        &path,
    ])
    .expect(0);
    blocks.says(&[
        "Number of Received Packets: 4294967296",
        "Number of Dropped Packets: 7",
        "TLS Key Log",
        "p.crafty:3",
    ]);
    crafty(&["decode", "--summary", &path])
        .expect(0)
        .complains(&["lost 7 packets of outside"]);
}

#[test]
fn each_frame_has_its_line_and_its_verdict() {
    let source = "BUDGET = { max_packets: 30, max_packets_per_secs: 10 }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\n/IP!(dst=192.0.2.1) {\n  foreach n 1..12 {\n    UDP(dst=9)/Bytes(\"x\")\n    wait 99ms\n  }\n}\n";
    let folder = Folder::new();
    let path = folder.path("held.pcapng");
    let ran = run_reading(
        source.as_bytes(),
        &[CRAFTY, "run", "--lab", "demo", "--pcap", &path, "-"],
    )
    .expect(0);
    let rows = ours(&path);
    let with = |text: &str| rows.iter().filter(|row| row.contains(text)).count();
    assert_eq!(
        (
            with("-:6: UDP(dst=9)/Bytes(\"x\")"),
            with("before the first statement")
        ),
        (12, 1),
        "{rows:?}\n{ran:?}"
    );
    // A held frame is handed out before its time, and is in the file at its time.
    assert!(
        rows.is_sorted_by_key(|row| row
            .split('|')
            .next()
            .and_then(|time| time.parse::<f64>().ok())
            .map(|s| (s * 1e9) as i64)),
        "{rows:?}"
    );
    assert!(
        with("gate: held for ") >= 1 && with("gate: passed") >= 10,
        "{rows:?}"
    );
}

#[test]
fn a_capture_on_standard_input_is_shown_as_it_grows() {
    let folder = Folder::new();
    let file = std::fs::read(recorded(&folder, "ping.crafty")).expect("a file");
    for packed in [false, true] {
        let mut child = Command::new(CRAFTY)
            .args(["decode", "--summary", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("crafty");
        let (mut stdin, stdout) = (
            child.stdin.take().expect("a pipe"),
            child.stdout.take().expect("a pipe"),
        );
        let mut lines = BufReader::new(stdout).lines();
        // Half of the file is there, and the pipe stays open: what it holds must come anyway, or
        // this waits forever.
        let half = file.len() / 2;
        stdin
            .write_all(&if packed {
                gzip(&file[..half], true)
            } else {
                file[..half].to_vec()
            })
            .expect("a pipe");
        let first = lines
            .next()
            .expect("a line while the file grows")
            .expect("text");
        assert!(first.contains("/Eth/ARP"), "{first}");
        stdin
            .write_all(&if packed {
                gzip(&file[half..], false)
            } else {
                file[half..].to_vec()
            })
            .expect("a pipe");
        drop(stdin);
        assert_eq!(lines.count() + 1, 12);
        // The packed one ends without its checksum.
        assert_eq!(
            child.wait().expect("its end").code(),
            Some(if packed { 2 } else { 0 })
        );
    }
}

/// Bytes in one stored block of deflate, with the head of a gzip file or with its end.
fn gzip(octets: &[u8], first: bool) -> Vec<u8> {
    let length = u16::try_from(octets.len()).expect("a short half");
    let block = [
        &[u8::from(!first)][..],
        &length.to_le_bytes(),
        &(!length).to_le_bytes(),
        octets,
    ]
    .concat();
    let head: &[u8] = if first {
        &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
    } else {
        &[]
    };
    [head, &block].concat()
}

#[test]
fn what_tcpdump_writes_on_standard_output_is_read() {
    if skipped(installed("tcpdump"), "tcpdump is not installed") {
        return;
    }
    let folder = Folder::new();
    let path = recorded(&folder, "ping.crafty");
    let ran = run(&[
        "sh",
        "-c",
        &format!("tcpdump -r {path} -w - 2>/dev/null | {CRAFTY} decode --summary -"),
    ])
    .expect(0);
    assert_eq!(
        (
            ran.out.lines().count(),
            ran.out.matches("echo_reply").count()
        ),
        (12, 5),
        "{}",
        ran.out
    );
}

#[test]
fn a_file_that_is_not_whole_says_so() {
    let folder = Folder::new();
    let file = std::fs::read(recorded(&folder, "ping.crafty")).expect("a file");
    let check = |name: &str, octets: &[u8], lines: usize, words: &[&str]| {
        let path = folder.file(name, octets);
        let said = if lines > 0 {
            "cannot read the rest of this capture"
        } else {
            "this is not a capture that can be read"
        };
        let ran = crafty(&["decode", "--summary", &path])
            .expect(2)
            .complains(&[words, &[said]].concat());
        assert_eq!(ran.out.lines().count(), lines, "{}", ran.out);
    };
    check(
        "cut",
        &file[..file.len() - 80],
        11,
        &["the file ends", "bytes early", "is the file complete?"],
    );
    check("empty", b"", 0, &["it is empty"]);
    check(
        "text",
        b"hello, this is text",
        0,
        &["neither pcap nor pcapng"],
    );
    check(
        "longer",
        &[&file, &b"and more"[..]].concat(),
        12,
        &["is impossible"],
    );
}
