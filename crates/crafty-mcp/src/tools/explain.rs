//! `explain`: what a program will do, for a reviewer; or what a message of the checker means.

use super::{Call, Tool, ToolEffect, ToolReply, facts};
use crate::answer::short;
use crate::argument::{Argument, ArgumentKind};
use crate::loading::{MAX_PROGRAM, load_error, loaded};
use crate::schema::{open, output, text};
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use crate::tools::check::PARAMS;
use crafty_print::{review_json, review_page};
use crafty_run::review::Review;
use serde_json::{Map, Value, json};

/// The tool.
pub static TOOL: Tool = Tool {
    name: "explain",
    title: "Explain a program or a message",
    about: "For a program: what it sends to whom, how much at most, and what it may reveal, as its reviewer sees it. For a code: the long form of the message, with a wrong and a right program. Sends nothing. Example: {\"code\": \"E0601\"}",
    arguments: &[
        Argument {
            name: "program",
            kind: ArgumentKind::Text(MAX_PROGRAM),
            about: "the text of a program",
        },
        PARAMS,
        Argument {
            name: "code",
            kind: ArgumentKind::Text(64),
            about: "a code or a name of a message: `E0601`, `tainted-send`",
        },
    ],
    output: schema,
    effect: ToolEffect::Reads,
    call,
};

fn schema() -> Map<String, Value> {
    output([
        ("page", text("the explanation, for people and models")),
        (
            "review?",
            open("the same facts of a program (`crafty review --json`)"),
        ),
    ])
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    match (call.arguments.text("program"), call.arguments.text("code")) {
        (Some(program), None) => {
            let params = call.arguments.params("params");
            let program = loaded(program, &params, &server.operator()?)
                .map_err(|error| load_error(&error))?;
            let review = Review::of(&program);
            let page = review_page(&program, &review);
            Ok(facts(
                json!({ "page": page, "review": review_json(&program, &review) }),
            ))
        }
        (None, Some(code)) => match server.command_line.message(code) {
            Some(page) => Ok(facts(json!({ "page": page }))),
            None => Err(ToolError::not_found(
                format!("there is no message `{}`", short(code)),
                "give a code from `check`, such as `E0601`",
            )),
        },
        _ => Err(ToolError::argument(
            "give either `program` or `code`",
            "{\"program\": \"…\"} explains a program, {\"code\": \"E0601\"} a message",
        )),
    }
}
