//! Recorded conversations, one of each life cycle: what the server says is what it said.

use super::client::Client;
use crate::tool::root;
use serde_json::Value;

/// `UPDATE_TRANSCRIPTS=1` records anew.
fn check(name: &str) {
    let path = root().join(format!(
        "crates/crafty/tests/it/mcp/transcripts/{name}.jsonl"
    ));
    let recorded = std::fs::read_to_string(&path).expect("the transcript");
    let rows: Vec<Value> = recorded
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect();
    let mut client = Client::start(&[]);
    let mut now = String::new();
    for row in rows.iter().filter_map(|row| row.get("client")) {
        client.say(&row.to_string());
        now += &format!("{}\n", serde_json::json!({ "client": row }));
        if row.get("id").is_some() {
            now += &format!("{}\n", serde_json::json!({ "server": client.hear() }));
        }
    }
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        std::fs::write(&path, &now).expect("the transcript is written");
    }
    let differs = recorded
        .lines()
        .zip(now.lines())
        .find(|(was, is)| was != is);
    assert!(
        recorded == now,
        "{name}: the server says something else; if that is meant, run with `UPDATE_TRANSCRIPTS=1`: {differs:?}"
    );
    assert_eq!(client.leave(), 0);
}

#[test]
fn the_life_cycle_without_a_handshake_is_as_recorded() {
    check("stateless");
}

#[test]
fn the_life_cycle_with_a_handshake_is_as_recorded() {
    check("handshake");
}
