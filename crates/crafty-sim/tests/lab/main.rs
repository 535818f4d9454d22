//! The demo network, seen by hosts of ours: one that makes its frames by hand, one that speaks TCP, and a hostile one.

mod hand;
mod hostile;
mod laws;
mod tcp;

use crafty_sim::{
    Lab, LabOptions, PlaceKind, faults, networks, oracle_program, oracles, parse_spec,
};
use crafty_value::{Duration, Time};
use hand::{MS, destination, echo, here, here_at, ip, is_sound, source, udp, upper};
use std::net::{IpAddr, Ipv4Addr};

#[test]
fn echoes_come_back_from_everywhere() {
    let rows = [
        ("192.0.2.1", 12),
        ("10.100.0.50", 12),
        ("198.51.100.53", 22),
        ("10.20.4.254", 0),
        ("203.0.113.22", 22),
        ("2001:db8:80::1", 12),
        ("2001:db8:100::50", 12),
        ("2001:db8:53::53", 22),
        ("2001:db8:4::fe", 0),
    ];
    for (to, milliseconds) in rows {
        let mut here = here("demo", 1);
        let sent = here.now;
        let answers = here.ping(to, 56, 200 * MS);
        let [(at, reply)] = &answers[..] else {
            panic!("{to}: {answers:02x?}")
        };
        assert!(is_sound(reply), "{to}");
        assert_eq!(source(reply), to.parse::<IpAddr>().unwrap());
        assert!(
            matches!(upper(reply), (1, [0, ..]) | (58, [129, ..])),
            "{to}"
        );
        assert_eq!(upper(reply).1.len(), 64);
        assert_eq!(at.since(sent).0 / MS, milliseconds, "{to}");
    }
}

#[test]
fn the_first_echo_after_a_long_silence_is_answered() {
    let mut here = here("demo", 1);
    for to in ["192.0.2.1", "2001:db8:80::1", "10.100.0.50"] {
        assert_eq!(here.ping(to, 56, 100 * MS).len(), 1);
        here.listen(300_000 * MS);
        assert_eq!(here.ping(to, 56, 100 * MS).len(), 1, "{to}");
    }
}

#[test]
fn a_trace_shows_four_routers_and_the_end() {
    for (to, ends) in [
        (
            "10.100.0.50",
            &[
                "10.20.4.254",
                "203.0.113.2",
                "203.0.113.",
                "203.0.113.1",
                "10.100.0.50",
            ][..],
        ),
        (
            "2001:db8:80::1",
            &[
                "2001:db8:4::fe",
                "2001:db8:ffff::2",
                "2001:db8:ffff:",
                "2001:db8:ffff:",
                "2001:db8:80::1",
            ],
        ),
    ] {
        let mut here = here("demo", 1);
        for (hop, begin) in (1..).zip(ends) {
            let heard = here.udp(to, (40000, 33434), hop, b"trace", 100 * MS);
            let [error] = &heard[..] else {
                panic!("{to} {hop}: {heard:02x?}")
            };
            assert!(is_sound(error));
            let (_, message) = upper(error);
            let kind = if hop == 5 {
                [(3, 3), (1, 4)]
            } else {
                [(11, 0), (3, 0)]
            };
            assert!(
                kind.contains(&(message[0], message[1])),
                "{to} {hop}: {message:02x?}"
            );
            assert!(
                source(error).to_string().starts_with(begin),
                "{to} {hop}: {}",
                source(error)
            );
            assert_eq!(upper(&message[8..]).1[2..4], 33434_u16.to_be_bytes());
            assert_eq!(upper(&message[8..]).1[8..], *b"trace");
        }
    }
}

#[test]
fn equal_paths_are_taken_by_flow() {
    let mut here = here("demo", 1);
    let mut third_hop = |port: u16| {
        let heard = here.udp("10.100.0.50", (port, 33434), 3, b"", 100 * MS);
        source(&heard[0]).to_string()
    };
    let first: Vec<String> = (40000..40032).map(&mut third_hop).collect();
    let again: Vec<String> = (40000..40032).map(&mut third_hop).collect();
    assert_eq!(first, again);
    let by_a = first.iter().filter(|it| *it == "203.0.113.6").count();
    let by_b = first.iter().filter(|it| *it == "203.0.113.10").count();
    assert_eq!(by_a + by_b, 32);
    assert!(by_a > 5 && by_b > 5, "{by_a} {by_b}");
}

#[test]
fn udp_is_echoed_and_names_are_answered() {
    let mut here = here("demo", 1);
    for to in ["10.100.0.50", "2001:db8:100::50"] {
        let heard = here.udp(to, (40000, 40100), 64, b"\x01payload", 100 * MS);
        let [reply] = &heard[..] else {
            panic!("{heard:02x?}")
        };
        assert!(is_sound(reply));
        assert_eq!(
            upper(reply).1[..4],
            [40100_u16.to_be_bytes(), 40000_u16.to_be_bytes()].concat()
        );
        assert_eq!(upper(reply).1[8..], *b"\x01payload");
    }
    let query = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x03www\x07example\x03com\0\0\x01\0\x01";
    for to in ["198.51.100.53", "2001:db8:53::53"] {
        let heard = here.udp(to, (40000, 53), 64, query, 100 * MS);
        let [reply] = &heard[..] else {
            panic!("{heard:02x?}")
        };
        assert!(
            upper(reply).1.starts_with(&53_u16.to_be_bytes()) && reply.ends_with(&[192, 0, 2, 80])
        );
    }
}

/// As in the sample program: the source is the gateway's address, and the answers are heard on the segment.
#[test]
fn a_spoofed_gateway_hears_its_answers() {
    for (stand, claims) in [
        ("west", vec![]),
        ("west", vec![Ipv4Addr::new(10, 20, 4, 1)]),
        ("gateway", vec![]),
    ] {
        let mut here = here_at("demo", 1, Some(stand));
        let to_us = stand == "gateway" || !claims.is_empty();
        here.claims = claims;
        here.lab.watch(&format!("west/program@{stand}")).unwrap();
        let (gateway, office) = ("10.20.4.1".parse().unwrap(), "10.100.0.50".parse().unwrap());
        for serial in 1..=50 {
            let payload = vec![serial; 1472];
            let probe = ip(
                gateway,
                office,
                17,
                64,
                false,
                &udp(gateway, office, (40000, 40100), &payload),
            );
            let heard = here.exchange(probe, 10 * MS);
            // An answer is heard while the next probe is under way.
            assert!(
                heard
                    .iter()
                    .all(|it| source(&it.1) == office && upper(&it.1).1[8..].len() == 1472),
                "{stand}"
            );
            assert_eq!(heard.len(), usize::from(serial > 1), "{stand} {serial}");
        }
        assert_eq!(
            here.listen(10 * MS)
                .iter()
                .filter(|it| it.1.len() == 1514)
                .count(),
            1
        );
        // Whoever answers first for an address gets its frames; whoever does not still hears them.
        let heard = here
            .lab
            .capture(&format!("west/program@{stand}"))
            .iter()
            .filter(|it| it.forward && it.frame.len() == 1514);
        assert!(
            heard.clone().count() == 50
                && heard
                    .clone()
                    .all(|it| (it.frame[..6] == here.at.mac.0) == to_us),
            "{stand}"
        );
    }
}

#[test]
fn a_host_that_is_not_there_is_said_to_be_so() {
    let mut here = here("demo", 1);
    for (to, kind) in [
        ("10.100.0.77", [3, 1]),
        ("10.99.0.1", [3, 0]),
        ("2001:db8:100::77", [1, 3]),
        ("2001:db9::1", [1, 0]),
        ("192.0.2.1", [3, 3]),
        ("10.20.4.254", [3, 3]),
        ("203.0.113.18", [3, 3]),
    ] {
        let heard = here.udp(to, (40000, 9999), 64, b"x", 4000 * MS);
        let [error] = &heard[..] else {
            panic!("{to}: {heard:02x?}")
        };
        assert!(
            is_sound(error) && upper(error).1[..2] == kind,
            "{to}: {error:02x?}"
        );
    }
}

#[test]
fn the_path_mtu_is_told() {
    let mut here = here("demo", 1);
    for (to, size, header) in [
        ("198.51.100.80", 1400 - 28, 20),
        ("2001:db8:53::80", 1400 - 48, 40),
    ] {
        let fits = here.ping(to, size, 100 * MS);
        assert!(matches!(upper(&fits[0].1), (1, [0, ..]) | (58, [129, ..])));
        let heard = here.ping(to, size + 1, 100 * MS);
        let [(_, error)] = &heard[..] else {
            panic!("{to}: {heard:02x?}")
        };
        assert!(is_sound(error));
        let (_, message) = upper(error);
        assert!(matches!(message, [3, 4, ..] | [2, 0, ..]));
        assert_eq!(message[6..8], 1400_u16.to_be_bytes());
        assert_eq!(error.len(), if header == 20 { 576 } else { 1280 });
    }
}

#[test]
fn without_df_a_router_cuts_and_the_host_joins() {
    let mut here = here("demo", 1);
    let (src, dst) = (here.v4(), "198.51.100.80".parse().unwrap());
    let heard = here.exchange(ip(src, dst, 1, 64, false, &echo(src, dst, 1472)), 100 * MS);
    let got: usize = heard.iter().map(|(_, it)| upper(it).1.len()).sum();
    assert_eq!((heard.len(), got), (2, 1480), "{heard:02x?}");
    assert_eq!(heard[0].1[6] & 0x20, 0x20);
}

/// Sends an echo of `size` bytes in fragments; gives how many bytes of the answer came, and in how many pieces.
fn cut_echo(to: &str, size: usize) -> (usize, usize) {
    let mut here = here("demo", 1);
    let to: IpAddr = to.parse().unwrap();
    let src = if to.is_ipv4() { here.v4() } else { here.v6() };
    let message = echo(src, to, size);
    let mut heard = Vec::new();
    for (n, piece) in message.chunks(1440).enumerate() {
        let (offset, more) = (n as u16 * 1440, (n + 1) * 1440 < message.len());
        let datagram = if to.is_ipv4() {
            hand::mended(
                ip(src, to, 1, 64, false, piece),
                (offset / 8) | (u16::from(more) << 13),
            )
        } else {
            let cut = (offset | u16::from(more)).to_be_bytes();
            ip(
                src,
                to,
                44,
                64,
                false,
                &[&[58, 0, cut[0], cut[1], 0, 0, 0, 9], piece].concat(),
            )
        };
        heard.extend(here.exchange(datagram, 20 * MS));
    }
    let header = if to.is_ipv4() { 0 } else { 8 };
    (
        heard.iter().map(|it| upper(&it.1).1.len() - header).sum(),
        heard.len(),
    )
}

#[test]
fn hosts_join_and_cut() {
    assert_eq!(cut_echo("192.0.2.1", 4000), (4008, 3));
    assert_eq!(cut_echo("2001:db8:80::1", 4000), (4008, 3));
}

#[test]
fn faults_show_as_they_should() {
    let sizes = |spec: &str| -> Vec<usize> {
        let mut here = here(spec, 1);
        let mut answered = |size| {
            here.ping("10.100.0.50", size, 200 * MS)
                .iter()
                .any(|it| upper(&it.1).1[0] == 0)
        };
        [56, 1000, 1400, 1472]
            .into_iter()
            .filter(|size| answered(*size))
            .collect()
    };
    assert_eq!(sizes("demo"), [56, 1000, 1400, 1472]);
    assert_eq!(sizes("demo:mtu_hole"), [56, 1000, 1400]);
    assert_eq!(sizes("demo:mtu_hole=1000@r1>r2"), [56]);
    assert_eq!(sizes("demo:loss=100"), []);
    assert_eq!(sizes("demo:ttl_loop"), []);
    assert_eq!(
        sizes("demo:ttl_loop@r4-r5,loss=100@r4-r5"),
        [56, 1000, 1400, 1472]
    );
}

/// How many of a hundred echoes are answered, how many times, how many out of order, how many broken; and the longest round trip.
fn burst(spec: &str) -> (usize, usize, usize, Duration) {
    let mut here = here(spec, 5);
    let (src, dst) = (here.v4(), "10.100.0.50".parse().unwrap());
    let mut heard = Vec::new();
    let mut sent = Vec::new();
    for serial in 0..100 {
        sent.push(here.now);
        heard.extend(here.exchange(
            ip(
                src,
                dst,
                17,
                64,
                false,
                &udp(src, dst, (40000, 40100), &[serial; 64]),
            ),
            2 * MS,
        ));
    }
    let (own, all) = (here.v4(), here.listen(2000 * MS));
    heard.extend(
        all.into_iter()
            .map(|(at, frame)| (at, frame[14..].to_vec()))
            .filter(|it| destination(&it.1) == own),
    );
    let serials: Vec<u8> = heard.iter().map(|it| upper(&it.1).1[8]).collect();
    let late = serials.windows(2).filter(|it| it[1] < it[0]).count();
    let broken = heard.iter().filter(|it| !is_sound(&it.1)).count();
    let longest = heard
        .iter()
        .filter_map(|it| Some(it.0.since(*sent.get(usize::from(upper(&it.1).1[8]))?)))
        .max();
    (heard.len(), late, broken, longest.unwrap_or_default())
}

#[test]
fn chance_and_time_are_as_told() {
    let healthy = burst("demo");
    assert_eq!((healthy.0, healthy.1, healthy.2), (100, 0, 0));
    let lossy = burst("demo:loss=10");
    assert!((70..=90).contains(&lossy.0), "{lossy:?}");
    let twice = burst("demo:duplicate=10@r1>r2");
    assert!((104..=120).contains(&twice.0), "{twice:?}");
    let swapped = burst("demo:reorder=10");
    assert!(swapped.0 == 100 && swapped.1 > 5, "{swapped:?}");
    let sprayed = burst("demo:packet_ecmp");
    assert!(sprayed.0 == 100 && sprayed.1 > 20, "{sprayed:?}");
    let bent = burst("demo:corrupt_in_device=100@r4>r3a,corrupt_in_device=100@r4>r3b");
    assert!(bent.2 > 90, "{bent:?}");
    let slow = burst("demo:delay=30ms");
    assert!(
        slow.0 == 100 && slow.1 == 0 && (slow.3.0 - healthy.3.0) / MS == 60,
        "{slow:?}"
    );
    let shaky = burst("demo:jitter=20ms");
    assert!(
        shaky.0 == 100 && shaky.1 > 20 && shaky.3.0 / MS < 54,
        "{shaky:?}"
    );
    let bloated = burst("demo:bufferbloat=50ms");
    assert!(bloated.0 == 100 && bloated.3 > healthy.3, "{bloated:?}");
}

#[test]
fn routers_may_be_silent_or_slow_to_complain() {
    let complaints = |spec: &str| {
        let mut here = here(spec, 1);
        (0..20)
            .filter(|n| {
                !here
                    .udp("10.100.0.50", (40000 + n, 33434), 2, b"", 20 * MS)
                    .is_empty()
            })
            .count()
    };
    assert_eq!(complaints("demo"), 20);
    assert_eq!(complaints("demo:rate_limit_icmp=1"), 6);
    assert_eq!(complaints("demo:rate_limit_icmp=1@r1"), 20);
    assert_eq!(complaints("demo:silent_router@r2"), 0);
    assert_eq!(complaints("demo:silent_router@r3a"), 20);
}

#[test]
fn a_loop_spends_the_time_to_live() {
    let mut here = here("demo:ttl_loop", 1);
    let hops: Vec<String> = (1..=5)
        .map(|ttl| {
            source(&here.udp("10.100.0.50", (40000, 33434), ttl, b"", 100 * MS)[0]).to_string()
        })
        .collect();
    assert_eq!(
        hops,
        [
            "10.20.4.254",
            "203.0.113.2",
            "203.0.113.1",
            "203.0.113.2",
            "203.0.113.1"
        ]
    );
}

/// Everything that passed four links, in a run with chance in it.
fn run(seed: u64) -> Vec<Vec<crafty_sim::Passed>> {
    let links = ["west/r1", "r1-r2", "r3a-r4", "west/program@west"];
    let mut here = here("demo:loss=5,jitter=5ms,duplicate=5,packet_ecmp", seed);
    links.iter().for_each(|link| here.lab.watch(link).unwrap());
    for n in 0..200_u16 {
        here.udp("10.100.0.50", (40000, 40100), 64, &n.to_be_bytes(), 3 * MS);
        here.ping("2001:db8:80::80", usize::from(n), 3 * MS);
    }
    links
        .iter()
        .map(|link| here.lab.capture(link).to_vec())
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let first = run(42);
    assert!(first.iter().all(|it| it.len() > 100));
    assert!(
        first.iter().flatten().all(|it| it.time > Time(0))
            && first.iter().all(|it| it.is_sorted_by_key(|it| it.time))
    );
    assert_eq!(first, run(42));
    assert_ne!(first, run(43));
}

#[test]
fn what_is_not_known_is_named_with_what_there_is() {
    let rows = [
        (
            "nowhere",
            "there is no network `nowhere` in the lab; there are `acme`, `campus`, `demo`",
        ),
        ("demo:los", "there is no fault `los`; did you mean `loss`?"),
        (
            "demo:loss=x",
            "the share of `loss` is `x`, and must be between 0% and 100%, as in `loss=5%`",
        ),
        ("demo:loss=101", "the share of `loss` is `101`, and must"),
        (
            "demo:delay=1m",
            "the time of `delay` is `1m`, and must be between 0s and 10s, as in `delay=50ms`",
        ),
        (
            "demo:ttl_loop=3",
            "the fault `ttl_loop` takes no value, but `3` was given: write `ttl_loop`",
        ),
        ("demo:", "`demo:` has no fault after its colon"),
        (
            "demo:loss@r9-r1",
            "there is no link `r9-r1` in `demo`; there are `west/gateway`, ",
        ),
        ("demo:loss@r9>r1", "there is no link `r9-r1` in `demo`"),
        (
            "demo:silent_router@west",
            "there is no router `west` in `demo`; there are `gateway`, `r1`",
        ),
        (
            "demo:ttl_loop@west/desk",
            "`west/desk` does not join two routers; choose a link such as `r1-r2`",
        ),
    ];
    for (text, begin) in rows {
        let spec = parse_spec(text).and_then(|spec| {
            Lab::named(
                &spec.network,
                &LabOptions {
                    faults: spec.faults,
                    seed: 0,
                },
            )
        });
        let error = spec.err().map(|it| it.to_string()).unwrap_or_default();
        assert!(error.starts_with(begin), "{text}: {error}");
    }
    let mut lab = Lab::named("demo", &LabOptions::default()).unwrap();
    assert!(
        lab.attach(Some("north"))
            .unwrap_err()
            .to_string()
            .starts_with("there is no portal `north` in `demo`; there are `west`, `gateway`")
    );
    assert!(lab.attach(None).is_ok() && lab.attach(Some("east")).is_ok());
    assert!(
        lab.attach(Some("west"))
            .unwrap_err()
            .to_string()
            .starts_with("there is already a host at `west`")
    );
    assert!(
        lab.watch("x")
            .unwrap_err()
            .to_string()
            .starts_with("there is no link `x`")
    );
}

#[test]
fn values_are_read_with_their_units() {
    for (text, shown) in [
        ("loss=1.5", "1.5%"),
        ("loss=0.01%", "0.01%"),
        ("delay=3", "3ms"),
        ("delay=1.5ms", "1.5ms"),
        ("delay=2s", "2s"),
    ] {
        let spec = parse_spec(&format!("demo:{text}")).unwrap();
        assert_eq!(spec.faults, [text]);
        let name = text.split('=').next().unwrap();
        let unit = faults()
            .iter()
            .find(|it| it.name == name)
            .unwrap()
            .parameters[0]
            .unit;
        let scale = if name == "loss" {
            10_000.0
        } else if text.ends_with("2s") {
            1e9
        } else {
            1e6
        };
        let number: f64 = text
            .split('=')
            .nth(1)
            .unwrap()
            .trim_end_matches(['%', 'm', 's'])
            .parse()
            .unwrap();
        assert_eq!(unit.show((number * scale) as i64), shown);
    }
}

#[test]
fn rows_are_in_order() {
    assert!(faults().is_sorted_by_key(|fault| fault.name));
    let docs = faults().iter().map(|it| it.doc.to_string());
    for doc in docs.chain(networks().iter().map(|it| it.doc())) {
        assert!(
            doc.ends_with('.') && doc.len() > 20 && !doc.contains("  "),
            "{doc}"
        );
    }
    for fault in faults() {
        for parameter in fault.parameters {
            assert!(
                (parameter.least..=parameter.most).contains(&parameter.default),
                "{}",
                fault.name
            );
        }
        // The network has no switch, and a fault of one says so.
        let options = LabOptions {
            faults: vec![fault.name.into()],
            seed: 0,
        };
        let planted = Lab::named("demo", &options).map(drop);
        let told = planted.as_ref().err().map(|it| it.to_string());
        match fault.place {
            PlaceKind::Switch => assert!(told.unwrap().starts_with("there is no switch")),
            _ => assert_eq!(told, None, "{}", fault.name),
        }
    }
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/faults")).unwrap();
    let files = folder
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .filter(|it| !["mod.rs", "parameter.rs", "planting.rs"].contains(&it.as_str()))
        .count();
    assert_eq!(
        files,
        faults().len(),
        "a file in `src/faults` is not in the list of `src/faults/mod.rs`"
    );
}

#[test]
fn each_fault_has_its_oracle() {
    let rows = oracles();
    assert!(rows.is_sorted_by_key(|row| row.fault));
    for fault in faults() {
        let found = rows.iter().any(|row| row.fault == fault.name);
        assert!(found, "{}", fault.name);
    }
    for row in rows {
        assert!(row.planting.starts_with(row.fault), "{}", row.planting);
        let lab = Lab::named(
            row.network,
            &LabOptions {
                faults: vec![row.planting.into()],
                seed: 1,
            },
        );
        assert!(lab.is_ok(), "{}", row.planting);
        for (program, _) in row.programs {
            assert!(oracle_program(program).is_some(), "{program}");
        }
    }
}

#[test]
fn the_map_names_everything_and_tells_no_fault() {
    let map = |faults: Vec<String>| {
        Lab::named("demo", &LabOptions { faults, seed: 0 })
            .unwrap()
            .describe()
            .to_string()
    };
    let healthy = map(vec![]);
    for part in [
        "segment west 10.20.4.0/24",
        "link r4-r5 100 Mbit/s, delay 5ms",
        "mtu 1400",
        "route 10.100.0.0/24 via 203.0.113.6 or 203.0.113.10",
        "udp/40100 echo",
        "portal gateway 10.20.4.1",
    ] {
        assert!(healthy.contains(part), "{part} in\n{healthy}");
    }
    assert_eq!(healthy, map(vec!["ttl_loop".into(), "bufferbloat".into()]));
}
