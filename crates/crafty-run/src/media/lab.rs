//! Machines in a simulated network, in virtual time: no privilege, no waiting, the same bytes each
//! time.

use super::sink::{LINKTYPES, Passed, Sink};
use super::{Ended, Runner};
use crafty_capture::Direction;
use crafty_sim::{Attachment, Lab};
use crafty_value::{Mac, Net, Time};
use crafty_vm::{Environment, InterfaceInfo, Link, Packet, Route, Stamp, StampSource};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Steps without any time passing after which a run is stuck: a defect, told rather than hung on.
const MOST_IDLE_STEPS: u32 = 1_000_000;

/// What a machine is told of its place in a lab.
pub fn environment(at: &Attachment, seed: u64) -> Environment {
    let addresses: Vec<(IpAddr, u8)> = at.addresses.clone();
    let mut routes: Vec<Route> = addresses
        .iter()
        .filter_map(|(a, p)| Net::new(*a, *p).map(|net| (net, *a)))
        .map(|(net, a)| on_link(net, a))
        .collect();
    let source = |v6: bool| {
        addresses
            .iter()
            .map(|(a, _)| *a)
            .find(|a| a.is_ipv6() == v6 && !is_link_local(*a))
    };
    let default_v4 = at.gateway_v4.map(|g| {
        (
            Net::new(Ipv4Addr::UNSPECIFIED.into(), 0),
            IpAddr::from(g),
            source(false),
        )
    });
    let default_v6 = at.gateway_v6.map(|g| {
        (
            Net::new(Ipv6Addr::UNSPECIFIED.into(), 0),
            IpAddr::from(g),
            source(true),
        )
    });
    for (net, gateway, source) in [default_v4, default_v6].into_iter().flatten() {
        routes.extend(net.map(|net| Route {
            net,
            gateway: Some(gateway),
            interface: 0,
            source,
        }));
    }
    let interface = InterfaceInfo {
        name: at.portal.clone(),
        mac: at.mac,
        mtu: at.mtu as u32,
        addresses,
        link: Link::Ethernet,
    };
    Environment {
        interfaces: vec![interface],
        routes,
        neighbours: BTreeMap::<(usize, IpAddr), Mac>::new(),
        seed,
    }
}

fn on_link(net: Net, source: IpAddr) -> Route {
    Route {
        net,
        gateway: None,
        interface: 0,
        source: Some(source),
    }
}

fn is_link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(a) if a.is_unicast_link_local())
}

/// Runs all to their ends.
pub fn run(lab: &mut Lab, mut runners: Vec<(Runner, Attachment)>, sink: &mut Sink) -> Vec<Ended> {
    let mut idle = 0;
    loop {
        for (i, (runner, at)) in runners.iter_mut().enumerate() {
            flush(lab, i, runner, at, sink);
        }
        let Some(next) = next_time(lab, &runners) else {
            break;
        };
        idle = if next > lab.now() { 0 } else { idle + 1 };
        if idle > MOST_IDLE_STEPS {
            runners
                .iter_mut()
                .for_each(|(runner, _)| runner.machine.cancel());
            break;
        }
        lab.advance(next);
        for (i, (runner, at)) in runners.iter_mut().enumerate() {
            step(lab, i, runner, at, next, sink);
        }
    }
    let ended = |(runner, _): (Runner, Attachment)| ended(&runner);
    runners.into_iter().map(ended).collect()
}

/// The next moment at which anything can happen, while a program still runs.
fn next_time(lab: &Lab, runners: &[(Runner, Attachment)]) -> Option<Time> {
    let running = runners
        .iter()
        .filter(|(r, _)| r.machine.outcome().is_none());
    let machines = running
        .clone()
        .filter_map(|(r, _)| r.machine.poll_timeout())
        .min();
    running.clone().next()?;
    let next = [machines, lab.next_event()].into_iter().flatten().min()?;
    Some(next.max(lab.now()))
}

/// Frames out, stamps and events in order.
fn flush(lab: &mut Lab, i: usize, runner: &mut Runner, at: &Attachment, sink: &mut Sink) {
    loop {
        while let Some(event) = runner.machine.poll_event() {
            sink.event(i, &event);
        }
        let Some(transmit) = runner.machine.poll_transmit() else {
            break;
        };
        let when = transmit.at.max(lab.now());
        lab.send(at.port, when, &transmit.octets);
        let comments = sink.comments(i, &transmit);
        sink.frame(
            Passed {
                interface: i,
                link: LINKTYPES.0,
                time: when,
                direction: Direction::Outbound,
            },
            &transmit.octets,
            transmit.octets.len(),
            comments,
        );
        runner.machine.handle_stamp(
            transmit.frame,
            Stamp {
                time: when,
                source: StampSource::Recapture,
            },
        );
    }
}

/// Packets before timers at the same time.
fn step(lab: &mut Lab, i: usize, runner: &mut Runner, at: &Attachment, now: Time, sink: &mut Sink) {
    while let Some((time, octets)) = lab.receive(at.port) {
        let wire_len = octets.len();
        let recorded = sink.records().then(|| octets.clone());
        runner.machine.handle_packet(Packet {
            interface: 0,
            time,
            octets,
            wire_len,
            checksum_ready: true,
        });
        // Secrets stand before what they decrypt.
        runner
            .machine
            .poll_secrets()
            .iter()
            .for_each(|lines| sink.secrets(lines));
        if let Some(octets) = recorded {
            sink.frame(
                Passed {
                    interface: i,
                    link: LINKTYPES.0,
                    time,
                    direction: Direction::Inbound,
                },
                &octets,
                wire_len,
                Vec::new(),
            );
        }
        flush(lab, i, runner, at, sink);
    }
    if runner.machine.poll_timeout().is_some_and(|due| due <= now) {
        runner.machine.handle_timeout(now);
    }
}

fn ended(runner: &Runner) -> Ended {
    let outcome = runner.machine.outcome();
    let stuck = || Some("the run came to a standstill".to_string());
    Ended {
        status: outcome.map_or(6, |o| o.status),
        why: outcome.map_or_else(stuck, |o| o.why.clone()),
        report: runner.machine.report(),
    }
}
