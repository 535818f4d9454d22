//! Ten thousand connections at once in virtual time, both ends in this process: how much memory
//! they take.

use crate::row::BenchmarkResult;
use crafty_stack::tcp::{Config, Connection, Segment, TcpState};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Connections that are open at the same time.
pub const CONNECTIONS: usize = 10_000;
/// Bytes that each carries, there and back.
pub const BYTES: usize = 10_000;
/// One way.
const DELAY: Duration = Duration::millis(10);

/// One connection's ends, and what each has heard.
struct ConnectionPair {
    ends: [Option<Connection>; 2],
    heard: [usize; 2],
    config: Config,
}

/// Segments under way: when and in which order they arrive, which connection and end they are for.
type SegmentsInFlight = BTreeMap<(Time, u64), (usize, usize, Vec<u8>)>;

/// The most memory that the process held meanwhile, in MB.
pub fn peak() -> BenchmarkResult<f64> {
    // The kernel forgets the highest mark so far (proc(5)).
    std::fs::write("/proc/self/clear_refs", "5")?;
    let pairs = run();
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("no mark")?;
    let whole = pairs.iter().all(|pair| {
        pair.heard == [BYTES; 2]
            && pair
                .ends
                .iter()
                .flatten()
                .all(|tcp| tcp.state() == TcpState::Established)
    });
    match whole {
        true => Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? * 1024.0 / 1e6),
        false => Err("a connection lost some of its bytes".into()),
    }
}

fn ends(n: usize) -> [SocketAddr; 2] {
    let [.., high, low] = (n as u32).to_be_bytes();
    [
        SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 1, high, low)), 40_000),
        SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 80),
    ]
}

/// Opens all, moves all bytes, and lets them stand open.
fn run() -> Vec<ConnectionPair> {
    let config = Config {
        give_up: Duration::seconds(1000),
        timeout: Duration::seconds(1000),
        ..Config::default()
    };
    let (mut wire, mut now, mut serial) = (SegmentsInFlight::new(), Time(0), 0);
    let mut pairs: Vec<ConnectionPair> = (0..CONNECTIONS)
        .map(|n| {
            let [a, b] = ends(n);
            ConnectionPair {
                ends: [
                    Some(Connection::open(config.clone(), a, b, n as u32, now)),
                    None,
                ],
                heard: [0; 2],
                config: config.clone(),
            }
        })
        .collect();
    (0..CONNECTIONS).for_each(|n| speak(&mut pairs[n], n, now, &mut wire, &mut serial));
    loop {
        while let Some(first) = wire.first_entry().filter(|first| first.key().0 <= now) {
            let (n, end, octets) = first.remove();
            hear(&mut pairs[n], n, end, now, &octets);
            speak(&mut pairs[n], n, now, &mut wire, &mut serial);
        }
        let due = pairs
            .iter()
            .flat_map(|pair| &pair.ends)
            .flatten()
            .filter_map(Connection::poll_timeout)
            .min();
        let Some(next) = [wire.keys().next().map(|(at, _)| *at), due]
            .into_iter()
            .flatten()
            .min()
        else {
            return pairs;
        };
        now = now.max(next);
        for (n, pair) in pairs.iter_mut().enumerate() {
            for tcp in pair
                .ends
                .iter_mut()
                .flatten()
                .filter(|tcp| tcp.poll_timeout().is_some_and(|due| due <= now))
            {
                tcp.handle_timeout(now);
            }
            speak(pair, n, now, &mut wire, &mut serial);
        }
    }
}

fn hear(pair: &mut ConnectionPair, n: usize, end: usize, now: Time, octets: &[u8]) {
    let ends = ends(n);
    let segment = Segment {
        source: ends[1 - end].ip(),
        destination: ends[end].ip(),
        octets,
        ecn: 0,
        checksum_ready: true,
    };
    match &mut pair.ends[end] {
        Some(tcp) => tcp.handle_segment(now, &segment),
        None => {
            pair.ends[end] =
                Connection::accept(pair.config.clone(), &segment, n as u32 ^ 0xffff, now)
        }
    }
}

/// An end says its part once it can, reads, and sends.
fn speak(
    pair: &mut ConnectionPair,
    n: usize,
    now: Time,
    wire: &mut SegmentsInFlight,
    serial: &mut u64,
) {
    for end in 0..2 {
        let Some(tcp) = &mut pair.ends[end] else {
            continue;
        };
        while let Some(event) = tcp.poll_event() {
            if event == crafty_stack::tcp::ConnectionEvent::Established {
                let _ = tcp.send(&[7; BYTES]);
            }
        }
        pair.heard[end] += tcp.read(&mut Vec::new());
        let mut octets = Vec::new();
        while tcp.poll_transmit(now, &mut octets) {
            *serial += 1;
            wire.insert(
                (now.after(DELAY), *serial),
                (n, 1 - end, std::mem::take(&mut octets)),
            );
        }
    }
}
