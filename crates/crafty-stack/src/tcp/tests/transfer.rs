//! Streams both ways over links of every kind: nothing is corrupted, nothing hangs, both ends
//! close.

use super::pair::{CLIENT, Dice, Link, Pair, SERVER};
use crate::tcp::{Config, ConnectionEvent, TcpState, WindowScale, congestion};
use alloc::vec::Vec;
use crafty_value::{Duration, Time};

/// Networks of any kind that are tried.
const SEEDS: u64 = 150;

/// The byte at a place of a stream.
fn stream(salt: u64, len: usize) -> Vec<u8> {
    (0..len as u64)
        .map(|n| ((n ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

fn patient() -> Config {
    Config {
        close: Duration::seconds(1000),
        timeout: Duration::seconds(120),
        give_up: Duration::seconds(1000),
        ..Config::default()
    }
}

/// Runs a transfer of `sizes` bytes, client's first, and gives the time that it took.
fn check(client: Config, server: Config, link: Link, sizes: [usize; 2], seed: u64) -> Pair {
    let name = alloc::format!("{sizes:?} {link:?} seed {seed}");
    let mut pair = Pair::new(client, server, link, seed);
    for (n, size) in sizes.into_iter().enumerate() {
        pair.ends[n].to_send = stream(n as u64, size).into();
        pair.ends[n].closes = true;
    }
    pair.run(Time(0).after(Duration::seconds(3000)));
    for (n, size) in sizes.into_iter().enumerate() {
        let end = &pair.ends[1 - n];
        assert!(
            end.heard == stream(n as u64, size),
            "{name}: {} of {size} heard, {}",
            end.heard.len(),
            pair.told()
        );
        assert!(
            end.events.contains(&ConnectionEvent::Established)
                && end.events.contains(&ConnectionEvent::PeerClosed),
            "{name}: {:?}",
            end.events
        );
        assert!(
            end.events.contains(&ConnectionEvent::Closed),
            "{name}: {}",
            pair.told()
        );
        assert!(
            matches!(
                end.tcp.as_ref().unwrap().state(),
                TcpState::Closed | TcpState::TimeWait
            ),
            "{name}"
        );
    }
    pair
}

#[test]
fn one_byte_to_some_megabytes() {
    for sizes in [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
        [1460, 1461],
        [100_000, 1],
        [3_000_000, 2_000_000],
    ] {
        check(patient(), patient(), Link::clean(10), sizes, 1);
    }
}

#[test]
fn loss_repetition_reordering_together() {
    let base = Link::clean(10);
    let links = [
        Link {
            loss: 10_000,
            ..base
        },
        Link {
            loss: 50_000,
            twice: 20_000,
            ..base
        },
        Link {
            loss: 200_000,
            ..base
        },
        Link {
            jitter: Duration::millis(30),
            ..base
        },
        Link {
            jitter: Duration::millis(30),
            loss: 100_000,
            twice: 100_000,
            ..base
        },
        Link {
            twice: 500_000,
            ..base
        },
    ];
    for (seed, link) in links.into_iter().enumerate() {
        for sizes in [[20_000, 300_000], [1, 50_000], [300_000, 1]] {
            check(patient(), patient(), link, sizes, seed as u64);
        }
    }
}

#[test]
fn whatever_one_end_lacks() {
    let link = Link {
        loss: 50_000,
        jitter: Duration::millis(5),
        ..Link::clean(10)
    };
    let with = |change: fn(&mut Config)| {
        let mut config = patient();
        change(&mut config);
        config
    };
    let rows: &[fn(&mut Config)] = &[
        |c| c.sack = false,
        |c| c.timestamps = false,
        |c| c.wscale = crate::tcp::WindowScale::Off,
        |c| c.nagle = false,
        |c| c.delayed_ack = false,
        |c| c.cc = &congestion::new_reno::CONTROL,
        |c| c.window = 3000,
        |c| c.window = 1,
        |c| c.initial_window = 1,
        |c| c.mss = 536,
        |c| c.options = Some(Vec::new()),
        |c| (c.sack, c.timestamps) = (false, false),
    ];
    for (seed, change) in rows.iter().enumerate() {
        let size = if with(*change).window == 1 {
            300
        } else {
            60_000
        };
        check(with(*change), patient(), link, [size, size], seed as u64);
        check(
            patient(),
            with(*change),
            link,
            [size, size],
            100 + seed as u64,
        );
    }
}

#[test]
fn many_seeds_of_bad_weather() {
    for seed in 0..60 {
        let link = Link {
            loss: seed % 5 * 50_000,
            twice: seed % 3 * 50_000,
            jitter: Duration::millis(seed as i64 % 7 * 10),
            ..Link::clean(1 + seed as i64 % 40)
        };
        check(
            patient(),
            patient(),
            link,
            [(seed * 977) as usize, 10_000],
            seed,
        );
    }
}

#[test]
fn a_smaller_path_is_found_told_or_not() {
    for (tells_mtu, mtu) in [(true, 1280), (true, 600), (false, 1280), (false, 600)] {
        let link = Link {
            mtu,
            tells_mtu,
            ..Link::clean(10)
        };
        let pair = check(patient(), patient(), link, [100_000, 0], 1);
        let tcp = pair.ends[CLIENT].tcp.as_ref().unwrap();
        assert!(
            tcp.mss() as usize + 52 <= mtu && tcp.counters().mtu_reductions > 0,
            "{mtu}"
        );
        assert!(tcp.counters().timeouts == 0 || !tells_mtu);
    }
}

#[test]
fn the_largest_segment_that_gets_through_is_found() {
    for mtu in [1100, 1300, 1460] {
        let link = Link {
            mtu,
            tells_mtu: false,
            rate: 1_250_000,
            ..Link::clean(5)
        };
        let pair = check(patient(), patient(), link, [6_000_000, 0], 1);
        let tcp = pair.ends[CLIENT].tcp.as_ref().unwrap();
        let mss = tcp.mss() as usize + 52;
        assert!(
            (mtu - 32..=mtu).contains(&mss),
            "{mtu}: {mss} {:?}",
            tcp.counters()
        );
        assert!(
            tcp.counters().mtu_probes < 12 && tcp.counters().timeouts < 10,
            "{:?}",
            tcp.counters()
        );
    }
}

#[test]
fn a_path_that_grows_again_is_used() {
    // Told by a router it is believed for ten minutes; found out, for two seconds.
    for (tells_mtu, seconds) in [(true, 601), (false, 10)] {
        let mut pair = Pair::new(
            patient(),
            patient(),
            Link {
                mtu: 700,
                tells_mtu,
                rate: 1_250_000,
                ..Link::clean(5)
            },
            1,
        );
        pair.ends[CLIENT].to_send = stream(0, 100_000).into();
        pair.run(Time(0).after(Duration::seconds(60)));
        let lowered = pair.tcp(CLIENT).mss();
        assert!(lowered <= 648, "{lowered}");
        (pair.link.mtu, pair.now) = (1500, pair.now.after(Duration::seconds(seconds)));
        pair.ends[CLIENT].to_send = stream(1, 2_000_000).into();
        pair.run(pair.now.after(Duration::seconds(10)));
        assert_eq!(
            pair.tcp(CLIENT).mss(),
            1448,
            "{tells_mtu} {:?}",
            pair.tcp(CLIENT).counters()
        );
        assert_eq!(pair.ends[SERVER].heard.len(), 2_100_000);
    }
}

#[test]
fn marks_slow_down_without_loss() {
    let ecn = Config {
        ecn: true,
        ..patient()
    };
    let link = Link {
        marks: 20_000,
        ..Link::clean(10)
    };
    let pair = check(ecn.clone(), ecn, link, [2_000_000, 0], 3);
    let (client, server) = (
        pair.ends[CLIENT].tcp.as_ref().unwrap(),
        pair.ends[SERVER].tcp.as_ref().unwrap(),
    );
    assert!(client.ecn() && server.ecn());
    assert!(server.counters().ecn_marks > 5 && client.counters().ecn_echoes > 0);
    assert!(client.counters().ecn_echoes <= server.counters().ecn_marks);
    assert_eq!(client.counters().retransmits, 0);
}

#[test]
fn a_bottleneck_is_filled_and_its_queue_is_not_a_loss() {
    // 10 Mbit/s, 20 ms: 2 MB take 1.6 s at least.
    let link = Link {
        rate: 1_250_000,
        ..Link::clean(10)
    };
    let pair = check(patient(), patient(), link, [2_000_000, 0], 3);
    assert!(
        pair.now < Time(0).after(Duration::millis(2200)),
        "{:?}",
        pair.now
    );
    assert_eq!(
        pair.ends[CLIENT]
            .tcp
            .as_ref()
            .unwrap()
            .counters()
            .retransmits,
        0
    );
}

#[test]
fn one_loss_costs_no_time_out() {
    for seed in 0..20 {
        let link = Link {
            loss: 5_000,
            ..Link::clean(20)
        };
        let pair = check(patient(), patient(), link, [400_000, 0], seed);
        let counters = pair.ends[CLIENT].tcp.as_ref().unwrap().counters();
        assert!(counters.timeouts <= 1, "seed {seed}: {counters:?}");
    }
}

#[test]
fn reordering_alone_resends_little() {
    let link = Link {
        jitter: Duration::millis(4),
        ..Link::clean(20)
    };
    let pair = check(patient(), patient(), link, [1_000_000, 0], 5);
    let tcp = pair.ends[CLIENT].tcp.as_ref().unwrap();
    assert!(tcp.counters().retransmits < 80, "{:?}", tcp.counters());
    assert!(tcp.reordering() > 0);
}

#[test]
fn ipv6_works_alike() {
    let link = Link {
        loss: 30_000,
        ..Link::clean(10)
    };
    let mut pair = Pair::between(
        patient(),
        patient(),
        link,
        1,
        ["[2001:db8::1]:45000", "[2001:db8::2]:80"],
    );
    pair.ends[CLIENT].to_send = stream(0, 100_000).into();
    pair.ends[CLIENT].closes = true;
    pair.ends[SERVER].closes = true;
    pair.run(Time(0).after(Duration::seconds(100)));
    assert!(pair.ends[SERVER].heard == stream(0, 100_000));
}

#[test]
fn both_may_open_and_close_at_once() {
    let mut pair = Pair::new(patient(), patient(), Link::clean(10), 1);
    let (a, b) = (pair.tcp(CLIENT).local(), pair.tcp(CLIENT).remote());
    pair.ends[SERVER].tcp = Some(crate::tcp::Connection::open(patient(), b, a, 77, Time(0)));
    pair.run(Time(0).after(Duration::millis(100)));
    for n in [CLIENT, SERVER] {
        assert_eq!(pair.tcp(n).state(), TcpState::Established);
        assert!(pair.tcp(n).sack_ok() && pair.tcp(n).timestamps());
    }
    let now = pair.now;
    for n in [CLIENT, SERVER] {
        pair.tcp(n).send(b"both").unwrap();
        pair.tcp(n).close(now);
    }
    pair.run(now.after(Duration::millis(100)));
    for n in [CLIENT, SERVER] {
        assert_eq!(
            (pair.tcp(n).state(), &pair.ends[n].heard[..]),
            (TcpState::TimeWait, &b"both"[..])
        );
    }
    pair.run(now.after(Duration::seconds(100)));
}

/// Any settings, over any link.
fn any(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(77));
    let mut config = || Config {
        mss: [1460, 1460, 1220, 536, 8960][dice.below(5) as usize],
        window: [1 << 20, 65_535, 20_000, 3000, 700][dice.below(5) as usize],
        wscale: [
            WindowScale::Auto,
            WindowScale::Off,
            WindowScale::Shift(dice.below(15) as u8),
        ][dice.below(3) as usize],
        sack: dice.hits(700_000),
        timestamps: dice.hits(700_000),
        ecn: dice.hits(500_000),
        nagle: dice.hits(700_000),
        delayed_ack: dice.hits(700_000),
        cc: congestion::CONTROLS[dice.below(2) as usize],
        initial_window: 1 + dice.below(10) as u16,
        keep_alive: dice.hits(300_000).then(|| Duration::millis(500)),
        ..patient()
    };
    let (client, server) = (config(), config());
    let link = Link {
        delay: Duration::micros(dice.below(80_000) as i64),
        jitter: Duration::micros([0, 0, 500, 20_000][dice.below(4) as usize]),
        loss: [0, 0, 10_000, 100_000, 200_000][dice.below(5) as usize],
        twice: [0, 0, 100_000][dice.below(3) as usize],
        marks: [0, 100_000][dice.below(2) as usize],
        mtu: [9000, 1500, 1000, 600][dice.below(4) as usize],
        tells_mtu: dice.hits(800_000),
        rate: [0, 0, 100_000, 10_000_000][dice.below(4) as usize],
    };
    let sizes = [dice.below(60_000) as usize, dice.below(10_000) as usize];
    // Where a fifth is lost, nine questions in a row may be, and the peer counts as gone.
    let keep_alive = |config: Config| Config {
        keep_alive: config.keep_alive.filter(|_| link.loss < 200_000),
        ..config
    };
    let (client, server) = (keep_alive(client), keep_alive(server));
    check(client, server, link, sizes, seed);
}

#[test]
fn any_settings_over_any_link() {
    (0..super::rounds(SEEDS)).for_each(any);
}

#[test]
fn ten_thousand_connections_fit() {
    assert!(
        core::mem::size_of::<crate::tcp::Connection>() <= 2048,
        "{}",
        core::mem::size_of::<crate::tcp::Connection>()
    );
}

#[test]
fn samples_follow_the_round_trip_and_the_window() {
    let mut pair = check(
        patient(),
        patient(),
        Link {
            loss: 5_000,
            rate: 12_500_000,
            ..Link::clean(20)
        },
        [400_000, 0],
        3,
    );
    let tcp = pair.tcp(CLIENT);
    let (rtts, cwnds) = (tcp.rtt_samples(), tcp.cwnd_samples());
    assert!(
        rtts.len() > 20
            && rtts
                .iter()
                .all(|(_, rtt)| (40..=400).contains(&(rtt.0 / 1_000_000))),
        "{rtts:?}"
    );
    assert!(
        rtts.iter()
            .zip(rtts.iter().skip(1))
            .all(|((a, _), (b, _))| a <= b)
    );
    assert_eq!(
        cwnds.iter().last().map(|(_, cwnd)| cwnd),
        Some(tcp.window().cwnd)
    );
    assert_eq!(rtts.iter().last().map(|(_, rtt)| rtt), tcp.rtt().latest);
    let (first, least) = (
        cwnds.iter().next().unwrap().1,
        cwnds.iter().map(|(_, cwnd)| cwnd).min().unwrap(),
    );
    assert!(
        tcp.counters().fast_recoveries > 0
            && cwnds.iter().any(|(_, cwnd)| cwnd > 2 * first)
            && least > 0,
        "{cwnds:?}"
    );
}
