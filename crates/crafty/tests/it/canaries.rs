//! Nothing received goes out again except for what a protocol echoes to the peer it came from: a
//! peer in the lab that puts a canary wherever it can, the examples and a few more against it, and
//! every frame that they send looked through.

use crate::house::text;
use crate::segments::PROGRAM as SURGERY;
use crate::tool::{Folder, crafty, example};
use crafty_capture::{Direction, Record};

/// Fourteen bytes that nothing else holds.
const CANARY: [u8; 14] = [
    0xca, 0x9a, 0x51, 0xf3, 0xb7, 0xe2, 0x4d, 0x86, 0x93, 0xac, 0x5e, 0x7f, 0xd1, 0xc8,
];

/// Sends it in payloads, identifications, initial sequence numbers, options, urgent pointers, and
/// behind what ICMP errors quote.
const PEER: &str = r#"BUDGET = { max_duration: 60s, max_packets: 5000, max_packets_per_secs: 2000, max_bytes: 5MB, max_bytes_per_secs: 5MB, max_syns: 50 }
PERMISSIONS = { destinations: [10.20.4.0/24], powers: [control], exfiltration: true }
PORTS = { tcp: [80], udp: [40100, 7000, 53, [33434, 33600]], icmp: [1] }
canary = #ca9a51f3_b7e2_4d86_93ac_5e7f_d1c8
/IP! {
  on /IP/ICMP(type == echo_request)/Bytes as m {
    /IP(dst=m[IP].src, id=0xca9a)/ICMP(type=echo_reply, id=m[ICMP].id, seq=m[ICMP].seq)/Bytes(m[Bytes].data + canary)
    /IP(dst=m[IP].src)/ICMP(type=echo_reply, id=m[ICMP].id, seq=m[ICMP].seq)/Bytes(canary)
    /IP(dst=m[IP].src)/ICMP(type=time_exceeded)/IP(src=m[IP].src, dst=m[IP].dst)/ICMP(type=echo_request, id=m[ICMP].id, seq=m[ICMP].seq)/Bytes(canary)
  }
  on /IP/UDP/Bytes as m {
    /IP(dst=m[IP].src, id=0xca9a)/UDP(src=m[UDP].dst, dst=m[UDP].src)/Bytes(m[Bytes].data + canary)
    /IP(dst=m[IP].src)/UDP(src=m[UDP].dst, dst=m[UDP].src)/Bytes(canary)
    /IP(dst=m[IP].src)/ICMP(type=dest_unreachable, code=3)/IP(src=m[IP].src, dst=m[IP].dst)/UDP(src=m[UDP].src, dst=m[UDP].dst)/Bytes(canary)
  }
  TCP!(src=80, listen=true, isn=0xca9a51f3, peers=50) {
    on linger=30s /IP!/TCP!/Bytes {
      TCP(flags=ack, options=[raw(#fd10_ca9a51f3b7e24d8693ac5e7fd1c8)], urgent=0xca9a)/Bytes(canary)
      Bytes("HTTP/1.1 200 OK\r\nServer: x\r\n\r\n" + canary)
    }
  }
}
"#;

/// Reacts to whatever comes, with what is known of it without its bytes.
const REACTS: &str = r#"BUDGET = { max_duration: 20s, max_packets: 100, max_packets_per_secs: 100 }
PERMISSIONS = { destinations: [10.100.0.10] }
PORTS = { udp: [40000], icmp: [7] }
n = 0
/IP!(dst=10.100.0.10)/UDP!(src=40000, dst=40100) {
  on linger=1s count=20 /IP!/UDP!/Bytes {
    n += 1
    Bytes(byte(n) + #00 * min(length(MATCH[Bytes].data), 40))
  }
  on /IP/ICMP(type == dest_unreachable) { ICMP(type=echo_request, id=7, seq=n)/Bytes("seen") }
  Bytes("begin")
  wait 1s
}
"#;

/// Examples, whose first param is the peer.
const EXAMPLES: &[&str] = &[
    "ping.crafty",
    "loss.crafty",
    "jitter.crafty",
    "udp_client.crafty",
    "dns_query.crafty",
    "http_get.crafty",
    "tcp_hops.crafty",
    "port_check.crafty",
    "traceroute.crafty",
    "balanced_path.crafty",
    "path_mtu.crafty",
];

/// Whether four bytes in a row of the canary are there: as they are, backwards, inverted, or as
/// hexadecimal digits.
fn holds_canary(octets: &[u8]) -> bool {
    let backwards: Vec<u8> = CANARY.iter().rev().copied().collect();
    let inverted: Vec<u8> = CANARY.iter().map(|octet| !octet).collect();
    let digits: Vec<u8> = CANARY
        .iter()
        .flat_map(|octet| format!("{octet:02x}").into_bytes())
        .collect();
    let among = |form: &[u8], n: usize| {
        form.windows(n)
            .any(|part| octets.windows(n).any(|here| here == part))
    };
    among(&CANARY, 4) || among(&backwards, 4) || among(&inverted, 4) || among(&digits, 8)
}

/// A sent frame without the fields that may echo what the same peer sent: link addresses,
/// acknowledgement numbers, edges of selective acknowledgements, time stamp echoes, and the sums
/// over them.
fn without_echoes(frame: &[u8]) -> Vec<u8> {
    let mut octets = frame.to_vec();
    octets[..12].fill(0);
    if octets[12..14] != [8, 0] || octets[23] != 6 {
        return octets;
    }
    let tcp = 14 + usize::from(octets[14] & 15) * 4;
    octets[tcp + 8..tcp + 12].fill(0);
    octets[tcp + 16..tcp + 18].fill(0);
    let (mut at, end) = (tcp + 20, tcp + usize::from(octets[tcp + 12] >> 4) * 4);
    while at < end && octets[at] != 0 {
        let length = if octets[at] == 1 {
            1
        } else {
            usize::from(octets[at + 1]).max(2)
        };
        match octets[at] {
            5 => octets[at + 2..at + length].fill(0),
            8 => octets[at + 6..at + 10].fill(0),
            _ => {}
        }
        at += length;
    }
    octets
}

/// A program whose first param is the peer.
fn aimed(source: &str) -> String {
    let (before, after) = source.split_once("\nparam ").expect("a param");
    let (line, rest) = after.split_once('\n').expect("more lines");
    let name = line.split_whitespace().next().expect("a name");
    // Far enough to arrive.
    format!("{before}\nparam {name} = 10.100.0.10\n{rest}")
        .replace("param hop = 3", "param hop = 30")
}

/// Runs a program against the peer; nothing if its mode does not allow it. Gives how many of its
/// frames were looked through.
#[track_caller]
fn silent(name: &str, source: &str, mode: &str) -> Option<usize> {
    let folder = Folder::new();
    let source = source.replace(
        "PERMISSIONS = {",
        &format!("PERMISSIONS = {{ exfiltration: {mode},"),
    );
    let (peer, own, capture) = (
        folder.file("peer.crafty", PEER),
        folder.file("own.crafty", &source),
        folder.path("out.pcapng"),
    );
    if crafty(&["check", &own]).status != 0 {
        return None;
    }
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &capture,
        &format!("{peer}@east"),
        &format!("{own}@west"),
    ]);
    let (records, damage) =
        crafty_capture::read_all(&std::fs::read(&capture).expect("the capture")[..])
            .expect("a capture file");
    assert!(damage.is_none(), "{damage:?}");
    let (sent, heard): (Vec<Record>, Vec<Record>) = records
        .into_iter()
        .filter(|r| r.interface == 1)
        .partition(|r| r.direction == Some(Direction::Outbound));
    assert!(
        heard.iter().any(|r| holds_canary(&r.octets)),
        "{name}: no canary came"
    );
    for record in &sent {
        assert!(
            !holds_canary(&without_echoes(&record.octets)),
            "{name} under {mode}: {:02x?}",
            record.octets
        );
    }
    Some(sent.len())
}

#[test]
fn no_received_byte_leaves_but_for_echoes() {
    let mut accepted = Vec::new();
    for mode in ["none", "false"] {
        for name in EXAMPLES {
            accepted.extend(
                silent(name, &aimed(&text(example(name))), mode).map(|sent| (mode, *name, sent)),
            );
        }
        for (name, source) in [
            ("reacts", REACTS.to_string()),
            ("surgery", SURGERY.replace("192.0.2.80", "10.100.0.10")),
        ] {
            accepted.extend(silent(name, &source, mode).map(|sent| (mode, name, sent)));
        }
    }
    let of = |mode: &str| accepted.iter().filter(|(m, ..)| *m == mode).count();
    assert!(
        of("none") >= 2 && of("false") == EXAMPLES.len() + 2,
        "{accepted:?}"
    );
    assert!(
        accepted.iter().all(|(_, _, sent)| *sent > 1),
        "{accepted:?}"
    );
}

/// The same look finds the canary where a program may send it.
#[test]
fn a_program_that_may_is_heard() {
    let source = REACTS
        .replace("[10.100.0.10] }", "[10.100.0.10], exfiltration: true }")
        .replace("Bytes(byte(n)", "Bytes(MATCH[Bytes].data + byte(n)");
    let folder = Folder::new();
    let (peer, own, capture) = (
        folder.file("peer.crafty", PEER),
        folder.file("own.crafty", &source),
        folder.path("out.pcapng"),
    );
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        &capture,
        &format!("{peer}@east"),
        &format!("{own}@west"),
    ]);
    let (records, _) = crafty_capture::read_all(&std::fs::read(&capture).expect("the capture")[..])
        .expect("a capture file");
    let sent = records
        .iter()
        .filter(|r| r.interface == 1 && r.direction == Some(Direction::Outbound));
    assert!(
        sent.map(|r| without_echoes(&r.octets))
            .any(|octets| holds_canary(&octets))
    );
}
