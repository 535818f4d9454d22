//! The JSON document: the facts of the page as numbers, lists and names.

use crate::span_json;
use crafty_lang::ir::Label;
use crafty_lang::traffic::{HeardTraffic, Party, PortsUsed, ReadDepth, SendAct, SentTraffic};
use crafty_policy::{AddressSet, Policy, PortSet};
use crafty_run::LoadedProgram;
use crafty_run::review::{InformationFlow, Review};
use serde_json::{Value, json};
use std::net::IpAddr;

/// The document of `crafty review --json`.
pub fn review_json(program: &LoadedProgram, review: &Review) -> Value {
    let policy = &program.bound.policy;
    let worst = &review.worst;
    let place = |span| span_json(&program.source, span);
    json!({
        "file": program.source.name,
        "digest": review.digest,
        "warnings": review.warnings,
        "params": review.params.iter().map(|param| json!({
            "name": param.name, "value": param.value, "default": param.default,
            "decides_reach": param.decides_reach,
        })).collect::<Vec<_>>(),
        "sends": review.traffic.sends.iter().map(|send| send_json(program, send)).collect::<Vec<_>>(),
        "flows": review.flows.iter().map(|flow| flow_json(program, flow)).collect::<Vec<_>>(),
        "hears": review.traffic.hears.iter().map(|heard| heard_json(program, heard)).collect::<Vec<_>>(),
        "prints": review.traffic.prints.iter().map(|print| json!({
            "span": place(print.span), "label": label(print.label), "depth": depth(print.depth),
        })).collect::<Vec<_>>(),
        "destinations": ranges(&policy.destinations.ranges()),
        "destination_ports": policy.destination_ports.as_ref().map(|ports| json!({
            "tcp": port_ranges(&ports.tcp), "udp": port_ranges(&ports.udp),
        })),
        "sources": addresses(&policy.sources),
        "owns": {
            "tcp": port_ranges(&policy.ports.tcp), "udp": port_ranges(&policy.ports.udp),
            "icmp": port_ranges(&policy.ports.icmp),
        },
        "powers": policy.powers.iter().map(|power| power.name()).collect::<Vec<_>>(),
        "exfiltration": policy.exfiltration.name(),
        "unused": review.unused.iter().map(|it| json!({ "key": it.key, "what": it.what })).collect::<Vec<_>>(),
        "budget": budget(policy),
        "changed_limits": review.limits.iter().map(|limit| json!({
            "section": limit.section, "key": limit.key, "value": limit.value, "default": limit.default,
        })).collect::<Vec<_>>(),
        "worst_case": {
            "main_packets": [worst.packets.0, worst.packets.1],
            "main_bytes": [worst.bytes.0, worst.bytes.1],
            "main_syns": [worst.syns.0, worst.syns.1],
            "packets": worst.all_packets, "bytes": worst.all_bytes,
            "bits_per_second": worst.bits_per_second, "by_budget": worst.by_budget,
            "handlers": worst.handlers, "neighbours": worst.neighbours, "questions": worst.questions,
        },
        "choices": review.choices.iter().map(|cost| json!({
            "span": place(cost.span), "times": cost.times, "millibits": cost.each,
        })).collect::<Vec<_>>(),
        "chosen_bits": review.chosen_bits,
        "chosen_limit": review.chosen_limit,
        "echoes": review.echoes,
        "outside": review.outside.as_deref().map(ranges),
        "narrowed": review.narrowed,
    })
}

fn send_json(program: &LoadedProgram, send: &SentTraffic) -> Value {
    json!({
        "site": send.site.0,
        "span": span_json(&program.source, send.span),
        "act": act(send.act),
        "what": send.what,
        "effects": send.effects,
        "layers": send.layers,
        "from": party(&send.from),
        "from_ports": ports(&send.from_ports),
        "to": party(&send.to),
        "to_ports": ports(&send.to_ports),
        "link": send.link.as_ref().map(|macs| macs.iter().map(ToString::to_string).collect::<Vec<_>>()),
        "times": send.times,
        "size": send.size.map(|size| json!({
            "frames": [size.frames.0, size.frames.1], "bytes": [size.whole.0, size.whole.1],
            "largest": size.bytes.1, "known": size.known,
        })),
        "handler": send.handler.map(|span| span_json(&program.source, span)),
    })
}

fn flow_json(program: &LoadedProgram, flow: &InformationFlow) -> Value {
    json!({
        "span": span_json(&program.source, flow.span),
        "carries": label(flow.carries),
        "from": flow.from.iter().map(party).collect::<Vec<_>>(),
        "to": party(&flow.to),
        "bits": flow.bits,
        "elsewhere": flow.elsewhere,
    })
}

fn heard_json(program: &LoadedProgram, heard: &HeardTraffic) -> Value {
    json!({
        "span": span_json(&program.source, heard.span),
        "layers": heard.layers,
        "from": party(&heard.from),
        "depth": depth(heard.depth),
        "handler": heard.handler,
    })
}

fn party(party: &Party) -> Value {
    let (kind, addresses): (_, Vec<String>) = match party {
        Party::Addresses(all) => ("addresses", all.iter().map(IpAddr::to_string).collect()),
        Party::ThisHost => ("this_host", Vec::new()),
        Party::Asker => ("asker", Vec::new()),
        Party::Computed => ("computed", Vec::new()),
        Party::Link(Some(all)) => ("link", all.iter().map(ToString::to_string).collect()),
        Party::Link(None) => ("link_computed", Vec::new()),
        Party::EverybodyOnLink => ("on_link", Vec::new()),
    };
    json!({ "kind": kind, "addresses": addresses })
}

fn ports(used: &PortsUsed) -> Value {
    let (kind, ports) = match used {
        PortsUsed::Without => ("without", &[][..]),
        PortsUsed::Ports(all) => ("ports", all.as_slice()),
        PortsUsed::Own => ("own", &[][..]),
        PortsUsed::Asker => ("asker", &[][..]),
        PortsUsed::Computed => ("computed", &[][..]),
        PortsUsed::Default => ("default", &[][..]),
    };
    json!({ "kind": kind, "ports": ports })
}

fn act(act: SendAct) -> &'static str {
    match act {
        SendAct::Packet => "packet",
        SendAct::Stream => "stream",
        SendAct::Block => "block",
        SendAct::Idle => "idle",
        SendAct::Close => "close",
        SendAct::Altered => "altered",
        SendAct::Released => "released",
    }
}

fn label(label: Label) -> &'static str {
    match label {
        Label::Clean => "clean",
        Label::Event => "event",
        Label::Content => "content",
    }
}

fn depth(depth: ReadDepth) -> &'static str {
    match depth {
        ReadDepth::Arrival => "arrival",
        ReadDepth::Headers => "headers",
        ReadDepth::Payload => "payload",
    }
}

fn addresses(set: &AddressSet) -> Value {
    ranges(&set.ranges())
}

fn ranges(ranges: &[(IpAddr, IpAddr)]) -> Value {
    let rows = ranges.iter();
    rows.map(|(low, high)| json!([low.to_string(), high.to_string()]))
        .collect()
}

fn port_ranges(set: &PortSet) -> Value {
    set.ranges().map(|(low, high)| json!([low, high])).collect()
}

fn budget(policy: &Policy) -> Value {
    let b = &policy.budget;
    json!({
        "max_duration": b.max_duration.0.to_string(),
        "max_packets": b.max_packets, "max_packets_per_secs": b.max_packets_per_secs,
        "max_bytes": b.max_bytes, "max_bytes_per_secs": b.max_bytes_per_secs,
        "max_syns": b.max_syns, "max_syns_per_secs": b.max_syns_per_secs,
        "spoofed_syns": b.spoofed_syns, "max_destinations": b.max_destinations,
    })
}
