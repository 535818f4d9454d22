//! `run_cancel`: stops a run.

use super::{Call, Tool, ToolEffect, ToolReply};
use crate::argument::{Argument, ArgumentKind};
use crate::runs::{TranscriptPart, WaitingCall, record_schema};
use crate::schema::output;
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use serde_json::{Map, Value};
use std::time::Duration;

/// How long a cancelled run takes to end at most; what it had set up is taken back by then.
const WAIT: Duration = Duration::from_secs(3);

/// The tool.
pub static TOOL: Tool = Tool {
    name: "run_cancel",
    title: "Stop a run",
    about: "Stops a run: it sends nothing more, and its output so far is returned. A run that has ended is returned as it is. Example: {\"run_id\": \"r1\"}",
    arguments: &[
        Argument {
            name: "run_id",
            kind: ArgumentKind::RequiredText(32),
            about: "which run, as `run` returned it",
        },
        Argument {
            name: "from_line",
            kind: ArgumentKind::Number(0, 10_000_000, 0),
            about: "the first line to return",
        },
    ],
    output: schema,
    effect: ToolEffect::Stops,
    call,
};

fn schema() -> Map<String, Value> {
    output(record_schema())
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    let record = server
        .runs
        .find(call.arguments.text("run_id").unwrap_or_default())?;
    record.cancel();
    Ok(ToolReply::Later(WaitingCall {
        record,
        wait: WAIT,
        view: TranscriptPart {
            from: call.arguments.number("from_line") as usize,
            events: false,
        },
        owns: false,
    }))
}
