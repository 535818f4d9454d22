//! Other wires: IPv6, tunnels, VLANs, tunnels without link header, captures that lose packets,
//! hostile frames.

use crate::bench::{Court, Run, START, check, check_frames, environment, frames, machine, run};
use crate::peers::{Arriving, OURS, Peer, TARGET, udp};
use crate::rules::program;
use crafty_value::Time;
use crafty_vm::{Event, Packet};

/// Sends a frame back: addresses and ports are exchanged at the given places, so that all sums stay
/// right.
fn mirror(frame: &[u8], places: &[(usize, usize)]) -> Vec<Arriving> {
    let mut back = frame.to_vec();
    for &(at, len) in places {
        for i in 0..len {
            back.swap(at + i, at + len + i);
        }
    }
    vec![(1_000_000, back)]
}

#[test]
fn a_block_takes_the_family_of_its_address() {
    let text = program(
        "/IP!(dst=2001:db8::1)/UDP!(dst=7) {\n p = Bytes(\"six\")\n expect timeout=1s /IP!(src == 2001:db8::1)/UDP!/Bytes {\n print(\"${MATCH[IP].src} ${MATCH[IP].ttl} ${length(MATCH)} ${p[IP].src}\")\n }\n}",
    )
    .replace("192.0.2.0/24", "192.0.2.0/24, 2001:db8::/64");
    let peer = Peer::With(|frame| mirror(frame, &[(0, 6), (22, 16), (54, 2)]));
    check(
        &text,
        peer,
        "0.001 2001:db8::1 64 51 2001:db8::66\n0.001 ends 0",
    );
}

#[test]
fn a_tunnel_is_two_driven_layers() {
    let text = program(
        "/IP!(dst=192.0.2.1)/GRE/IP!(dst=192.0.2.80, src=192.0.2.66)/UDP!(dst=7) {\n Bytes(\"deep\")\n expect timeout=1s /IP!/GRE/IP!/UDP!/Bytes {\n print(\"${MATCH[IP].src} ${MATCH[IP, 1].src} ${STACK[IP].dst}\")\n }\n}",
    )
    .replace("destinations: [192.0.2.0/24]", "destinations: [192.0.2.0/24], powers: [tunnels], sources: [192.0.2.66]");
    let peer = Peer::With(|frame| mirror(frame, &[(0, 6), (26, 4), (50, 4), (58, 2)]));
    check(
        &text,
        peer,
        "0.001 192.0.2.1 192.0.2.80 192.0.2.80\n0.001 ends 0",
    );
}

#[test]
fn what_a_literal_tunnel_carries_is_our_own() {
    let text = program(
        "p = /IP(dst=192.0.2.1)/GRE/IP6(dst=2001:db8::1)/UDP(src=40000, dst=7)/Bytes(\"x\")\nprint(\"${p[IP].src} ${p[IP6].src}\")\n\
         q = /IP(dst=192.0.2.1)/ICMP(type=dest_unreachable, code=3)/IP(dst=192.0.2.66)/UDP(src=1, dst=2)\nprint(\"${q[IP, 1].src}\")",
    )
    .replace("destinations: [192.0.2.0/24]", "destinations: [192.0.2.0/24, 2001:db8::/64], powers: [tunnels, control]");
    check(
        &text,
        Peer::Silent,
        "0.000 192.0.2.66 2001:db8::66\ndropped: foreign_quote\n0.000 0.0.0.0\n0.000 ends 4",
    );
}

#[test]
fn options_in_options_go_and_come() {
    let text = program(
        "/IP!(dst=192.0.2.1)/UDP!(dst=67) {\n port = #67652d31\n DHCP(options=[message_type(discover), relay([circuit_id(port), link(198.51.100.0), raw(#0c0107)]), end])\n expect timeout=1s /IP!/UDP!/DHCP(options has relay, options.relay.circuit_id == port) {\n print(\"${MATCH[DHCP].options.relay} ${MATCH[DHCP].options.relay.circuit_id} ${MATCH[DHCP].options.relay.parts.link}\")\n try {\n id = MATCH[DHCP].options.relay.remote_id\n print(id)\n } else e { print(e.message) }\n }\n}",
    )
    .replace("destinations: [192.0.2.0/24]", "destinations: [192.0.2.0/24], powers: [infrastructure]");
    let peer = Peer::With(|frame| mirror(frame, &[(0, 6), (26, 4), (34, 2)]));
    check(
        &text,
        peer,
        "0.001 «#010467652d310504c63364000c0107» «#67652d31» 198.51.100.0\n0.001 «this packet has no `remote_id` of `DHCP`»\n0.001 ends 0",
    );
}

#[test]
fn fixed_encapsulation_below_a_driven_layer() {
    let text = program(
        "/Eth/VLAN(id=5)/IP!(dst=192.0.2.1)/UDP!(dst=7) {\n Bytes(\"tag\")\n expect timeout=1s /Eth/VLAN(id == 5)/IP/UDP/Bytes { print(\"${MATCH[VLAN].id} ${MATCH[Eth].len}\") }\n}",
    )
    .replace("destinations: [192.0.2.0/24]", "destinations: [192.0.2.0/24], powers: [link]");
    let peer = Peer::With(|frame| mirror(frame, &[(0, 6), (30, 4), (38, 2)]));
    check(&text, peer, "0.001 5 49\n0.001 ends 0");
}

#[test]
fn neighbours_are_asked_behind_the_tags_of_the_blocks() {
    let text = program("/Eth/VLAN(id=5)/IP!(dst=192.0.2.99)/UDP!(dst=7) { print(\"up\") } else e { print(\"${e.kind}\") }")
        .replace("destinations: [192.0.2.0/24]", "destinations: [192.0.2.0/24], powers: [link]");
    let peer = Peer::With(|frame| {
        if frame[12..18] != [0x81, 0, 0, 5, 8, 6] {
            return Vec::new();
        }
        let head = [
            &[2, 0, 0, 0, 0, 0x66, 2, 0, 0, 0, 0, 9][..],
            &frame[12..24],
            &[0, 2, 2, 0, 0, 0, 0, 9],
            &frame[42..46],
        ]
        .concat();
        vec![(
            1_000_000,
            [&head[..], &[2, 0, 0, 0, 0, 0x66], &OURS].concat(),
        )]
    });
    check(&text, peer, "0.001 up\n0.001 ends 0");
}

#[test]
fn a_hand_made_arp_request_is_filled_in_and_answered() {
    let text = "BUDGET = { max_duration: 5s }\nPERMISSIONS = { destinations: [192.0.2.0/24], powers: [infrastructure] }\n\
        /ARP(op=request, tpa=192.0.2.9)\nexpect timeout=1s /Eth/ARP(op == reply, spa == 192.0.2.9) { print(\"${MATCH[ARP].sha}\") }\n";
    check_frames(
        text,
        Peer::Echo(1),
        "0.000 > ARP who has 192.0.2.9\n0.001 02:00:00:00:00:01\n0.001 ends 0",
    );
}

#[test]
fn a_spoofed_source_is_answered_for_on_the_link() {
    let text = "BUDGET = { max_duration: 5s }\nPERMISSIONS = { destinations: [192.0.2.1], sources: [192.0.2.77] }\nPORTS = { udp: [40000] }\n\
        /IP!(src=192.0.2.77, dst=192.0.2.1)/UDP!(dst=7) {\n Bytes(\"me\")\n wait 10ms\n}\n";
    let mut asked = vec![0xff; 6];
    asked.extend([
        2, 0, 0, 0, 0, 1, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 192, 0, 2, 1, 0, 0, 0, 0,
        0, 0, 192, 0, 2, 77,
    ]);
    let wanted =
        "0.000 > 192.0.2.1 UDP 40000 > 7 \"me\"\n0.005 > ARP who has 192.0.2.1\n0.010 ends 0";
    check_frames(text, Peer::Script(vec![(5, asked)]), wanted);
}

#[test]
fn lost_captures_make_an_else_uncertain() {
    let text = program(
        "/IP!(dst=192.0.2.1)/UDP!(dst=7) {\n Bytes(\"x\")\n expect timeout=1s /IP!/UDP! { print(\"yes\") } else { print(\"no\") }\n}",
    );
    let mut machine = machine(&text);
    machine.handle_lost_capture(3);
    machine.handle_timeout(Time(START + 2_000_000_000));
    let said: Vec<Event> = std::iter::from_fn(|| machine.poll_event()).collect();
    assert!(
        said.iter().any(|e| matches!(e, Event::Uncertain { .. })),
        "{said:?}"
    );
    assert_eq!(
        (machine.report().lost_captures, machine.report().uncertain),
        (3, 1)
    );
}

/// A send in a loop changes a frame that is ready; the same send written out builds each again. No
/// one can tell.
#[test]
fn frames_are_the_same_whether_built_or_changed() {
    let rows = [
        "Bytes(bytes(n, 8) + #00 * 3)",
        "Bytes(#00 * n)",
        "UDP(src=40000 + n, dst=n)/Bytes(byte(n))",
        "IP(ttl=n, id=n * 7000)/UDP(dst=9)/Bytes(\"odd\")",
        "ICMP(type=echo_request, seq=n)/Bytes(\"x\")",
        "ICMP(type=8 * (n % 2), id=n)",
        "/IP(dst=192.0.2.1 + n)/UDP(dst=5)/Bytes(\"far\")",
        "/IP(dst=192.0.2.1, dscp=n, ecn=n % 4)/UDP(checksum=n)/Bytes(byte(n))",
        "/IP(dst=192.0.2.1)/TCP(dst=80, flags=syn, seq=n)",
        "p = Bytes(#00 * (700 * n))\nassert p[UDP].dst == 7",
    ];
    let head = |body: &str| {
        program(&format!(
            "n = 0\n/IP!(dst=192.0.2.1)/UDP!(dst=7) {{\n{body}\n}}"
        ))
        .replace("[77]", "[77, [1, 9]]")
        .replace("[40000, 40001]", "[[40000, 40009]]")
        .replace("192.0.2.0/24]", "192.0.2.0/24], powers: [malformed]")
    };
    for row in rows {
        let again = head(&format!("repeat count=4 {{\nn += 1\n{row}\n}}"));
        let once: String = (0..4)
            .map(|i| {
                format!(
                    "n += 1\n{}\n",
                    row.replace("p = ", &format!("p{i} = "))
                        .replace("p[", &format!("p{i}["))
                )
            })
            .collect();
        let (again, once) = (frames(&again), frames(&head(&once)));
        assert!(again.len() >= 4, "{row}");
        assert_eq!(again, once, "{row}");
    }
}

#[test]
fn the_same_packets_and_times_give_the_same_run() {
    let text = program(
        "/IP!(dst=192.0.2.1)/TCP!(dst=80) {\n Bytes(\"x\")\n}  else e { print(\"${e.kind}\") }",
    );
    let once = || run(Run::of(&text, Peer::Echo(2)).with_frames());
    assert_eq!(once(), once());
}

/// A generator of numbers for the test below.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

#[test]
fn no_frame_whatever_it_holds_ends_the_machine() {
    let text = program(
        "/IP!/TCP!(src=45000, listen=true) {\n on /IP!/TCP!/Bytes { print(\"${length(MATCH)} ${STACK[TCP].state}\")\n Bytes(\"x\") }\n \
         /IP!/UDP!(src=40000) {\n on /IP/*/UDP/Bytes(data[0:2] == #0000) { print(\"udp\") }\n \
         on /*/ICMP(type == time_exceeded)/* { print(\"icmp\") }\n wait 9s\n }\n wait 10s\n}",
    );
    let mut machine = machine(&text);
    let mut court = Court::of(&text, &environment().interfaces[0].addresses);
    let mut dice = Dice(42);
    let seeds = [
        udp(TARGET, 7, OURS, 40000, &[0; 40]),
        syn(),
        crate::peers::icmp_error(TARGET, 11, 0, &udp(OURS, 40000, TARGET, 7, b"q")[14..46]),
    ];
    for n in 0..20_000 {
        let mut octets = seeds[dice.below(seeds.len())].clone();
        for _ in 0..dice.below(4) {
            let at = dice.below(octets.len());
            octets[at] = dice.below(256) as u8;
        }
        octets.truncate(octets.len() - dice.below(octets.len() / 2));
        let wire_len = octets.len() + dice.below(2) * 100;
        let now = START + n * 100_000;
        let checksum_ready = dice.below(2) == 0;
        court.heard(now, &octets, checksum_ready);
        machine.handle_packet(Packet {
            interface: 0,
            time: Time(now),
            octets,
            wire_len,
            checksum_ready,
        });
        while let Some(sent) = machine.poll_transmit() {
            court.sent(now, &sent.octets);
        }
        while machine.poll_event().is_some() {}
    }
    assert!(machine.outcome().is_none());
    let report = machine.report();
    assert!(report.received.packets > 1000, "{report:?}");
    assert_eq!(report.received.packets + report.ignored.packets, 20_000);
}

fn syn() -> Vec<u8> {
    let mut segment = [5555u16.to_be_bytes(), 45000u16.to_be_bytes()].concat();
    segment.extend([0, 0, 0, 9, 0, 0, 0, 0, 0x50, 2, 0xff, 0xff, 0, 0, 0, 0]);
    crate::peers::ip_frame(TARGET, OURS, 6, 64, &segment)
}
