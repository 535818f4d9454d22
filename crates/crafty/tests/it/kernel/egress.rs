//! The second monitor, in the kernel: it repeats the gate's destinations exactly, never drops what the gate
//! lets through, and is gone with the process.

use super::oracle::world::{NEAR_MAC, PermissionCase, gate_host};
use super::oracle::{Offers, hex};
use super::{Spaces, pair};
use crate::tool::{CRAFTY, Folder, crafty, example, run};
use crafty_net::{
    EgressMonitor, EgressRules, Interface, Port, PortOptions, in_namespace, interface,
};
use crafty_policy::{Author, FrameOrigin, Gate, LinkKind, Power, Reserved, Subject, Verdict};
use crafty_value::Time;
use std::net::IpAddr;

/// Every power under which destinations are judged.
const ALL: PermissionCase = PermissionCase {
    name: "every power",
    powers: &[
        Power::Malformed,
        Power::Fragments,
        Power::Link,
        Power::Infrastructure,
        Power::Tunnels,
        Power::IpOptions,
        Power::Control,
        Power::Inject,
        Power::Reflection,
        Power::Broadcast,
        Power::AnyNeighbour,
        Power::Opaque,
    ],
    ports: false,
};

const FRAMES: usize = 20_000;

/// Frames of a monitored port, and of one that is not.
struct Ports {
    watched: Port,
    _monitor: EgressMonitor,
}

fn open(interface: &Interface, rules: &EgressRules) -> Ports {
    let options = PortOptions {
        recapture: false,
        ring_bytes: 0,
        snap: 64,
        ..PortOptions::default()
    };
    let mut watched = Port::open(interface, options).expect("a port");
    let monitor =
        EgressMonitor::install(std::slice::from_ref(interface), rules).expect("a monitor");
    watched.watched_by(&monitor).expect("a mark");
    Ports {
        watched,
        _monitor: monitor,
    }
}

/// `a` with the addresses of the oracle's host, silent.
fn silent_pair() -> Option<Spaces> {
    let spaces = Spaces::new(&["a", "b"])?;
    spaces.join(("a", &["192.0.2.1/24", "2001:db8::1/64"]), ("b", &[]));
    spaces.sh("a", "ip link set to_b address 02:00:00:00:00:0a arp off");
    spaces.sh("b", "ip link set to_a arp off");
    Some(spaces)
}

fn rules_of(case: &PermissionCase) -> EgressRules {
    let policy = case.policy();
    EgressRules {
        destinations: policy.reachable(&gate_host()).ranges(),
        packets_per_second: policy.budget.max_packets_per_secs,
        bytes_per_second: policy.budget.max_bytes_per_secs,
    }
}

/// The outer destination of a frame without tags.
fn outer(frame: &[u8]) -> Option<IpAddr> {
    let v4 = |at: usize| Some(IpAddr::from(*frame.get(at..)?.first_chunk::<4>()?));
    let v6 = |at: usize| Some(IpAddr::from(*frame.get(at..)?.first_chunk::<16>()?));
    match frame.get(12..14)? {
        [8, 0] => v4(30),
        [0x86, 0xdd] => v6(38),
        _ => None,
    }
}

/// What the gate says of the outer destination; nothing where it judges something else first.
fn gate_lets(verdict: Verdict, destination: Option<IpAddr>) -> Option<bool> {
    match verdict {
        Verdict::Send | Verdict::Hold { .. } => Some(true),
        Verdict::Drop(reason) => {
            let about = [
                "destination",
                "never",
                "mapped",
                "broadcast",
                "group_destination",
            ]
            .contains(&reason.name());
            let outer =
                destination.is_some_and(|address| reason.subject == Subject::Address(address));
            (about && outer).then_some(false)
        }
    }
}

#[test]
fn on_destinations_gate_and_kernel_agree() {
    let Some(spaces) = silent_pair() else { return };
    let rules = rules_of(&ALL);
    let open = || open(&interface("to_b").expect("the device"), &rules);
    let mut ports = in_namespace(&spaces.name("a"), open).expect("a namespace");
    let mut gate = Gate::new(ALL.policy(), gate_host(), Time(0), Reserved::default());
    let origin = FrameOrigin {
        author: Author::Main,
        site: 0,
        reactive: false,
        chosen_bits: 0,
    };
    let mut both = [0usize; 2];
    for frame in Offers::new(5).take(FRAMES) {
        let verdict = gate.judge(Time(0), &frame, LinkKind::Ethernet, origin);
        let Some(lets) = gate_lets(verdict, outer(&frame)) else {
            continue;
        };
        let sent = ports.watched.send(&frame);
        if sent
            .as_ref()
            .is_err_and(|error| error.raw_os_error() == Some(EMSGSIZE))
        {
            continue;
        }
        assert_eq!(lets, sent.is_ok(), "{verdict:?}, {sent:?}: {}", hex(&frame));
        both[usize::from(lets)] += 1;
    }
    println!(
        "{FRAMES} offered: both let {} through, both refuse {}",
        both[1], both[0]
    );
    assert!(both.iter().all(|count| *count > FRAMES / 20), "{both:?}");
}

/// More than a socket takes in one frame, tags included.
const EMSGSIZE: i32 = 90;

/// Twice the rate passes at once; what is over it does not, whoever let it through.
#[test]
fn the_kernels_rate_is_wider_and_holds() {
    let Some(spaces) = silent_pair() else { return };
    let rules = EgressRules {
        packets_per_second: 100,
        ..rules_of(&ALL)
    };
    let open = || open(&interface("to_b").expect("the device"), &rules);
    let mut ports = in_namespace(&spaces.name("a"), open).expect("a namespace");
    let mut frame = [
        &[2, 0, 0, 0, 0, 0xb][..],
        &NEAR_MAC,
        &[8, 0, 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0],
    ]
    .concat();
    frame.extend([192, 0, 2, 1, 198, 51, 100, 2]);
    let sent = (0..1_000)
        .filter(|_| ports.watched.send(&frame).is_ok())
        .count();
    assert!((200..=400).contains(&sent), "{sent} of 1000 left at once");
}

/// Where no monitor watches, nothing is touched.
#[test]
fn other_sockets_are_left_alone() {
    let Some(spaces) = silent_pair() else { return };
    let rules = EgressRules {
        packets_per_second: 1,
        ..EgressRules::default()
    };
    let open = || {
        let near = interface("to_b").expect("the device");
        let other = Port::open(
            &near,
            PortOptions {
                recapture: false,
                ..PortOptions::default()
            },
        )
        .expect("a port");
        (open(&near, &rules), other)
    };
    let (mut ports, mut other) = in_namespace(&spaces.name("a"), open).expect("a namespace");
    let mut frame = [
        &[2, 0, 0, 0, 0, 0xb][..],
        &NEAR_MAC,
        &[8, 0, 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0],
    ]
    .concat();
    frame.extend([192, 0, 2, 1, 198, 51, 100, 2]);
    assert!((0..50).all(|_| other.send(&frame).is_ok()));
    assert!((0..50).all(|_| ports.watched.send(&frame).is_err()));
}

#[test]
fn a_run_is_watched_and_says_so() {
    let Some(spaces) = pair() else { return };
    let before = spaces.rules("a");
    let ping = example("ping.crafty");
    let ran = spaces.crafty("a", &["run", &ping, "target=10.9.1.2"]);
    ran.expect(0).complains(&["kernel monitor on"]);
    let json = spaces.crafty("a", &["run", "--json", &ping, "target=10.9.1.2"]);
    json.expect(0).says(&["\"kernel_monitor\":true"]);
    assert_eq!(spaces.rules("a"), before);
    let running = spaces.start(
        "a",
        &[CRAFTY, "run", &example("jitter.crafty"), "target=10.9.1.2"],
    );
    spaces.owned("a");
    let rules = spaces.rules("a");
    assert!(
        rules.contains("hook egress device \"to_b\"") && rules.contains("10.9.1.2"),
        "{rules}"
    );
    drop(running);
}

/// Who may send faster than the kernel could look is not watched, and told so.
#[test]
fn a_very_fast_run_is_not_watched_and_says_so() {
    let Some(spaces) = pair() else { return };
    let source = "BUDGET = { max_packets_per_secs: 200_000 }\nPERMISSIONS = { destinations: [10.9.1.2] }\nPORTS = { udp: [40000] }\n/IP(dst=10.9.1.2)/UDP(src=40000, dst=9)\n";
    let ran = spaces.program("a", source).expect(0);
    ran.complains(&["kernel monitor off: more than 100000"]);
}

/// Two runs in one network have marks of their own: neither is held to the rules of the other.
#[test]
fn runs_side_by_side_have_their_own_rules() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let program = |to: u8, port: u16| {
        format!(
            "BUDGET = {{ max_duration: 10s }}\nPERMISSIONS = {{ destinations: [10.9.1.{to}] }}\nPORTS = {{ udp: [{port}] }}\nforeach i 1..20 every=50ms {{ /IP(dst=10.9.1.{to})/UDP(src={port}, dst=9) }}\n"
        )
    };
    spaces.sh("b", "ip addr add 10.9.1.3/24 dev to_a");
    let files = [(2, 40_000), (3, 40_001)]
        .map(|(to, port)| folder.file(&format!("{port}.crafty"), program(to, port)));
    let runs: Vec<_> = files
        .iter()
        .map(|file| spaces.start("a", &[CRAFTY, "run", file]))
        .collect();
    for run in runs {
        let (status, _, err) = run.output();
        assert!(
            status == Some(0) && err.contains("sent 2"),
            "{status:?} {err}"
        );
        assert!(
            err.contains("kernel monitor on") && !err.contains("NOT SENT"),
            "{err}"
        );
    }
}

#[test]
fn doctor_knows_it_and_a_lab_has_none() {
    let Some(spaces) = pair() else { return };
    spaces
        .run("a", &[CRAFTY, "doctor"])
        .says(&["kernel monitor", "repeats destinations"]);
    let lab = crafty(&["run", "--lab", "demo", &example("ping.crafty")]).expect(0);
    assert!(!lab.err.contains("kernel monitor"), "{}", lab.err);
    let unprivileged = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--no-new-privs",
        CRAFTY,
        "doctor",
    ];
    let told = run(&unprivileged);
    assert!(
        told.status != 0 || told.out.contains("does not repeat"),
        "{told:?}"
    );
}
