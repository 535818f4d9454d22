//! What `crafty findings --json` prints, a line each.

use super::{Schema, count, list, object, text};
use crafty_findings::{MAX_EVIDENCE, rules};
use serde_json::{Value, json};

/// The schema.
pub static SCHEMA: Schema = Schema {
    name: "finding",
    about: "a line of `crafty findings --json`: something that a capture shows, the worst first",
    body,
};

fn body() -> Value {
    object(members())
}

/// What is reported about a finding, wherever it is reported.
pub fn members() -> [(&'static str, Value); 6] {
    let rules = rules();
    let names: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
    let mut packets = list(count("number of a packet that shows it, from 1"));
    packets["maxItems"] = MAX_EVIDENCE.into();
    [
        (
            "name",
            json!({ "enum": names, "description": "`crafty findings --rules` lists them" }),
        ),
        (
            "severity",
            json!({ "enum": ["error", "warning", "notice"] }),
        ),
        ("sentence", text("what it is")),
        (
            "flow",
            json!({ "type": ["string", "null"], "description": "the conversation, if it is about one" }),
        ),
        ("count", count("packets that show it")),
        ("packets", packets),
    ]
}
