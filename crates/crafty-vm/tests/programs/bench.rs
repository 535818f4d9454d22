//! The bench: a machine, a peer on the wire 1 ms away, a clock that jumps.

use crate::peers::{Peer, describe};
use core::net::IpAddr;
use crafty_lang::check;
use crafty_lang::ir::Program;
use crafty_policy::Policy;
use crafty_referee::harness::{TraceGuard, crafts};
use crafty_value::{Mac, Net, Time};
use crafty_vm::{
    Bindings, Environment, Event, InterfaceInfo, LinkLayer, Machine, Packet, Route, Stamp,
    StampSource, Watch,
};
use crafty_wire::{Decoded, Unverifiable, decode, layer};
use std::collections::{BTreeMap, BTreeSet};

/// Program time 0 of every run, so that times in logs are those since the start.
pub const START: i64 = 1_000_000_000_000;

/// One run.
pub struct Run<'a> {
    pub program: &'a str,
    pub peer: Peer,
    /// Whether frames of ours are recaptured.
    pub stamps: bool,
    /// Whether frames that leave are in the log, and not only what the program says.
    pub frames: bool,
    /// Late calls: how many nanoseconds after the time asked for.
    pub late: i64,
}

impl<'a> Run<'a> {
    pub fn of(program: &'a str, peer: Peer) -> Run<'a> {
        Run {
            program,
            peer,
            stamps: true,
            frames: false,
            late: 0,
        }
    }

    pub fn with_frames(self) -> Run<'a> {
        Run {
            frames: true,
            ..self
        }
    }
}

/// The host: 192.0.2.66/24 on eth0, gateway 192.0.2.254 known, 192.0.2.1 and 192.0.2.80 known,
/// others to be asked for.
pub fn environment() -> Environment {
    let ip = |s: &str| s.parse::<IpAddr>().unwrap();
    let interface = InterfaceInfo {
        name: "eth0".into(),
        mac: Mac([2, 0, 0, 0, 0, 0x66]),
        mtu: 1500,
        addresses: vec![(ip("192.0.2.66"), 24), (ip("2001:db8::66"), 64)],
        link: LinkLayer::Ethernet,
    };
    let everywhere = |a: &str, gateway: &str, source: &str| Route {
        net: Net::new(ip(a), 0).unwrap(),
        gateway: Some(ip(gateway)),
        interface: 0,
        source: Some(ip(source)),
    };
    let known = ["192.0.2.1", "192.0.2.80", "192.0.2.254", "2001:db8::1"];
    Environment {
        interfaces: vec![interface],
        routes: vec![
            everywhere("0.0.0.0", "192.0.2.254", "192.0.2.66"),
            everywhere("::", "2001:db8::1", "2001:db8::66"),
        ],
        neighbours: known
            .iter()
            .map(|a| ((0, ip(a)), Mac([2, 0, 0, 0, 0, 1])))
            .collect::<BTreeMap<_, _>>(),
        seed: 7,
        other_addresses: Vec::new(),
        kernel_answers: false,
    }
}

/// The program, compiled; all mistakes at once if there are any.
pub fn machine(program: &str) -> Machine {
    let (program, bound) = compiled(program);
    Machine::new(program, bound, environment(), Time(START))
}

/// The same, watched while it computes.
pub fn watched(program: &str, watch: impl Watch + 'static) -> Machine {
    let (program, bound) = compiled(program);
    Machine::watched(program, bound, environment(), Time(START), watch)
}

fn compiled(program: &str) -> (Program, Bindings) {
    let checked = check::check(program);
    let Some(checked) = checked.program else {
        panic!(
            "the program does not compile:\n{program}\n{:#?}",
            checked.reports
        );
    };
    let mut bound =
        check::bind(&checked, &BTreeMap::new()).unwrap_or_else(|reports| panic!("{reports:#?}"));
    bound.policy = bound.policy.meet(&Policy::builtin());
    (checked, bound)
}

/// All frames that a program sends when nobody answers.
pub fn frames(program: &str) -> Vec<Vec<u8>> {
    let mut machine = machine(program);
    let mut frames = Vec::new();
    while machine.outcome().is_none() {
        frames.extend(std::iter::from_fn(|| machine.poll_transmit()).map(|t| t.octets));
        if let Some(at) = machine.poll_timeout() {
            machine.handle_timeout(at);
        }
    }
    frames.extend(std::iter::from_fn(|| machine.poll_transmit()).map(|t| t.octets));
    frames
}

/// The referee at a machine: its own TCP is judged, unless the program sends segments by itself.
/// Peers here are made by hand, and may do anything.
pub struct Court(Option<TraceGuard>);

impl Court {
    pub fn of(program: &str, own: &[(IpAddr, u8)]) -> Court {
        let mut guard = TraceGuard::of(program);
        own.iter().for_each(|(address, _)| guard.only(*address));
        Court(Some(guard).filter(|_| crafts(program).is_none()))
    }

    pub fn sent(&mut self, at: i64, frame: &[u8]) {
        if let Some((guard, datagram)) = self.0.as_mut().zip(innermost(frame)) {
            guard.sent(Time(at), datagram);
        }
    }

    pub fn heard(&mut self, at: i64, frame: &[u8], checksum_ready: bool) {
        match self.0.as_mut().zip(innermost(frame)) {
            Some((guard, datagram)) if checksum_ready => guard.heard(Time(at), datagram),
            Some((guard, datagram)) => guard.heard_checked(Time(at), datagram),
            None => {}
        }
    }
}

/// The innermost IP datagram that is not a quotation.
fn innermost(frame: &[u8]) -> Option<&[u8]> {
    let mut decoded = Decoded::new();
    decode(layer("Eth")?, frame, frame.len(), &mut decoded);
    let network = decoded.layers.iter().rfind(|found| {
        found.partial != Unverifiable::Quoted && matches!(found.layer.name, "IP" | "IP6")
    });
    frame.get(network?.start..)
}

/// Runs it to its end; the log has one line for each thing that happened.
pub fn run(run: Run<'_>) -> Vec<String> {
    let mut machine = machine(run.program);
    let mut court = Court::of(run.program, &environment().interfaces[0].addresses);
    let mut wire: BTreeSet<(i64, u64, Vec<u8>)> = BTreeSet::new();
    let mut peer = run.peer;
    let mut log = Vec::new();
    let mut number = 0;
    let mut now = START;
    for (at, frame) in peer.script() {
        number += 1;
        wire.insert((START + at, number, frame));
    }
    for _ in 0..200_000 {
        say(&mut machine, &mut log);
        while let Some(sent) = machine.poll_transmit() {
            let at = sent.at.0.max(now);
            court.sent(at, &sent.octets);
            if run.frames {
                log.push(format!("{} > {}", clock(at), describe(&sent.octets)));
            }
            if run.stamps {
                machine.handle_stamp(
                    sent.frame,
                    Stamp {
                        time: Time(at),
                        source: StampSource::Recapture,
                    },
                );
            }
            for (after, frame) in peer.answer(at - START, &sent.octets) {
                number += 1;
                wire.insert((at + after, number, frame));
            }
        }
        say(&mut machine, &mut log);
        if machine.outcome().is_some() {
            break;
        }
        let arrival = wire.first().map(|(at, ..)| *at);
        let timer = machine.poll_timeout().map(|t| t.0.max(now) + run.late);
        let woken = peer.poll_timeout().map(|t| (START + t).max(now));
        match [arrival, timer, woken].into_iter().flatten().min() {
            Some(at) if Some(at) == woken && Some(at) != arrival => {
                now = at;
                for (after, frame) in peer.wake(at - START) {
                    number += 1;
                    wire.insert((at + after, number, frame));
                }
            }
            Some(at) if Some(at) == arrival => {
                now = at;
                let (_, _, octets) = wire.pop_first().unwrap();
                let wire_len = octets.len();
                court.heard(at, &octets, true);
                machine.handle_packet(Packet {
                    interface: 0,
                    time: Time(at),
                    octets,
                    wire_len,
                    checksum_ready: true,
                });
            }
            Some(at) => {
                now = at;
                machine.handle_timeout(Time(at));
            }
            None => break,
        }
    }
    say(&mut machine, &mut log);
    let outcome = machine
        .outcome()
        .unwrap_or_else(|| panic!("the program does not end: {log:#?}"));
    log.push(format!("{} ends {}", clock(outcome.time.0), outcome.status));
    log
}

fn clock(at: i64) -> String {
    let since = at - START;
    format!("{}.{:03}", since / 1_000_000_000, since / 1_000_000 % 1000)
}

fn say(machine: &mut Machine, log: &mut Vec<String>) {
    while let Some(event) = machine.poll_event() {
        log.push(match event {
            Event::Print { text, time, .. } => format!("{} {text}", clock(time.0)),
            Event::Record {
                name, value, time, ..
            } => {
                format!(
                    "{} record {name}={}",
                    clock(time.0),
                    crafty_lang::eval::show::shown(&value)
                )
            }
            Event::Error { kind, time, .. } => format!("{} error {}", clock(time.0), kind.word()),
            Event::Failed { message, time, .. } => format!("{} failed: {message}", clock(time.0)),
            Event::Dropped { reason, .. } => format!("dropped: {reason}"),
            Event::Warning { message, .. } => format!("warning: {message}"),
            Event::Withheld { octets, time, .. } => {
                format!("{} x {}", clock(time.0), describe(&octets))
            }
            Event::Late { .. } => "late".into(),
            Event::Uncertain { .. } => "uncertain".into(),
            Event::NearMiss { message, .. } => format!("near miss: {message}"),
            Event::Unasked { why, .. } => format!("not asked: {why}"),
        });
    }
}

/// Runs a program and compares the log, line by line; leading spaces of the expectation do not
/// count.
pub fn check(program: &str, peer: Peer, expected: &str) {
    compare(Run::of(program, peer), expected);
}

/// The same with the frames that leave.
pub fn check_frames(program: &str, peer: Peer, expected: &str) {
    compare(Run::of(program, peer).with_frames(), expected);
}

pub fn compare(one: Run<'_>, expected: &str) {
    let program = one.program;
    let wanted: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let got = run(one);
    assert!(
        got.iter().map(|l| l.trim()).eq(wanted.iter().copied()),
        "{program}\n--- wanted\n{}\n--- got\n{}\n",
        wanted.join("\n"),
        got.join("\n")
    );
}
