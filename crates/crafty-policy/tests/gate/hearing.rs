//! Rows A27 and A28: what the program sees of the network.

use crate::build::*;
use crate::world::*;
use crafty_policy::{LinkKind, Policy, Power, Verdict};
use crafty_value::Time;

fn hears(policy: Policy, packet: &[u8]) -> bool {
    gate(policy).may_hear(packet, LinkKind::RawIp)
}

#[test]
fn a27_only_traffic_from_destinations_to_the_program_is_heard() {
    let spoofing = || Policy {
        sources: set(&[SPOOFED]),
        ..policy(&[])
    };
    let rows = [
        (udp(PEER, US, (53, 40000), b"answer"), true),
        (tcp(FAR, US, (80, 45000), ACK, b"answer"), true),
        (echo(PEER6, US6), true),
        (udp(PEER, SPOOFED, (53, 40000), b"answer"), true),
        (udp(STRANGER, US, (53, 40000), b"canary"), false),
        (udp(PEER, "192.0.2.30", (53, 40000), b"canary"), false),
        (udp(US, PEER, (53, 40000), b"own"), false),
        (udp(STRANGER, PEER, (53, 40000), b"canary"), false),
        (udp(PEER, "224.0.0.251", (5353, 5353), b"canary"), false),
        (udp(PEER, "192.0.2.255", (1, 1), b"canary"), false),
    ];
    for (packet, expected) in rows {
        assert_eq!(hears(spoofing(), &packet), expected, "{packet:02x?}");
        let damaged = [&packet[..packet.len() - 1], b"?"].concat();
        assert_eq!(
            hears(spoofing(), &damaged),
            expected,
            "damage does not matter"
        );
    }
    assert!(!hears(
        policy(&[]),
        &udp(PEER, SPOOFED, (53, 40000), b"not declared")
    ));
}

#[test]
fn a27_observe_widens_and_its_list_narrows_that() {
    let packet = udp(STRANGER, "192.0.2.30", (53, 9), b"x");
    let lldp = ethernet(OTHER_MAC, PEER_MAC, 0x88cc, &[0; 46]);
    let observing = |list: &[&str]| Policy {
        observe: Some(set(list)),
        ..policy(&[Power::Observe])
    };
    assert!(hears(policy(&[Power::Observe]), &packet));
    assert!(hears(observing(&[STRANGER]), &packet) && hears(observing(&["192.0.2.30"]), &packet));
    assert!(!hears(observing(&[PEER]), &packet));
    assert!(!hears(
        Policy {
            observe: Some(set(&[STRANGER])),
            ..policy(&[])
        },
        &packet
    ));
    assert!(gate(policy(&[Power::Observe])).may_hear(&lldp, LinkKind::Ethernet));
    assert!(!gate(observing(&[STRANGER])).may_hear(&lldp, LinkKind::Ethernet));
    assert!(!gate(policy(&[])).may_hear(&lldp, LinkKind::Ethernet));
}

#[test]
fn a28_an_icmp_error_is_heard_if_it_quotes_what_was_sent() {
    let router = "203.0.113.1";
    let quoting = |quote: &[u8]| icmp(router, US, 11, 0, [0; 4], quote);
    let rows = [
        (udp(US, FAR, (40000, 33434), b""), true),
        (echo(US, FAR), true),
        (tcp(US, FAR, (45000, 80), SYN, b""), true),
        (udp(US, FAR, (5353, 33434), b""), false),
        (udp(US, STRANGER, (40000, 33434), b""), false),
        (udp("192.0.2.30", FAR, (40000, 33434), b""), false),
        (udp(US, FAR, (40000, 33434), b"")[..22].to_vec(), false),
        (Vec::new(), false),
    ];
    for (quote, expected) in rows {
        assert_eq!(
            hears(policy(&[]), &quoting(&quote)),
            expected,
            "{quote:02x?}"
        );
    }
    let six = |quote: &[u8]| icmp("2001:db8:99::1", US6, 3, 0, [0; 4], quote);
    assert!(hears(
        policy(&[]),
        &six(&udp(US6, FAR6, (40000, 33434), b""))
    ));
    assert!(!hears(
        policy(&[]),
        &six(&udp(US6, "2001:db8:9::9", (40000, 33434), b""))
    ));
    // To somebody else, although it quotes ours.
    assert!(!hears(
        policy(&[]),
        &icmp(router, "192.0.2.30", 11, 0, [0; 4], &echo(US, FAR))
    ));
}

#[test]
fn a28_what_was_sent_from_a_port_that_is_not_owned_counts_too() {
    let mut gate = gate(policy(&[Power::Inject]));
    let probe = udp(US, FAR, (5353, 9), b"x");
    let error = icmp("203.0.113.1", US, 3, 3, [0; 4], &probe);
    assert!(!gate.may_hear(&error, LinkKind::RawIp));
    assert_eq!(
        name(gate.judge(Time(0), &probe, LinkKind::RawIp, MAIN)),
        "sent"
    );
    assert!(gate.may_hear(&error, LinkKind::RawIp));
}

#[test]
fn neighbours_are_heard() {
    let arp_frame = |operation, sender, target| {
        ethernet(
            MAC,
            PEER_MAC,
            0x0806,
            &arp(operation, (PEER_MAC, sender), (MAC, target)),
        )
    };
    let nd_frame = |kind, source, destination, target| {
        ethernet(
            MAC,
            PEER_MAC,
            0x86dd,
            &nd(kind, source, destination, target, PEER_MAC),
        )
    };
    let rows = [
        ("answer of a destination", arp_frame(2, PEER, US), true),
        ("answer of the gateway", arp_frame(2, "192.0.2.1", US), true),
        ("question for us", arp_frame(1, "192.0.2.99", US), true),
        (
            "gateway announces itself",
            arp_frame(1, "192.0.2.1", "192.0.2.1"),
            true,
        ),
        ("strangers", arp_frame(1, "192.0.2.99", "192.0.2.98"), false),
        (
            "stranger announces itself",
            arp_frame(2, "192.0.2.99", "192.0.2.99"),
            false,
        ),
        (
            "solicitation for us",
            nd_frame(135, "2001:db8::99", "ff02::1:ff00:10", US6),
            true,
        ),
        (
            "advertisement of a destination",
            nd_frame(136, PEER6, US6, PEER6),
            true,
        ),
        (
            "advertisement of the gateway",
            nd_frame(136, "fe80::1", US6, "2001:db8::1"),
            true,
        ),
        (
            "solicitation for a stranger",
            nd_frame(135, "2001:db8::99", "ff02::1:ff00:98", "2001:db8::98"),
            false,
        ),
        (
            "advertisement to somebody else",
            nd_frame(136, PEER6, "2001:db8::98", PEER6),
            false,
        ),
    ];
    let mut from_afar = nd_frame(136, PEER6, US6, PEER6);
    from_afar[14 + 7] = 254;
    assert!(!gate(policy(&[])).may_hear(&from_afar, LinkKind::Ethernet));
    for (what, frame, expected) in rows {
        assert_eq!(
            gate(policy(&[])).may_hear(&frame, LinkKind::Ethernet),
            expected,
            "{what}"
        );
    }
}

/// Answers to what the program itself asked of everybody are heard, from destinations and only
/// after it asked.
#[test]
fn answers_to_own_broadcasts_are_heard() {
    let policy = || Policy {
        destinations: set(&[PEER, "255.255.255.255"]),
        sources: set(&["0.0.0.0"]),
        ports: ports(&[], &[(68, 68)]),
        ..policy(&[Power::Broadcast, Power::Infrastructure, Power::Inject])
    };
    let offer = |from, to| udp(from, to, (67, 68), b"offer");
    let rows = [
        (offer(PEER, "255.255.255.255"), true),
        (offer(PEER, "192.0.2.77"), true),
        (offer(STRANGER, "255.255.255.255"), false),
        (udp(PEER, "255.255.255.255", (69, 68), b"x"), false),
    ];
    let mut asked = gate(policy());
    let discover = udp("0.0.0.0", "255.255.255.255", (68, 67), b"discover");
    let verdict = asked.judge(Time(0), &discover, LinkKind::RawIp, MAIN);
    assert_eq!(verdict, Verdict::Send);
    for (packet, heard) in rows {
        assert_eq!(
            asked.may_hear(&packet, LinkKind::RawIp),
            heard,
            "{packet:02x?}"
        );
        assert!(
            !gate(policy()).may_hear(&packet, LinkKind::RawIp),
            "not asked"
        );
    }
}

/// RFC 5227: a probe for an address has no sender address, and what answers has no target.
#[test]
fn answers_to_an_arp_probe_are_heard() {
    let policy = || policy(&[Power::Infrastructure, Power::AnyNeighbour]);
    let answer = |from| {
        ethernet(
            MAC,
            PEER_MAC,
            0x806,
            &arp(2, (PEER_MAC, from), (MAC, "0.0.0.0")),
        )
    };
    let probe = ethernet(
        [0xff; 6],
        MAC,
        0x806,
        &arp(1, (MAC, "0.0.0.0"), ([0; 6], PEER)),
    );
    assert!(
        !gate(policy()).may_hear(&answer(PEER), LinkKind::Ethernet),
        "not asked"
    );
    let mut declared = gate(policy());
    let verdict = declared.judge(Time(0), &probe, LinkKind::Ethernet, MAIN);
    assert_eq!(verdict, Verdict::Send);
    assert!(declared.may_hear(&answer(PEER), LinkKind::Ethernet));
    assert!(!declared.may_hear(&answer(STRANGER), LinkKind::Ethernet));
}

/// Each way not to be heard has its own words, with what to write.
#[test]
fn what_is_not_heard_says_why() {
    let limited = Policy {
        destination_ports: Some(ports(&[], &[(53, 53)])),
        ..policy(&[])
    };
    let rows = [
        (
            udp(STRANGER, US, (53, 40000), b""),
            "add it to `destinations`",
        ),
        (
            udp(PEER, SPOOFED, (53, 40000), b""),
            "add `sources: [192.0.2.66]`",
        ),
        (
            udp(PEER, "0.0.0.0", (53, 40000), b""),
            "add `sources: [0.0.0.0]`",
        ),
        (
            udp(PEER, "224.0.0.251", (53, 40000), b""),
            "the group 224.0.0.251",
        ),
        (
            udp(PEER, US, (54, 39000), b""),
            "`destination_ports` does not list",
        ),
    ];
    for (packet, words) in rows {
        let mut gate = gate(limited.clone());
        assert!(!gate.may_hear(&packet, LinkKind::RawIp), "{words}");
        let why = gate.why_unheard(&packet, LinkKind::RawIp);
        assert!(why.contains(words), "{why}");
    }
}
