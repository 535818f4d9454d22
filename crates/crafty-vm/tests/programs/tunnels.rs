//! Two machines on one wire, each with a stack inside fixed encapsulation.

use crate::bench::{Court, START};
use core::net::IpAddr;
use crafty_lang::check;
use crafty_policy::Policy;
use crafty_stack::ip::fragment;
use crafty_value::Net;
use crafty_value::{Mac, Time};
use crafty_vm::{
    Environment, Event, InterfaceInfo, LinkLayer, Machine, Packet, Route, Stamp, StampSource,
};
use std::collections::{BTreeMap, BTreeSet};

fn environment(n: u8) -> Environment {
    let ip = |s: String| s.parse::<IpAddr>().unwrap();
    let interface = InterfaceInfo {
        name: "eth0".into(),
        mac: Mac([2, 0, 0, 0, 0, n]),
        mtu: 1500,
        addresses: vec![
            (ip(format!("10.9.1.{n}")), 24),
            (ip(format!("fd09::{n}")), 64),
        ],
        link: LinkLayer::Ethernet,
    };
    let on_link = |net: &str, len: u8, source: String| Route {
        net: Net::new(ip(net.into()), len).unwrap(),
        gateway: None,
        interface: 0,
        source: Some(ip(source)),
    };
    let routes = vec![
        on_link("10.9.1.0", 24, format!("10.9.1.{n}")),
        on_link("fd09::", 64, format!("fd09::{n}")),
    ];
    Environment {
        interfaces: vec![interface],
        routes,
        neighbours: BTreeMap::new(),
        seed: n.into(),
        other_addresses: Vec::new(),
        kernel_answers: false,
    }
}

fn machine(program: &str, n: u8) -> Machine {
    let checked = check::check(program);
    let Some(checked) = checked.program else {
        panic!("{program}\n{:#?}", checked.reports)
    };
    let mut bound =
        check::bind(&checked, &BTreeMap::new()).unwrap_or_else(|reports| panic!("{reports:#?}"));
    bound.policy = bound.policy.meet(&Policy::builtin());
    Machine::new(checked, bound, environment(n), Time(START))
}

/// What becomes of a frame between the two: frames that continue, and frames that come back.
type Between = fn(&[u8]) -> Vec<(bool, Vec<u8>)>;

/// All of them arrive.
fn through(frame: &[u8]) -> Vec<(bool, Vec<u8>)> {
    vec![(true, frame.to_vec())]
}

/// Runs two programs 1 ms apart; gives what both said and the frames that they sent.
fn run(programs: [&str; 2], between: Between) -> (Vec<String>, Vec<Vec<u8>>) {
    let mut machines = [machine(programs[0], 1), machine(programs[1], 2)];
    // Addresses in tunnels are those of the programs, and each machine hears its own frames only.
    let mut courts = programs.map(|program| Court::of(program, &[]));
    let mut wire: BTreeSet<(i64, u64, usize, Vec<u8>)> = BTreeSet::new();
    let (mut now, mut number, mut log, mut frames) = (START, 0, Vec::new(), Vec::new());
    for _ in 0..50_000 {
        for (i, machine) in machines.iter_mut().enumerate() {
            loop {
                while let Some(event) = machine.poll_event() {
                    match event {
                        Event::Print { text, .. } => log.push(format!("{i}: {text}")),
                        other => log.push(format!("{i}: {other:?}")),
                    }
                }
                let Some(sent) = machine.poll_transmit() else {
                    break;
                };
                let at = sent.at.0.max(now);
                courts[i].sent(at, &sent.octets);
                machine.handle_stamp(
                    sent.frame,
                    Stamp {
                        time: Time(at),
                        source: StampSource::Recapture,
                    },
                );
                number += 1;
                frames.push(sent.octets.clone());
                for (on, octets) in between(&sent.octets) {
                    number += 1;
                    wire.insert((at + 1_000_000, number, if on { 1 - i } else { i }, octets));
                }
            }
        }
        let arrival = wire.first().map(|(at, ..)| *at);
        let timers = machines
            .iter()
            .filter(|m| m.outcome().is_none())
            .filter_map(|m| m.poll_timeout())
            .map(|t| t.0.max(now))
            .min();
        if machines.iter().all(|m| m.outcome().is_some()) {
            break;
        }
        match (arrival, timers) {
            (Some(at), timer) if timer.is_none_or(|t| at <= t) => {
                now = at;
                let (_, _, to, octets) = wire.pop_first().unwrap();
                let wire_len = octets.len();
                courts[to].heard(at, &octets, true);
                machines[to].handle_packet(Packet {
                    interface: 0,
                    time: Time(at),
                    octets,
                    wire_len,
                    checksum_ready: true,
                });
            }
            (_, Some(at)) => {
                now = at;
                machines
                    .iter_mut()
                    .filter(|m| m.poll_timeout().is_some_and(|t| t.0 <= at))
                    .for_each(|m| m.handle_timeout(Time(at)));
            }
            _ => break,
        }
    }
    for (i, machine) in machines.iter().enumerate() {
        log.push(format!(
            "{i} ends {:?}",
            machine.outcome().map(|o| o.status)
        ));
    }
    (log, frames)
}

const HEAD: &str = "BUDGET = { max_duration: 20s, max_packets: 400, max_packets_per_secs: 400, spoofed_syns: 20 }
PERMISSIONS = { destinations: [10.9.1.0/24, fd09::/64, 10.8.0.0/24, fd08::/64], sources: [10.8.0.0/24, fd08::/64], powers: [tunnels, link, infrastructure, inject] }
PORTS = { tcp: [8080, [45000, 45009]], udp: [7000, [40000, 40009]] }
";

fn client(below: &str, transport: &str) -> String {
    format!(
        "{HEAD}{below}/{transport} {{\n  Bytes(#61 * 3000)\n  expect timeout=4s Bytes {{ print(\"heard ${{length(MATCH[Bytes].data)}}\") }} else {{ print(\"nothing\") }}\n}} else e {{ print(\"failed ${{e.kind}} ${{e.message}}\") }}\n"
    )
}

fn server(below: &str, transport: &str) -> String {
    format!(
        "{HEAD}n = 0\n{below}/{transport} {{\n  on linger=6s Bytes {{\n    n += length(MATCH[Bytes].data)\n    if n >= 3000 {{ Bytes(\"thanks\") }}\n  }}\n}}\nprint(\"got ${{n}}\")\n"
    )
}

/// What is below the transport: of who connects, of who serves.
const CARRIERS: &[(&str, &str)] = &[
    ("/Eth/VLAN(id=5)/IP!(dst=10.9.1.2)", "/Eth/VLAN(id=5)/IP!"),
    ("/Eth/VLAN(id=5)/IP!(dst=fd09::2)", "/Eth/VLAN(id=5)/IP!"),
    (
        "/Eth/VLAN(id=100)/VLAN(id=7)/IP!(dst=10.9.1.2)",
        "/Eth/VLAN(id=100)/VLAN(id=7)/IP!",
    ),
    (
        "/Eth/MPLS(label=16)/IP!(dst=10.9.1.2)",
        "/Eth/MPLS(label=16)/IP!",
    ),
    (
        "/IP!(dst=10.9.1.2)/GRE/IP!(src=10.8.0.1, dst=10.8.0.2)",
        "/IP!(dst=10.9.1.1)/GRE/IP!(src=10.8.0.2)",
    ),
    (
        "/IP!(dst=10.9.1.2)/GRE(key=9)/IP!(src=fd08::1, dst=fd08::2)",
        "/IP!(dst=10.9.1.1)/GRE(key=9)/IP!(src=fd08::2)",
    ),
    (
        "/IP!(dst=fd09::2)/GRE/IP!(src=fd08::1, dst=fd08::2)",
        "/IP!(dst=fd09::1)/GRE/IP!(src=fd08::2)",
    ),
    (
        "/IP(dst=10.9.1.2)/GRE/IP!(src=10.8.0.1, dst=10.8.0.2)",
        "/IP(dst=10.9.1.1)/GRE/IP!(src=10.8.0.2)",
    ),
    (
        "/IP!(dst=10.9.1.2)/IP!(src=10.8.0.1, dst=10.8.0.2)",
        "/IP!(dst=10.9.1.1)/IP!(src=10.8.0.2)",
    ),
    (
        "/IP!(dst=10.9.1.2)/IP!(src=fd08::1, dst=fd08::2)",
        "/IP!(dst=10.9.1.1)/IP!(src=fd08::2)",
    ),
    (
        "/IP!(dst=fd09::2)/IP!(src=10.8.0.1, dst=10.8.0.2)",
        "/IP!(dst=fd09::1)/IP!(src=10.8.0.2)",
    ),
    (
        "/IP!(dst=10.9.1.2)/UDP(src=40000, dst=4789)/VXLAN(vni=42)/Eth(src=02:00:00:00:08:01, dst=02:00:00:00:08:02)/IP!(src=10.8.0.1, dst=10.8.0.2)",
        "/IP!(dst=10.9.1.1)/UDP(src=40000, dst=4789)/VXLAN(vni=42)/Eth(src=02:00:00:00:08:02, dst=02:00:00:00:08:01)/IP!(src=10.8.0.2)",
    ),
    (
        "/IP!(dst=fd09::2)/UDP(src=40000, dst=4789)/VXLAN(vni=42)/Eth(src=02:00:00:00:08:01, dst=02:00:00:00:08:02)/IP!(src=fd08::1, dst=fd08::2)",
        "/IP!(dst=fd09::1)/UDP(src=40000, dst=4789)/VXLAN(vni=42)/Eth(src=02:00:00:00:08:02, dst=02:00:00:00:08:01)/IP!(src=fd08::2)",
    ),
];

const TRANSPORTS: [(&str, &str); 2] = [
    ("TCP!(dst=8080)", "TCP!(src=8080, listen=true)"),
    ("UDP!(dst=7000)", "UDP!(src=7000)"),
];

#[track_caller]
fn check(
    to: &str,
    from: &str,
    (connects, serves): (&str, &str),
    between: Between,
    wanted: &[&str],
) -> Vec<Vec<u8>> {
    let (log, frames) = run([&client(to, connects), &server(from, serves)], between);
    assert_eq!(log, wanted, "{to}/{connects}");
    frames
}

const WELL: &[&str] = &[
    "0: heard 6",
    "1: got 3000",
    "0 ends Some(0)",
    "1 ends Some(0)",
];

#[test]
fn stacks_inside_every_carrier() {
    for (to, from) in CARRIERS {
        for transport in TRANSPORTS {
            let frames = check(to, from, transport, through, WELL);
            // What is larger than the MTU was cut by the outermost IP, or made into segments that
            // fit with all that is around them.
            let longest = frames.iter().map(Vec::len).max().unwrap_or(0);
            assert!((1508..=1522).contains(&longest), "{to}: {longest}");
        }
    }
}

#[test]
fn another_network_of_the_same_kind_is_not_this_one() {
    let rows = [
        ("/Eth/VLAN(id=5)/IP!(dst=10.9.1.2)", "/Eth/VLAN(id=6)/IP!"),
        (
            "/IP!(dst=10.9.1.2)/GRE(key=9)/IP!(src=10.8.0.1, dst=10.8.0.2)",
            "/IP!(dst=10.9.1.1)/GRE(key=8)/IP!(src=10.8.0.2)",
        ),
        (
            "/IP!(dst=10.9.1.2)/GRE/IP!(src=10.8.0.1, dst=10.8.0.2)",
            "/IP!(dst=10.9.1.1)/GRE(key=8)/IP!(src=10.8.0.2)",
        ),
    ];
    for (to, from) in rows {
        let (log, _) = run(
            [&client(to, TRANSPORTS[1].0), &server(from, TRANSPORTS[1].1)],
            through,
        );
        // Not even the neighbour of another VLAN answers.
        assert!(
            log[1] == "1: got 0"
                && ["0: nothing", "0: failed no_neighbour"]
                    .iter()
                    .any(|told| log[0].starts_with(told)),
            "{log:?}"
        );
    }
}

/// Where the inner datagram begins, if the frame is GRE in IPv4 that is not a fragment.
fn in_gre(frame: &[u8]) -> Option<usize> {
    (frame[12..14] == [8, 0] && frame[23] == 47 && frame[20] & 0x3f == 0 && frame[21] == 0)
        .then_some(14 + 20 + 4)
}

/// The way on makes fragments of what is carried, each carried by itself: the last one first.
fn cuts_inside(frame: &[u8]) -> Vec<(bool, Vec<u8>)> {
    let Some(at) = in_gre(frame) else {
        return through(frame);
    };
    let mut inner = frame[at..].to_vec();
    // Our stack forbids it for TCP; a carrier that takes no notice.
    if inner[0] >> 4 == 4 {
        inner[6] &= 0xbf;
        inner[10..12].fill(0);
        let sum = crafty_stack::checksum::of(&inner[..20]);
        inner[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    let pieces = fragment(&inner, 600, 77).unwrap();
    pieces
        .into_iter()
        .rev()
        .map(|piece| (true, carried(&frame[..at], &piece)))
        .collect()
}

fn carried(before: &[u8], inner: &[u8]) -> Vec<u8> {
    let mut octets = [before, inner].concat();
    let length = (octets.len() - 14) as u16;
    octets[16..18].copy_from_slice(&length.to_be_bytes());
    octets[24..26].fill(0);
    let sum = crafty_stack::checksum::of(&octets[14..34]);
    octets[24..26].copy_from_slice(&sum.to_be_bytes());
    octets
}

#[test]
fn fragments_inside_a_carrier_are_put_together() {
    let (to, from) = CARRIERS[4];
    for (connects, serves) in [
        ("TCP!(dst=8080)", "TCP!(src=8080, listen=true)"),
        ("UDP!(dst=7000)", "UDP!(src=7000)"),
    ] {
        let client = client(to, connects).replace("3000", "1300");
        let server = server(from, serves).replace("3000", "1300");
        let (log, _) = run([&client, &server], cuts_inside);
        assert_eq!(
            log,
            [
                "0: heard 6",
                "1: got 1300",
                "0 ends Some(0)",
                "1 ends Some(0)"
            ]
        );
    }
}

/// A router that takes 1400 bytes and says so: for IPv6, which nobody cuts on the way.
fn narrow(frame: &[u8]) -> Vec<(bool, Vec<u8>)> {
    let datagram = &frame[14..];
    if frame[12..14] != [0x86, 0xdd] || datagram.len() <= 1400 {
        return through(frame);
    }
    let quoted = &datagram[..datagram.len().min(1232)];
    let mut message = [&[2, 0, 0, 0][..], &1400_u32.to_be_bytes(), quoted].concat();
    let (from, to) = (&datagram[24..40], &datagram[8..24]);
    let length = (message.len() as u32).to_be_bytes();
    let sum = crafty_stack::checksum::of(&[from, to, &length, &[0, 0, 0, 58], &message].concat());
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let header = [
        &[0x60, 0, 0, 0][..],
        &(message.len() as u16).to_be_bytes(),
        &[58, 64],
        from,
        to,
    ]
    .concat();
    vec![(
        false,
        [&frame[6..12], &frame[..6], &[0x86, 0xdd], &header, &message].concat(),
    )]
}

#[test]
fn a_narrow_path_of_the_carrier_makes_smaller_segments() {
    for (to, from) in CARRIERS
        .iter()
        .filter(|(to, _)| to.starts_with("/IP!(dst=fd09"))
    {
        let frames = check(to, from, TRANSPORTS[0], narrow, WELL);
        let long = frames.iter().filter(|f| f.len() > 14 + 1400).count();
        let fits = frames.iter().filter(|f| f.len() == 14 + 1400).count();
        assert!(
            (1..4).contains(&long) && fits >= 2,
            "{to}: {long} too long, {fits} as long as fits"
        );
    }
}
