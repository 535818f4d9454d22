//! What the tools answer.

use super::client::{Client, answered, stateless_meta};
use crate::tool::root;
use serde_json::{Value, json};
use std::time::Duration;

/// A program that pings for a minute of virtual or real time.
const LONG: &str = "param target = 192.0.2.1\nBUDGET = { max_duration: 60s, max_packets: 1000 }\nPERMISSIONS = { destinations: [target] }\nPORTS = { icmp: [77] }\n\
    /IP!(dst=target) {\n  repeat count=500 every=100ms as n {\n    ICMP(type=echo_request, id=77, seq=n)/Bytes(\"x\")\n    print(\"sent ${n}\")\n  }\n}\n";

fn example(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("examples/{name}.crafty"))).expect("the example")
}

/// Every fact of the data is in the text.
fn assert_complete(text: &str, facts: &Value, tool: &str) {
    match facts {
        Value::Array(items) => items.iter().for_each(|it| assert_complete(text, it, tool)),
        Value::Object(map) => map.values().for_each(|it| assert_complete(text, it, tool)),
        Value::Null => {}
        Value::String(word) => {
            let quoted = facts.to_string();
            let word = word.trim_end();
            assert!(
                text.contains(word) || text.contains(&quoted),
                "{tool}: `{word}` is not in the text:\n{text}"
            );
        }
        scalar => assert!(
            text.contains(&scalar.to_string()),
            "{tool}: `{scalar}` is not in the text:\n{text}"
        ),
    }
}

#[test]
fn text_and_data_hold_every_fact_in_every_answer_and_none_is_long() {
    let mut client = Client::stateless(&[]);
    let ping = example("ping");
    let calls = [
        ("manual", json!({})),
        ("manual", json!({ "section": "whole" })),
        ("manual", json!({ "section": "TCP" })),
        ("manual", json!({ "query": "time" })),
        ("check", json!({ "program": ping })),
        ("check", json!({ "program": "x = 1\nx = 2\ny\n" })),
        ("explain", json!({ "program": ping })),
        ("explain", json!({ "code": "E0601" })),
        ("explain", json!({ "code": "no such" })),
        ("run", json!({ "program": ping })),
        (
            "run",
            json!({ "program": example("traceroute"), "events": true, "findings": true }),
        ),
        ("run", json!({ "program": "x = y\n" })),
        ("run_status", json!({})),
        ("run_status", json!({ "run_id": "r1" })),
        ("run_cancel", json!({ "run_id": "r1" })),
        ("capture_read", json!({ "run_id": "r1", "hex": true })),
        (
            "capture_read",
            json!({ "run_id": "r2", "filter": "/IP/ICMP", "fields": ["IP.src", "ICMP.type"] }),
        ),
        ("examples", json!({})),
        ("examples", json!({ "name": "jitter" })),
        ("limits", json!({})),
        ("limits", json!({ "lab": true })),
    ];
    for (tool, arguments) in calls {
        let answered = client.call(tool, arguments.clone());
        assert_complete(&answered.text, &answered.facts, tool);
        let size = answered.facts.to_string().len();
        assert!(size < 20_000, "{tool} {arguments}: {size} bytes");
        assert!(answered.text.len() < 20_000, "{tool} {arguments}");
    }
}

#[test]
fn a_cursor_leads_to_the_end_and_nothing_is_lost() {
    let mut client = Client::stateless(&[]);
    let mut whole = String::new();
    let mut at = 0;
    loop {
        let page = client.facts("manual", json!({ "section": "whole", "cursor": at }));
        whole += page["text"].as_str().expect("text");
        match page["next"].as_u64() {
            Some(next) => at = next,
            None => break,
        }
    }
    assert_eq!(whole, crate::tool::crafty(&["manual"]).expect(0).out);
    let noisy = "repeat count=3000 every=1ms as n { print(\"line ${n}, with some words so that it is long enough\") }\n";
    let mut page = client.facts("run", json!({ "program": noisy }));
    let mut lines = 0;
    loop {
        let rows = page["lines"].as_array().expect("lines");
        lines += rows.len();
        let Some(next) = page["next"].as_u64() else {
            break;
        };
        assert_eq!(next as usize, lines);
        page = client.facts("run_status", json!({ "run_id": "r1", "from_line": next }));
    }
    assert_eq!(lines, 3000);
}

#[test]
fn an_error_teaches_and_its_fix_is_right() {
    let mut client = Client::stateless(&[]);
    let wrong = "x = 1\nx = 2\n";
    let error = client.fails("program", "run", json!({ "program": wrong }));
    let mistake = &error["mistakes"][0];
    assert_eq!(
        (mistake["code"].as_str(), mistake["span"]["line"].as_u64()),
        (Some("E0202"), Some(2))
    );
    let fixed = format!(
        "x = 1\n{}\n",
        mistake["fix"]["write"][0].as_str().expect("a line")
    );
    assert_eq!(
        client.facts("check", json!({ "program": fixed }))["ok"],
        true
    );
    client.fails(
        "param",
        "run",
        json!({ "program": example("ping"), "params": { "nobody": 1 } }),
    );
    client.fails(
        "param",
        "run",
        json!({ "program": example("ping"), "params": { "target": "www.example.com" } }),
    );
    client.fails(
        "medium",
        "run",
        json!({ "program": example("ping"), "lab": "demo:nothing" }),
    );
    client.fails(
        "medium",
        "run",
        json!({ "program": example("ping"), "place": "nowhere" }),
    );
    client.fails(
        "argument",
        "run",
        json!({ "program": example("ping"), "lab": "/etc/passwd" }),
    );
    client.fails("not_found", "run_status", json!({ "run_id": "r99" }));
    client.fails(
        "argument",
        "capture_read",
        json!({ "run_id": "r99", "limit": 1000 }),
    );
}

#[test]
fn without_set_up_nothing_leaves_the_lab() {
    let mut client = Client::stateless(&[]);
    client.fails(
        "live_off",
        "run",
        json!({ "program": example("ping"), "mode": "live" }),
    );
    client.fails(
        "live_off",
        "run",
        json!({ "program": example("ping"), "mode": "dry_run" }),
    );
    assert_eq!(
        client.facts("limits", json!({}))["modes"],
        json!(["lab", "replay"])
    );
    let wrong = crate::tool::crafty(&["mcp", "--approved", "00"]);
    wrong.expect(2).complains(&["--live"]);
}

#[test]
fn two_programs_meet_in_one_lab() {
    let mut client = Client::stateless(&[]);
    let call = json!({ "program": example("udp_client"), "place": "west", "peer": example("udp_server"), "peer_place": "east" });
    let facts = client.facts("run", call);
    assert_eq!(
        facts["programs"].as_array().map(Vec::len),
        Some(2),
        "{facts}"
    );
    assert_eq!(facts["status"], "done", "{facts}");
}

#[test]
fn an_earlier_run_answers_in_a_replay() {
    let mut client = Client::stateless(&[]);
    let first = client.facts("run", json!({ "program": example("ping") }));
    let again = client.facts(
        "run",
        json!({ "program": example("ping"), "mode": "replay", "replay": "r1" }),
    );
    assert_eq!(first["lines"], again["lines"]);
    let more = example("ping").replace("1..5", "1..7");
    let other = client.facts(
        "run",
        json!({ "program": more, "mode": "replay", "replay": "r1" }),
    );
    assert_eq!(other["status"], "diverged", "{other}");
    client.fails(
        "medium",
        "run",
        json!({ "program": example("port_check"), "mode": "replay", "replay": "r1" }),
    );
}

#[test]
fn a_lost_answer_is_picked_up_by_its_id() {
    let mut client = Client::stateless(&[]);
    let id = client.ask(
        "tools/call",
        json!({ "name": "run", "arguments": { "program": example("ping") } }),
    );
    // The answer to that call never reaches the model.
    let _ = client.response(id);
    let runs = client.facts("run_status", json!({}));
    let run = &runs["runs"][0]["run_id"];
    let facts = client.facts("run_status", json!({ "run_id": run }));
    assert_eq!(facts["lines"].as_array().map(Vec::len), Some(10));
}

#[test]
fn the_handshake_of_every_older_version_works() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(&[]);
        let hello = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let hello = client.request("initialize", hello);
        assert_eq!(hello["result"]["protocolVersion"], version);
        client.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let facts = client.facts("run", json!({ "program": example("ping") }));
        assert_eq!(facts["status"], "done");
        assert_eq!(client.leave(), 0);
    }
}

#[test]
fn a_run_in_the_lab_takes_no_time_to_wait_for() {
    let mut client = Client::stateless(&[]);
    let facts = client.facts("run", json!({ "program": LONG, "wait_s": 25 }));
    assert_eq!(facts["programs"][0]["sent"]["packets"], 501, "{facts}");
}

#[test]
fn the_tools_are_the_same_in_the_same_order_for_everybody() {
    let mut client = Client::start(&[]).with_meta(stateless_meta(json!({ "elicitation": {} })));
    let list = client.request("tools/list", json!({}));
    let names: Vec<&str> = list["result"]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "manual",
            "check",
            "explain",
            "run",
            "run_status",
            "run_cancel",
            "capture_read",
            "examples",
            "limits"
        ]
    );
    let other = Client::stateless(&["--live"]).request("tools/list", json!({}));
    assert_eq!(list["result"], other["result"]);
    for tool in list["result"]["tools"].as_array().expect("tools") {
        let hints = &tool["annotations"];
        assert_eq!(hints["openWorldHint"], tool["name"] == "run", "{tool}");
        let acts = tool["name"] == "run" || tool["name"] == "run_cancel";
        assert_eq!(hints["readOnlyHint"], !acts, "{tool}");
        assert!(
            tool["outputSchema"]["type"] == "object" && tool["inputSchema"]["type"] == "object"
        );
    }
}

#[test]
fn a_call_with_an_unknown_tool_is_a_protocol_error() {
    let mut client = Client::stateless(&[]);
    let response = client.request("tools/call", json!({ "name": "scapy", "arguments": {} }));
    assert_eq!(response["error"]["code"], -32602, "{response}");
    let after = client.request("tools/call", json!({ "name": "limits", "arguments": {} }));
    assert!(!answered(&after).is_error);
    assert!(
        !client.hears_within(Duration::from_millis(50)),
        "one answer for each request"
    );
}

/// `UPDATE_TRANSCRIPTS=1` writes the answer again.
#[test]
fn the_readme_shows_what_a_call_answers() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md");
    let (_, rest) = readme.split_once("```mcp examples/").expect("the block");
    let (block, _) = rest.split_once("\n```").expect("its end");
    let mut lines = block.splitn(3, '\n');
    let name = lines.next().expect("a program").trim_end_matches(".crafty");
    let mut arguments: Value =
        serde_json::from_str(lines.next().expect("arguments")).expect("JSON");
    let shown = lines.next().expect("an answer");
    arguments["program"] = example(name).into();
    let answered = Client::stateless(&[]).call("run", arguments);
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        std::fs::write(&path, readme.replace(shown, &answered.text)).expect("README.md is written");
        return;
    }
    assert_eq!(answered.text, shown);
}
