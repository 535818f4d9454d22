//! Attacks on the label rules, tried with the source in hand: each wants received bytes in a packet
//! for somebody else, or in its time, its size or its being there, by a way that no rule seems to
//! watch. The ones that succeeded are beside the rule that was missing.

mod list;

use crafty_lang::check::check;
use crafty_lang::labels::FlowRule;
use crafty_policy::ExfiltrationMode;
use crafty_testkit::{
    OTHER, Trace, accepted, arp_answer, datagram_from, in_ip_with, run_frames, segment_of, too_big,
    udp,
};

type Arrivals = Vec<(u64, Vec<u8>)>;

/// In what two networks differ.
#[derive(Clone, Copy, Debug)]
enum By {
    /// Whether anything comes.
    Coming,
    /// The bytes of datagrams of one length.
    Bytes,
    /// The port that datagrams come from.
    Port,
    /// The path MTU that a router tells: 600 or 700.
    PathMtu,
    /// An option in the IP header of a datagram, or padding.
    IpOption,
    /// What the IP header says of its length.
    IpLength,
    /// How long the IP header is, and so how long the payload.
    IpHeader,
    /// Whether a datagram to port 4789 holds an Ethernet frame, by what its header says of its length.
    Inner,
    /// Whether the answer of a name server has an address.
    Answer,
    /// The poll interval of an NTP answer: 6 or -6.
    Poll,
    /// The window that a TCP peer offers.
    Window,
    /// What a TCP peer says, in one segment.
    Stream,
    /// The MAC address that a neighbour says.
    Neighbour,
}

fn peers(by: By) -> [Arrivals; 2] {
    let datagrams = |payload: &[u8]| -> Arrivals {
        (2..22).map(|at| (at, datagram_from(7, payload))).collect()
    };
    let one = |frame: Vec<u8>| vec![(3, frame)];
    let plain = |udp: Vec<u8>| one(in_ip_with(&[], None, 17, udp, 6));
    match by {
        By::Coming => [Vec::new(), datagrams(&[7, 1, b'a', b'b'])],
        By::Bytes => [&[7, 1, b'a', b'b'], &[9, 2, b'a', b'c']].map(|bytes| datagrams(bytes)),
        By::Port => [7, 9].map(|port| one(datagram_from(port, b"abcd"))),
        By::PathMtu => [600, 700].map(|mtu| one(too_big(mtu, &OWN_DATAGRAM))),
        By::IpOption => [[0x94, 4, 0, 0], [1, 1, 1, 1]]
            .map(|option| one(in_ip_with(&option, None, 17, udp(7, b"abcd"), 6))),
        By::IpLength => {
            [None, Some(25)].map(|length| one(in_ip_with(&[], length, 17, udp(7, b""), 6)))
        }
        By::IpHeader => {
            [(&[1, 1, 1, 1][..], &b"abcd"[..]), (&[], b"abcdefgh")].map(|(options, payload)| {
                let frame = in_ip_with(options, None, 17, udp(7, payload), 6);
                (2..22).map(|at| (at, frame.clone())).collect()
            })
        }
        By::Inner => [30, 16].map(|length| {
            let frame = [2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x12, 0x34];
            let vxlan = [&[8, 0, 0, 0, 0, 0, 1, 0][..], &frame].concat();
            let mut datagram = udp_to(4789, &vxlan);
            datagram[4..6].copy_from_slice(&u16::to_be_bytes(length));
            plain(datagram)
        }),
        By::Answer => [1u8, 16].map(|kind| {
            let head = [0, 1, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
            let question = [1, b'a', 0, 0, kind, 0, 1];
            let answer = [0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 9, 0, 4, 3, 1, 2, 3];
            plain(udp(53, &[&head[..], &question, &answer].concat()))
        }),
        By::Poll => [6, 0xfa].map(|poll| {
            let head = [0x24, 2, poll, 0xec];
            plain(udp(123, &[&head[..], &[0; 44]].concat()))
        }),
        By::Window => [100, 60_000].map(|window| vec![syn_ack(window)]),
        By::Stream => [b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP/1.0 x00 OK\r\n\r\n"].map(|text| {
            vec![
                syn_ack(8_000),
                (4, segment_of(5001, 1001, 0x10, 8_000, &[], text)),
            ]
        }),
        By::Neighbour => {
            let mut other = arp_answer([10, 0, 0, 2]);
            other[27] = 9;
            [one(arp_answer([10, 0, 0, 2])), one(other)]
        }
    }
}

fn syn_ack(window: u16) -> (u64, Vec<u8>) {
    (
        2,
        segment_of(5000, 1001, 0x12, window, &[2, 4, 5, 0xb4], &[]),
    )
}

fn udp_to(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut datagram = udp(7, payload);
    datagram[2..4].copy_from_slice(&port.to_be_bytes());
    datagram
}

/// The head of a datagram of ours to the peer.
const OWN_DATAGRAM: [u8; 28] = [
    0x45, 0, 5, 0xdc, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0, 7, 5,
    0xc8, 0, 0,
];

struct Attack {
    what: &'static str,
    mode: ExfiltrationMode,
    by: By,
    outcome: Outcome,
    program: &'static str,
}

/// What became of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The label rules refuse the program. Run anyway, it would tell.
    Refused,
    /// They refuse it, and it tells nothing: they are careful.
    Careful,
    /// Refused because of this rule, which was missing when the attack was tried: without it the
    /// program is accepted, and tells.
    Closed(FlowRule),
    /// Accepted, and it tells nothing.
    Harmless,
    /// Accepted: it tells that something matched, which `false` allows, or a few bits at a price.
    Event,
    /// The language has no such program.
    Unwritable,
}

const fn attack(what: &'static str, by: By, outcome: Outcome, program: &'static str) -> Attack {
    Attack {
        what,
        mode: ExfiltrationMode::False,
        by,
        outcome,
        program,
    }
}

const fn under_none(what: &'static str, by: By, outcome: Outcome, program: &'static str) -> Attack {
    Attack {
        what,
        mode: ExfiltrationMode::None,
        by,
        outcome,
        program,
    }
}

/// The program of an attack: `TELL` is a packet to somebody else, `DECLARE` and `FILL` make and fill
/// many maps.
fn source(attack: &Attack) -> String {
    let all = |of: &dyn Fn(u32) -> String| (0..20).map(of).collect::<String>();
    let program = attack
        .program
        .replace("TELL", "/IP(dst=10.0.0.3)/UDP(src=40001, dst=9)")
        .replace(
            "DECLARE",
            &all(&|n| format!("m{n} = map(key=0, default=#00)\n")),
        )
        .replace("FILL", &all(&|n| format!("m{n}[i] := #00 * 1000000; ")));
    let head = format!(
        "BUDGET = {{ max_duration: 3s, max_packets: 4000, max_packets_per_secs: 4000, max_bytes: 1MB, max_syns: 20 }}\nPERMISSIONS = {{ destinations: [10.0.0.2, 10.0.0.3], exfiltration: {}, powers: [tunnels, link, ip_options, malformed, fragments] }}\nPORTS = {{ udp: [40000, 40001, 4789], tcp: [40000], icmp: [7] }}\n",
        attack.mode.name()
    );
    format!("{head}x = 0\nx := 0\ny = 0\ny := 0\nb = bytes(\"\")\nb += #00\n{program}\n")
}

/// What leaves, of which somebody else sees something: under `none` everything.
fn told(mode: ExfiltrationMode, trace: Trace) -> Trace {
    let seen =
        |frame: &[u8]| mode == ExfiltrationMode::None || frame.get(30..34) == Some(&OTHER.octets());
    let told = trace.into_iter().filter(|(_, frame)| seen(frame));
    told.collect()
}

fn outcome(attack: &Attack) -> Outcome {
    let source = source(attack);
    let Some(program) = check(&source).program else {
        return Outcome::Unwritable;
    };
    let tells = || {
        let [a, b] = peers(attack.by)
            .map(|frames| told(attack.mode, run_frames(&program, &frames, 0).frames));
        a != b
    };
    if accepted(&source, attack.mode, None).is_some() {
        return if tells() {
            Outcome::Event
        } else {
            Outcome::Harmless
        };
    }
    match attack.outcome {
        Outcome::Closed(rule) => {
            let open = accepted(&source, attack.mode, Some(rule)).is_some();
            if open && tells() {
                Outcome::Closed(rule)
            } else {
                Outcome::Refused
            }
        }
        _ if tells() => Outcome::Refused,
        _ => Outcome::Careful,
    }
}

/// Rules that an attack showed to be missing.
pub fn rules() -> impl Iterator<Item = FlowRule> {
    list::ATTACKS
        .iter()
        .filter_map(|attack| match attack.outcome {
            Outcome::Closed(rule) => Some(rule),
            _ => None,
        })
}

#[test]
fn attacks_come_to_what_is_told_of_them() {
    let differ: Vec<String> = list::ATTACKS
        .iter()
        .map(|attack| (attack, outcome(attack)))
        .filter(|(attack, found)| attack.outcome != *found)
        .map(|(attack, found)| format!("{}: {found:?}, not {:?}", attack.what, attack.outcome))
        .collect();
    assert!(differ.is_empty(), "{differ:#?}");
}
