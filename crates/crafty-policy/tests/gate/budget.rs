//! Rows B1 to B17: exceeding the budget. Not here: B8 (one owner: every method that charges takes
//! `&mut self`, which the compiler holds to), B9 (a ledger over runs is the daemon's), B11's other
//! half (the socket's options).

use crate::build::*;
use crate::world::*;
use crafty_policy::*;
use crafty_value::{Duration, Time};
use proptest::prelude::*;
use std::collections::VecDeque;

const SECOND: i64 = 1_000_000_000;
const MS: i64 = 1_000_000;

fn limited(change: impl FnOnce(&mut Budget)) -> Policy {
    let mut policy = policy(&[]);
    policy.budget = Budget {
        max_duration: Duration(i64::MAX),
        ..Budget::UNLIMITED
    };
    change(&mut policy.budget);
    policy
}

fn by(author: Author) -> FrameOrigin {
    FrameOrigin { author, ..MAIN }
}

/// When the frame leaves, if it does.
fn leaves(gate: &mut Gate, now: i64, packet: &[u8], author: Author) -> Option<i64> {
    match gate.judge(Time(now), packet, LinkKind::RawIp, by(author)) {
        Verdict::Send => Some(now),
        Verdict::Hold { until } => Some(until.0),
        Verdict::Drop(_) => None,
    }
}

#[test]
fn b01_every_frame_with_the_syn_bit_is_charged() {
    let mut gate = gate(limited(|_| {}));
    for flags in 0..=255 {
        assert!(
            leaves(
                &mut gate,
                0,
                &tcp(US, PEER, (45000, 80), flags, b""),
                Author::Main
            )
            .is_some()
        );
    }
    assert_eq!((gate.report().packets, gate.report().syns), (256, 128));
}

#[test]
fn b02_a_syn_in_fragments_is_charged_once_and_always() {
    let whole = tcp_header(US, PEER, (45000, 80), SYN, &[0; 36]);
    let mut made_by_hand = gate(Policy {
        powers: [Power::Fragments].into_iter().collect(),
        ..limited(|_| {})
    });
    for (from, to) in [(0, 24), (24, 56)] {
        let piece = fragment(US, PEER, 6, 1, from, to != 56, &whole[from..to]);
        assert!(leaves(&mut made_by_hand, 0, &piece, Author::Main).is_some());
    }
    assert_eq!(made_by_hand.report().syns, 1);
}

#[test]
fn b03_syns_of_the_automatic_stack_are_charged() {
    let mut gate = gate(limited(|budget| budget.max_syns = 3));
    let syn = tcp(US, PEER, (45000, 80), SYN, b"");
    let left = (0..10)
        .filter(|&i| leaves(&mut gate, i, &syn, Author::Stack).is_some())
        .count();
    assert_eq!(left, 3);
}

#[test]
fn b04_other_openings_count_as_syns() {
    let dtls = [&[22, 0xfe, 0xfd][..], &[0; 10], &[1], &[0; 20]].concat();
    let sctp = [&[0; 12][..], &[1, 0, 0, 4]].concat();
    let rows = [
        (udp(US, PEER, (40000, 443), &[0xc3, 0, 0, 0, 1]), 1),
        (udp(US, PEER, (40000, 443), &[0x43, 0, 0, 0, 1]), 0),
        (udp(US, PEER, (40000, 444), &[0xc3, 0, 0, 0, 1]), 1),
        (udp(US, PEER, (40000, 444), &[0xc3, 0, 0, 0, 9]), 0),
        (udp(US, PEER, (40000, 444), &dtls), 1),
        (packet(US, PEER, 132, &sctp), 1),
        (packet(US, PEER, 132, &[0; 16]), 0),
    ];
    for (packet, syns) in rows {
        assert_eq!(
            charged(policy(&[Power::Opaque]), &packet).syns,
            syns,
            "{packet:02x?}"
        );
    }
}

#[test]
fn b05_zero_is_none_and_huge_does_not_wrap() {
    let syn = tcp(US, PEER, (45000, 80), SYN, b"");
    assert_eq!(raw(limited(|b| b.max_packets = 0), &syn), "max_packets");
    assert_eq!(
        raw(limited(|b| b.max_packets_per_secs = 0), &syn),
        "max_packets_per_secs"
    );
    assert_eq!(raw(limited(|b| b.max_bytes = 0), &syn), "max_bytes");
    assert_eq!(
        raw(limited(|b| b.max_bytes_per_secs = 0), &syn),
        "max_bytes_per_secs"
    );
    assert_eq!(raw(limited(|b| b.max_syns = 0), &syn), "max_syns");
    assert_eq!(
        raw(limited(|b| b.max_destinations = 0), &syn),
        "max_destinations"
    );
    assert_eq!(
        raw(limited(|b| b.max_duration = Duration::ZERO), &syn),
        "max_duration"
    );
    let huge = Reserved {
        packets: u64::MAX,
        bytes: u64::MAX,
        syns: u64::MAX,
    };
    let mut gate = Gate::new(limited(|_| {}), host(), Time(0), huge);
    for now in [i64::MIN, 0, i64::MAX - 1] {
        assert_eq!(leaves(&mut gate, now, &syn, Author::Main), Some(now));
    }
    assert_eq!(leaves(&mut gate, i64::MAX, &syn, Author::Main), None);
}

/// Sends at these steps of time, and checks that no half-open second holds more than `most`, by
/// looking at all of them.
fn windows_hold(steps: &[i64], most: u64) -> Result<(), TestCaseError> {
    let mut gate = gate(limited(|budget| budget.max_packets_per_secs = most));
    let packet = echo(US, PEER);
    let (mut now, mut latest, mut last_second, mut last) = (0, i64::MIN, VecDeque::new(), i64::MIN);
    for step in steps {
        now += step;
        latest = now.max(latest);
        let Some(asked) = leaves(&mut gate, now, &packet, Author::Main) else {
            continue;
        };
        // A clock that is set back stands still in the meantime.
        let at = latest + asked - now;
        prop_assert!(
            at >= last && at - latest <= HOLD.0,
            "{at} after {last}, asked at {now}"
        );
        last = at;
        last_second.push_back(at);
        while last_second
            .front()
            .is_some_and(|&first: &i64| first <= at - SECOND)
        {
            last_second.pop_front();
        }
        prop_assert!(last_second.len() as u64 <= most);
    }
    prop_assert!(gate.report().worst_second.0 <= most);
    Ok(())
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn b06_b07_no_second_holds_more_than_its_limit(
        steps in prop::collection::vec(prop_oneof![0..3 * MS, 0..40 * MS, Just(10 * MS), Just(SECOND), -50 * MS..0], 1..400),
        most in 1u64..60,
    ) {
        windows_hold(&steps, most)?;
    }

    /// Bytes and SYNs too, and totals, whoever sends; and the main program's share is there to the
    /// end.
    #[test]
    fn b15_b16_totals_are_never_exceeded_and_the_main_line_gets_its_share(
        sends in prop::collection::vec((0..30 * MS, 0..3u8, 0..200usize, any::<bool>()), 1..300),
        reserved in 0u64..30,
    ) {
        let policy = limited(|b| (b.max_packets, b.max_bytes, b.max_syns, b.max_bytes_per_secs) = (60, 9_000, 12, 2_000));
        let shares = Reserved { packets: reserved, bytes: reserved * 300, syns: reserved };
        let mut gate = Gate::new(policy, host(), Time(0), shares);
        let (mut now, mut main, mut bytes) = (0, 0u64, Vec::new());
        for (step, author, len, syn) in sends {
            now += step;
            let author = [Author::Main, Author::Handler, Author::Stack][usize::from(author)];
            let packet = tcp(US, PEER, (45000, 80), if syn { SYN } else { ACK }, &vec![0; len]);
            let before = gate.report();
            let verdict = gate.judge(Time(now), &packet, LinkKind::RawIp, by(author));
            let after = gate.report();
            prop_assert!(after.packets >= before.packets && after.bytes >= before.bytes && after.syns >= before.syns);
            prop_assert!(after.packets <= 60 && after.bytes <= 9_000 && after.syns <= 12 && after.worst_second.1 <= 2_000);
            match verdict {
                Verdict::Drop(reason) if author == Author::Main && main < reserved.min(12) => {
                    prop_assert!(reason.name() == "max_bytes_per_secs", "{}", reason.name());
                }
                Verdict::Drop(_) => prop_assert_eq!(after.packets, before.packets),
                _ => {
                    main += u64::from(author == Author::Main);
                    bytes.push((now, after.bytes - before.bytes));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn b06_nor_does_it_where_moments_are_merged(
        steps in (200_000..1_000_000_i64).prop_flat_map(|most| prop::collection::vec(prop_oneof![0..1_000_i64, 0..most, 0..most], 10_000..11_000)),
        most in 4_097u64..4_200,
    ) {
        windows_hold(&steps, most)?;
    }
}

#[test]
fn b06_merged_moments_count_to_their_end() {
    // Two frames in one grain, then all but one of the rest; a second later the second frame still
    // counts.
    let mut steps = vec![0, 240_000, 260_000];
    steps.extend([0; 4_093]);
    steps.extend([SECOND - 400_000, 0, 0, 0]);
    windows_hold(&steps, 4_097).unwrap();
}

#[test]
fn b06_two_frames_a_second_apart_share_no_second() {
    let mut gate = gate(limited(|b| b.max_packets_per_secs = 1));
    let packet = echo(US, PEER);
    let mut at = |now, author| leaves(&mut gate, now, &packet, author);
    assert_eq!(at(0, Author::Main), Some(0));
    assert_eq!(at(SECOND - HOLD.0 + MS, Author::Main), Some(SECOND));
    // What is held keeps its place: nothing overtakes it, and nothing waits longer.
    assert_eq!(at(SECOND - MS, Author::Handler), None);
    assert_eq!(at(SECOND, Author::Handler), Some(2 * SECOND));
    assert_eq!(at(3 * SECOND, Author::Main), Some(3 * SECOND));
    assert_eq!(at(4 * SECOND - 20 * MS, Author::Main), Some(4 * SECOND));
}

/// The first seed's sample: 250 datagrams, 10 ms apart, under 100 a second, after the gateway was
/// asked for.
fn sample(late: impl Fn(i64) -> i64) -> GateReport {
    let mut asked = Policy {
        destinations: set(&["10.100.0.50"]),
        sources: set(&["10.20.4.1"]),
        ..Policy::program()
    };
    asked.ports.udp.insert(40000, 40100);
    let mut gate = Gate::new(
        asked.meet(&Policy::operator(None, [])),
        host(),
        Time(-SECOND),
        Reserved {
            packets: 250,
            bytes: 239_250,
            syns: 0,
        },
    );
    let asks = ethernet(
        [0xff; 6],
        MAC,
        0x0806,
        &arp(1, (MAC, US), ([0; 6], "192.0.2.1")),
    );
    assert_eq!(
        name(gate.judge(Time(-MS), &asks, LinkKind::Ethernet, by(Author::Start))),
        "sent"
    );
    gate.begin(Time(0));
    let sizes = [100, 500, 1000, 1400, 1472];
    for i in 0..250 {
        let packet = udp(
            "10.20.4.1",
            "10.100.0.50",
            (40000, 40100),
            &vec![0; sizes[i as usize / 50]],
        );
        let verdict = gate.judge(
            Time(i * 10 * MS + late(i)),
            &to(GATEWAY_MAC, &packet),
            LinkKind::Ethernet,
            MAIN,
        );
        assert!(!matches!(verdict, Verdict::Drop(_)), "{i}: {verdict:?}");
    }
    gate.report()
}

#[test]
fn the_sample_of_the_seed_loses_nothing() {
    let exact = sample(|_| 0);
    assert_eq!(
        (exact.packets, exact.held, exact.worst_second.0),
        (251, 0, 100)
    );
    assert_eq!(
        exact.bytes,
        60 + 50 * (100 + 500 + 1000 + 1400 + 1472 + 5 * 42)
    );
    let jitter = sample(|i| (i * 7_919) % 300_000);
    assert_eq!((jitter.packets, jitter.worst_second.0), (251, 100));
    assert!(jitter.held > 0);
}

#[test]
fn neighbours_are_asked_for_three_times_before_the_start_and_nothing_else_leaves() {
    let mut gate = gate(limited(|b| {
        (b.max_packets, b.max_packets_per_secs) = (5, 5)
    }));
    let asks = |target| ethernet([0xff; 6], MAC, 0x0806, &arp(1, (MAC, US), ([0; 6], target)));
    let mut start =
        |frame: &[u8]| name(gate.judge(Time(0), frame, LinkKind::Ethernet, by(Author::Start)));
    let rows = [
        "192.0.2.1",
        "192.0.2.1",
        "192.0.2.1",
        "192.0.2.1",
        PEER,
        PEER,
        PEER,
    ]
    .map(|target| start(&asks(target)));
    assert_eq!(
        rows,
        [
            "sent",
            "sent",
            "sent",
            "resolution",
            "sent",
            "sent",
            "max_packets"
        ]
    );
    assert_eq!(start(&to(PEER_MAC, &echo(US, PEER))), "early");
}

/// A main program that may send more than the total leaves nothing to share; its neighbour is asked
/// for anyway, at its own cost.
#[test]
fn neighbours_are_asked_for_even_if_all_is_set_aside() {
    let reserved = Reserved {
        packets: 50,
        bytes: 50_000,
        syns: 0,
    };
    let mut gate = Gate::new(
        limited(|b| (b.max_packets, b.max_packets_per_secs) = (3, 100)),
        host(),
        Time(0),
        reserved,
    );
    let asks = ethernet(
        [0xff; 6],
        MAC,
        0x0806,
        &arp(1, (MAC, US), ([0; 6], "192.0.2.1")),
    );
    let packet = to(PEER_MAC, &echo(US, PEER));
    let mut judge =
        |frame: &[u8], author| name(gate.judge(Time(0), frame, LinkKind::Ethernet, by(author)));
    assert_eq!(judge(&asks, Author::Start), "sent");
    assert_eq!(judge(&packet, Author::Handler), "max_packets");
    assert_eq!(
        [(); 3].map(|()| judge(&packet, Author::Main)),
        ["sent", "sent", "max_packets"]
    );
}

/// Cuts the datagram of a frame as a stack would.
fn cut(us: &str, peer: &str, body: &[u8], each: usize) -> Vec<Vec<u8>> {
    let starts = (0..body.len()).step_by(each);
    starts
        .map(|at| {
            fragment(
                us,
                peer,
                17,
                5,
                at,
                at + each < body.len(),
                &body[at..body.len().min(at + each)],
            )
        })
        .collect()
}

fn judge_cut(gate: &mut Gate, whole: &[u8], pieces: &[Vec<u8>]) -> &'static str {
    let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
    name(gate.judge_cut(Time(0), whole, &pieces, LinkKind::RawIp, MAIN))
}

#[test]
fn b10_a_datagram_is_charged_for_every_piece_and_the_pieces_are_checked() {
    for (us, peer, header) in [(US, PEER, 20), (US6, PEER6, 48)] {
        let body = udp_header(us, peer, (40000, 9), &[9; 4000]);
        let whole = packet(us, peer, 17, &body);
        let pieces = cut(us, peer, &body, 1000);
        let mut gate = gate(limited(|b| b.max_packets = 7));
        assert_eq!(judge_cut(&mut gate, &whole, &pieces), "sent");
        assert_eq!(
            (gate.report().packets, gate.report().bytes),
            (5, 4008 + 5 * header)
        );
        assert_eq!(judge_cut(&mut gate, &whole, &pieces), "max_packets");
        assert_eq!(gate.report().packets, 5);
    }
    let body = udp_header(US, PEER, (40000, 9), &[9; 400]);
    let whole = packet(US, PEER, 17, &body);
    let good = cut(US, PEER, &body, 200);
    let wrong: Vec<(&str, Vec<Vec<u8>>)> = vec![
        ("none", vec![]),
        ("one missing", good[..2].to_vec()),
        (
            "out of order",
            vec![good[1].clone(), good[0].clone(), good[2].clone()],
        ),
        ("twice", [good.clone(), vec![good[2].clone()]].concat()),
        (
            "another's bytes",
            vec![
                good[0].clone(),
                good[1].clone(),
                fragment(US, PEER, 17, 5, 400, false, b"evilevil"),
            ],
        ),
        (
            "another destination",
            vec![
                good[0].clone(),
                good[1].clone(),
                fragment(US, FAR, 17, 5, 400, false, &body[400..]),
            ],
        ),
        (
            "another id",
            vec![
                good[0].clone(),
                good[1].clone(),
                fragment(US, PEER, 17, 6, 400, false, &body[400..]),
            ],
        ),
        ("a whole one", vec![echo(US, PEER)]),
        (
            "less than all",
            vec![
                good[0].clone(),
                fragment(US, PEER, 17, 5, 200, false, &body[200..400]),
            ],
        ),
        (
            "a wrong checksum",
            vec![good[0].clone(), good[1].clone(), {
                let mut last = good[2].clone();
                last[10] ^= 1;
                last
            }],
        ),
    ];
    for (what, pieces) in wrong {
        assert_eq!(
            judge_cut(&mut gate(limited(|_| {})), &whole, &pieces),
            "pieces",
            "{what}"
        );
    }
    assert_eq!(judge_cut(&mut gate(limited(|_| {})), &whole, &good), "sent");
    let frames: Vec<Vec<u8>> = good
        .iter()
        .enumerate()
        .map(|(i, piece)| to(if i == 2 { GATEWAY_MAC } else { PEER_MAC }, piece))
        .collect();
    let pieces: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    let verdict = gate(limited(|_| {})).judge_cut(
        Time(0),
        &to(PEER_MAC, &whole),
        &pieces,
        LinkKind::Ethernet,
        MAIN,
    );
    assert_eq!(name(verdict), "pieces");
    let body = udp_header(US, STRANGER, (40000, 9), &[9; 400]);
    let pieces = cut(US, STRANGER, &body, 200);
    assert_eq!(
        judge_cut(
            &mut gate(limited(|_| {})),
            &packet(US, STRANGER, 17, &body),
            &pieces
        ),
        "destination"
    );
}

#[test]
fn b11_no_frame_is_longer_than_the_mtu_allows() {
    for (len, expected) in [(1472, "sent"), (1473, "length"), (40_000, "length")] {
        let packet = udp(US, PEER, (40000, 9), &vec![0; len]);
        assert_eq!(
            framed(policy(&[]), &to(PEER_MAC, &packet)),
            expected,
            "{len}"
        );
        assert_eq!(raw(policy(&[]), &packet), expected, "{len}");
    }
}

#[test]
fn b12_bytes_are_those_of_the_frame_after_padding() {
    let mut gate = gate(limited(|_| {}));
    for (len, expected) in [(0, 60), (18, 60), (19, 61), (1000, 1042)] {
        let before = gate.report().bytes;
        let frame = to(PEER_MAC, &udp(US, PEER, (40000, 9), &vec![0; len]));
        assert_eq!(
            name(gate.judge(Time(0), &frame, LinkKind::Ethernet, MAIN)),
            "sent"
        );
        assert_eq!(gate.report().bytes - before, expected);
    }
}

#[test]
fn b13_nothing_leaves_after_the_deadline() {
    let packet = echo(US, PEER);
    let policy = limited(|b| (b.max_duration, b.max_packets_per_secs) = (Duration::seconds(2), 1));
    let mut gate = gate(policy);
    gate.begin(Time(5 * SECOND));
    assert_eq!(gate.deadline(), Time(7 * SECOND));
    assert_eq!(
        leaves(&mut gate, 6 * SECOND, &packet, Author::Main),
        Some(6 * SECOND)
    );
    // Would have to be held until the end.
    assert_eq!(
        leaves(&mut gate, 7 * SECOND - 10 * MS, &packet, Author::Main),
        None
    );
    assert_eq!(leaves(&mut gate, 7 * SECOND, &packet, Author::Stack), None);
    gate.begin(Time(50 * SECOND));
    assert_eq!(leaves(&mut gate, 50 * SECOND, &packet, Author::Main), None);
}

#[test]
fn b14_a_clock_that_is_set_back_gives_nothing() {
    let mut gate = gate(limited(|b| b.max_packets_per_secs = 3));
    let packet = echo(US, PEER);
    let left = (0..10)
        .filter_map(|i| leaves(&mut gate, (10 - i) * 3600 * SECOND, &packet, Author::Main))
        .count();
    // Three now, and three in a second, for which they are held.
    assert_eq!(left, 6);
}

#[test]
fn b17_settings_are_typed_and_known() {
    assert!(setting(SettingsGroup::Budget, "max_packet").is_none());
    assert!(setting(SettingsGroup::Ports, "max_packets").is_none());
    let duration = setting(SettingsGroup::Budget, "max_duration").unwrap();
    let mut policy = Policy::program();
    assert!(!duration.write(&mut policy, Given::Number(60)));
    assert_eq!(policy, Policy::program());
    assert!(duration.write(&mut policy, Given::Duration(Duration::seconds(1))));
    assert_eq!(policy.budget.max_duration, Duration::seconds(1));
}

#[test]
fn reactions_are_metered_in_bits_and_capped() {
    let reactive = FrameOrigin {
        author: Author::Handler,
        site: 1,
        reactive: true,
        chosen_bits: 0,
    };
    let run = |cap| {
        let mut gate = Gate::new(
            Policy {
                max_leak_bits: cap,
                ..limited(|_| {})
            },
            host(),
            Time(0),
            Reserved::default(),
        );
        gate = gate.with_reactive_sites(4);
        let names = [1, 2, 3]
            .map(|i| name(gate.judge(Time(i * MS), &echo(US, PEER), LinkKind::RawIp, reactive)));
        assert_eq!(
            name(gate.judge(Time(4 * MS), &echo(US, PEER), LinkKind::RawIp, MAIN)),
            "sent"
        );
        (names, gate.report().leak_bits)
    };
    // 4 sites in 1001 slots of a microsecond: 12 bits each.
    assert_eq!(run(u64::MAX), (["sent", "sent", "sent"], 36));
    assert_eq!(run(24), (["sent", "sent", "max_leak_bits"], 24));
    assert_eq!(run(0), (["max_leak_bits"; 3], 0));
}
