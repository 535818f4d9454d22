//! Limits that are not the usual ones, and the worst case beside them.

use crate::load::LoadedProgram;
use crafty_lang::traffic::size::FRAME;
use crafty_lang::traffic::{SendAct, Traffic};
use crafty_lang::worst::QUESTION;
use crafty_policy::{AddressSet, Given, Policy, PortSet, SECTIONS, SETTINGS, StatedBy};
use std::net::IpAddr;

/// A limit that is another one than that of a program without settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLimit {
    /// The section: `BUDGET`.
    pub section: &'static str,
    /// The key.
    pub key: &'static str,
    /// Its value, in words.
    pub value: String,
    /// What a program has that leaves it out.
    pub default: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// How much a program sends at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorstCase {
    /// Frames of the main program, least and most.
    pub packets: (u64, u64),
    /// Bytes of them.
    pub bytes: (u64, u64),
    /// Those that open a connection.
    pub syns: (u64, u64),
    /// Most frames, whoever sends them: the main program's worst case where it is all, else the
    /// budget.
    pub all_packets: u64,
    /// Most bytes.
    pub all_bytes: u64,
    /// Most bits in any second.
    pub bits_per_second: u64,
    /// Whether nothing but the budget bounds part of it: handlers, streams.
    pub by_budget: bool,
    /// Neighbours that it asks for before it starts, at most.
    pub neighbours: u64,
    /// Frames that asking for them takes, at most.
    pub questions: u64,
    /// Handlers.
    pub handlers: usize,
}

/// All limits that are not the default.
pub(super) fn changed(policy: &Policy) -> Vec<ChangedLimit> {
    let usual = Policy::program();
    SETTINGS
        .iter()
        .filter(|setting| setting.read(policy) != setting.read(&usual))
        // By default it is `max_bytes`.
        .filter(|setting| {
            setting.key != "max_bytes_per_secs"
                || policy.budget.max_bytes_per_secs != policy.budget.max_bytes
        })
        .filter(|setting| {
            setting.stated_by == StatedBy::Anybody || says_something(&setting.read(policy))
        })
        .map(|setting| ChangedLimit {
            section: SECTIONS
                .iter()
                .find(|(section, _)| *section == setting.section)
                .map_or("", |(_, name)| name),
            key: setting.key,
            value: words(&setting.read(policy)),
            default: setting.default,
            doc: setting.doc,
        })
        .collect()
}

/// What an operator opens or demands; opening nothing is as usual.
fn says_something(given: &Given) -> bool {
    match given {
        Given::Addresses(set) => !set.is_empty(),
        Given::Names(names) => names.is_some(),
        Given::Number(limit) => *limit != u64::MAX,
        _ => true,
    }
}

/// The value of a setting, in words.
pub(super) fn words(given: &Given) -> String {
    match given {
        Given::Duration(duration) => duration.to_string(),
        Given::Number(u64::MAX) => "no limit".into(),
        Given::Number(n) => n.to_string(),
        Given::Addresses(set) => addresses(set),
        Given::Ports(set) => ports(set),
        Given::PortGroup(group) => format!("tcp {}; udp {}", ports(&group.tcp), ports(&group.udp)),
        Given::Names(None) => "any".into(),
        Given::Names(Some(names)) if names.is_empty() => "none".into(),
        Given::Names(Some(names)) => {
            let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            names.join(", ")
        }
        Given::Powers(set) if set.is_empty() => "none".into(),
        Given::Powers(set) => {
            let names: Vec<&str> = set.iter().map(|power| power.name()).collect();
            names.join(", ")
        }
        Given::Mode(mode) => mode.name().into(),
    }
}

/// Addresses as ranges.
pub fn addresses(set: &AddressSet) -> String {
    ranges_of(&set.ranges())
}

/// Ranges of addresses.
pub fn ranges_of(ranges: &[(IpAddr, IpAddr)]) -> String {
    let shown = |(low, high): &(IpAddr, IpAddr)| match low == high {
        true => low.to_string(),
        false => format!("{low} to {high}"),
    };
    let ranges: Vec<String> = ranges.iter().map(shown).collect();
    match ranges.is_empty() {
        true => "none".into(),
        false => ranges.join(", "),
    }
}

/// Ports as ranges.
pub fn ports(set: &PortSet) -> String {
    let shown = |(low, high): (u16, u16)| match low == high {
        true => low.to_string(),
        false => format!("{low}-{high}"),
    };
    let ranges: Vec<String> = set.ranges().map(shown).collect();
    match ranges.is_empty() {
        true => "none".into(),
        false => ranges.join(", "),
    }
}

/// The worst case of a program.
pub(super) fn worst_case(program: &LoadedProgram, traffic: &Traffic) -> WorstCase {
    let worst = &program.judged.worst;
    let budget = &program.bound.policy.budget;
    let reacts = worst.handlers.iter().any(|(_, run)| run.packets.1 > 0);
    let by_budget = reacts || worst.uncounted;
    let questions = worst.questions();
    let most = |own: u64, limit: u64| match by_budget {
        true => limit,
        false => own.min(limit),
    };
    let all_packets = most(
        worst.main.packets.1.saturating_add(questions.0),
        budget.max_packets,
    );
    let sized = traffic
        .sends
        .iter()
        .all(|send| match (send.size, send.act) {
            (Some(size), _) => size.known,
            (None, act) => act == SendAct::Idle,
        });
    let all_bytes = most(
        worst.main.bytes.1.saturating_add(questions.1),
        budget.max_bytes,
    );
    let largest = traffic
        .sends
        .iter()
        .map(|send| match (send.size, send.act) {
            (Some(size), SendAct::Packet) => size.bytes.1,
            (_, SendAct::Idle) => FRAME.0,
            _ => FRAME.1,
        });
    let largest = largest.max().unwrap_or(FRAME.0).max(QUESTION);
    // With frames of known length, so many frames carry no more.
    let all_bytes = match sized {
        true => all_bytes.min(all_packets.saturating_mul(largest)),
        false => all_bytes,
    };
    let in_second = budget
        .max_packets_per_secs
        .saturating_mul(largest)
        .min(budget.max_bytes_per_secs)
        .min(all_bytes);
    WorstCase {
        packets: worst.main.packets,
        bytes: worst.main.bytes,
        syns: worst.main.syns,
        all_packets,
        all_bytes,
        bits_per_second: in_second.saturating_mul(8),
        by_budget,
        neighbours: worst.neighbours,
        questions: questions.0,
        handlers: worst.handlers.len(),
    }
}
