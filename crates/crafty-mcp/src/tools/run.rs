//! `run`: runs a program in the lab, against an earlier run, without sending, or on this host's
//! network.

use super::{Call, Tool, ToolEffect, ToolReply};
use crate::approval::{needs_approval, person_only};
use crate::argument::{Argument, ArgumentKind};
use crate::loading::{MAX_PROGRAM, load_error, loaded};
use crate::runs::{
    LiveRun, Peer, RunRecord, TranscriptPart, VirtualRun, VirtualWhere, WaitingCall, record_schema,
};
use crate::schema::output;
use crate::server::ServerContext;
use crate::signed::{SignedApproval, WaitingProgram, signed_approval};
use crate::tool_error::ToolError;
use crate::tools::check::{PARAMS, PROGRAM};
use crate::tools::run_status::{EVENTS, WAIT};
use crafty_print::review_page;
use crafty_run::review::{Review, digest_of};
use crafty_run::{LoadError, LoadedProgram, Policy, operator_policy, shares};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The tool.
pub static TOOL: Tool = Tool {
    name: "run",
    title: "Run a program",
    about: "Runs a Crafty program and answers with what it printed and recorded. `mode` is `lab` unless given: a simulated network in virtual time, from which nothing leaves this process. `replay` runs against the packets of an earlier run, `dry_run` does everything except send, `live` sends on \
            this host's network where the operator allows it, perhaps after a person's approval. A run that takes longer than `wait_s` continues: get its result with `run_status`. Example: {\"program\": \"…\", \"lab\": \"demo:loss=5\"}",
    arguments: &[
        PROGRAM,
        PARAMS,
        Argument {
            name: "mode",
            kind: ArgumentKind::Choice(&["lab", "replay", "dry_run", "live"]),
            about: "where it runs; `lab` unless given",
        },
        Argument {
            name: "lab",
            kind: ArgumentKind::Text(1_000),
            about: "the simulated network with its faults, `demo` unless given: `demo:loss=5`; `limits` lists them",
        },
        Argument {
            name: "place",
            kind: ArgumentKind::Text(64),
            about: "where the program runs in the lab: `east`",
        },
        Argument {
            name: "peer",
            kind: ArgumentKind::Text(MAX_PROGRAM),
            about: "a second program in the same lab, such as a server; it gets the same params where it has them",
        },
        Argument {
            name: "peer_place",
            kind: ArgumentKind::Text(64),
            about: "where the second program runs in the lab",
        },
        Argument {
            name: "replay",
            kind: ArgumentKind::Text(32),
            about: "for `replay`: the run_id of the run whose packets answer",
        },
        Argument {
            name: "seed",
            kind: ArgumentKind::Number(0, u64::MAX, 1),
            about: "seed seed seed seed seed seed seed seed seed seed seed of everything random in the lab: the same seed gives the same run",
        },
        Argument {
            name: "findings",
            kind: ArgumentKind::Flag,
            about: "also say what the packets showed: loss, retransmissions, resets …",
        },
        WAIT,
        EVENTS,
    ],
    output: schema,
    effect: ToolEffect::Sends,
    call,
};

fn schema() -> Map<String, Value> {
    output(record_schema())
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    let arguments = &call.arguments;
    let record = match arguments.text("mode").unwrap_or("lab") {
        "live" => match live(server, call)? {
            Live::Runs(record) => record,
            Live::Asks(reply) => return Ok(reply),
        },
        "dry_run" => {
            live_allowed(server, "a dry run reads this host's routes")?;
            virtual_run(server, call, VirtualWhere::Nowhere, "dry run".into())?
        }
        "replay" => {
            let id = arguments.text("replay").ok_or_else(|| {
                ToolError::argument(
                    "`replay` is missing",
                    "give the run_id of a run whose packets answer",
                )
            })?;
            let (capture, _) = server.runs.find(id)?.capture().ok_or_else(|| {
                ToolError::new(
                    "medium",
                    format!("run `{id}` has not ended"),
                    "wait for it with `run_status`",
                )
            })?;
            virtual_run(
                server,
                call,
                VirtualWhere::Recording(capture),
                format!("replay of {id}"),
            )?
        }
        _ => {
            let spec = arguments.text("lab").unwrap_or("demo");
            lab_only_by_name(spec)?;
            virtual_run(
                server,
                call,
                VirtualWhere::Lab(spec.into()),
                format!("lab {spec}"),
            )?
        }
    };
    Ok(ToolReply::Later(WaitingCall {
        record,
        wait: Duration::from_secs(arguments.number("wait_s")),
        view: TranscriptPart {
            from: 0,
            events: arguments.flag("events"),
        },
        owns: true,
    }))
}

/// A network of the lab is named; a path would read a file of this host.
fn lab_only_by_name(spec: &str) -> Result<(), ToolError> {
    let name = spec.split(':').next().unwrap_or_default();
    match name.contains(['/', '.', '\\']) {
        true => Err(ToolError::argument(
            format!(
                "`{}` is not the name of a network",
                crate::answer::short(name)
            ),
            "give a network that `limits` lists, such as `demo`",
        )),
        false => Ok(()),
    }
}

fn virtual_run(
    server: &ServerContext,
    call: &Call,
    into: VirtualWhere,
    title: String,
) -> Result<Arc<RunRecord>, ToolError> {
    let arguments = &call.arguments;
    let operator = server.operator()?;
    let text = arguments.text("program").unwrap_or_default();
    let params = arguments.params("params");
    let refused = |error: LoadError| load_error(&error);
    let (program, peer) = match arguments.text("peer") {
        None => (loaded(text, &params, &operator).map_err(refused)?, None),
        Some(other) => {
            let each = shares(&params, &[text, other]).map_err(|error| refused(error.into()))?;
            let [own, others] = &each[..] else {
                return Err(ToolError::new(
                    "internal",
                    "params without a program",
                    "call again",
                ));
            };
            let program = loaded(text, own, &operator).map_err(refused)?;
            let mut peer = loaded(other, others, &operator).map_err(refused)?;
            peer.source.name = "peer".into();
            let place = arguments.text("peer_place").map(String::from);
            (
                program,
                Some(Peer {
                    program: peer,
                    place,
                }),
            )
        }
    };
    let digest = digest_of(&program);
    let run = VirtualRun {
        program,
        place: arguments.text("place").map(String::from),
        peer,
        into,
        seed: arguments.number("seed"),
        findings: arguments.flag("findings"),
    };
    server.runs.begin(title, digest, |record| run.start(record))
}

/// A live run that was begun, or a question first.
enum Live {
    Runs(Arc<RunRecord>),
    Asks(ToolReply),
}

fn live_allowed(server: &ServerContext, why: &str) -> Result<(), ToolError> {
    match server.options.live {
        true => Ok(()),
        false => Err(ToolError::new(
            "live_off",
            format!("this server runs programs in the lab only ({why})"),
            "leave `mode` out to run in the lab; a person opens the real network by starting the server as `crafty mcp --live`",
        )),
    }
}

fn live(server: &ServerContext, call: &Call) -> Result<Live, ToolError> {
    live_allowed(server, "a live run sends")?;
    let text = call.arguments.text("program").unwrap_or_default();
    let params = call.arguments.params("params");
    let AllowedProgram {
        program,
        policies,
        by,
    } = allowed(server, text, &params)?;
    let digest = digest_of(&program);
    let waiting = WaitingProgram {
        text,
        params: &params,
        policies: &policies,
        digest: &digest,
    };
    let signed = match approved(server, call, &program, &waiting, by)? {
        Permit::Ask(reply) => return Ok(Live::Asks(reply)),
        Permit::Signed(approval) => Some(approval),
        Permit::Said => None,
    };
    let run = LiveRun {
        binary: server.command_line.binary(),
        program: text.into(),
        params: params.clone(),
        policies: policies.clone(),
        signed,
        findings: call.arguments.flag("findings"),
    };
    let record = server
        .runs
        .begin("live".into(), digest, |record| run.start(record))?;
    Ok(Live::Runs(record))
}

/// A program with the policy files under which it may run.
struct AllowedProgram {
    program: LoadedProgram,
    policies: Vec<PathBuf>,
    by: AllowedBy,
}

/// Who says so.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AllowedBy {
    /// The standing policy, which lets it run without being asked for.
    Standing,
    /// The operator's policy, and somebody has to approve it.
    Operator,
}

/// The program under the standing policy too, where that leaves it room; else under the operator's.
fn allowed(
    server: &ServerContext,
    text: &str,
    params: &[crafty_run::GivenParam],
) -> Result<AllowedProgram, ToolError> {
    let operators = Vec::from_iter(server.options.policy.clone());
    if let Some(file) = &server.options.standing {
        let policies = [operators.clone(), vec![file.clone()]].concat();
        let files: Vec<&Path> = policies.iter().map(PathBuf::as_path).collect();
        let standing: Policy = operator_policy(&[], &files)
            .map_err(|error| ToolError::new("policy", error.to_string(), error.fix()))?;
        match loaded(text, params, &standing) {
            Ok(program) => {
                let by = AllowedBy::Standing;
                return Ok(AllowedProgram {
                    program,
                    policies,
                    by,
                });
            }
            Err(LoadError::Refused(..)) => {}
            Err(error) => return Err(load_error(&error)),
        }
    }
    let program = loaded(text, params, &server.operator()?).map_err(|error| load_error(&error))?;
    Ok(AllowedProgram {
        program,
        policies: operators,
        by: AllowedBy::Operator,
    })
}

/// Whether a run may begin.
enum Permit {
    /// A person has signed it.
    Signed(SignedApproval),
    /// A person or the standing policy has said so.
    Said,
    /// A person is asked first.
    Ask(ToolReply),
}

/// By whom the run is approved; else the question that is asked, or what a person has to do.
fn approved(
    server: &ServerContext,
    call: &Call,
    program: &LoadedProgram,
    waiting: &WaitingProgram<'_>,
    by: AllowedBy,
) -> Result<Permit, ToolError> {
    let (digest, policy) = (waiting.digest, &program.bound.policy);
    let denied = |reason: &str| {
        server.approvals.deny(digest, reason);
        let folder = server.options.approvals.as_deref();
        match folder.map(|folder| waiting.wait(folder)).transpose() {
            Ok(command) => needs_approval(digest, reason, command),
            Err(error) => error,
        }
    };
    match signed_approval(&server.options, policy, digest) {
        Ok(Some(approval)) => return Ok(Permit::Signed(approval)),
        Ok(None) => {}
        Err(error) => return Err(denied(&format!("the approval does not hold: {error}"))),
    }
    // What a client or the person who started the server says is not a signature.
    if policy.require_approval.is_some() {
        let reason = "the operator's policy demands an approval that a person signs";
        return Err(denied(reason));
    }
    if server.options.approved.iter().any(|known| known == digest) {
        return Ok(Permit::Said);
    }
    if let Some(reason) = person_only(policy) {
        let reason = format!("only a person's command approves this run: {reason}");
        return Err(denied(&reason));
    }
    if by == AllowedBy::Standing || server.approvals.has(digest) {
        return Ok(Permit::Said);
    }
    if let Some((state, choice)) = &call.approval.answer {
        server.approvals.answered(state, digest, *choice)?;
        return Ok(Permit::Said);
    }
    if !call.approval.can_ask {
        let reason = "a person has to approve this run, and this client cannot ask one";
        return Err(denied(reason));
    }
    let page = review_page(program, &Review::of(program));
    let question = server.approvals.ask(digest, &page)?;
    Ok(Permit::Ask(ToolReply::Ask(question)))
}
