//! What bad input gets: an error, and the next call works.

use super::client::{Client, answered};
use serde_json::{Value, json};
use std::time::Duration;

/// Answers after whatever was said before.
#[track_caller]
fn assert_works(client: &mut Client) {
    let facts = client.facts("limits", json!({}));
    assert_eq!(facts["runs"]["running"], 0, "{facts}");
}

#[test]
fn what_is_no_request_does_no_harm() {
    let mut client = Client::stateless(&[]);
    assert_works(&mut client);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let lines = [
        "",
        "x",
        "{",
        "[]",
        "null",
        "1",
        "\"text\"",
        "{}",
        "{\"jsonrpc\":\"1.0\"}",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}",
        "\u{0}\u{1}\u{feff}",
        deep.as_str(),
    ];
    for line in lines {
        client.say(line);
        assert_works(&mut client);
    }
}

#[test]
fn wrong_arguments_are_told_and_nothing_runs() {
    let mut client = Client::stateless(&[]);
    let huge = "x".repeat(5_000_000);
    let calls: Vec<(&str, Value)> = vec![
        ("run", json!({})),
        ("run", json!({ "program": 5 })),
        ("run", json!({ "program": "", "mode": "LIVE" })),
        ("run", json!({ "program": "x", "wait_s": 1e9 })),
        ("run", json!({ "program": "x", "wait_s": -1 })),
        ("run", json!({ "program": huge })),
        ("run", json!({ "program": "x", "params": { "a b": 1 } })),
        ("run", json!({ "program": "x", "params": [1] })),
        ("run", json!({ "program": "x", huge.clone(): 1 })),
        ("check", json!({ "program": ["x"] })),
        ("check", json!({ "prog": "x" })),
        ("run_status", json!({ "run_id": huge.clone() })),
        (
            "run_status",
            json!({ "run_id": "r1", "from_line": u64::MAX }),
        ),
        (
            "capture_read",
            json!({ "run_id": "r1", "fields": vec!["IP.src"; 100] }),
        ),
        (
            "manual",
            json!({ "section": "../../etc/passwd", "cursor": "next" }),
        ),
        ("limits", json!({ "all": true })),
    ];
    for (tool, arguments) in calls {
        let error = client.fails("argument", tool, arguments);
        assert!(
            error.to_string().len() < 8_000,
            "{}",
            error.to_string().len()
        );
    }
    client.fails(
        "not_found",
        "run_status",
        json!({ "run_id": "r1\u{1b}[2J" }),
    );
    client.fails(
        "not_found",
        "manual",
        json!({ "section": "../../etc/passwd" }),
    );
    client.fails("not_found", "examples", json!({ "name": "../Cargo" }));
    assert_works(&mut client);
}

#[test]
fn arguments_that_are_no_object_are_an_error() {
    let mut client = Client::stateless(&[]);
    for arguments in [json!([1]), json!("x"), json!(5)] {
        let response = client.request(
            "tools/call",
            json!({ "name": "limits", "arguments": arguments }),
        );
        assert!(
            response["error"].is_object() || response["result"]["isError"] == true,
            "{response}"
        );
    }
    assert_works(&mut client);
}

#[test]
fn text_from_the_network_is_marked_escaped_and_cut() {
    // The lab's web server answers with what it was sent in the path.
    let program = "param server = 192.0.2.80\nBUDGET = { max_duration: 20s, max_packets: 200, max_syns: 3 }\nPERMISSIONS = { destinations: [server] }\n\
        PORTS = { tcp: [[45000, 45100]] }\n/IP!(dst=server)/TCP!(dst=80) {\n  Bytes(\"GET / HTTP/1.0\\r\\n\\r\\n\")\n  expect timeout=5s /IP!/TCP!/Bytes(data has \"HTTP\") {\n    \
        print(\"got ${text(MATCH[Bytes].data)} \\x1b[2J\")\n    record page = MATCH[Bytes].data\n  }\n}\n";
    let mut client = Client::stateless(&[]);
    for events in [false, true] {
        let answered = client.call("run", json!({ "program": program, "events": events }));
        assert!(!answered.is_error, "{}", answered.text);
        assert_eq!(answered.facts["untrusted"], true, "{}", answered.text);
        let is_control = |c: char| c.is_control() && c != '\n';
        assert!(!answered.text.contains(is_control), "{:?}", answered.text);
        assert!(answered.text.contains('«') || events);
    }
}

#[test]
fn thousands_of_calls_leave_the_server_as_it_was() {
    let mut client = Client::stateless(&[]);
    many_calls(&mut client, 1_000);
    let before = memory(client.process());
    many_calls(&mut client, 3_000);
    let ping = std::fs::read_to_string(crate::tool::example("ping.crafty")).expect("the example");
    assert_eq!(
        client.facts("run", json!({ "program": ping }))["status"],
        "done"
    );
    assert_works(&mut client);
    let after = memory(client.process());
    assert!(after < before + 30_000, "{before} kB, then {after} kB");
    assert!(
        !client.hears_within(Duration::from_millis(50)),
        "one answer for each request"
    );
}

/// Calls of all kinds, a hundred at a time.
fn many_calls(client: &mut Client, count: u64) {
    for n in 0..count {
        let call = match n % 6 {
            0 => json!({ "name": "check", "arguments": { "program": "x = 1\nx = 2\n" } }),
            1 => json!({ "name": "manual", "arguments": { "section": "TCP" } }),
            2 => {
                json!({ "name": "run", "arguments": { "program": "print(\"x\")\n", "wait_s": 25 } })
            }
            3 => json!({ "name": "run_status", "arguments": { "run_id": format!("r{n}") } }),
            4 => json!({ "name": "nothing", "arguments": {} }),
            _ => json!({ "name": "limits", "arguments": {} }),
        };
        client.ask("tools/call", call);
        if n % 100 == 99 {
            (0..100).for_each(|_| drop(client.hear()));
        }
    }
}

/// Kilobytes of memory that a process has.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let row = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("its memory");
    row.split_whitespace()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .expect("a number")
}

#[test]
fn too_many_runs_are_refused_and_go_away_with_the_client() {
    // Virtual time is quick: only what is never over runs for long.
    let busy =
        "BUDGET = { max_duration: 300h }\nrepeat count=100000000 every=1ms as n { x = n * n }\n";
    let mut client = Client::stateless(&[]);
    let mut last = Value::Null;
    for _ in 0..9 {
        let response = client.request(
            "tools/call",
            json!({ "name": "run", "arguments": { "program": busy, "wait_s": 0 } }),
        );
        last = answered(&response).facts;
    }
    assert_eq!(last["error"]["code"], "busy", "{last}");
    let stopped = client.facts("run_cancel", json!({ "run_id": "r1" }));
    assert_eq!(stopped["status"], "stopped", "{stopped}");
    assert_eq!(client.leave(), 0);
}
