//! Input made to break the tool: it answers with a status of its own, quickly, and never dies of
//! it.

use crate::tool::{Folder, crafty, crafty_reading, example, run_reading};
use std::time::{Duration, Instant};

/// No crash, no signal, no time-out: one of the documented statuses.
#[track_caller]
fn survives(source: &[u8], words: &[&str]) {
    let began = Instant::now();
    let ran = run_reading(source, &[&[crate::tool::CRAFTY], words].concat());
    let shown = String::from_utf8_lossy(&source[..source.len().min(80)]).into_owned();
    assert!(
        (0..=6).contains(&ran.status) && !ran.err.contains("panicked"),
        "{words:?} < {shown:?}: {ran:?}"
    );
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{words:?} < {shown:?} took {:?}",
        began.elapsed()
    );
    assert!(
        ran.err.len() + ran.out.len() < 2 << 20,
        "{words:?} < {shown:?} said {} bytes",
        ran.err.len() + ran.out.len()
    );
}

/// Every command that takes a program.
fn everywhere(source: &[u8]) {
    for words in [
        &["check", "-"][..],
        &["fmt", "-"],
        &["review", "-"],
        &["run", "--lab", "demo", "-"],
        &["check", "--json", "-"],
    ] {
        survives(source, words);
    }
}

#[test]
fn nothing_and_noise() {
    everywhere(b"");
    everywhere(b"\0\0\0\0");
    everywhere(&[0xff; 4096]);
    let noise: Vec<u8> = (0..20_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    everywhere(&noise);
}

#[test]
fn too_long() {
    everywhere("x = 1\n".repeat(40_000).as_bytes());
    everywhere("x".repeat(60_000).as_bytes());
    everywhere(format!("print(\"{}\")\n", "a".repeat(60_000)).as_bytes());
}

#[test]
fn too_deep() {
    everywhere(format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000)).as_bytes());
    everywhere("if true { ".repeat(6_000).as_bytes());
    everywhere(format!("x = {}1\n", "-".repeat(60_000)).as_bytes());
    everywhere(format!("x = {}true\n", "not ".repeat(15_000)).as_bytes());
    everywhere(format!("x = {}{}\n", "[".repeat(30_000), "]".repeat(30_000)).as_bytes());
    everywhere(format!("print(\"{}\")\n", "${".repeat(20_000)).as_bytes());
}

#[test]
fn mistakes_without_end() {
    everywhere("&& || ! ) } ]\n".repeat(4_000).as_bytes());
    everywhere("foreach x in y { while\n".repeat(2_500).as_bytes());
    everywhere("/IP(dst=1.2.3.400)/UDP!(\n".repeat(2_500).as_bytes());
}

#[test]
fn text_that_is_not_what_it_looks_like() {
    for hidden in [
        '\u{202e}',
        '\u{2066}',
        '\u{200b}',
        '\u{feff}',
        '\u{e0041}',
        '\u{1b}',
        '\u{7}',
    ] {
        let source = format!("x = 1 # {hidden} harmless\n");
        everywhere(source.as_bytes());
        crafty_reading(&source, &["check", "-"]).expect(2);
    }
    crafty_reading("x = 1\rprint(\"y\")\n", &["check", "-"]).expect(2);
    crafty_reading("größe = 1\n", &["check", "-"]).expect(2);
}

#[test]
fn numbers_at_the_edge() {
    let numbers = [
        "99999999999999999999999999",
        "0xffffffffffffffffffff",
        "9223372036854775807 + 1",
        "-9223372036854775807 - 2",
        "1e999",
        "999999999999999h",
        "9999999999GiB",
    ];
    for number in numbers {
        everywhere(format!("x = {number}\nprint(\"${{x}}\")\n").as_bytes());
    }
    everywhere(b"BUDGET = { max_packets: 99999999999999999999, max_duration: 9999999999h }\n");
    everywhere(b"PORTS = { udp: [[65535, 0], -1, 70000] }\n");
}

#[test]
fn work_and_memory_without_end() {
    everywhere(b"repeat count=1000000000 { x = 1 }\n");
    everywhere(b"foreach a 1..10000 { foreach b 1..10000 { foreach c 1..10000 { x = 1 } } }\n");
    everywhere(b"x = #00 * 1000000000000\nprint(\"${length(x)}\")\n");
    everywhere(b"x = \"a\"\nrepeat count=64 { x += x }\nprint(\"${length(x)}\")\n");
    everywhere(
        b"m = map(key=0, default=0)\nforeach n 1..200000 { m[n] := n }\nprint(\"${length(m)}\")\n",
    );
    everywhere(b"BUDGET = { max_duration: 100ms }\nrepeat every=1us for=1h { x = 1 }\n");
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new();
    for command in ["check", "fmt", "review", "decode"] {
        survives(b"", &[command, &folder.path("")]);
        survives(b"", &[command, "/dev/null"]);
        survives(b"", &[command, &folder.path("missing")]);
    }
    survives(b"", &["run", "--lab", "demo", "/dev/zero"]);
}

#[test]
fn captures_that_lie() {
    let folder = Folder::new();
    let path = folder.path("good.pcapng");
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &path,
        &example("ping.crafty"),
    ])
    .expect(0);
    let good = std::fs::read(&path).expect("a capture");
    for cut in [1, 27, 100, good.len() / 2, good.len() - 1] {
        survives(b"", &["decode", &folder.file("cut.pcapng", &good[..cut])]);
    }
    for at in (0..good.len().min(400)).step_by(7) {
        let mut bad = good.clone();
        bad[at] ^= 0xff;
        survives(b"", &["decode", &folder.file("bad.pcapng", &bad)]);
    }
    survives(
        b"",
        &[
            "decode",
            &folder.file("noise", [0xa1, 0xb2, 0xc3, 0xd4].repeat(999)),
        ],
    );
}

#[test]
fn policies_that_are_none() {
    let folder = Folder::new();
    let ping = example("ping.crafty");
    for text in [
        "",
        "=",
        "[budget]\nmax_packets = -1\n",
        "[budget]\nmax_packets = \"many\"\n",
        "[permissions]\ndestinations = [1, 2]\n",
        "[nowhere]\n",
    ] {
        let path = folder.file("policy.toml", text);
        let wanted = if text.is_empty() { 0 } else { 2 };
        crafty(&["check", "--policy", &path, &ping]).expect(wanted);
    }
    crafty(&["check", "--policy", &folder.path("missing.toml"), &ping]).expect(2);
}

#[test]
fn a_policy_that_others_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file("policy.toml", "[budget]\nmax_packets = 5\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).expect("the mode");
    crafty(&["check", "--policy", &path, &example("ping.crafty")])
        .expect(2)
        .complains(&["chmod go-w"]);
}

#[test]
fn a_reader_that_goes_away() {
    let command = format!("{} explain | head -1", crate::tool::CRAFTY);
    let ran = run_reading(b"", &["bash", "-c", &format!("set -o pipefail; {command}")]);
    assert!(
        [0, 141].contains(&ran.status) && !ran.err.contains("panicked"),
        "{ran:?}"
    );
}

#[test]
fn names_of_files_steer_no_terminal() {
    for words in [
        ["decode", "\u{1b}[2Jx"],
        ["check", "\u{1b}[2Jx"],
        ["run", "\u{1b}[2Jx"],
        ["findings", "\u{1b}[2Jx"],
    ] {
        let ran = crafty(&words);
        assert!(
            ran.status == 2 && !ran.err.contains('\u{1b}') && ran.err.contains("[2Jx"),
            "{words:?}: {}",
            ran.err
        );
    }
}
