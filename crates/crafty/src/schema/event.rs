//! What `crafty run --json` prints, a line each: what programs and their machines say, and at the
//! end one line for each program.

use super::{Schema, count, list, nanoseconds, object, text};
use crate::status::STATUSES;
use crafty_run::ENDINGS;
use serde_json::{Value, json};

/// The schema.
pub static SCHEMA: Schema = Schema {
    name: "event",
    about: "a line of `crafty run --json`: what a program says, and `end` with the totals",
    body,
};

fn body() -> Value {
    let mut events = by_program();
    events.extend(of_silence());
    events.extend(by_machine());
    events.extend([found("finding_seen"), found("finding"), diverged(), end()]);
    json!({ "type": "object", "oneOf": events })
}

/// What a program says, and what its sends came to.
fn by_program() -> Vec<Value> {
    vec![
        said(
            "print",
            vec![(
                "text",
                text("the line; received text is marked and escaped"),
            )],
        ),
        said("record", record()),
        said(
            "error",
            vec![
                ("kind", text("which error, as `e.kind` gives it")),
                ("message", text("what happened, escaped")),
            ],
        ),
        said("failed", vec![("message", text("what the program says"))]),
        said(
            "dropped",
            vec![
                ("reason", text("the gate's name for why")),
                ("message", text("why, and what would help")),
            ],
        ),
        said(
            "withheld",
            vec![(
                "frame",
                text(
                    "a segment of the program's own stack that an `on out` dropped, in hexadecimal",
                ),
            )],
        ),
    ]
}

/// What explains that nothing was heard.
fn of_silence() -> Vec<Value> {
    vec![
        said("uncertain", Vec::new()),
        said(
            "near_miss",
            vec![
                (
                    "message",
                    text(
                        "which frames a pattern nearly matched, why they did not match, and the fix",
                    ),
                ),
                ("count", count("how many")),
            ],
        ),
        said(
            "unasked",
            vec![("why", text("why the frame before this `else` was not sent"))],
        ),
    ]
}

/// What the machine that it runs on says.
fn by_machine() -> Vec<Value> {
    vec![
        said_untimed(
            "warning",
            vec![("message", text("something odd that stops nothing"))],
        ),
        said_untimed(
            "late",
            vec![("by", nanoseconds("how late the machine was"))],
        ),
        said_untimed(
            "not_sent",
            vec![("error", text("why the system did not send this frame"))],
        ),
        plain(
            "unreadable",
            vec![("error", text("why what arrives could not be read"))],
        ),
        plain(
            "findings_let_go",
            vec![
                (
                    "flows",
                    count("flows that were dropped because memory is limited"),
                ),
                ("findings", count("findings that were not kept")),
            ],
        ),
    ]
}

/// An event, with where in the program it is, when it was, and whose it is where several run.
fn said(event: &'static str, own: Vec<(&'static str, Value)>) -> Value {
    placed(event, own, Some(("time", nanoseconds("program time"))))
}

/// The same, of what has no time.
fn said_untimed(event: &'static str, own: Vec<(&'static str, Value)>) -> Value {
    placed(event, own, None)
}

fn placed(
    event: &'static str,
    own: Vec<(&'static str, Value)>,
    time: Option<(&'static str, Value)>,
) -> Value {
    let head = ("event", json!({ "const": event }));
    let place = (
        "at",
        json!({ "type": "string", "pattern": ":[0-9]+:[0-9]+$", "description": "FILE:LINE:COLUMN" }),
    );
    let program = ("program?", text("which program, where several run"));
    object(
        std::iter::once(head)
            .chain(own)
            .chain([place])
            .chain(time)
            .chain([program]),
    )
}

fn record() -> Vec<(&'static str, Value)> {
    let value = json!({ "type": ["number", "string", "boolean", "array", "object", "null"], "description": "null for a value that the packet does not have; numbers as numbers, durations and times as nanoseconds in a string, bytes in hexadecimal, everything else as text" });
    vec![
        ("name", text("name of the measurement")),
        ("value", value.clone()),
        (
            "labels",
            json!({ "type": "object", "additionalProperties": value }),
        ),
        (
            "untrusted",
            json!({ "type": "boolean", "description": "whether received bytes are in it" }),
        ),
    ]
}

/// An event that is at no place of a program.
fn plain(event: &'static str, own: Vec<(&'static str, Value)>) -> Value {
    let head = ("event", json!({ "const": event }));
    object(std::iter::once(head).chain(own))
}

/// With `--findings`: `finding_seen` as soon as it is seen, `finding` at the end with all of it.
fn found(event: &'static str) -> Value {
    let head = ("event", json!({ "const": event }));
    object(std::iter::once(head).chain(super::finding::members()))
}

/// With `--replay`: the program does something else than what was recorded.
fn diverged() -> Value {
    plain(
        "diverged",
        vec![
            ("expected", text("what the recording has, escaped")),
            ("sent", text("what the program sent")),
            ("time", nanoseconds("when")),
        ],
    )
}

fn end() -> Value {
    let counts = || {
        object([
            ("packets", count("frames")),
            ("bytes", count("bytes of frames")),
        ])
    };
    let places = || {
        list(object([
            ("what", text("an error, a reason of the gate, or a limit")),
            ("count", count("how often")),
        ]))
    };
    let statuses: Vec<u8> = STATUSES.iter().map(|status| status.code).collect();
    object([
        ("event", json!({ "const": "end" })),
        ("program", text("the program's file")),
        (
            "ending",
            json!({ "enum": ENDINGS.map(|ending| ending.word()), "description": "how the program ended" }),
        ),
        (
            "why",
            json!({ "type": ["string", "null"], "description": "why it is not `done`" }),
        ),
        ("sent", counts()),
        ("received", counts()),
        ("ignored", count("frames that were not for the program")),
        (
            "capture_lost",
            count("frames lost before the program could see them"),
        ),
        (
            "inbox_overflow",
            count("packets dropped because the inbox was full"),
        ),
        ("dropped", places()),
        ("errors", places()),
        ("late", count("waits that began more than 1 ms late")),
        ("worst_lateness", nanoseconds("the worst of them")),
        (
            "uncertain",
            count("`else` branches made uncertain by lost packets"),
        ),
        (
            "near_misses",
            count("frames that a pattern nearly matched, or that were hidden from the program"),
        ),
        (
            "unasked",
            count("`else` branches taken after a frame that was not sent"),
        ),
        (
            "kernel_monitor",
            json!({ "type": ["boolean", "null"], "description": "whether the kernel repeated destinations and rates of what left; null where nothing left this process" }),
        ),
        (
            "status",
            json!({ "enum": statuses, "description": "exit status of this program" }),
        ),
    ])
}
