//! What each command prints: mistakes with their fixed lines, the reviewer's screen, the
//! formatter, the manual, explanations.

use crate::tool::{CRAFTY, Folder, crafty, crafty_reading, example, run};
use serde_json::Value as Json;

/// What `check` says of a text: the code's name, and words that help.
#[track_caller]
fn check(source: &str, name: &str, words: &[&str]) {
    crafty_reading(source, &["check", "-"])
        .expect(2)
        .complains(&[&[name][..], words].concat());
}

#[test]
fn check_prints_the_fixed_line() {
    check("x = 1\nx = 2\n", "error[", &["-:2:1", "x := 2"]);
    check("wait 5\n", "error[", &["wait 5s"]);
    check("TIMEOUT = 5s\n", "error[", &["timeout = 5s"]);
    check("if 1 == 1 && 2 == 2 { }\n", "error[", &["and"]);
    check("x = 5m\n", "error[", &["5min", "5ms"]);
    check(
        "BUDGET = { max_packets_per_sec: 5 }\n",
        "error[",
        &["max_packets_per_secs"],
    );
    check("while true { }\n", "error[", &["repeat"]);
}

#[test]
fn check_finds_several_mistakes_at_once() {
    let source = "x = 5m\nwait 5\ny = 1\ny = 2\nwait 6\n";
    let ran = crafty_reading(source, &["check", "--json", "-"]).expect(2);
    let document: Json = serde_json::from_str(&ran.out).expect("one JSON document");
    let lines: Vec<u64> = document["diagnostics"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|d| d["span"]["line"].as_u64())
        .collect();
    assert!([1, 2, 4, 5].iter().all(|l| lines.contains(l)), "{lines:?}");
    assert_eq!(
        (document["ok"].as_bool(), document["status"].as_u64()),
        (Some(false), Some(2))
    );
}

#[test]
fn fixes_for_machines_apply() {
    let folder = Folder::new();
    let path = folder.file("p.crafty", "x = 1\nx = 2\nprint(\"${x}\")\n");
    crafty(&["check", "--fix", &path]).expect(0);
    assert_eq!(
        std::fs::read_to_string(path).expect("the fixed file"),
        "x = 1\nx := 2\nprint(\"${x}\")\n"
    );
}

#[test]
fn a_destination_that_is_missing_is_shown_where_it_belongs() {
    let source = "PERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { icmp: [1] }\n/IP!(dst=192.0.2.2) {\n  ICMP(type=echo_request, id=1)\n}\n";
    check(
        source,
        "192.0.2.2",
        &["destinations: [192.0.2.1, 192.0.2.2]"],
    );
}

#[test]
fn review_is_one_screen() {
    let ran = crafty(&["review", &example("office_rtt.crafty")]).expect(0);
    let lines = ran.out.lines().collect::<Vec<_>>();
    assert!(
        lines.len() <= 32 && lines.iter().all(|l| l.len() <= 200),
        "{}",
        ran.out
    );
    ran.says(&[
        "WARNING      it sends from addresses that are not this host's: 10.20.4.1",
        "sends        line 25: up to 250 times: UDP datagram from 10.20.4.1 port of its own to 10.100.0.50 port 40100",
        "may reach    10.100.0.50 (1 address)",
        "owns         tcp none; udp 40000-40100; icmp identifiers none",
        "main program 250 to 250 packets",
        "leaks        0 bits",
    ]);
    crafty(&["review", &example("traceroute.crafty")])
        .expect(0)
        .says(&["leaks        at most ", "flow         line "]);
}

#[test]
fn review_for_machines() {
    let ran = crafty(&["review", "--json", &example("office_rtt.crafty")]).expect(0);
    let document: Json = serde_json::from_str(&ran.out).expect("one JSON document");
    assert_eq!(document["exfiltration"], "false");
    assert_eq!(
        document["destinations"],
        serde_json::json!([["10.100.0.50", "10.100.0.50"]])
    );
    assert_eq!(
        document["worst_case"]["main_packets"],
        serde_json::json!([250, 250])
    );
}

#[test]
fn the_digest_tells_versions_apart() {
    let digest = |source: &str, more: &[&str]| {
        let ran = crafty_reading(source, &[&["review", "--json", "-"], more].concat()).expect(0);
        serde_json::from_str::<Json>(&ran.out).expect("JSON")["digest"].to_string()
    };
    let (a, b) = ("wait 1s\n", "wait 2s\n");
    assert_eq!(digest(a, &[]), digest(a, &[]));
    assert_ne!(digest(a, &[]), digest(b, &[]));
    assert_ne!(digest(a, &[]), digest(a, &["--max-packets", "7"]));
}

#[test]
fn fmt_is_idempotent_and_keeps_comments() {
    let source = "# first\nx=1 # the one\nif   x==1{print(\"a\")}\n";
    let once = crafty_reading(source, &["fmt", "-"])
        .expect(0)
        .says(&["# first", "# the one", "x = 1"])
        .out;
    assert_eq!(crafty_reading(&once, &["fmt", "-"]).expect(0).out, once);
    let folder = Folder::new();
    let path = folder.file("p.crafty", source);
    crafty(&["fmt", "--check", &path]).expect(1);
    crafty(&["fmt", &path]).expect(0);
    crafty(&["fmt", "--check", &path]).expect(0);
}

#[test]
fn every_message_is_explained() {
    let listing = crafty(&["explain"]).expect(0).out;
    let codes: Vec<&str> = listing
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    assert!(codes.len() >= 60, "{} messages", codes.len());
    for code in codes {
        crafty(&["explain", code])
            .expect(0)
            .says(&[code, "A program that shows it:", "Fixed:"]);
    }
    crafty(&["explain", "E9999"])
        .expect(2)
        .complains(&["`E9999`", "crafty explain"]);
}

#[test]
fn the_manual_fits_into_what_a_model_reads_at_once() {
    let whole = crafty(&["manual"]).expect(0).out;
    assert!(whole.len() <= 24 * 1024, "{} bytes", whole.len());
    assert!(!whole.contains("{{"), "a hole is not filled");
    for topic in [
        "settings",
        "powers",
        "policy",
        "functions",
        "statements",
        "stack",
        "layers",
        "commands",
        "TCP",
        "IP",
        "DNS",
        "quantile",
    ] {
        let page = crafty(&["manual", topic]).expect(0).out;
        assert!(page.len() > 80, "{topic}: {page}");
    }
    crafty(&["manual", "Nonsense"])
        .expect(2)
        .complains(&["`Nonsense`"]);
}

#[test]
fn doctor_tells_what_is_there() {
    let ran = crafty(&["doctor", "--json"]);
    assert!([0, 5].contains(&ran.status), "{ran:?}");
    let document: Json = serde_json::from_str(&ran.out).expect("one JSON document");
    let checks = document["checks"].as_array().expect("rows");
    assert!(
        checks.len() >= 4
            && checks
                .iter()
                .all(|c| c["verdict"] != "lacks" || c["fix"].is_string()),
        "{document}"
    );
}

#[test]
fn the_lab_shows_its_map() {
    crafty(&["lab"])
        .expect(0)
        .says(&["demo", "loss", "mtu_hole", "packet_ecmp"]);
    crafty(&["lab", "demo"]).expect(0).says(&[
        "10.20.4.1",
        "10.100.0.50",
        "192.0.2.80",
        "198.51.100.53",
    ]);
}

#[test]
fn decode_reads_hex_and_captures() {
    let hex = "45000020000100004011 f6b9 c0000201c0000202 04d2 0035 000c 0000 61626364";
    crafty_reading(hex, &["decode", "--help"]).expect(0);
    let folder = Folder::new();
    let pcap = folder.path("out.pcapng");
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &pcap,
        &example("ping.crafty"),
    ])
    .expect(0);
    crafty(&["decode", &pcap])
        .expect(0)
        .says(&["ICMP", "echo_request", "echo_reply", "192.0.2.1"]);
    let rows = crafty(&["decode", "--json", &pcap]).expect(0).out;
    assert!(
        rows.lines().count() >= 10
            && rows
                .lines()
                .all(|l| serde_json::from_str::<Json>(l).is_ok()),
        "{rows}"
    );
}

/// What the help of a command shows under `Examples:`.
fn examples_of(command: &str) -> Vec<String> {
    let help = crafty(&[command, "--help"]).expect(0).out;
    let shown = help
        .lines()
        .skip_while(|line| *line != "Examples:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    shown.map(|line| line.trim().to_string()).collect()
}

#[test]
fn examples_of_the_help_run() {
    let folder = Folder::new();
    let name = |name: &str| folder.path(name);
    for (from, to) in [
        ("ping", "ping"),
        ("udp_server", "server"),
        ("udp_client", "client"),
    ] {
        std::fs::copy(
            example(&format!("{from}.crafty")),
            name(&format!("{to}.crafty")),
        )
        .expect("an example");
    }
    let udp = [
        "run",
        "--lab",
        "demo",
        "--pcap",
        &name("capture.pcapng"),
        "-",
    ];
    let source = "PERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\n/IP!(dst=192.0.2.1)/UDP!(dst=7) {\n  Bytes(\"x\")\n}\n";
    crafty_reading(source, &udp).expect(0);
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &name("out.pcapng"),
        &name("ping.crafty"),
        "target=192.0.2.80",
    ])
    .expect(0);
    // Those that send for real, that need a lab at work, that wait for traffic, and that leave bytes out.
    let apart = |line: &str| {
        (line.contains(" run ") && !line.contains("--lab") && !line.contains("--replay"))
            || line.contains(" lab exec ")
            || line.starts_with("tcpdump ")
            || line.contains("...")
    };
    let mut count = 0;
    for command in [
        "check",
        "approve",
        "review",
        "run",
        "decode",
        "findings",
        "from-pcap",
        "manual",
        "schema",
        "fmt",
        "lab",
    ] {
        for line in examples_of(command).into_iter().filter(|line| !apart(line)) {
            // The recording is of another address than the help speaks of; the first conversation
            // of a lab is ARP.
            let line = line
                .replace("target=192.0.2.9", "target=192.0.2.80")
                .replace("--flow 1", "--flow 2")
                // No one is at the terminal.
                .replace("--key ", "--yes --key ");
            let script = format!(
                "cd '{}' && PATH=\"$(dirname {CRAFTY}):$PATH\" && {line}",
                name("")
            );
            run(&["sh", "-c", &script]).expect(0);
            count += 1;
        }
    }
    assert!(count >= 28, "only {count} examples");
}

#[test]
fn ways_to_run_exclude_each_other() {
    let ping = example("ping.crafty");
    for words in [
        ["--lab", "demo", "--replay", "x.pcap"],
        ["--lab", "demo", "--iface", "lo"],
        ["--replay", "x.pcap", "--iface", "lo"],
    ] {
        crafty(&[&["run"], &words[..], &[&ping]].concat())
            .expect(2)
            .complains(&["cannot be used with"]);
    }
    crafty(&["run", "--replay", "x.pcap", "--dry-run", &ping])
        .expect(2)
        .complains(&["cannot be used with"]);
    crafty(&["run", "--replay", "x.pcap", &format!("{ping}@west")])
        .expect(2)
        .complains(&["`FILE@PLACE` names one of them"]);
}

#[test]
fn several_programs_are_checked_at_once() {
    let folder = Folder::new();
    let first = folder.file("first.crafty", "param n = 1\nprint(\"${n}\")\n");
    let second = folder.file("second.crafty", "param m = 1\nprint(\"${m}\")\n");
    let wrong = folder.file("wrong.crafty", "x = 1\nx = 2\n");
    crafty(&["check", &first, &second, "n=2", "m=3"])
        .expect(0)
        .complains(&["first.crafty: no mistakes", "second.crafty: no mistakes"]);
    crafty(&["check", &first, &wrong])
        .expect(2)
        .complains(&["first.crafty: no mistakes", "wrong.crafty:2:1"]);
    crafty(&["check", &first, "k=2"])
        .expect(2)
        .complains(&["first.crafty` has no param `k`"]);
    crafty(&["check", &first, &second, "k=2"])
        .expect(2)
        .complains(&["none of the programs has a param `k`"]);
    crafty(&[
        "run",
        "--lab",
        "demo",
        &format!("{first}@west"),
        &format!("{second}@east"),
        "n=2",
    ])
    .expect(0)
    .says(&["2\n", "1\n"]);
    crafty(&["run", "--lab", "demo", &first, &second, "k=2"])
        .expect(2)
        .complains(&["none of the programs has a param `k`"]);
}

#[test]
fn a_reason_stands_once_in_the_totals() {
    let source = "BUDGET = { max_duration: 5s, max_packets: 20, max_syns: 1, max_syns_per_secs: 1 }\nPERMISSIONS = { destinations: [192.0.2.80] }\n\
                  PORTS = { tcp: [[45000, 45003]] }\n/IP!(dst=192.0.2.80) {\n  TCP(src=45000, dst=80, flags=syn)\n  TCP(src=45001, dst=80, flags=syn)\n  \
                  TCP(src=45002, dst=80, flags=syn)\n}\n";
    let ran = crafty_reading(source, &["run", "--lab", "demo", "-"]);
    assert_eq!(ran.err.matches("× max_syns").count(), 1, "{}", ran.err);
    let totals = "-: NOT SENT 2 (2 × max_syns); sent ";
    assert!(ran.err.contains(totals), "{}", ran.err);
}

#[test]
fn what_is_no_capture_was_not_shown() {
    let folder = Folder::new();
    let path = folder.file("p.crafty", "print(\"no capture\")\n");
    let ran = crafty(&["decode", &path])
        .expect(2)
        .complains(&["not a capture that can be read", "`crafty check`"]);
    assert!(!ran.err.contains("was shown"), "{}", ran.err);
}

#[test]
fn pages_of_the_manual_end_with_their_line() {
    let layers = crafty(&["manual", "layers"]).expect(0).out;
    assert!(
        layers.ends_with('\n') && layers.lines().count() > 40,
        "{layers}"
    );
    crafty(&["manual", "statements"]).expect(0).says(&[
        "foreach",
        "Handlers (`on`) run only while",
        "no_route",
    ]);
}
