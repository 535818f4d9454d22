//! How many packets a second a program can send when nothing is in its way: `cargo run --release
//! --example send_rate`. One field changes in each packet; every frame is built, judged by the gate
//! and handed out. No socket.

use crafty_lang::check;
use crafty_policy::Policy;
use crafty_value::{Mac, Time};
use crafty_vm::{Environment, InterfaceInfo, LinkLayer, Machine, Stamp, StampSource};
use std::collections::BTreeMap;
use std::time::Instant;

const PROGRAMS: &[(&str, &str)] = &[
    (
        "bytes in a UDP block",
        "n = 0\n/IP!(dst=192.0.2.1)/UDP!(dst=7) {\n repeat count=200000 {\n n += 1\n Bytes(bytes(n, 8) + #00 * 10)\n }\n}",
    ),
    (
        "literal IP, UDP, bytes",
        "n = 0\nrepeat count=200000 {\n n += 1\n /IP(dst=192.0.2.1, id=n)/UDP(src=40000, dst=7)/Bytes(#00 * 18)\n}",
    ),
    (
        "the same with its stamp read",
        "n = 0\nt = now()\nrepeat count=200000 {\n n += 1\n p = /IP(dst=192.0.2.1, id=n)/UDP(src=40000, dst=7)/Bytes(#00 * 18)\n t := p[Eth].ts\n}",
    ),
];

fn main() {
    for (name, body) in PROGRAMS {
        let text = format!(
            "BUDGET = {{ max_packets: 1_000_000, max_packets_per_secs: 1_000_000, max_bytes: 1GB, max_bytes_per_secs: 1GB }}\n\
             PERMISSIONS = {{ destinations: [192.0.2.1] }}\nPORTS = {{ udp: [40000] }}\n{body}\n"
        );
        let (frames, seconds) = run(&text);
        println!(
            "{name}: {frames} frames, {:.0} a second, {:.0} ns each",
            frames as f64 / seconds,
            seconds * 1e9 / frames as f64
        );
    }
}

fn run(text: &str) -> (u64, f64) {
    let checked = check::check(text);
    let program = checked
        .program
        .unwrap_or_else(|| panic!("{:#?}", checked.reports));
    let mut bound = check::bind(&program, &BTreeMap::new()).expect("the settings are constants");
    bound.policy = bound.policy.meet(&Policy::builtin());
    let from = Instant::now();
    let mut machine = Machine::new(program, bound, host(), Time(0));
    let mut frames = 0;
    loop {
        while let Some(sent) = machine.poll_transmit() {
            frames += 1;
            machine.handle_stamp(
                sent.frame,
                Stamp {
                    time: sent.at,
                    source: StampSource::Recapture,
                },
            );
        }
        match machine.poll_timeout() {
            Some(at) if machine.outcome().is_none() => machine.handle_timeout(at),
            _ => break,
        }
    }
    while let Some(event) = machine.poll_event() {
        println!("{event:?}");
    }
    (frames, from.elapsed().as_secs_f64())
}

fn host() -> Environment {
    let own = "192.0.2.66".parse().expect("an address");
    let peer = "192.0.2.1".parse().expect("an address");
    Environment {
        interfaces: vec![InterfaceInfo {
            name: "eth0".into(),
            mac: Mac([2, 0, 0, 0, 0, 1]),
            mtu: 1500,
            addresses: vec![(own, 24)],
            link: LinkLayer::Ethernet,
        }],
        routes: Vec::new(),
        neighbours: BTreeMap::from([((0, peer), Mac([2, 0, 0, 0, 0, 2]))]),
        seed: 1,
        other_addresses: Vec::new(),
        kernel_answers: false,
    }
}
