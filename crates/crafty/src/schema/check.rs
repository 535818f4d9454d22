//! What `crafty check --json` prints, and `crafty run --json` where a program is refused.

use super::{Schema, count, list, object, text};
use serde_json::{Value, json};

/// The schema.
pub static SCHEMA: Schema = Schema {
    name: "check",
    about: "the document of `crafty check --json`, and of `crafty run --json` where it refuses a program",
    body,
};

fn body() -> Value {
    object([
        ("file", text("the program, `-` for standard input")),
        ("ok", json!({ "type": "boolean" })),
        ("status", count("the exit status")),
        ("diagnostics", list(diagnostic())),
        (
            "error?",
            text("why it is refused, where no mistake in the text is the reason"),
        ),
    ])
}

fn diagnostic() -> Value {
    let edit = object([
        ("span", span()),
        ("replacement", text("what to write there")),
    ]);
    let fix = [
        ("title", text("what it does")),
        (
            "safe",
            json!({ "type": "boolean", "description": "whether the meaning is certain to stay the same" }),
        ),
        ("edits", list(edit)),
    ];
    object([
        (
            "code",
            json!({ "type": "string", "pattern": "^[EW][0-9]{4}$", "description": "`crafty explain` tells it" }),
        ),
        ("name", text("the code's name")),
        ("severity", json!({ "enum": ["error", "warning"] })),
        ("message", text("what is wrong")),
        ("span", span()),
        (
            "notes",
            list(object([
                ("span", span()),
                ("text", text("what is important there")),
            ])),
        ),
        ("help", list(text("a fix, the best first"))),
        ("fixes", list(object(fix))),
    ])
}

/// A part of the text.
pub fn span() -> Value {
    object([
        ("start", count("first byte, from 0")),
        ("end", count("end: the first byte after it")),
        ("line", count("from 1")),
        ("column", count("from 1")),
    ])
}
