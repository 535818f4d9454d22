//! What a reviewer should look at first.

use super::flows::InformationFlow;
use super::grants::is_group;
use super::limits::addresses;
use crate::load::LoadedProgram;
use crafty_lang::ir::Label;
use crafty_lang::traffic::{Party, PortsUsed, SendAct, SentTraffic, Traffic, link_group};
use crafty_policy::{ExfiltrationMode, Policy, Power};

/// More destinations than these are reported.
const MANY: u128 = 256;

/// The worst first.
pub(super) fn of(
    program: &LoadedProgram,
    traffic: &Traffic,
    flows: &[InformationFlow],
) -> Vec<String> {
    let policy = &program.bound.policy;
    let line = |span: crafty_lang::ir::Span| program.source.position(span.start).0;
    let mut found = Vec::new();
    for flow in flows.iter().filter(|flow| flow.elsewhere) {
        let what = match flow.carries {
            Label::Content => "received data",
            _ => "what is received",
        };
        found.push(format!(
            "{what} may influence what line {} sends to somebody else, up to {} bits",
            line(flow.span),
            flow.bits
        ));
    }
    for send in &traffic.sends {
        let at = line(send.span);
        found.extend(effects(send, policy).map(|does| format!("line {at} {does}")));
        found.extend(groups(send).map(|who| format!("line {at} sends to {who}")));
        found.extend(by_link_alone(send).map(|what| format!("line {at} {what}")));
        found.extend(undeclared(send, policy).map(|what| format!("line {at} {what}")));
    }
    found.extend(grants(policy, traffic));
    for span in &program.judged.worst.own_segments {
        found.push(format!(
            "line {} holds or changes packets of its own stack",
            line(*span)
        ));
    }
    if program.judged.worst.uncounted {
        found.push("part of what it sends is limited only by the budget".into());
    }
    found
}

/// What a line does to others. A reset of a connection of its own is not news.
fn effects(send: &SentTraffic, policy: &Policy) -> impl Iterator<Item = String> {
    let foreign = !matches!(send.from, Party::ThisHost) && send.stack.is_none();
    let own = match &send.from_ports {
        PortsUsed::Own | PortsUsed::Asker => true,
        PortsUsed::Ports(ports) => ports.iter().all(|port| policy.ports.tcp.contains(*port)),
        _ => false,
    };
    send.effects.iter().filter_map(move |does| match *does {
        "resets a connection" if own && !foreign => None,
        "resets a connection" => Some("resets another host's connection".into()),
        does => Some(does.to_string()),
    })
}

/// Groups of hosts that a line reaches.
fn groups(send: &SentTraffic) -> impl Iterator<Item = String> {
    let addresses = match &send.to {
        Party::Addresses(addresses) => addresses.clone(),
        _ => Vec::new(),
    };
    let networks = addresses
        .into_iter()
        .filter(|address| is_group(*address))
        .filter_map(|address| {
            crafty_lang::traffic::group(address).map(|who| format!("{who} ({address})"))
        });
    let links = send.link.iter().flatten();
    let links = links.filter_map(|mac| link_group(*mac).map(|who| format!("{who} ({mac})")));
    let links: Vec<String> = links.collect();
    networks.chain(links).collect::<Vec<_>>().into_iter()
}

/// A frame without an address of IP.
fn by_link_alone(send: &SentTraffic) -> Option<&'static str> {
    let sends = !matches!(send.act, SendAct::Idle | SendAct::Released);
    let alone = matches!(send.to, Party::Link(_) | Party::EverybodyOnLink);
    (sends && alone).then_some(
        "sends on the link without an IP address: `destinations` does not limit whom it reaches",
    )
}

/// A sender that is not a declared source.
fn undeclared(send: &SentTraffic, policy: &Policy) -> Option<String> {
    let Party::Addresses(from) = &send.from else {
        return None;
    };
    let address = from.iter().find(|from| !policy.sources.contains(**from))?;
    Some(format!(
        "sends as {address}, which is not declared: it is dropped unless that is this host's address"
    ))
}

/// Permissions that ordinary probing does not need.
fn grants(policy: &Policy, traffic: &Traffic) -> Vec<String> {
    let mut found = Vec::new();
    let others = traffic
        .sends
        .iter()
        .any(|send| send.from != Party::ThisHost);
    if !policy.sources.is_empty() {
        let does = if others {
            "it sends from"
        } else {
            "it may send from"
        };
        found.push(format!(
            "{does} addresses that are not this host's: {}",
            addresses(&policy.sources)
        ));
    }
    if policy.exfiltration == ExfiltrationMode::True {
        found.push("it may send what it receives (`exfiltration: true`)".into());
    }
    if policy.powers.has(Power::Observe) {
        let whose = policy
            .observe
            .as_ref()
            .map_or_else(|| "anybody's".into(), addresses);
        found.push(format!("it may read other hosts' traffic: {whose}"));
    }
    let rest: Vec<&str> = policy
        .powers
        .iter()
        .filter(|power| *power != Power::Observe)
        .map(Power::name)
        .collect();
    if !rest.is_empty() {
        found.push(format!("it has powers: {}", rest.join(", ")));
    }
    if policy.budget.spoofed_syns > 0 {
        found.push(format!(
            "it may open up to {} connections from addresses that are not this host's",
            policy.budget.spoofed_syns
        ));
    }
    if policy.destinations.count() > MANY {
        found.push(format!(
            "it may send to {} addresses",
            policy.destinations.count()
        ));
    }
    found
}
