//! `run_status`: a run that was begun before, or all of them.

use super::{Call, Tool, ToolEffect, ToolReply, facts};
use crate::argument::{Argument, ArgumentKind};
use crate::runs::record_schema;
use crate::runs::{TranscriptPart, WaitingCall};
use crate::schema::{list, object, output, text};
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The tool.
pub static TOOL: Tool = Tool {
    name: "run_status",
    title: "The output of a run",
    about: "What a run has printed, starting at a line, and how it ended; waits up to `wait_s` seconds for its end. Without `run_id`: all runs that are kept, so that a lost answer can be found again. Example: {\"run_id\": \"r1\", \"wait_s\": 20, \"from_line\": 40}",
    arguments: &[
        Argument {
            name: "run_id",
            kind: ArgumentKind::Text(32),
            about: "which run, as `run` returned it",
        },
        WAIT,
        Argument {
            name: "from_line",
            kind: ArgumentKind::Number(0, 10_000_000, 0),
            about: "the first line to return: `next` of the previous answer",
        },
        EVENTS,
    ],
    output: schema,
    effect: ToolEffect::Reads,
    call,
};

/// How long a call waits.
pub const WAIT: Argument = Argument {
    name: "wait_s",
    kind: ArgumentKind::Number(0, 25, 20),
    about: "seconds to wait for the end of the run at most",
};

/// What is reported about a run.
pub const EVENTS: Argument = Argument {
    name: "events",
    kind: ArgumentKind::Flag,
    about: "return events as JSON (with times and source lines), instead of lines",
};

fn schema() -> Map<String, Value> {
    let run = object([
        ("run_id", text("which")),
        ("where", text("where it runs")),
        ("status", text("running, or how it ended")),
        ("digest", text("of what runs")),
    ]);
    let mut schema = output(record_schema());
    let all = object([("runs", list(run))]);
    if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        forms.insert(1, all);
    }
    schema
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    let Some(id) = call.arguments.text("run_id") else {
        let rows: Vec<Value> = server
            .runs
            .all()
            .iter()
            .map(|run| json!({ "run_id": run.id, "where": run.title, "status": run.status(), "digest": run.digest }))
            .collect();
        return Ok(facts(json!({ "runs": rows })));
    };
    Ok(ToolReply::Later(WaitingCall {
        record: server.runs.find(id)?,
        wait: Duration::from_secs(call.arguments.number("wait_s")),
        view: TranscriptPart {
            from: call.arguments.number("from_line") as usize,
            events: call.arguments.flag("events"),
        },
        owns: false,
    }))
}
