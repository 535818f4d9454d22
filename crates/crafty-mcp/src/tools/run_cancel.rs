//! `run_cancel`: stops a run.

use super::{Call, Effect, Reply, Tool};
use crate::argument::{Argument, ArgumentKind};
use crate::runs::{View, Waiting, record_schema};
use crate::schema::output;
use crate::server::Shared;
use crate::tool_error::ToolError;
use serde_json::{Map, Value};
use std::time::Duration;

/// How long a cancelled run takes to end at most; what it had set up is taken back by then.
const WAIT: Duration = Duration::from_secs(3);

/// The tool.
pub static TOOL: Tool = Tool {
    name: "run_cancel",
    title: "Stop a run",
    about: "Stops a run: it sends nothing more, and what it said so far is told. One that has ended is told as it is. Example: {\"run_id\": \"r1\"}",
    arguments: &[
        Argument {
            name: "run_id",
            kind: ArgumentKind::RequiredText(32),
            about: "which run, as `run` told",
        },
        Argument {
            name: "from_line",
            kind: ArgumentKind::Number(0, 10_000_000, 0),
            about: "the first line that is told",
        },
    ],
    output: schema,
    effect: Effect::Stops,
    call,
};

fn schema() -> Map<String, Value> {
    output(record_schema())
}

fn call(server: &Shared, call: &Call) -> Result<Reply, ToolError> {
    let record = server
        .runs
        .find(call.arguments.text("run_id").unwrap_or_default())?;
    record.cancel();
    Ok(Reply::Later(Waiting {
        record,
        wait: WAIT,
        view: View {
            from: call.arguments.number("from_line") as usize,
            events: false,
        },
        owns: false,
    }))
}
