//! Laws of sets, of policies and of the tables.

use crate::build::*;
use crate::world::*;
use crafty_policy::*;
use crafty_value::{Duration, Net, Time};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A net in a universe of 256 addresses, of either family.
fn small_net() -> impl Strategy<Value = Net> {
    (any::<bool>(), any::<u8>(), 0u8..=8).prop_map(|(four, low, bits)| net_of(four, low, bits))
}

fn net_of(four: bool, low: u8, bits: u8) -> Net {
    let prefix = if four { 24 } else { 120 };
    Net::new(address(four, low), prefix + bits).unwrap()
}

fn address(four: bool, low: u8) -> IpAddr {
    if four {
        Ipv4Addr::new(198, 51, 100, low).into()
    } else {
        Ipv6Addr::from_bits(0x2001_0db8 << 96 | u128::from(low)).into()
    }
}

fn entries() -> impl Strategy<Value = Vec<AddressListEntry>> {
    prop::collection::vec(
        (small_net(), prop::bool::weighted(0.3))
            .prop_map(|(net, excluded)| AddressListEntry { net, excluded }),
        0..8,
    )
}

fn universe() -> impl Iterator<Item = IpAddr> {
    (0..=255).flat_map(|low| [address(true, low), address(false, low)])
}

/// The naive model: one entry after the other, address by address.
fn allowed(entries: &[AddressListEntry], address: IpAddr) -> bool {
    let any = |excluded| {
        entries
            .iter()
            .any(|entry| entry.excluded == excluded && entry.net.contains(address))
    };
    any(false) && !any(true)
}

fn listed(entries: &[AddressListEntry], address: IpAddr) -> bool {
    allowed(entries, address)
        && entries
            .iter()
            .any(|entry| !entry.excluded && entry.net == Net::host(address))
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn address_sets_are_the_naive_model(a in entries(), b in entries()) {
        let (set_a, set_b): (AddressSet, AddressSet) = (a.iter().copied().collect(), b.iter().copied().collect());
        let both = set_a.meet(&set_b);
        for address in universe() {
            prop_assert_eq!(set_a.contains(address), allowed(&a, address));
            prop_assert_eq!(set_a.lists(address), listed(&a, address));
            prop_assert_eq!(both.contains(address), allowed(&a, address) && allowed(&b, address));
            prop_assert_eq!(both.lists(address), listed(&a, address) && listed(&b, address));
        }
        prop_assert_eq!(both.count(), universe().filter(|&address| both.contains(address)).count() as u128);
        let inside = |address: &IpAddr| both.ranges().iter().any(|(low, high)| low <= address && address <= high);
        prop_assert!(universe().all(|address| inside(&address) == both.contains(address)));
    }

    #[test]
    fn the_order_of_entries_does_not_matter(mut a in entries()) {
        let forth: AddressSet = a.iter().copied().collect();
        a.reverse();
        prop_assert_eq!(forth, a.into_iter().collect());
    }

    #[test]
    fn ranges_are_sets_of_numbers(a in numbers(), b in numbers()) {
        let (ra, rb) = (ranges(&a), ranges(&b));
        let (sa, sb) = (naive(&a), naive(&b));
        let listed = |set: &Ranges| set.iter().flat_map(|(low, high)| low..=high).collect::<BTreeSet<u128>>();
        prop_assert_eq!(listed(&ra), sa.clone());
        prop_assert_eq!(listed(&ra.intersection(&rb)), &sa & &sb);
        prop_assert_eq!(listed(&ra.union(&rb)), &sa | &sb);
        prop_assert_eq!(listed(&ra.difference(&rb)), &sa - &sb);
        prop_assert_eq!(ra.count(), sa.len() as u128);
        // Equal sets are equal values.
        prop_assert_eq!(ra.union(&rb), rb.union(&ra));
        prop_assert!(sa.iter().all(|&n| ra.contains(n)) && (0..70).all(|n| ra.contains(n) == sa.contains(&n)));
    }

    #[test]
    fn policies_are_a_semilattice(a in policies(), b in policies(), c in policies()) {
        prop_assert_eq!(a.meet(&b), b.meet(&a));
        prop_assert_eq!(a.meet(&b).meet(&c), a.meet(&b.meet(&c)));
        prop_assert_eq!(a.meet(&a), a.clone());
        prop_assert!(a.meet(&b).within(&a) && a.meet(&b).within(&b));
        prop_assert_eq!(a.meet(&Policy::everything()), a);
    }

    #[test]
    fn a_frame_allowed_under_the_meet_is_allowed_under_each(a in policies(), b in policies()) {
        for frame in frames() {
            if framed(a.meet(&b), &frame) == "sent" {
                prop_assert_eq!(framed(a.clone(), &frame), "sent");
                prop_assert_eq!(framed(b.clone(), &frame), "sent");
            }
        }
    }

    #[test]
    fn what_is_heard_under_the_meet_is_heard_under_each(a in policies(), b in policies()) {
        for frame in frames() {
            let hears = |policy: Policy| gate(policy).may_hear(&frame, LinkKind::Ethernet);
            if hears(a.meet(&b)) {
                prop_assert!(hears(a.clone()) && hears(b.clone()));
            }
        }
    }
}

fn numbers() -> impl Strategy<Value = Vec<(u128, u128)>> {
    prop::collection::vec((0..64u128, 0..64u128), 0..10)
}

fn ranges(pairs: &[(u128, u128)]) -> Ranges {
    pairs.iter().fold(Ranges::new(), |mut set, &(low, high)| {
        set.insert(low, high);
        set
    })
}

fn naive(pairs: &[(u128, u128)]) -> BTreeSet<u128> {
    pairs.iter().flat_map(|&(low, high)| low..=high).collect()
}

/// Policies that often allow some of `frames()`.
fn policies() -> impl Strategy<Value = Policy> {
    let lists = || {
        prop::sample::subsequence(
            vec![
                "0.0.0.0/0",
                "::/0",
                PEER,
                FAR,
                PEER6,
                "224.0.0.5",
                "!198.51.100.0/24",
                "127.0.0.1",
                US,
            ],
            0..6,
        )
    };
    let limit = || prop_oneof![0u64..3, Just(u64::MAX)];
    let sets = (lists(), lists(), lists(), prop::option::of(lists()));
    let powers = prop::sample::subsequence(PowerSet::all().iter().collect::<Vec<_>>(), 0..=11);
    let ports = prop::option::of(prop::sample::select(vec![80u16, 53, 9]));
    (
        sets,
        powers,
        ports,
        [limit(), limit(), limit(), limit()],
        0..3usize,
        any::<bool>(),
    )
        .prop_map(
            |((destinations, sources, opened, observe), powers, port, limits, mode, owns)| Policy {
                budget: Budget {
                    max_packets: limits[0],
                    max_bytes_per_secs: limits[1].saturating_mul(100),
                    max_syns: limits[2],
                    ..Budget::UNLIMITED
                },
                destinations: set(&destinations),
                destination_ports: port.map(ports_of),
                sources: set(&sources),
                ports: if owns {
                    crate::world::ports(&[(45000, 45000)], &[(40000, 40000)])
                } else {
                    Ports::default()
                },
                interfaces: if limits[3] == 1 {
                    Some(BTreeSet::new())
                } else {
                    None
                },
                powers: powers.into_iter().collect(),
                observe: observe.map(|list| set(&list)),
                exfiltration: ExfiltrationMode::NAMES[mode].0,
                max_leak_bits: limits[3],
                require_approval: owns.then(|| BTreeSet::from([format!("key {}", limits[1])])),
                host_quotas: HostQuotas {
                    hour: Quota {
                        packets: limits[0],
                        bytes: limits[2],
                        syns: limits[1],
                    },
                    day: Quota {
                        packets: limits[1],
                        ..Quota::UNLIMITED
                    },
                },
                opened: set(&opened),
            },
        )
}

fn ports_of(port: u16) -> Ports {
    Ports {
        icmp: PortSet::none(),
        ..crate::world::ports(&[(port, port)], &[(port, port)])
    }
}

/// One frame for about every rule.
fn frames() -> Vec<Vec<u8>> {
    let bad = {
        let mut packet = udp(US, PEER, (40000, 53), b"x");
        packet[27] ^= 1;
        packet
    };
    let near = [
        echo(US, PEER),
        udp(US, PEER, (40000, 53), b"x"),
        udp(SPOOFED, PEER, (40000, 53), b"x"),
        tcp(US, PEER, (45000, 80), SYN, b""),
        tcp(US, PEER, (45000, 80), ACK, b""),
        tcp(US, PEER, (22, 80), ACK, b""),
        packet(US, PEER, 4, &echo(US, FAR)),
        fragment(
            US,
            PEER,
            17,
            1,
            0,
            true,
            &udp_header(US, PEER, (40000, 53), &[0; 16]),
        ),
        v4(
            US.parse().unwrap(),
            PEER.parse().unwrap(),
            1,
            &[148, 4, 0, 0],
            (0, 0),
            &icmp_header(US, PEER, 8, 0, [0; 4], b""),
        ),
        icmp(US, PEER, 3, 3, [0; 4], &udp(PEER, US, (53, 40000), b"")),
        packet(US, PEER, 89, &[0; 24]),
        bad,
    ];
    let mut frames: Vec<Vec<u8>> = near.iter().map(|packet| to(PEER_MAC, packet)).collect();
    frames.extend([
        to(GATEWAY_MAC, &echo(US, FAR)),
        to(PEER_MAC, &echo(US, FAR)),
        to(PEER_MAC, &echo(US6, PEER6)),
        to(
            [1, 0, 0x5e, 0, 0, 5],
            &udp(US, "224.0.0.5", (40000, 9), b"x"),
        ),
        to(MAC, &echo(US, US)),
        ethernet([0xff; 6], MAC, 0x0806, &arp(1, (MAC, US), ([0; 6], PEER))),
        ethernet(PEER_MAC, OTHER_MAC, 0x0800, &echo(US, PEER)),
        ethernet(MAC, PEER_MAC, 0x0800, &udp(PEER, US, (53, 40000), b"x")),
        ethernet(
            MAC,
            PEER_MAC,
            0x0800,
            &icmp(
                "203.0.113.1",
                US,
                11,
                0,
                [0; 4],
                &udp(US, PEER, (40000, 53), b""),
            ),
        ),
    ]);
    frames
}

#[test]
fn every_frame_of_the_laws_leaves_or_is_heard_under_the_greatest_policy() {
    let open = Policy {
        budget: Budget::UNLIMITED,
        ..Policy::everything()
    };
    for frame in frames() {
        let mut gate = gate(open.clone());
        let sent = name(gate.judge(Time(0), &frame, LinkKind::Ethernet, MAIN));
        assert_eq!(sent, "sent", "{frame:02x?}");
    }
}

#[test]
fn settings_read_what_they_wrote_and_start_at_their_defaults() {
    let other = Policy {
        budget: Budget {
            max_duration: Duration(1),
            ..Budget::UNLIMITED
        },
        destination_ports: Some(ports_of(80)),
        observe: Some(set(&[PEER])),
        interfaces: Some(["eth0".into()].into()),
        ..Policy::everything()
    };
    let mut copy = Policy::program();
    for setting in SETTINGS {
        assert!(
            setting.write(&mut copy, setting.read(&other)),
            "{}",
            setting.key
        );
        assert_eq!(setting.read(&copy), setting.read(&other), "{}", setting.key);
        assert!(
            crafty_policy::setting(setting.section, setting.key)
                .is_some_and(|found| std::ptr::eq(found, setting))
        );
    }
    assert_eq!(copy, other);
}

#[test]
fn powers_are_found_by_their_names() {
    for (i, row) in POWERS.iter().enumerate() {
        assert_eq!(row.power as usize, i);
        assert_eq!(
            (Power::named(row.name), row.power.name()),
            (Some(row.power), row.name)
        );
    }
    assert_eq!(PowerSet::all().iter().count(), POWERS.len());
    assert!(
        POWERS
            .iter()
            .all(|row| !PowerSet::NONE.has(row.power) && PowerSet::all().has(row.power))
    );
}

#[test]
fn rules_have_names_and_reasons_a_way_out() {
    let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len());
    let Verdict::Drop(reason) =
        gate(policy(&[])).judge(Time(0), &echo(US, STRANGER), LinkKind::RawIp, MAIN)
    else {
        panic!("sent")
    };
    assert_eq!(
        reason.to_string(),
        "`203.0.113.9` is not among the destinations"
    );
    assert_eq!(
        reason.fix().to_string(),
        "add 203.0.113.9 to `destinations` in PERMISSIONS"
    );
    assert_eq!(
        (reason.name(), reason.why.kind),
        ("destination", RefusalKind::Permission)
    );
}

#[test]
fn the_report_tells_each_refusal_once_and_is_bounded() {
    let mut gate = gate(policy(&[]));
    for i in 0..1000u32 {
        let stranger = Ipv4Addr::from_bits(0xcb00_7100 + i / 2).to_string();
        gate.judge(Time(0), &echo(US, &stranger), LinkKind::RawIp, MAIN);
    }
    let report = gate.report();
    assert_eq!(
        (report.drops.len(), report.drops[0].1, report.other_drops),
        (256, 2, 488)
    );
}

#[test]
fn an_operator_opens_and_a_program_does_not() {
    let opened = Policy {
        opened: set(&["127.0.0.1"]),
        ..Policy::everything()
    };
    let narrower = Policy {
        opened: set(&["10.0.0.0/8"]),
        ..Policy::everything()
    };
    assert!(Policy::operator(None, []).opened.is_empty());
    assert!(
        Policy::operator(Some(opened.clone()), [])
            .opened
            .contains(ip("127.0.0.1"))
    );
    assert!(
        Policy::operator(Some(opened.clone()), [narrower])
            .opened
            .is_empty()
    );
    assert!(
        Policy::program()
            .meet(&Policy::operator(None, [Policy::everything()]))
            .opened
            .is_empty()
    );
    assert_eq!(Policy::operator(Some(opened.clone()), []), opened);
}

#[test]
fn entries_are_read_and_written() {
    for text in [
        "192.0.2.1",
        "!192.0.2.0/24",
        "2001:db8::/32",
        "!::1",
        "0.0.0.0/0",
    ] {
        assert_eq!(text.parse::<AddressListEntry>().unwrap().to_string(), text);
    }
    for text in [
        "",
        "!",
        "192.0.2.1/24",
        "192.0.2.0/33",
        "example.net",
        "192.0.2.0/",
        "192.0.2.0/-1",
        "1.2.3",
    ] {
        assert!(text.parse::<AddressListEntry>().is_err(), "{text}");
    }
    assert_eq!(
        set(&["10.0.0.0/30", "!10.0.0.2"]).to_string(),
        "[10.0.0.0-10.0.0.1, 10.0.0.3]"
    );
    let ports: PortSet = [(80, 80), (40000, 40100), (81, 81)].into_iter().collect();
    assert_eq!(ports.to_string(), "[[80, 81], [40000, 40100]]");
    assert_eq!((ports.first(), ports.count()), (Some(80), 103));
}
