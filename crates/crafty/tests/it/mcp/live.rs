//! Live runs: in namespaces, each a process of its own.

use super::client::{Answered, Client, answered, stateless_meta};
use crate::kernel::{Spaces, pair};
use crate::tool::{CRAFTY, Folder, crafty, example, root, run, skipped};
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

/// A server where `/etc` and `/var/lib` are the test's own.
fn server_of_host(spaces: &Spaces, folder: &Folder, words: &[&str], capabilities: Value) -> Client {
    for path in ["etc/crafty", "lib"] {
        run(&["install", "-d", "-m", "755", &folder.path(path)]).expect(0);
    }
    let (etc, lib) = (folder.path("etc"), folder.path("lib"));
    let line = format!("mount --bind {etc} /etc && mount --bind {lib} /var/lib && exec \"$@\"");
    let name = spaces.name("a");
    let before = [
        "ip", "netns", "exec", &name, "unshare", "-m", "sh", "-c", &line, "sh",
    ];
    Client::start_in(&before, words).with_meta(stateless_meta(capabilities))
}

/// An answer that may reach somebody else with what was received.
fn leaky() -> Value {
    json!({ "program": "param target = 10.9.1.9\nPERMISSIONS = { destinations: [target], exfiltration: true }\nPORTS = { icmp: [77] }\n\
        /IP(dst=target)/ICMP(type=echo_request, id=77)\n", "params": { "target": "10.9.1.2" }, "mode": "live" })
}

/// What a client or a standing policy says is not enough; a person's signature is, for as many runs as
/// it says.
#[test]
fn dangerous_runs_begin_once_a_person_has_signed_them() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let (key, wait) = (folder.path("key"), folder.path("wait"));
    let made = crafty(&["approve", "--new-key", &key]).expect(0).out;
    let public = made.split('"').nth(1).expect("a public key");
    std::fs::create_dir(&wait).expect("a folder");
    let words = ["--live", "--approvals", &wait, "--approver", public];
    let mut client = server_of_host(&spaces, &folder, &words, json!({ "elicitation": {} }));
    let error = client.fails("needs_approval", "run", leaky());
    let command = error["command"].as_str().expect("a command");
    assert!(command.contains("target=10.9.1.2"), "{command}");
    // A signature of somebody else's is none.
    let other = folder.path("other");
    crafty(&["approve", "--new-key", &other]).expect(0);
    let sign = |key: &str| {
        let line = command.replace("--key KEY", &format!("--yes --key {key}"));
        let path = format!("PATH=$(dirname {CRAFTY}):$PATH {line}");
        run(&["sh", "-c", &path]).expect(0).says(&["approved"]);
    };
    sign(&other);
    let error = client.fails("needs_approval", "run", leaky());
    assert!(
        error["message"]
            .to_string()
            .contains("does not name that key"),
        "{error}"
    );
    sign(&key);
    let mut changed = leaky();
    changed["params"]["target"] = "10.9.1.3".into();
    client.fails("needs_approval", "run", changed);
    let done = client.facts("run", leaky());
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(done["programs"][0]["sent"]["packets"], 2, "{done}");
    let again = client.facts("run", leaky());
    assert_eq!(again["status"], "failed", "{again}");
    assert!(
        again.to_string().contains("1 run, which is used"),
        "{again}"
    );
    assert_eq!(client.facts("limits", json!({}))["denials"], 3);
}

/// Where the operator demands signatures, nobody is asked for anything less.
#[test]
fn a_policy_that_demands_signatures_is_not_answered_by_a_client() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    run(&["install", "-d", "-m", "755", &folder.path("etc/crafty")]).expect(0);
    let policy = "[budget]\nmax_packets_per_hour = 500\n[permissions]\nrequire_approval = []\n";
    folder.file("etc/crafty/policy.toml", policy);
    let standing = folder.file("standing.toml", STANDING);
    let words = ["--live", "--standing", &standing];
    let mut client = server_of_host(&spaces, &folder, &words, json!({ "elicitation": {} }));
    let error = client.fails("needs_approval", "run", ping());
    assert!(
        error["message"].to_string().contains("demands an approval"),
        "{error}"
    );
    let limits = client.facts("limits", json!({}));
    let row = json!({ "what": "packets", "span": "hour", "limit": 500, "left": 500 });
    assert_eq!(limits["ledger"], json!([row]), "{limits}");
    // Not even a digest that the person named who started the server.
    let digest = error["digest"].as_str().expect("a digest").to_string();
    let words = ["--live", "--approved", &digest];
    let mut client = server_of_host(&spaces, &folder, &words, json!({}));
    client.fails("needs_approval", "run", ping());
}

/// One more policy file narrows; it approves nothing, and a standing policy does not replace it.
#[test]
fn a_policy_file_of_the_server_is_no_approval() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let policy = folder.file("policy.toml", "[budget]\nmax_packets = 6\n");
    let standing = folder.file("standing.toml", STANDING);
    let mut client = server(&spaces, &["--live", "--policy", &policy], json!({}));
    client.fails("needs_approval", "run", ping());
    let words = ["--live", "--policy", &policy, "--standing", &standing];
    let mut client = server(&spaces, &words, json!({}));
    let few = |count: u64| json!({ "program": LONG.replace("count=500", &format!("count={count}")), "mode": "live" });
    let done = client.facts("run", few(4));
    assert_eq!(done["status"], "done", "{done}");
    client.fails("policy", "run", few(20));
}

/// Real client libraries, whose person declines, goes away, says nothing that is a yes, and says yes.
#[test]
fn real_clients_ask_a_person_and_a_refusal_is_a_denial() {
    let Some(spaces) = pair() else { return };
    let name = spaces.name("a");
    for (interpreter, needs, script) in [
        ("python/bin/python", "python/bin/python", "elicit.py"),
        (
            "node",
            "node_modules/@modelcontextprotocol/sdk",
            "elicit.mjs",
        ),
    ] {
        let folder = root().join("target/mcp-clients");
        if skipped(
            folder.join(needs).exists(),
            "an MCP client library is not installed",
        ) {
            continue;
        }
        let interpreter = match interpreter.contains('/') {
            true => folder.join(interpreter).display().to_string(),
            false => interpreter.into(),
        };
        let source = root()
            .join("crates/crafty/tests/it/mcp/libraries")
            .join(script);
        let copy = folder.join(script);
        std::fs::copy(&source, &copy).expect("the script is copied");
        let copy = copy.display().to_string();
        let program = example("ping.crafty");
        let words = [
            "ip",
            "netns",
            "exec",
            &name,
            &interpreter,
            &copy,
            CRAFTY,
            &program,
        ];
        run(&words).expect(0).says(&["3 denied, 1 done"]);
    }
}
