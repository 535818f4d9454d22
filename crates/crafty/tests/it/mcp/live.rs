//! Live runs: in namespaces, each a process of its own.

use super::client::{Answered, Client, answered, stateless_meta};
use crate::kernel::{Spaces, pair};
use crate::tool::{Folder, example};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What runs without being asked for.
const STANDING: &str =
    "[budget]\nmax_packets = 600\n[permissions]\ndestinations = [\"10.9.1.2\"]\n";

/// A packet every 10 ms, for five seconds.
const LONG: &str = "BUDGET = { max_duration: 60s, max_packets: 600, max_packets_per_secs: 500 }\nPERMISSIONS = { destinations: [10.9.1.2] }\n\
    PORTS = { icmp: [77] }\n/IP!(dst=10.9.1.2) {\n  repeat count=500 every=10ms as n {\n    ICMP(type=echo_request, id=77, seq=n)/Bytes(\"x\")\n    print(\"sent ${n}\")\n  }\n}\n";

fn ping() -> Value {
    let text = std::fs::read_to_string(example("ping.crafty")).expect("the example");
    json!({ "program": text, "params": { "target": "10.9.1.2" }, "mode": "live" })
}

fn server(spaces: &Spaces, words: &[&str], capabilities: Value) -> Client {
    let name = spaces.name("a");
    Client::start_in(&["ip", "netns", "exec", &name], words).with_meta(stateless_meta(capabilities))
}

/// The same call with a person's answer.
fn answer(client: &mut Client, asked: &Value, response: Value) -> Answered {
    let params = json!({
        "name": "run", "arguments": ping(), "requestState": asked["result"]["requestState"], "inputResponses": { "approval": response },
    });
    answered(&client.request("tools/call", params))
}

fn ask(client: &mut Client) -> Value {
    let asked = client.request("tools/call", json!({ "name": "run", "arguments": ping() }));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let form = &asked["result"]["inputRequests"]["approval"]["params"];
    assert!(
        form["message"]
            .as_str()
            .is_some_and(|text| text.contains("10.9.1.2")),
        "{form}"
    );
    asked
}

#[test]
fn what_a_person_approves_runs_and_nothing_else() {
    let Some(spaces) = pair() else { return };
    let mut client = server(&spaces, &["--live"], json!({ "elicitation": {} }));
    for refusal in [
        json!({ "action": "decline" }),
        json!({ "action": "accept", "content": { "approve": false } }),
        json!(null),
    ] {
        let asked = ask(&mut client);
        let denied = answer(&mut client, &asked, refusal);
        assert_eq!(denied.facts["error"]["code"], "denied", "{}", denied.text);
    }
    let yes = || json!({ "action": "accept", "content": { "approve": true, "scope": "once" } });
    let asked = ask(&mut client);
    let done = answer(&mut client, &asked, yes());
    assert_eq!(
        done.facts["programs"][0]["received"]["packets"], 5,
        "{}",
        done.text
    );
    // A question is answered once.
    let again = answer(&mut client, &asked, yes());
    assert_eq!(again.facts["error"]["code"], "denied", "{}", again.text);
    let read = client.facts(
        "capture_read",
        json!({ "run_id": "r1", "filter": "/IP/ICMP(type == echo_reply)" }),
    );
    assert_eq!(read["matching"], 5, "{read}");
    assert_eq!(client.facts("limits", json!({}))["denials"], 4);
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_client_that_cannot_ask_is_told_the_command_and_the_command_works() {
    let Some(spaces) = pair() else { return };
    let mut client = server(&spaces, &["--live"], json!({}));
    let error = client.fails("needs_approval", "run", ping());
    let digest = error["digest"].as_str().expect("a digest");
    let mut client = server(&spaces, &["--live", "--approved", digest], json!({}));
    assert_eq!(client.facts("run", ping())["status"], "done");
    let mut other = ping();
    other["program"] = other["program"]
        .as_str()
        .expect("text")
        .replace("max_packets: 10", "max_packets: 11")
        .into();
    client.fails("needs_approval", "run", other);
}

#[test]
fn a_standing_policy_lets_run_what_it_leaves_but_nothing_dangerous() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let file = folder.file("standing.toml", STANDING);
    let mut client = server(
        &spaces,
        &["--live", "--standing", &file],
        json!({ "elicitation": {} }),
    );
    assert_eq!(client.facts("run", ping())["status"], "done");
    let elsewhere = json!({ "program": "PERMISSIONS = { destinations: [10.9.1.77] }\nPORTS = { udp: [40000] }\n/IP(dst=10.9.1.77)/UDP(dst=9)\n", "mode": "live" });
    let asked = client.request(
        "tools/call",
        json!({ "name": "run", "arguments": elsewhere }),
    );
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let leaky = json!({ "program": "PERMISSIONS = { destinations: [10.9.1.2], exfiltration: true }\nPORTS = { udp: [40000] }\n/IP(dst=10.9.1.2)/UDP(dst=9)\n", "mode": "live" });
    let error = client.fails("needs_approval", "run", leaky);
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.contains("person's command")),
        "{error}"
    );
}

#[test]
fn cancellation_stops_sending_and_leaves_nothing_behind() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let file = folder.file("standing.toml", STANDING);
    let mut client = server(&spaces, &["--live", "--standing", &file], json!({}));
    let call = json!({ "program": LONG, "mode": "live", "wait_s": 0 });
    let run = client.facts("run", call.clone());
    spaces.owned("a");
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    let stopped = client.facts("run_cancel", json!({ "run_id": run["run_id"] }));
    let took = began.elapsed();
    assert_eq!(stopped["status"], "stopped", "{stopped}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(
        stopped["programs"][0]["sent"]["packets"]
            .as_u64()
            .is_some_and(|n| (5..400).contains(&n)),
        "{stopped}"
    );
    assert_nothing_left(&spaces, &client);
    // A call that the client gives up stops its run too.
    let waiting =
        json!({ "name": "run", "arguments": { "program": LONG, "mode": "live", "wait_s": 25 } });
    let id = client.ask("tools/call", waiting);
    spaces.owned("a");
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }).to_string());
    std::thread::sleep(Duration::from_millis(500));
    let runs = client.facts("run_status", json!({}));
    assert_eq!(runs["runs"][0]["status"], "stopped", "{runs}");
    assert_nothing_left(&spaces, &client);
    // So does a client that goes away.
    client.facts("run", call);
    spaces.owned("a");
    let process = client.process();
    assert_eq!(client.leave(), 0);
    assert_eq!(files_of(process), Vec::<String>::new());
    assert!(
        !spaces.rules("a").contains("crafty_"),
        "{}",
        spaces.rules("a")
    );
}

#[test]
fn a_killed_server_takes_its_runs_with_it() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let file = folder.file("standing.toml", STANDING);
    let mut client = server(&spaces, &["--live", "--standing", &file], json!({}));
    client.facts(
        "run",
        json!({ "program": LONG, "mode": "live", "wait_s": 0 }),
    );
    spaces.owned("a");
    std::thread::sleep(Duration::from_millis(300));
    let process = client.process();
    drop(client);
    for _ in 0..40 {
        if !spaces.rules("a").contains("crafty_") {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(
        !spaces.rules("a").contains("crafty_"),
        "{}",
        spaces.rules("a")
    );
    assert_eq!(files_of(process), Vec::<String>::new());
}

#[track_caller]
fn assert_nothing_left(spaces: &Spaces, client: &Client) {
    assert!(
        !spaces.rules("a").contains("crafty_"),
        "{}",
        spaces.rules("a")
    );
    assert_eq!(files_of(client.process()), Vec::<String>::new());
}

/// Capture files that a server has left; `ip netns exec` becomes the server, so it has that number.
fn files_of(process: u32) -> Vec<String> {
    let files = std::fs::read_dir(std::env::temp_dir()).expect("the folder");
    let names = files
        .flatten()
        .map(|file| file.file_name().to_string_lossy().into_owned());
    names
        .filter(|name| name.starts_with(&format!("crafty-mcp-{process}-")))
        .collect()
}
