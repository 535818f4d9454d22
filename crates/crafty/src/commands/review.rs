//! `crafty review`: one screen for the person who must say yes: who can be sent what, from where,
//! how much at most, what of the kernel is touched, what can leak.

use super::Command;
use super::check::{load_named, refused};
use crate::args::{self, OutputForm};
use crate::failure::{Failure, tell_reports};
use crate::{output, status};
use clap::{Arg, ArgMatches};
use crafty_lang::driven::LAYERS;
use crafty_lang::ir::{DrivenKind, StackLayer};
use crafty_lang::labels::{SiteLabels, price};
use crafty_policy::{AddressSet, Mode, Policy, PortSet, leak};
use crafty_print::span_json;
use crafty_run::LoadedProgram;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The command.
pub static COMMAND: Command = Command {
    name: "review",
    about: "One screen for a reviewer: what a program can do at most, and what it can leak",
    more: "Examples:\n  crafty review ping.crafty\n  crafty review ping.crafty --json",
    args,
    run,
};

fn args() -> Vec<Arg> {
    [
        args::program_and_params(),
        vec![args::json_flag()],
        args::policy_options(),
    ]
    .concat()
}

fn run(args: &ArgMatches) -> Result<u8, Failure> {
    let program = match load_named(args::text(args, "file").unwrap_or("-"), args) {
        Ok(program) => program,
        Err(Failure::Load(error)) => return Ok(refused(args, &error)),
        Err(failure) => return Err(failure),
    };
    match args::form(args) {
        OutputForm::Json => output::line(&document(&program).to_string()),
        OutputForm::People => {
            tell_reports(&program.source, &program.warnings);
            output::data(&screen(&program));
        }
    }
    Ok(status::DONE)
}

fn screen(program: &LoadedProgram) -> String {
    let policy = &program.bound.policy;
    let mut lines = vec![format!(
        "program      {} ({} bytes, digest {})",
        program.source.name,
        program.source.text.len(),
        digest(program)
    )];
    lines.extend(
        flags(policy, program)
            .into_iter()
            .map(|flag| format!("WARNING      {flag}")),
    );
    lines.push(format!(
        "sends to     {} ({} addresses)",
        addresses(&policy.destinations),
        policy.destinations.count()
    ));
    lines.push(format!("  ports      {}", destination_ports(policy)));
    lines.push(format!("sends from   {}", sources(policy)));
    lines.push(format!("at most      {}", budget(policy)));
    lines.push(format!("main program {}", main_program(program)));
    lines.push(format!("owns         {}", owned(policy)));
    lines.push(format!("kernel       {}", kernel(policy)));
    lines.push(format!("powers       {}", powers(policy)));
    lines.push(format!("leaks        {}", leak(program)));
    lines.extend(choices(program));
    lines.extend(reactions(program));
    lines.extend(echoes(program));
    if narrowed(program) {
        lines.push("policy       the operator's policy narrows what the program asks for; the above is what is left".into());
    }
    lines.join("\n") + "\n"
}

/// SHA-256 of what is approved: the exact text, its values, and what it may do.
fn digest(program: &LoadedProgram) -> String {
    let text = format!(
        "{}\0{:?}\0{:?}",
        program.source.text, program.bound.policy, program.bound.values
    );
    let hash = Sha256::digest(text.as_bytes());
    crafty_lang::eval::show::hex(&hash)
}

/// What a reviewer should look at first.
fn flags(policy: &Policy, program: &LoadedProgram) -> Vec<String> {
    let mut flags = Vec::new();
    if !policy.sources.is_empty() {
        flags.push(format!(
            "it sends from addresses that are not this host's: {}",
            addresses(&policy.sources)
        ));
    }
    if !policy.powers.is_empty() {
        flags.push(format!("it has powers: {}", powers(policy)));
    }
    if policy.exfiltration == Mode::True {
        flags.push("it may send what it receives (`exfiltration: true`)".into());
    }
    if policy.destinations.count() > 256 {
        flags.push(format!(
            "it may send to {} addresses",
            policy.destinations.count()
        ));
    }
    for span in &program.judged.worst.own_segments {
        let (line, _) = program.source.position(span.start);
        let text = program.source.line(*span);
        flags.push(format!(
            "it keeps back or changes what its own stack sends, line {line}: {text}"
        ));
    }
    if program.judged.worst.uncounted {
        flags.push("some of what it sends is bounded by the budget alone".into());
    }
    flags
}

fn addresses(set: &AddressSet) -> String {
    let ranges: Vec<String> = set
        .ranges()
        .iter()
        .map(|(low, high)| {
            if low == high {
                low.to_string()
            } else {
                format!("{low} to {high}")
            }
        })
        .collect();
    if ranges.is_empty() {
        "nobody".into()
    } else {
        ranges.join(", ")
    }
}

fn ports(set: &PortSet) -> String {
    let ranges: Vec<String> = set
        .ranges()
        .map(|(low, high)| {
            if low == high {
                low.to_string()
            } else {
                format!("{low}-{high}")
            }
        })
        .collect();
    if ranges.is_empty() {
        "none".into()
    } else {
        ranges.join(", ")
    }
}

fn destination_ports(policy: &Policy) -> String {
    policy.destination_ports.as_ref().map_or_else(
        || "any".into(),
        |p| format!("tcp {}; udp {}", ports(&p.tcp), ports(&p.udp)),
    )
}

fn sources(policy: &Policy) -> String {
    if policy.sources.is_empty() {
        "this host's own addresses".into()
    } else {
        format!(
            "this host's own addresses and {}",
            addresses(&policy.sources)
        )
    }
}

fn budget(policy: &Policy) -> String {
    let b = &policy.budget;
    format!(
        "{} packets ({}/s), {} bytes ({}/s), {} SYNs ({}/s), for {}",
        b.max_packets,
        b.max_packets_per_secs,
        b.max_bytes,
        b.max_bytes_per_secs,
        b.max_syns,
        b.max_syns_per_secs,
        b.max_duration
    )
}

fn main_program(program: &LoadedProgram) -> String {
    let worst = &program.judged.worst;
    format!(
        "{} to {} packets, {} handlers",
        worst.main.packets.0,
        worst.main.packets.1,
        worst.handlers.len()
    )
}

fn owned(policy: &Policy) -> String {
    format!(
        "tcp {}; udp {}; icmp identifiers {}",
        ports(&policy.ports.tcp),
        ports(&policy.ports.udp),
        ports(&policy.ports.icmp)
    )
}

fn kernel(policy: &Policy) -> String {
    let owns = !(policy.ports.tcp.is_empty()
        && policy.ports.udp.is_empty()
        && policy.ports.icmp.is_empty()
        && policy.sources.is_empty());
    if owns {
        "kept from answering for these while the program runs, by one firewall table that ends with the process".into()
    } else {
        "not touched".into()
    }
}

fn powers(policy: &Policy) -> String {
    let names: Vec<&str> = policy.powers.iter().map(|p| p.name()).collect();
    if names.is_empty() {
        "none".into()
    } else {
        names.join(", ")
    }
}

/// Sites whose content or being sent depends on what arrived.
fn reactive(program: &LoadedProgram) -> Vec<&SiteLabels> {
    program
        .judged
        .labels
        .sites
        .iter()
        .filter(|site| site.reacts())
        .collect()
}

fn leak(program: &LoadedProgram) -> String {
    let policy = &program.bound.policy;
    let sites = reactive(program).len();
    match policy.exfiltration {
        Mode::True => format!(
            "anything that is received, up to {} bytes",
            policy.budget.max_bytes
        ),
        _ if sites == 0 => "0 bits: no send depends on anything that is received".into(),
        _ => format!(
            "at most {} bits, by whether, when and how long {sites} places send; {}",
            event_bits(policy, &reactive(program)),
            declassified(program)
        ),
    }
}

/// What received bytes choose by themselves, apart from what events tell.
fn declassified(program: &LoadedProgram) -> String {
    let limit = leak::declassification_limit(&program.bound.policy);
    match price::bits(&program.judged.costs) {
        Some(0) => "no received byte is sent".into(),
        Some(bits) => {
            format!("received bytes choose at most {bits} bits of what is sent (limit {limit})")
        }
        None => format!("received bytes choose what is sent, without a bound (limit {limit})"),
    }
}

/// Every place at which received bytes choose, with its line and what it costs.
fn choices(program: &LoadedProgram) -> Vec<String> {
    let place = |cost: &price::Cost| {
        let (line, _) = program.source.position(cost.span.start);
        let times = cost.times.map_or("any number of".into(), |n| n.to_string());
        format!(
            "  chooses    line {line}: {} bits each, {times} times",
            leak::decimal(cost.each)
        )
    };
    program.judged.costs.iter().map(place).collect()
}

/// Bits of all the reactions that the budget lets leave, by the gate's own formula.
fn event_bits(policy: &Policy, sites: &[&SiteLabels]) -> u64 {
    let largest = usize::try_from(policy.budget.max_bytes.min(LARGEST_FRAME)).unwrap_or(0);
    let chosen = sites.iter().map(|site| site.chosen.bits(largest)).max();
    let each = leak::reaction_bits(
        leak::slots(policy.budget.max_duration),
        sites.len() as u32,
        chosen.unwrap_or(0),
    );
    policy
        .budget
        .max_packets
        .saturating_mul(each)
        .min(policy.max_leak_bits)
}

/// Bytes of the largest frame on an ordinary link.
const LARGEST_FRAME: u64 = 1514;

/// Every place that reacts, with its line.
fn reactions(program: &LoadedProgram) -> Vec<String> {
    let place = |site: &SiteLabels| {
        let (line, _) = program.source.position(site.span.start);
        let text = program.source.line(site.span);
        format!("  reacts     line {line}: {text}")
    };
    reactive(program).into_iter().map(place).collect()
}

/// What driven layers tell a peer of what that peer sent, because their protocols have it so; it is
/// not the program's doing.
fn echoes(program: &LoadedProgram) -> Vec<String> {
    let driven = |kind: DrivenKind| {
        let mut layers = program
            .program
            .stacks
            .iter()
            .flat_map(|stack| &stack.layers);
        layers.any(|layer| matches!(layer, StackLayer::Driven(driven) if driven.kind == kind))
    };
    LAYERS
        .iter()
        .filter(|layer| driven(layer.kind))
        .filter_map(|layer| layer.echo)
        .map(|what| format!("  echoes     to the same peer: {what}"))
        .collect()
}

/// Whether the operator's policy takes something away (what only an operator may open is not the
/// program's to ask).
fn narrowed(program: &LoadedProgram) -> bool {
    let effective = Policy {
        opened: program.asked.opened.clone(),
        ..program.bound.policy.clone()
    };
    effective != program.asked
}

fn document(program: &LoadedProgram) -> Value {
    let policy = &program.bound.policy;
    let b = &policy.budget;
    json!({
        "file": program.source.name, "digest": digest(program), "flags": flags(policy, program),
        "destinations": policy.destinations.ranges().iter().map(|(a, z)| json!([a.to_string(), z.to_string()])).collect::<Vec<_>>(),
        "destination_ports": destination_ports(policy), "sources": addresses(&policy.sources),
        "budget": { "max_duration": b.max_duration.0.to_string(), "max_packets": b.max_packets, "max_packets_per_secs": b.max_packets_per_secs,
                    "max_bytes": b.max_bytes, "max_bytes_per_secs": b.max_bytes_per_secs, "max_syns": b.max_syns, "max_syns_per_secs": b.max_syns_per_secs },
        "main_program_packets": [program.judged.worst.main.packets.0, program.judged.worst.main.packets.1],
        "owns": owned(policy), "powers": powers(policy), "exfiltration": policy.exfiltration.name(), "leaks": leak(program), "declassified_bits": price::bits(&program.judged.costs),
        "reactive_sites": reactive(program).iter().map(|s| span_json(&program.source, s.span)).collect::<Vec<_>>(),
        "narrowed": narrowed(program),
    })
}
