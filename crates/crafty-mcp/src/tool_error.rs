//! Why a call of a tool did not do what was asked: a stable code, what is wrong, and the fix, as
//! text and as data. A model reads it and calls again.

use crate::answer::{MAX_ANSWER, ToolAnswer, short};
use serde_json::{Map, Value, json};

/// Codes of errors, with what each means.
pub const CODES: &[(&str, &str)] = &[
    (
        "argument",
        "an argument is missing, unknown or of another kind",
    ),
    ("program", "the program has mistakes"),
    (
        "param",
        "a param of the program is missing, unknown or wrong",
    ),
    ("policy", "the operator's policy does not allow the program"),
    ("not_found", "there is no such thing"),
    ("medium", "the program cannot run there"),
    ("busy", "too many programs are running"),
    ("live_off", "this server does not send to real networks"),
    ("needs_approval", "a person has to approve this run first"),
    ("denied", "a person did not approve this run"),
    ("internal", "an internal error"),
];

/// Why a call failed.
#[derive(Debug)]
pub struct ToolError {
    /// One of [`CODES`].
    pub code: &'static str,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The fix.
    pub fix: String,
    /// What belongs to it besides: mistakes of a program, a digest.
    pub more: Box<Map<String, Value>>,
}

impl ToolError {
    /// An error of this code.
    pub fn new(
        code: &'static str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> ToolError {
        debug_assert!(CODES.iter().any(|(known, _)| *known == code), "{code}");
        ToolError {
            code,
            message: message.into(),
            fix: fix.into(),
            more: Box::default(),
        }
    }

    /// A wrong argument.
    pub fn argument(message: impl Into<String>, fix: impl Into<String>) -> ToolError {
        ToolError::new("argument", message, fix)
    }

    /// Something that there is not.
    pub fn not_found(message: impl Into<String>, fix: impl Into<String>) -> ToolError {
        ToolError::new("not_found", message, fix)
    }

    /// With one more fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> ToolError {
        self.more.insert(key.into(), value.into());
        self
    }

    /// The error as an answer.
    pub fn answer(self) -> ToolAnswer {
        let mut error = Map::new();
        error.insert("code".into(), self.code.into());
        error.insert("message".into(), short(&self.message).into());
        error.insert("fix".into(), short(&self.fix).into());
        error.extend(*self.more);
        let mut facts = Map::new();
        facts.insert("error".into(), error.into());
        ToolAnswer::of(facts)
    }
}

/// The schema of an error.
pub fn error_schema() -> Value {
    let codes: Vec<&str> = CODES.iter().map(|(code, _)| *code).collect();
    json!({
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": { "enum": codes },
                    "message": { "type": "string" },
                    "fix": { "type": "string" },
                },
                "required": ["code", "message", "fix"],
            },
        },
        "required": ["error"],
    })
}

const _: () = assert!(MAX_ANSWER > 4_096, "an error fits into an answer");
