//! A peer that sends any segment at any time: no panic, no memory without bound, no answer without
//! cause, no endless talk.

use super::pair::{CLIENT, Dice, Link, Pair, SERVER};
use super::watch::{Watch, datagram};
use crate::icmp;
use crate::ip;
use crate::tcp::config::{MAX_UNREAD, MAX_UNSENT};
use crate::tcp::options::OptionWriter;
use crate::tcp::segment::{Draft, flags, reset_for};
use crate::tcp::{Config, Connection, Segment, Seq, TcpState};
use alloc::vec::Vec;
use core::net::SocketAddr;
use crafty_value::{Duration, Time};

/// Attacks of each kind.
const SEEDS: u64 = 400;

fn ends() -> (SocketAddr, SocketAddr) {
    (
        "10.0.0.1:45000".parse().unwrap(),
        "10.0.0.2:80".parse().unwrap(),
    )
}

/// A number that is often close to one that matters.
fn near(dice: &mut Dice, centre: u32) -> Seq {
    match dice.below(8) {
        0..5 => Seq(centre.wrapping_add(dice.below(5) as u32).wrapping_sub(2)),
        5 => Seq(centre.wrapping_add(dice.below(200_000) as u32)),
        6 => Seq(centre.wrapping_sub(dice.below(200_000) as u32)),
        _ => Seq(dice.roll() as u32),
    }
}

fn any_segment(dice: &mut Dice, tcp: &Connection) -> Vec<u8> {
    let options: Vec<u8> = match dice.below(4) {
        0 => [
            &[1, 1, 8, 10][..],
            &(dice.roll() as u32).to_be_bytes(),
            &(dice.roll() as u32).to_be_bytes(),
        ]
        .concat(),
        1 => {
            let edges = [0; 4].map(|_| near(dice, tcp.snd_nxt().0).0.to_be_bytes());
            [&[1, 1, 5, 18][..], &edges.concat()].concat()
        }
        2 => (0..dice.below(11) * 4).map(|_| dice.roll() as u8).collect(),
        _ => Vec::new(),
    };
    let bits = match dice.below(100) {
        0 => flags::RST,
        1..10 => dice.roll() as u8 & !flags::RST,
        10..15 => flags::SYN | flags::ACK,
        15..20 => flags::FIN | flags::ACK,
        20..25 => flags::SYN,
        _ => flags::ACK,
    };
    let centre = if dice.hits(500_000) {
        tcp.snd_una().0
    } else {
        tcp.snd_nxt().0
    };
    let payload = alloc::vec![9; if dice.hits(500_000) { 0 } else { dice.below(1500) as usize }];
    let draft = Draft {
        seq: near(dice, tcp.rcv_nxt().0),
        ack: near(dice, centre),
        flags: bits,
        window: if dice.hits(300_000) {
            0
        } else {
            dice.roll() as u16
        },
        options: &options,
        payload: [&payload, &[]],
    };
    let (local, remote) = ends();
    let mut out = Vec::new();
    draft.write(remote, local, &mut out);
    if dice.hits(50_000) {
        let at = dice.below(out.len() as u64) as usize;
        out[at] ^= dice.roll() as u8;
    }
    out
}

/// What must hold at any time.
fn check(tcp: &Connection) {
    assert!(tcp.readable().len() <= MAX_UNREAD);
    assert!(tcp.unsent() <= MAX_UNSENT as u64);
    assert!(tcp.rx.early.held() as u64 <= tcp.rx.edge - tcp.rx.nxt);
    assert!(
        tcp.tx.una <= tcp.tx.nxt && tcp.tx.nxt <= tcp.tx.end().max(1),
        "{tcp:#?}"
    );
    let pipe = tcp
        .tx
        .board
        .iter()
        .filter(|f| !f.sacked && !f.lost)
        .map(|f| f.len())
        .sum::<u64>();
    assert!(
        tcp.bytes_in_flight() == pipe || !tcp.sack_ok() && tcp.bytes_in_flight() < pipe,
        "{tcp:#?}"
    );
    assert!(tcp.mss() >= 500 && tcp.events.len() < 20);
}

fn attack(seed: u64, config: Config) {
    let (local, remote) = ends();
    let mut dice = Dice(seed);
    let mut tcp = Connection::open(config, local, remote, dice.roll() as u32, Time(0));
    let (mut now, mut out) = (Time(0), Vec::new());
    let (mut came, mut left, mut timeouts) = (0u64, 0u64, 0u64);
    let mut watch = Watch::of(alloc::format!("seed {seed}, {:?}", tcp.config));
    if !seed.is_multiple_of(4) {
        shake_hands(&mut tcp, &mut watch);
    }
    for _ in 0..400 {
        let octets = any_segment(&mut dice, &tcp);
        watch.heard(now, &datagram(remote.ip(), local.ip(), &octets));
        tcp.handle_segment(
            now,
            &Segment {
                source: remote.ip(),
                destination: local.ip(),
                octets: &octets,
                ecn: dice.below(4) as u8,
                checksum_ready: true,
            },
        );
        came += 1;
        match dice.below(40) {
            0 => drop(tcp.send(&alloc::vec![3; dice.below(5000) as usize])),
            1 => {
                let octets = alloc::vec![3; dice.below(50) as usize];
                let _ = tcp.advance(now, &octets, dice.hits(100_000));
                watch.crafted(&tcp, tcp.snd_nxt().0);
            }
            2 => {
                let end = near(&mut dice, tcp.snd_nxt().0);
                tcp.note_sent(end.0);
                watch.crafted(&tcp, end.0);
            }
            3 => tcp.set_window(dice.below(100_000) as u32),
            4 if dice.hits(100_000) => tcp.close(now),
            5 if dice.hits(50_000) => tcp.abort(now),
            6 => tcp.handle_icmp(now, &any_error(&mut dice, &tcp)),
            _ => {}
        }
        now = now.after(Duration::micros(dice.below(20_000) as i64));
        if tcp.poll_timeout().is_some_and(|due| due <= now) {
            tcp.handle_timeout(now);
            timeouts += 1;
        }
        let mut burst = 0;
        while tcp.poll_transmit(now, &mut out) {
            assert!(out.len() <= 1500);
            watch.sent(now, &datagram(local.ip(), remote.ip(), &out));
            (burst, left) = (burst + 1, left + u64::from(out.len() <= 80));
            assert!(burst < 10_000);
        }
        check(&tcp);
        watch.look(&tcp);
        if dice.hits(100_000) {
            tcp.read(&mut Vec::new());
            while tcp.poll_event().is_some() {}
        }
    }
    assert!(
        left <= came + timeouts + 400,
        "{left} answers to {came} segments"
    );
}

/// Ends the handshake as an honest peer would.
fn shake_hands(tcp: &mut Connection, watch: &mut Watch) {
    let (local, remote) = ends();
    let mut out = Vec::new();
    assert!(tcp.poll_transmit(Time(0), &mut out));
    watch.sent(Time(0), &datagram(local.ip(), remote.ip(), &out));
    let mut options = OptionWriter::default();
    options.mss(1000);
    options.sack_ok();
    options.timestamps(1, 0);
    let options = options.as_slice();
    let draft = Draft {
        seq: Seq(u32::MAX - 5000),
        ack: tcp.snd_nxt(),
        flags: flags::SYN | flags::ACK,
        window: 60_000,
        options,
        payload: [&[], &[]],
    };
    draft.write(remote, local, &mut out);
    watch.heard(Time(0), &datagram(remote.ip(), local.ip(), &out));
    tcp.handle_segment(
        Time(0),
        &Segment {
            source: remote.ip(),
            destination: local.ip(),
            octets: &out,
            ecn: 0,
            checksum_ready: true,
        },
    );
    assert_eq!(tcp.state(), TcpState::Established);
    tcp.send(&alloc::vec![1; 20_000]).unwrap();
}

fn any_error(dice: &mut Dice, tcp: &Connection) -> icmp::IcmpError {
    let (local, remote) = ends();
    let kind = match dice.below(3) {
        0 => icmp::IcmpErrorKind::TooBig {
            mtu: dice.below(2000) as u32,
        },
        1 => icmp::IcmpErrorKind::TooBig {
            mtu: dice.roll() as u32,
        },
        _ => icmp::IcmpErrorKind::TimeExceeded { code: 0 },
    };
    let seq = Some(near(dice, tcp.snd_una().0).0);
    let ports = Some((local.port(), remote.port()));
    let flow = icmp::QuotedDatagram {
        source: local.ip(),
        destination: remote.ip(),
        protocol: ip::TCP,
        ports,
        echo: None,
        seq,
    };
    icmp::IcmpError {
        reporter: remote.ip(),
        kind,
        flow,
    }
}

#[test]
fn any_segments_at_any_time() {
    for seed in 0..super::rounds(SEEDS) {
        attack(seed, Config::default());
        attack(
            seed,
            Config {
                sack: false,
                timestamps: false,
                window: 2000,
                ecn: true,
                keep_alive: Some(Duration::millis(50)),
                ..Config::default()
            },
        );
    }
}

#[test]
fn bytes_that_are_no_segment() {
    let (local, remote) = ends();
    let mut dice = Dice(1);
    let mut tcp = Connection::open(Config::default(), local, remote, 1, Time(0));
    for n in 0..20_000 {
        let octets: Vec<u8> = (0..dice.below(80)).map(|_| dice.roll() as u8).collect();
        let segment = Segment {
            source: remote.ip(),
            destination: local.ip(),
            octets: &octets,
            ecn: 0,
            checksum_ready: n % 2 == 0,
        };
        tcp.handle_segment(Time(n), &segment);
        Connection::accept(Config::default(), &segment, 1, Time(n));
        reset_for(&segment, &mut Vec::new());
        Segment::of_datagram(&octets, true);
    }
}

#[test]
fn a_reset_is_never_answered_and_two_ends_fall_silent() {
    // The peers know nothing of each other's connections: each believes itself in the middle of
    // one.
    for seed in 0..50 {
        let mut pair = Pair::new(Config::default(), Config::default(), Link::clean(1), seed);
        pair.run(Time(0).after(Duration::millis(20)));
        let (a, b) = (pair.tcp(CLIENT).local(), pair.tcp(CLIENT).remote());
        let mut other = Pair::new(
            Config::default(),
            Config::default(),
            Link::clean(1),
            seed + 1000,
        );
        other.run(Time(0).after(Duration::millis(20)));
        let stranger = other.ends[SERVER].tcp.take().unwrap();
        pair.replace(SERVER, stranger);
        assert_eq!(
            (pair.tcp(SERVER).remote(), pair.tcp(SERVER).local()),
            (a, b)
        );
        pair.tcp(CLIENT).send(b"who are you").unwrap();
        pair.tcp(SERVER).send(b"who are you").unwrap();
        let before = pair.ends.iter().map(|end| end.sent).sum::<u64>();
        pair.run(Time(0).after(Duration::seconds(400)));
        let after = pair.ends.iter().map(|end| end.sent).sum::<u64>();
        assert!(after - before < 200, "{}", after - before);
        for n in [CLIENT, SERVER] {
            assert_eq!(pair.tcp(n).state(), TcpState::Closed, "seed {seed}");
        }
    }
}

#[test]
fn nobody_reads_and_memory_stays() {
    let mut pair = Pair::new(Config::default(), Config::default(), Link::clean(1), 1);
    pair.run(Time(0).after(Duration::millis(10)));
    let mut server = pair.ends[SERVER].tcp.take().unwrap();
    let (local, remote) = (server.local(), server.remote());
    let mut out = Vec::new();
    let payload = alloc::vec![1; 1400];
    for _ in 0..2000 {
        let draft = Draft {
            seq: server.rcv_nxt(),
            ack: server.snd_nxt(),
            flags: flags::ACK,
            window: 1000,
            options: &[],
            payload: [&payload, &[]],
        };
        draft.write(remote, local, &mut out);
        let segment = Segment {
            source: remote.ip(),
            destination: local.ip(),
            octets: &out,
            ecn: 0,
            checksum_ready: true,
        };
        server.handle_segment(pair.now, &segment);
        while server.poll_transmit(pair.now, &mut Vec::new()) {}
    }
    assert_eq!(server.readable().len(), MAX_UNREAD);
    assert_eq!(server.counters().bytes_in, 2000 * 1400);
    assert_eq!(
        server.counters().bytes_dropped,
        2000 * 1400 - MAX_UNREAD as u64
    );
    assert!(
        server.prefill(pair.now).window > 30_000,
        "the window does not depend on the reader"
    );
}

#[test]
fn a_full_queue_is_busy() {
    let mut pair = Pair::new(Config::default(), Config::default(), Link::clean(1), 1);
    let tcp = pair.tcp(CLIENT);
    assert_eq!(
        tcp.send(&alloc::vec![0; MAX_UNSENT]),
        Ok(0..MAX_UNSENT as u64)
    );
    assert_eq!(tcp.send(&[0]), Err(crate::tcp::SendError::Busy));
}

/// Every byte that the peer chose, in any field, comes back only where the protocol echoes it.
#[test]
fn only_what_must_be_echoed_is() {
    let canary = [0xc5, 0x3a, 0x96, 0xe1];
    let (local, remote) = ends();
    let mut tcp = Connection::open(
        Config {
            ecn: true,
            ..Config::default()
        },
        local,
        remote,
        1,
        Time(0),
    );
    let (mut out, mut now) = (Vec::new(), Time(0));
    let mut watch = Watch::of("a peer that leaves marks".into());
    assert!(tcp.poll_transmit(now, &mut out));
    watch.sent(now, &datagram(local.ip(), remote.ip(), &out));
    let stamp = [
        &[1, 1, 8, 10][..],
        &[0x11; 4],
        &[0; 4],
        &[2, 4, 5, 0xb4, 1, 3, 3, 7, 1, 1, 4, 2],
    ]
    .concat();
    let payload = canary.repeat(50);
    let deliver = |tcp: &mut Connection,
                   watch: &mut Watch,
                   now,
                   seq,
                   bits,
                   options: &[u8],
                   payload: &[u8]| {
        let draft = Draft {
            seq: Seq(seq),
            ack: tcp.snd_nxt(),
            flags: bits,
            window: 0xc53a,
            options,
            payload: [payload, &[]],
        };
        let mut octets = Vec::new();
        draft.write(remote, local, &mut octets);
        watch.heard(now, &datagram(remote.ip(), local.ip(), &octets));
        tcp.handle_segment(
            now,
            &Segment {
                source: remote.ip(),
                destination: local.ip(),
                octets: &octets,
                ecn: 3,
                checksum_ready: true,
            },
        );
    };
    deliver(
        &mut tcp,
        &mut watch,
        now,
        0x1000,
        flags::SYN | flags::ACK,
        &stamp,
        &[],
    );
    let noise = [
        &[1, 1, 8, 10][..],
        &[0x11; 4],
        &canary,
        &[254, 8],
        &canary,
        &canary[..2],
    ]
    .concat();
    let mut sent = 0;
    for n in 0..20u32 {
        deliver(
            &mut tcp,
            &mut watch,
            now,
            0x1001 + n * 400,
            flags::ACK | flags::PSH,
            &noise,
            &payload,
        );
        tcp.send(b"answer").unwrap();
        now = now.after(Duration::millis(300));
        tcp.handle_timeout(now);
        while tcp.poll_transmit(now, &mut out) {
            watch.sent(now, &datagram(local.ip(), remote.ip(), &out));
            sent += 1;
            assert!(
                !out.windows(3).any(|w| canary.windows(3).any(|c| c == w)),
                "{out:x?}"
            );
        }
    }
    assert!(sent >= 20);
}
