//! `limits`: what this caller may do here, and what there is to try.

use super::{Call, Tool, ToolEffect, ToolReply, facts};
use crate::approval::MAX_SYNS_ASKED;
use crate::argument::{Argument, ArgumentKind};
use crate::loading::MAX_PROGRAM;
use crate::runs::{MAX_KEPT, MAX_RUNNING};
use crate::schema::{count, flag, list, object, output, text};
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use crafty_run::admission::{AdmissionDesk, AdmissionError, LedgerLeft};
use crafty_sim::{faults, networks};
use serde_json::{Map, Value, json};

/// The tool.
pub static TOOL: Tool = Tool {
    name: "limits",
    title: "What is allowed",
    about: "What this caller may do: where programs may run, what has to be approved, how much runs at once. {\"lab\": true} also lists the networks of \
            the lab and the faults that can be planted in them.",
    arguments: &[Argument {
        name: "lab",
        kind: ArgumentKind::Flag,
        about: "also list the networks and faults of the lab",
    }],
    output: schema,
    effect: ToolEffect::Reads,
    call,
};

fn schema() -> Map<String, Value> {
    let named = || list(object([("name", text("")), ("about", text(""))]));
    output([
        ("modes", list(text("where programs may run"))),
        ("live", text("what a live run needs")),
        (
            "runs",
            object([
                ("running", count("now")),
                ("at_once", count("at most")),
                ("kept", count("runs that can be asked about, at most")),
            ]),
        ),
        ("program_bytes", count("of a program, at most")),
        (
            "host_narrows",
            flag("whether the operator of this host narrows every program"),
        ),
        ("denials", count("live runs that were not approved")),
        ("last_denials", list(text("digest and reason"))),
        (
            "ledger",
            list(object([
                ("what", text("packets, bytes or SYNs")),
                ("span", text("hour or day")),
                ("limit", count("for all runs of this user together")),
                ("left", count("what is left of it")),
            ])),
        ),
        (
            "ledger_fault?",
            text("why no run that has to be counted can begin"),
        ),
        ("networks?", named()),
        ("faults?", named()),
    ])
}

fn call(server: &ServerContext, call: &Call) -> Result<ToolReply, ToolError> {
    let live = server.options.live;
    let modes: &[&str] = match live {
        true => &["lab", "replay", "dry_run", "live"],
        false => &["lab", "replay"],
    };
    let running = server
        .runs
        .all()
        .iter()
        .filter(|run| !run.has_ended())
        .count();
    let (denials, last) = server.approvals.denials();
    let unnarrowed = crafty_run::Policy::builtin();
    let named = |name: &str, about: String| json!({ "name": name, "about": about });
    let mut answer = json!({
        "modes": modes,
        "live": needs(server),
        "runs": { "running": running, "at_once": MAX_RUNNING, "kept": MAX_KEPT },
        "program_bytes": MAX_PROGRAM,
        "host_narrows": server.operator()? != unnarrowed,
        "denials": denials,
        "last_denials": last.iter().rev().take(5).collect::<Vec<_>>(),
        "ledger": [],
    });
    match ledger() {
        Ok(rows) => answer["ledger"] = rows.into(),
        Err(fault) => answer["ledger_fault"] = fault.to_string().into(),
    }
    if call.arguments.flag("lab") {
        let networks = networks().iter().map(|it| named(it.name, it.doc()));
        answer["networks"] = networks.collect::<Vec<_>>().into();
        let faults = faults().iter().map(|it| named(it.name, it.doc.to_string()));
        answer["faults"] = faults.collect::<Vec<_>>().into();
    }
    Ok(facts(answer))
}

/// What the operator leaves to all runs of this user together; nothing where nobody limits that.
fn ledger() -> Result<Vec<Value>, AdmissionError> {
    let desk = AdmissionDesk::of_this_host()?;
    let left = desk.left()?;
    let row = |row: LedgerLeft| json!({ "what": row.what, "span": row.span, "limit": row.limit, "left": row.left });
    Ok(left.unwrap_or_default().into_iter().map(row).collect())
}

fn needs(server: &ServerContext) -> String {
    if !server.options.live {
        return "this server never sends to real networks".into();
    }
    let standing = match server.options.standing {
        Some(_) => "programs within the standing policy run at once; other runs need",
        None => "every live run needs",
    };
    format!(
        "{standing} a person's approval, asked through the client if it supports that. Spoofed sources, `exfiltration: true` and more than {MAX_SYNS_ASKED} SYNs need a \
         person's command"
    )
}
