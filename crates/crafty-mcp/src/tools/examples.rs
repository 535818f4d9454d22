//! `examples`: programs that work.

use super::{Call, Tool, ToolEffect, ToolReply, facts};
use crate::answer::{ListPage, row_size, short};
use crate::argument::{Argument, ArgumentKind};
use crate::schema::{cursor, list, object, output, text};
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use serde_json::{Map, Value, json};

/// The tool.
pub static TOOL: Tool = Tool {
    name: "examples",
    title: "Example programs",
    about: "Programs that work, to start from: ping, traceroute, loss, path MTU, DNS, TCP, TLS and more. Without a name: the list. Example: \
            {\"name\": \"traceroute\"}",
    arguments: &[
        Argument {
            name: "name",
            kind: ArgumentKind::Text(64),
            about: "which one; all are listed without it",
        },
        Argument {
            name: "cursor",
            kind: ArgumentKind::Number(0, 1_000, 0),
            about: "where to continue in the list",
        },
    ],
    output: schema,
    effect: ToolEffect::Reads,
    call,
};

fn schema() -> Map<String, Value> {
    let row = object([
        ("name", text("to ask for it")),
        ("about", text("what it does")),
    ]);
    output([
        ("examples?", list(row)),
        ("name?", text("which one")),
        ("program?", text("its text")),
        ("next?", cursor()),
    ])
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    let Some(name) = call.arguments.text("name") else {
        let from = call.arguments.number("cursor") as usize;
        let rows = server
            .examples()
            .iter()
            .map(|example| json!({ "name": example.name, "about": example.about }));
        let page = ListPage::cut(rows, from, usize::MAX, row_size);
        let mut answer = json!({ "examples": page.items });
        if let Some(next) = page.next {
            answer["next"] = next.into();
        }
        return Ok(facts(answer));
    };
    let wanted = name.trim_end_matches(".crafty");
    match server
        .examples()
        .iter()
        .find(|example| example.name == wanted)
    {
        Some(example) => Ok(facts(
            json!({ "name": example.name, "program": example.text }),
        )),
        None => {
            let names: Vec<&str> = server
                .examples()
                .iter()
                .map(|example| example.name.as_str())
                .collect();
            Err(ToolError::not_found(
                format!("there is no example `{}`", short(name)),
                format!("one of {}", names.join(", ")),
            ))
        }
    }
}
