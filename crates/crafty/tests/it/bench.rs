//! `crafty bench`: a scripted candidate goes through the whole loop in real networks of acme, a cheat
//! looks for the truth, a flood is held. Root only.

use crate::mcp::client::{Client, stateless_meta};
use crate::tool::{CRAFTY, Folder, crafty, installed, root, run, skipped};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What a root of the tests has; the real ones come from packages.
const TOOLS: &[&str] = &[
    "sh", "ls", "cat", "head", "hostname", "setpriv", "ip", "ping", "sleep", "chroot", "mount",
    "find", "dd", "env",
];

/// A root with a few tools of this machine, and the libraries that they want.
fn tool_root(folder: &Folder) -> String {
    let tools = folder.path("root");
    for name in ["bin", "proc", "dev", "tmp", "root", "etc"] {
        fs::create_dir_all(Path::new(&tools).join(name)).unwrap();
    }
    for tool in TOOLS {
        let found = run(&["sh", "-c", &format!("readlink -f $(command -v {tool})")]).out;
        fs::copy(found.trim(), Path::new(&tools).join("bin").join(tool)).unwrap();
        let libraries = run(&["ldd", found.trim()]).out;
        for library in libraries
            .split_whitespace()
            .filter(|it| it.starts_with('/'))
        {
            let to = Path::new(&tools).join(library.trim_start_matches('/'));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(library, to).unwrap();
        }
    }
    run(&[
        "mknod",
        "-m",
        "666",
        &format!("{tools}/dev/null"),
        "c",
        "1",
        "3",
    ])
    .expect(0);
    tools
}

/// A candidate with a record, `None` where this machine does not let us.
fn candidate(folder: &Folder) -> Option<Client> {
    let able = run(&["id", "-u"]).out.trim() == "0"
        && TOOLS
            .iter()
            .chain(&["nsenter", "ldd"])
            .all(|it| installed(it));
    if skipped(able, "the benchmark needs root, and tools of util-linux") {
        return None;
    }
    let (root, record) = (tool_root(folder), folder.path("record"));
    let words = [
        CRAFTY, "bench", "serve", "--tools", "classic", "--seed", "3", "--root", &root, "--record",
        &record,
    ];
    Some(Client::of(&words).with_meta(stateless_meta(json!({}))))
}

fn record(folder: &Folder) -> Value {
    let text = fs::read_to_string(folder.path("record/run.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_scripted_candidate_goes_through_the_whole_loop() {
    let folder = Folder::new();
    let Some(mut client) = candidate(&folder) else {
        return;
    };
    let tools = client.request("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert_eq!(names, ["next_ticket", "exec", "submit_diagnosis"]);
    assert!(
        client
            .call("exec", json!({ "portal": "hamburg", "command": "ip addr" }))
            .text
            .contains("no ticket is open")
    );
    let ticket = client.facts("next_ticket", json!({}));
    let portal = ticket["portal"].as_str().unwrap().to_string();
    assert!(
        !ticket["complaint"].as_str().unwrap().is_empty(),
        "{ticket}"
    );
    let pinged = client.facts("exec", json!({ "portal": portal, "command": "ping -c 2 -i 0.2 $(ip route | head -1 | { read _ _ to _; echo $to; })" }));
    assert!(
        pinged["output"].as_str().unwrap().contains("2 received"),
        "{pinged}"
    );
    let late = client.facts(
        "exec",
        json!({ "portal": portal, "command": "sleep 50", "seconds": 1 }),
    );
    assert_eq!(
        (&late["status"], &late["killed_after_seconds"]),
        (&Value::Null, &json!(1))
    );
    let flood = client.facts("exec", json!({ "portal": portal, "command": "head -c 400000 /dev/zero; cat /proc/self/status /proc/self/status | head -c 10; while :; do echo flood; done", "seconds": 2 }));
    assert!(
        flood["output"].as_str().unwrap().len() <= 32 << 10
            && flood["cut_bytes"].as_u64() > Some(0),
        "cut"
    );
    let frozen = client.facts("submit_diagnosis", json!({ "diagnosis": "I do not know." }));
    let elements = frozen["form"]["elements"].as_array().unwrap();
    assert!(elements.iter().any(|it| it["name"] == "edge-ghent2") && elements.len() > 100);
    let wrong = client.call(
        "submit_diagnosis",
        json!({ "where": "edge-ghent2", "what": [] }),
    );
    assert!(
        wrong.is_error && wrong.text.contains("`where` must be a list"),
        "{}",
        wrong.text
    );
    let claim = json!({ "portal": portal, "count": 2, "direction": "received", "protocol": "icmp", "icmp_type": 0 });
    let lie = json!({ "portal": portal, "protocol": "icmp", "icmp_type": 5 });
    client.facts("submit_diagnosis", json!({ "where": [], "what": ["healthy"], "how_much": "", "evidence": [claim, lie], "fix": "" }));
    client.facts("next_ticket", json!({}));
    assert_eq!(client.leave(), 0);
    let record = record(&folder);
    let tickets = record["tickets"].as_array().unwrap();
    assert_eq!(
        (
            tickets.len(),
            &tickets[0]["answered"],
            &tickets[1]["answered"]
        ),
        (2, &json!(true), &json!(false))
    );
    let first = &tickets[0];
    let healthy = first["truth"]["faults"].as_array().unwrap().is_empty();
    assert_eq!(
        first["score"]["what"],
        json!(if healthy { 1.0 } else { 0.0 })
    );
    assert_eq!(
        first["score"]["evidence"],
        json!(0.0),
        "one true claim and a lie"
    );
    assert!(
        first["packets"].as_u64() >= Some(2) && first["calls"].as_u64() == Some(3),
        "{first}"
    );
    // How many were valid depends on how busy this machine is; none may be missing.
    let graded = crafty(&["bench", "grade", "--json", &folder.path("record")])
        .expect(0)
        .out;
    let graded: Value = serde_json::from_str(&graded).unwrap();
    let counted = graded[0]["tickets"]
        .as_u64()
        .zip(graded[0]["invalid"].as_u64());
    assert_eq!(counted.map(|(valid, not)| valid + not), Some(5), "{graded}");
    // The recording of a ticket replays like any other.
    crafty(&["lab", "replay", &folder.path("record/ticket-1")])
        .expect(0)
        .says(&["the same: "]);
}

/// Everything that a candidate can look at by itself, and what it finds of the truth.
#[test]
fn a_cheat_finds_nothing_of_the_lab() {
    let folder = Folder::new();
    let Some(mut client) = candidate(&folder) else {
        return;
    };
    let portal = client.facts("next_ticket", json!({}))["portal"]
        .as_str()
        .unwrap()
        .to_string();
    let mut look = |command: &str| {
        let done = client.facts("exec", json!({ "portal": portal, "command": command }));
        done["output"].as_str().unwrap().to_string()
    };
    let seen = look(
        "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/mounts /proc/self/mountinfo /proc/net/* /proc/sys/kernel/hostname; env; ip -d link; ls -la / /proc /dev /etc /tmp ~",
    );
    let source = root().display().to_string();
    let folder_name = folder.path("record");
    for word in [
        "acme",
        "crafty",
        "bench",
        "ticket",
        "truth",
        "edge-",
        source.as_str(),
        folder_name.as_str(),
    ] {
        assert!(!seen.contains(word), "`{word}` can be seen: {seen}");
    }
    assert!(seen.contains("eth0"), "{seen}");
    // Only its own processes: the shell that it runs in is the first.
    assert_eq!(
        look("ls -d /proc/[0-9]* | head -3 | while read it; do echo $it; done; echo end")
            .matches("/proc/")
            .count()
            .min(3),
        3
    );
    for attempt in [
        "chroot / true",
        "mount -t proc x /tmp",
        "dd if=/dev/mem count=1",
        "cat /proc/kcore",
        "cat /proc/1/cwd/../etc/shadow",
        "dd if=/dev/zero of=/proc/sysrq-trigger count=1",
        "find / -name '*.toml' -o -name '*.pcapng' | head -1 | { read it; }",
    ] {
        let done = look(&format!("{attempt} >/dev/null 2>&1 && echo it worked"));
        assert!(!done.contains("it worked"), "{attempt}");
    }
    assert_eq!(client.leave(), 0);
}

#[test]
fn wrong_words_are_told() {
    for (words, complaint) in [
        (&["bench", "serve"][..], "`serve` needs `--tools`"),
        (
            &["bench", "tools", "hammer", "/tmp/x"],
            "there is no set of tools `hammer`",
        ),
        (&["bench", "grade", "/nonexistent"], "/nonexistent/run.json"),
        (&["bench", "play"], "is not something"),
        (
            &[
                "bench",
                "serve",
                "--tools",
                "scapy",
                "--root",
                "/",
                "--record",
                "/tmp/never",
                "--network",
                "demo",
            ],
            "has too few tickets",
        ),
    ] {
        crafty(words).expect(2).complains(&[complaint, "help:"]);
    }
    crafty(&["bench"])
        .expect(0)
        .says(&["scapy", "crafty", "classic"]);
}
