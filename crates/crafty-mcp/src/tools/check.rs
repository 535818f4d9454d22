//! `check`: every mistake of a program, and what the program needs.

use super::{Call, Tool, ToolEffect, ToolReply, facts};
use crate::argument::{Argument, ArgumentKind};
use crate::loading::{MAX_PROGRAM, load_error, loaded, mistake_schema, mistakes};
use crate::schema::{count, flag, list, object, output, text};
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use crafty_run::review::digest_of;
use crafty_run::{LoadError, LoadedProgram};
use serde_json::{Map, Value, json};

/// The tool.
pub static TOOL: Tool = Tool {
    name: "check",
    title: "Check a program",
    about: "Finds every mistake of a Crafty program at once, each with its place and the corrected line, and says what the program needs. Sends \
            nothing. Example: {\"program\": \"param target = 192.0.2.1\\n…\", \"params\": {\"target\": \"192.0.2.80\"}}",
    arguments: &[PROGRAM, PARAMS],
    output: schema,
    effect: ToolEffect::Reads,
    call,
};

/// The text of a program.
pub const PROGRAM: Argument = Argument {
    name: "program",
    kind: ArgumentKind::RequiredText(MAX_PROGRAM),
    about: "the text of the program",
};

/// Values of its params.
pub const PARAMS: Argument = Argument {
    name: "params",
    kind: ArgumentKind::Params,
    about: "values of the program's params, by name; addresses only, no host names",
};

fn schema() -> Map<String, Value> {
    let limits = object([
        ("max_duration", text("time after the start")),
        ("max_packets", count("frames in total")),
        ("max_bytes", count("bytes in total")),
        ("max_syns", count("SYNs in total")),
    ]);
    let needs = object([
        ("budget", limits),
        ("destinations", list(text("addresses"))),
        ("sources", list(text("addresses that are not the host's"))),
        ("powers", list(text("abilities"))),
        ("exfiltration", text("whether received data may be sent")),
    ]);
    output([
        ("ok", flag("whether the program may run")),
        (
            "digest?",
            text("of the program, its params and its limits: what is approved"),
        ),
        ("needs?", needs),
        (
            "error?",
            object([("code", text("")), ("message", text("")), ("fix", text(""))]),
        ),
        ("mistakes", list(mistake_schema())),
        ("more", count("mistakes that are not listed")),
    ])
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    let program = call.arguments.text("program").unwrap_or_default();
    let params = call.arguments.params("params");
    match loaded(program, &params, &server.operator()?) {
        Ok(program) => Ok(facts(good(&program))),
        Err(error) => Ok(facts(bad(&error))),
    }
}

fn good(program: &LoadedProgram) -> Value {
    let rows = mistakes(&program.source, &program.warnings);
    let more = rows.next.map_or(0, |at| program.warnings.len() - at);
    json!({
        "ok": true, "digest": digest_of(program), "needs": needs(program),
        "mistakes": rows.items, "more": more,
    })
}

/// What a program may do at most.
pub fn needs(program: &LoadedProgram) -> Value {
    let policy = &program.bound.policy;
    let budget = &policy.budget;
    let addresses = |set: &crafty_policy::AddressSet| {
        let ranges = set.ranges();
        let told = ranges.iter().take(16).map(|(low, high)| match low == high {
            true => low.to_string(),
            false => format!("{low} to {high}"),
        });
        let more = ranges.len().saturating_sub(16);
        let more = (more > 0).then(|| format!("and {more} more ranges"));
        told.chain(more).collect::<Vec<_>>()
    };
    json!({
        "budget": {
            "max_duration": budget.max_duration.to_string(), "max_packets": budget.max_packets,
            "max_bytes": budget.max_bytes, "max_syns": budget.max_syns,
        },
        "destinations": addresses(&policy.destinations),
        "sources": addresses(&policy.sources),
        "powers": policy.powers.iter().map(|power| power.name()).collect::<Vec<_>>(),
        "exfiltration": policy.exfiltration.name(),
    })
}

fn bad(error: &LoadError) -> Value {
    let told = load_error(error);
    let rows = |key: &str| told.more.get(key).cloned();
    json!({
        "ok": false,
        "error": { "code": told.code, "message": told.message, "fix": told.fix },
        "mistakes": rows("mistakes").unwrap_or_else(|| json!([])),
        "more": rows("more").unwrap_or_else(|| json!(0)),
    })
}
