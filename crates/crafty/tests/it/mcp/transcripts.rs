//! Recorded conversations, one of each life cycle: what the server says is what it said.

use super::client::Client;
use crate::tool::root;
use serde_json::Value;

/// `UPDATE_TRANSCRIPTS=1` records again.
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
    assert_eq!(client.leave(), 0);
    let now = without_digests(&now);
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        std::fs::write(&path, &now).expect("the transcript is written");
        return;
    }
    let same = recorded
        .bytes()
        .zip(now.bytes())
        .take_while(|(was, is)| was == is)
        .count();
    let there = |text: &str| {
        let from = text.floor_char_boundary(same.saturating_sub(80));
        text[from..].chars().take(200).collect::<String>()
    };
    assert!(
        recorded == now,
        "{name}: the server says something else; if that is meant, run with `UPDATE_TRANSCRIPTS=1`\nwas: {}\nis:  {}",
        there(&recorded),
        there(&now)
    );
}

/// A digest depends on every setting that there is; that it is one of 64 digits is what is recorded.
fn without_digests(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_digit) {
        plain += &rest[..at];
        let end = rest[at..]
            .find(|c| !is_digit(c))
            .map_or(rest.len(), |end| at + end);
        plain += if end - at == 64 {
            "DIGEST"
        } else {
            &rest[at..end]
        };
        rest = &rest[end..];
    }
    plain + rest
}

#[test]
fn the_life_cycle_without_a_handshake_is_as_recorded() {
    check("stateless");
}

#[test]
fn the_life_cycle_with_a_handshake_is_as_recorded() {
    check("handshake");
}
