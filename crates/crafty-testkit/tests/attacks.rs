//! Attacks on the label rules, tried with the source in hand: each asks for received bytes in a
//! packet for somebody else, by a way that no rule seems to watch.

use crafty_lang::check::check;
use crafty_lang::judge::whole;
use crafty_policy::ExfiltrationMode;
use crafty_syntax::diagnostic::Severity;
use crafty_testkit::{
    OTHER, TwinRun, arp_answer, datagram_from, in_ip_with, run_frames, segment_of, too_big, udp,
};

type Arrivals = Vec<(u64, Vec<u8>)>;

/// In what two networks differ.
#[derive(Clone, Copy, Debug)]
enum By {
    /// Nothing comes, or a datagram.
    Nothing,
    /// The first bytes of datagrams: 7 or 9.
    Bytes,
    /// The path MTU that a router tells: 600 or 700.
    PathMtu,
    /// An option in the IP header of a datagram, or padding.
    IpOption,
    /// What the IP header says of its length.
    IpLength,
    /// Whether a datagram to port 4789 holds an Ethernet frame.
    Inner,
    /// The poll interval of an NTP answer: 6 or -6.
    Ntp,
    /// The window that a TCP peer offers.
    Window,
    /// The MAC address that a neighbour says.
    Neighbour,
}

fn peers(by: By) -> [Arrivals; 2] {
    let datagrams = |payload: &[u8]| {
        (0..20).map(|n| (2 + n, datagram_from(7, payload))).collect()
    };
    let one = |frame: Vec<u8>| vec![(3, frame)];
    match by {
        By::Nothing => [Vec::new(), datagrams(&[7, 7, 7, 7])],
        By::Bytes => [datagrams(&[7, 1, 0x61, 0x62]), datagrams(&[9, 2, 0x61, 0x63])],
        By::PathMtu => [600, 700].map(|mtu| one(too_big(mtu, &OWN_DATAGRAM))),
        By::IpOption => [&[0x94, 4, 0, 0][..], &[1, 1, 1, 1]]
            .map(|options| one(in_ip_with(options, None, 17, udp(7, b"abcd"), 6))),
        By::IpLength => [None, Some(25)].map(|told| one(in_ip_with(&[], told, 17, udp(7, b""), 6))),
        By::Inner => {
            let vxlan = |vni: u8| [&[vni, 0, 0, 0, 0, 0, 1, 0][..], &[2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x12, 0x34], &[0; 8]].concat();
            [0x08, 0x00].map(|flags| one(in_ip_with(&[], None, 17, udp_to(4789, &vxlan(flags)), 6)))
        }
        By::Ntp => [6u8, 0xfa].map(|poll| {
            let ntp = [&[0x24, 2, poll, 0xec][..], &[0; 44]].concat();
            one(in_ip_with(&[], None, 17, udp(123, &ntp), 6))
        }),
        By::Window => [100, 60_000].map(|window| {
            vec![(2, segment_of(5000, 1001, 0x12, window, &[2, 4, 5, 0xb4], &[]))]
        }),
        By::Neighbour => {
            let mut other = arp_answer([10, 0, 0, 2]);
            other[27] = 9;
            [one(arp_answer([10, 0, 0, 2])), one(other)]
        }
    }
}

fn udp_to(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut datagram = udp(7, payload);
    datagram[2..4].copy_from_slice(&port.to_be_bytes());
    datagram
}

const OWN_DATAGRAM: [u8; 28] = [
    0x45, 0, 5, 0xdc, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0, 7, 5,
    0xc8, 0, 0,
];

struct Attack {
    what: &'static str,
    mode: ExfiltrationMode,
    by: By,
    program: &'static str,
}

use ExfiltrationMode::{False, None as Nothing};

const fn attack(what: &'static str, by: By, program: &'static str) -> Attack {
    Attack { what, mode: False, by, program }
}
const fn under_none(what: &'static str, by: By, program: &'static str) -> Attack {
    Attack { what, mode: Nothing, by, program }
}

include!("attacks.in");

fn head(mode: ExfiltrationMode) -> String {
    format!("BUDGET = {{ max_duration: 3s, max_packets: 4000, max_packets_per_secs: 4000, max_bytes: 1MB, max_syns: 20 }}\nPERMISSIONS = {{ destinations: [10.0.0.2, 10.0.0.3], exfiltration: {}, powers: [tunnels, link, ip_options, malformed, fragments] }}\nPORTS = {{ udp: [40000, 40001, 4789], tcp: [40000], icmp: [7] }}\nx = 0\nx := 0\ny = 0\ny := 0\nb = bytes(\"\")\nb += #00\n", mode.name())
}

fn told(mode: ExfiltrationMode, run: TwinRun) -> (Vec<(crafty_value::Time, Vec<u8>)>, Option<(u8, crafty_value::Time)>) {
    let told = |frame: &[u8]| mode == Nothing || frame.get(30..34) == Some(&OTHER.octets());
    (run.frames.into_iter().filter(|(_, frame)| told(frame)).collect(), run.end)
}

#[test]
fn outcomes() {
    for (n, attack) in ATTACKS.iter().enumerate() {
        let source = format!("{}{}\n", head(attack.mode), attack.program.replace("TELL", "/IP(dst=10.0.0.3)/UDP(src=40001, dst=9)"));
        let (_, reports) = whole(&source);
        let codes: Vec<&str> = reports.iter().filter(|r| r.diagnostic.severity == Severity::Error).map(|r| r.diagnostic.name).collect();
        let Some(program) = check(&source).program else {
            println!("{n:2} ???      {}: {:?}", attack.what, reports.iter().map(|r| r.message.clone()).collect::<Vec<_>>());
            continue;
        };
        let [a, b] = peers(attack.by).map(|frames| told(attack.mode, run_frames(&program, &frames, 0)));
        let tells = if a.0 != b.0 { "TELLS" } else if a.1 != b.1 { "end" } else { "same" };
        println!("{n:2} {} {tells} {} {codes:?} ({} frames)", if codes.is_empty() { "ACCEPTED" } else { "refused" }, attack.what, a.0.len());
    }
}
