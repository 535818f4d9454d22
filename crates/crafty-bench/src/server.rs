//! The candidate's side: MCP over standard input and output.

use crate::diagnosis::CallProblem;
use crate::error::BenchError;
use crate::round::{Round, RoundPlan};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use std::io;
use std::sync::{Arc, Mutex};

/// What the candidate is reported about the whole.
const INSTRUCTIONS: &str = "You are a network engineer. Users of a corporate network complain, ticket by ticket; find out what is wrong, or that nothing is. \
You see the network only from its portals: `exec` runs a shell command on a desk there. Start with `next_ticket`. When you know, `submit_diagnosis`: \
first in your words, then in the form that it answers with. Then `next_ticket`. Five tickets, half an hour. Fewer bytes and less time count, but a right answer counts most. \
Evidence is looked up in recordings of the portals.";

/// The server.
#[derive(Clone)]
struct BenchServer {
    round: Arc<Mutex<Round>>,
}

/// A tool: name, sentence and schema of the arguments.
type BenchTool = (&'static str, &'static str, fn() -> Value);

const TOOLS: &[BenchTool] = &[
    (
        "next_ticket",
        "Opens the next complaint. One that is still open is closed without a diagnosis.",
        || arguments(json!({}), &[]),
    ),
    (
        "exec",
        "Runs a shell command on the desk of a portal, for at most 120 seconds; its output is cut after 32 KB. Example: {\"portal\": \"lyon\", \"command\": \"ip route\"}",
        || {
            arguments(
                json!({
                    "portal": { "type": "string" },
                    "command": { "type": "string" },
                    "input": { "type": "string", "description": "what the command reads from standard input" },
                    "seconds": { "type": "integer", "minimum": 1, "maximum": 120, "description": "ends the command after this time" },
                }),
                &["portal", "command"],
            )
        },
    ),
    (
        "submit_diagnosis",
        "First {\"diagnosis\": \"...\"} in your words: it cannot be changed afterwards. The answer has a form with the names of all elements and kinds; then call again with \
         where (names of elements, [] if nothing is wrong), what (names of kinds), how_much (numbers with units, where there are any), evidence, fix. A claim of the evidence: \
         {\"portal\": \"lyon\", \"says\": \"...\", \"count\": 3, \"direction\": \"received\", \"src\": \"10.0.0.1\", \"protocol\": \"icmp\", \"icmp_type\": 11}; false claims count against you.",
        || {
            let names = json!({ "type": "array", "items": { "type": "string" } });
            arguments(
                json!({
                    "diagnosis": { "type": "string" },
                    "where": names,
                    "what": names,
                    "how_much": { "type": "string" },
                    "evidence": { "type": "array", "items": { "type": "object" }, "description": format!("keys of a claim: portal, count, says, {}", crate::claim::KEYS.join(", ")) },
                    "fix": { "type": "string" },
                }),
                &[],
            )
        },
    ),
];

/// The tool that only sets with Crafty have.
const RUN_PROGRAM: BenchTool = (
    "run_program",
    "Runs a Crafty program on the desk of a portal. `crafty manual` by `exec` prints the language. Example: {\"portal\": \"lyon\", \"program\": \"...\", \"params\": [\"target=10.0.0.1\"]}",
    || {
        arguments(
            json!({
                "portal": { "type": "string" },
                "program": { "type": "string" },
                "params": { "type": "array", "items": { "type": "string" } },
                "seconds": { "type": "integer", "minimum": 1, "maximum": 120 },
            }),
            &["portal", "program"],
        )
    },
);

fn arguments(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

impl BenchServer {
    fn locked(&self) -> std::sync::MutexGuard<'_, Round> {
        self.round
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn tools(&self) -> Vec<&'static BenchTool> {
        let more = self.locked().has_crafty().then_some(&RUN_PROGRAM);
        TOOLS.iter().chain(more).collect()
    }

    /// The answer of a tool, or what is wrong with the call.
    fn called(&self, name: &str, given: &Map<String, Value>) -> Result<Value, CallProblem> {
        let text = |key: &str| {
            let value = given.get(key).and_then(Value::as_str);
            value.ok_or_else(|| CallProblem(format!("`{key}` is missing, or no text")))
        };
        let seconds = given.get("seconds").and_then(Value::as_u64);
        let mut round = self.locked();
        match name {
            "next_ticket" => round
                .next_ticket()
                .map_err(|it| CallProblem(it.to_string())),
            "exec" => {
                let input = given
                    .get("input")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                round.exec(text("portal")?, text("command")?, input.as_bytes(), seconds)
            }
            "run_program" => {
                let params = given.get("params").and_then(Value::as_array);
                let params = params.into_iter().flatten().filter_map(Value::as_str);
                let line = params.fold("crafty run -".to_string(), |line, it| {
                    line + " " + &quoted(it)
                });
                round.exec(text("portal")?, &line, text("program")?.as_bytes(), seconds)
            }
            _ => round.submit(given),
        }
    }
}

/// One word of the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl ServerHandler for BenchServer {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("network-desk", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let described = |(name, about, schema): &BenchTool| {
            let schema = schema().as_object().cloned().unwrap_or_default();
            Tool::new(*name, *about, Arc::new(schema))
        };
        Ok(ListToolsResult::with_all_items(
            self.tools().into_iter().map(described).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if !self.tools().iter().any(|it| it.0 == name) {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{name}`"),
                None,
            ));
        }
        let (server, given) = (self.clone(), request.arguments.unwrap_or_default());
        let done = tokio::task::spawn_blocking(move || server.called(&name, &given)).await;
        let (facts, is_error) = match done {
            Ok(Ok(facts)) => (facts, false),
            Ok(Err(what)) => (json!({ "error": what.0 }), true),
            Err(_) => (json!({ "error": "the call failed (internal error)" }), true),
        };
        let text = match (facts.get("output").and_then(Value::as_str), is_error) {
            (Some(output), false) => format!("{output}\n[status {}]", facts["status"]),
            _ => facts.to_string(),
        };
        let make = if is_error {
            CallToolResult::structured_error
        } else {
            CallToolResult::structured
        };
        let mut result = make(facts);
        result.content = vec![ContentBlock::text(text)];
        Ok(result.into())
    }
}

/// Serves one candidate until it goes away; then the record is whole.
///
/// # Errors
/// The round cannot begin, or the record cannot be written.
pub fn serve_stdio(plan: RoundPlan) -> Result<(), BenchError> {
    let round = Arc::new(Mutex::new(Round::begin(plan)?));
    let server = BenchServer { round };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(BenchError::Transport)?;
    let served = runtime.block_on(async {
        let serving = server.clone().serve(rmcp::transport::stdio()).await;
        let serving = serving.map_err(io::Error::other)?;
        serving.waiting().await.map(drop).map_err(io::Error::other)
    });
    let ended = server.locked().end();
    runtime.shutdown_background();
    ended.and(served.map_err(BenchError::Transport))
}
