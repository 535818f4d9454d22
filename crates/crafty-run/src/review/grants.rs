//! What a program may do and no line of it does. A row for each kind of grant; a grant that a line
//! may use by a value that only the run knows counts as used.

use super::limits::{addresses, ports};
use crate::load::LoadedProgram;
use crafty_lang::ir::Label;
use crafty_lang::labels::SiteLabels;
use crafty_lang::traffic::{Party, PortsUsed, SentTraffic, Traffic};
use crafty_policy::{AddressSet, ExfiltrationMode, PortSet, Power};
use crafty_value::Net;
use std::net::IpAddr;

/// A grant that no line uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedGrant {
    /// The key of the setting.
    pub key: &'static str,
    /// What of it, in words.
    pub what: String,
}

/// How one kind of grant is looked for: its key, and what of it is not used.
type GrantRow = (&'static str, fn(&LoadedProgram, &Traffic) -> Option<String>);

static ROWS: &[GrantRow] = &[
    ("destinations", destinations),
    ("destination_ports", destination_ports),
    ("sources", sources),
    ("tcp", |program, traffic| {
        own_ports(&program.bound.policy.ports.tcp, traffic, &["TCP"])
    }),
    ("udp", |program, traffic| {
        own_ports(&program.bound.policy.ports.udp, traffic, &["UDP"])
    }),
    ("icmp", |program, traffic| {
        own_ports(
            &program.bound.policy.ports.icmp,
            traffic,
            &["ICMP", "ICMP6"],
        )
    }),
    ("powers", powers),
    ("observe", observe),
    ("spoofed_syns", spoofed_syns),
    ("exfiltration", exfiltration),
    ("max_leak_bits", max_leak_bits),
    ("interfaces", interfaces),
];

/// All that is granted and not used.
pub(super) fn unused(program: &LoadedProgram, traffic: &Traffic) -> Vec<UnusedGrant> {
    let found = ROWS.iter().filter_map(|(key, look)| {
        let what = look(program, traffic)?;
        Some(UnusedGrant { key, what })
    });
    found.collect()
}

/// Lines that put something on the wire.
fn senders(traffic: &Traffic) -> impl Iterator<Item = &SentTraffic> {
    traffic.sends.iter()
}

/// What the places of lines may reveal.
fn sites<'t>(
    program: &'t LoadedProgram,
    traffic: &'t Traffic,
) -> impl Iterator<Item = &'t SiteLabels> {
    let sites = &program.judged.labels.sites;
    senders(traffic).filter_map(|line| sites.get(line.site.0 as usize))
}

fn idle(traffic: &Traffic) -> bool {
    traffic.sends.is_empty() && traffic.hears.is_empty()
}

fn destinations(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    if policy.destinations.is_empty() {
        return None;
    }
    let sent = senders(traffic).map(|line| &line.to);
    let heard = traffic.hears.iter().map(|heard| &heard.from);
    let used = named(sent.chain(heard))?;
    let left = policy.destinations.without(&used);
    (!left.is_empty()).then(|| addresses(&left))
}

/// The addresses that all these parties are; none if one of them may be any.
fn named<'t>(parties: impl Iterator<Item = &'t Party>) -> Option<AddressSet> {
    let mut used = AddressSet::none();
    for party in parties {
        match party {
            Party::Addresses(addresses) => {
                addresses
                    .iter()
                    .for_each(|address| used.allow(Net::host(*address)));
            }
            Party::Asker | Party::Computed => return None,
            Party::ThisHost | Party::Link(_) | Party::EverybodyOnLink => {}
        }
    }
    Some(used)
}

fn destination_ports(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    let granted = policy.destination_ports.as_ref()?;
    let tcp = unused_ports(&granted.tcp, traffic, "TCP");
    let udp = unused_ports(&granted.udp, traffic, "UDP");
    let shown = |name: &str, set: Option<PortSet>| set.map(|set| format!("{name} {}", ports(&set)));
    let found: Vec<String> = [shown("tcp", tcp), shown("udp", udp)]
        .into_iter()
        .flatten()
        .collect();
    (!found.is_empty()).then(|| found.join("; "))
}

/// Ports of a protocol that no line sends to; none if a line may send to any.
fn unused_ports(granted: &PortSet, traffic: &Traffic, layer: &str) -> Option<PortSet> {
    let mut left = PortSet::none();
    granted
        .ranges()
        .for_each(|(low, high)| left.insert(low, high));
    for line in senders(traffic).filter(|line| line.layers.contains(&layer)) {
        match &line.to_ports {
            PortsUsed::Ports(used) => {
                let mut without = PortSet::none();
                for (low, high) in left.ranges() {
                    insert_without(&mut without, low, high, used);
                }
                left = without;
            }
            _ => return None,
        }
    }
    (!left.is_empty()).then_some(left)
}

fn insert_without(set: &mut PortSet, low: u16, high: u16, used: &[u16]) {
    let mut used: Vec<u16> = used
        .iter()
        .copied()
        .filter(|port| (low..=high).contains(port))
        .collect();
    used.sort_unstable();
    let mut next = u32::from(low);
    for port in used {
        if next < u32::from(port) {
            set.insert(next as u16, port - 1);
        }
        next = u32::from(port) + 1;
    }
    if next <= u32::from(high) {
        set.insert(next as u16, high);
    }
}

fn sources(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    if policy.sources.is_empty() {
        return None;
    }
    let used = named(
        senders(traffic)
            .map(|line| &line.from)
            .filter(|from| **from != Party::Asker),
    )?;
    let left = policy.sources.without(&used);
    (!left.is_empty()).then(|| addresses(&left))
}

fn own_ports(granted: &PortSet, traffic: &Traffic, layers: &[&str]) -> Option<String> {
    let uses = |names: &[&'static str]| names.iter().any(|name| layers.contains(name));
    let sent = senders(traffic).any(|line| uses(&line.layers));
    let heard = traffic.hears.iter().any(|heard| uses(&heard.layers));
    (!granted.is_empty() && !sent && !heard).then(|| ports(granted))
}

/// Powers that no line is known to need. `observe` is for listening, the others for sending.
fn powers(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    let used = |power: Power| match power {
        Power::Observe => !traffic.hears.is_empty(),
        power => senders(traffic).any(|line| line.powers.has(power)),
    };
    let left: Vec<&str> = policy
        .powers
        .iter()
        .filter(|power| !used(*power))
        .map(Power::name)
        .collect();
    (!left.is_empty()).then(|| left.join(", "))
}

fn observe(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    let set = policy.observe.as_ref()?;
    let used = policy.powers.has(Power::Observe) && !traffic.hears.is_empty();
    (!used && !set.is_empty()).then(|| addresses(set))
}

fn spoofed_syns(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    let may = |line: &SentTraffic| {
        line.layers
            .iter()
            .any(|layer| ["TCP", "SCTP", "QUIC"].contains(layer))
            && line.from != Party::ThisHost
    };
    let used = senders(traffic).any(may);
    (policy.budget.spoofed_syns > 0 && !used).then(|| policy.budget.spoofed_syns.to_string())
}

fn exfiltration(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    let used = sites(program, traffic).any(|site| site.content == Label::Content);
    (policy.exfiltration == ExfiltrationMode::True && !used).then(|| "true".into())
}

fn max_leak_bits(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    let reacts = sites(program, traffic).any(SiteLabels::reacts);
    (policy.max_leak_bits != u64::MAX && policy.max_leak_bits > 0 && !reacts)
        .then(|| policy.max_leak_bits.to_string())
}

fn interfaces(program: &LoadedProgram, traffic: &Traffic) -> Option<String> {
    let policy = &program.bound.policy;
    let names = policy.interfaces.as_ref()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    (idle(traffic) && !names.is_empty()).then(|| names.join(", "))
}

/// Whether a packet may be taken by more hosts than one.
pub(super) fn is_group(address: IpAddr) -> bool {
    crafty_lang::traffic::group(address).is_some()
}
