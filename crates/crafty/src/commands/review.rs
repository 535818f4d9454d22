//! `crafty review`: one screen for the person who must say yes: who can be sent what, from where,
//! how much at most, what of the kernel is touched, what can leak.

use super::Command;
use super::check::{position, refused, source_and_load};
use crate::program::{Loaded, tell};
use crate::{cli, output, status};
use clap::{Arg, ArgMatches};
use crafty_lang::driven::LAYERS;
use crafty_lang::ir::{DrivenKind, StackLayer};
use crafty_lang::labels::{SiteLabels, price};
use crafty_policy::{AddressSet, Mode, Policy, PortSet, leak};
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
        cli::program_args(),
        vec![cli::json_arg()],
        cli::policy_args(),
    ]
    .concat()
}

fn run(args: &ArgMatches) -> u8 {
    let name = args.get_one::<String>("file").map_or("-", String::as_str);
    match source_and_load(name, args) {
        Err((source, refusal)) => refused(args, name, &source, &refusal),
        Ok((source, loaded)) => {
            match args.get_flag("json") {
                true => output::line(&document(&source, &loaded).to_string()),
                false => {
                    tell(&source, name, &loaded.warnings);
                    output::data(&screen(&source, &loaded));
                }
            }
            status::DONE
        }
    }
}

fn screen(source: &str, loaded: &Loaded) -> String {
    let policy = &loaded.bound.policy;
    let mut lines = vec![format!(
        "program      {} ({} bytes, digest {})",
        loaded.name,
        source.len(),
        digest(source, loaded)
    )];
    lines.extend(
        flags(policy, source, loaded)
            .into_iter()
            .map(|flag| format!("LOOK         {flag}")),
    );
    lines.push(format!(
        "sends to     {} ({} addresses)",
        addresses(&policy.destinations),
        policy.destinations.count()
    ));
    lines.push(format!("  ports      {}", destination_ports(policy)));
    lines.push(format!("sends from   {}", sources(policy)));
    lines.push(format!("at most      {}", budget(policy)));
    lines.push(format!("by itself    {}", main_line(loaded)));
    lines.push(format!("owns         {}", owned(policy)));
    lines.push(format!("kernel       {}", kernel(policy)));
    lines.push(format!("powers       {}", powers(policy)));
    lines.push(format!("leaks        {}", leak(loaded)));
    lines.extend(choices(source, loaded));
    lines.extend(reactions(source, loaded));
    lines.extend(echoes(loaded));
    if narrowed(loaded) {
        lines.push("policy       the operator's policy narrows what the program asks for; the above is what is left".into());
    }
    lines.join("\n") + "\n"
}

/// SHA-256 of what is approved: the exact text, its values, and what it may do.
fn digest(source: &str, loaded: &Loaded) -> String {
    let text = format!(
        "{source}\0{:?}\0{:?}",
        loaded.bound.policy, loaded.bound.values
    );
    let hash = Sha256::digest(text.as_bytes());
    crafty_lang::eval::show::hex(&hash)
}

/// What a reviewer should look at first.
fn flags(policy: &Policy, source: &str, loaded: &Loaded) -> Vec<String> {
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
    for span in &loaded.judged.worst.own_segments {
        let (line, _) = position(source, span.start);
        let text = source.lines().nth(line - 1).unwrap_or("").trim();
        flags.push(format!(
            "it keeps back or changes what its own stack sends, line {line}: {text}"
        ));
    }
    if loaded.judged.worst.uncounted {
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

fn main_line(loaded: &Loaded) -> String {
    let worst = &loaded.judged.worst;
    format!(
        "{} to {} packets from its main line, {} handlers",
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
fn reactive(loaded: &Loaded) -> Vec<&SiteLabels> {
    loaded
        .judged
        .labels
        .sites
        .iter()
        .filter(|site| site.reacts())
        .collect()
}

fn leak(loaded: &Loaded) -> String {
    let policy = &loaded.bound.policy;
    let sites = reactive(loaded).len();
    match policy.exfiltration {
        Mode::True => format!(
            "anything that is received, up to {} bytes",
            policy.budget.max_bytes
        ),
        _ if sites == 0 => "0 bits: no send depends on anything that is received".into(),
        _ => format!(
            "at most {} bits, by whether, when and how long {sites} places send; {}",
            event_bits(policy, &reactive(loaded)),
            declassified(loaded)
        ),
    }
}

/// What received bytes choose by themselves, apart from what events tell.
fn declassified(loaded: &Loaded) -> String {
    let limit = leak::declassification_limit(&loaded.bound.policy);
    match price::bits(&loaded.judged.costs) {
        Some(0) => "no received byte is sent".into(),
        Some(bits) => {
            format!("received bytes choose at most {bits} bits of what is sent (limit {limit})")
        }
        None => format!("received bytes choose what is sent, without a bound (limit {limit})"),
    }
}

/// Every place at which received bytes choose, with its line and what it costs.
fn choices(source: &str, loaded: &Loaded) -> Vec<String> {
    let place = |cost: &price::Cost| {
        let (line, _) = position(source, cost.span.start);
        let times = cost.times.map_or("any number of".into(), |n| n.to_string());
        format!(
            "  chooses    line {line}: {} bits each, {times} times",
            leak::decimal(cost.each)
        )
    };
    loaded.judged.costs.iter().map(place).collect()
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
fn reactions(source: &str, loaded: &Loaded) -> Vec<String> {
    let place = |site: &SiteLabels| {
        let (line, _) = position(source, site.span.start);
        let text = source.lines().nth(line - 1).unwrap_or("").trim();
        format!("  reacts     line {line}: {text}")
    };
    reactive(loaded).into_iter().map(place).collect()
}

/// What driven layers tell a peer of what that peer sent, because their protocols have it so; it is
/// not the program's doing.
fn echoes(loaded: &Loaded) -> Vec<String> {
    let driven = |kind: DrivenKind| {
        let mut layers = loaded.program.stacks.iter().flat_map(|stack| &stack.layers);
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
fn narrowed(loaded: &Loaded) -> bool {
    let effective = Policy {
        opened: loaded.asked.opened.clone(),
        ..loaded.bound.policy.clone()
    };
    effective != loaded.asked
}

fn document(source: &str, loaded: &Loaded) -> Value {
    let policy = &loaded.bound.policy;
    let b = &policy.budget;
    json!({
        "file": loaded.name, "digest": digest(source, loaded), "flags": flags(policy, source, loaded),
        "destinations": policy.destinations.ranges().iter().map(|(a, z)| json!([a.to_string(), z.to_string()])).collect::<Vec<_>>(),
        "destination_ports": destination_ports(policy), "sources": addresses(&policy.sources),
        "budget": { "max_duration": b.max_duration.0.to_string(), "max_packets": b.max_packets, "max_packets_per_secs": b.max_packets_per_secs,
                    "max_bytes": b.max_bytes, "max_bytes_per_secs": b.max_bytes_per_secs, "max_syns": b.max_syns, "max_syns_per_secs": b.max_syns_per_secs },
        "main_line_packets": [loaded.judged.worst.main.packets.0, loaded.judged.worst.main.packets.1],
        "owns": owned(policy), "powers": powers(policy), "exfiltration": policy.exfiltration.name(), "leaks": leak(loaded), "declassified_bits": price::bits(&loaded.judged.costs),
        "reactive_sites": reactive(loaded).iter().map(|s| super::check::span(source, s.span)).collect::<Vec<_>>(),
        "narrowed": narrowed(loaded),
    })
}
