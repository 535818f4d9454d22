//! Both directions loaded at once: bulk, echo, question and answer; small windows and windows that
//! close, slow readers, strict and sloppy peers, loss and reordering. Every case ends, and the
//! referee watches.

use super::net::{Host, Manner, Net, Ours, Stranger};
use super::pair::Link;
use super::talk::{Pace, Rhythm, Talk};
use crate::tcp::{Config, WindowScale};
use alloc::boxed::Box;
use alloc::vec::Vec;
use crafty_value::Duration;

/// Who is at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Make {
    Us(Manner),
    Smoltcp,
}

const OWN: Make = Make::Us(Manner::Own);

#[derive(Clone, Copy, Debug)]
struct Case {
    makes: [Make; 2],
    rhythms: [Rhythm; 2],
    paces: [Pace; 2],
    /// Window of each end, smoltcp's buffer.
    windows: [usize; 2],
    size: usize,
    link: Link,
    seed: u64,
}

fn stream(end: usize, size: usize) -> Vec<u8> {
    let byte = |n: usize| ((n as u64 ^ end as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
    (0..size).map(byte).collect()
}

fn host(case: &Case, end: usize) -> Box<dyn Host> {
    let talk = Talk::new(case.rhythms[end], case.paces[end], to_send(case, end));
    match case.makes[end] {
        Make::Us(manner) => {
            let patient = Duration::seconds(20_000);
            let config = Config {
                window: case.windows[end] as u32,
                mss: case.link.mtu as u16 - 40,
                wscale: WindowScale::Auto,
                close: patient,
                timeout: patient,
                give_up: patient,
                ..Config::default()
            };
            Box::new(Ours::with(config, end, talk, true, manner))
        }
        Make::Smoltcp => {
            let buffer = case.windows[end].min(1 << 16);
            Box::new(Stranger::with(case.link.mtu, buffer, end, talk, true))
        }
    }
}

/// What an end has to say; an echo has nothing of its own.
fn to_send(case: &Case, end: usize) -> Vec<u8> {
    match case.rhythms[end] {
        Rhythm::Echo => Vec::new(),
        Rhythm::Asks(message, answer) => stream(end, case.size / answer * message),
        _ => stream(end, case.size),
    }
}

fn check(case: &Case) {
    let mut net = Net::new([host(case, 0), host(case, 1)], case.link, case.seed);
    let limit = Duration::seconds(20_000);
    let ended = net.run(limit, |hosts| hosts.iter_mut().all(|host| host.over()));
    let expected = match case.rhythms[1] {
        Rhythm::Echo => [to_send(case, 0), to_send(case, 0)],
        _ => [to_send(case, 1), to_send(case, 0)],
    };
    for (end, expected) in expected.iter().enumerate() {
        let heard = net.hosts[end].heard();
        assert!(
            heard == expected,
            "{case:?} at {}: end {end} heard {} of {}, {}",
            net.now,
            heard.len(),
            expected.len(),
            net.told()
        );
    }
    assert!(ended, "{case:?} at {}: not closed", net.now);
    let faults = net.faults();
    assert!(faults.is_empty(), "{case:?}: {faults:#?}");
}

const RHYTHMS: [[Rhythm; 2]; 4] = [
    [Rhythm::Bulk, Rhythm::Bulk],
    [Rhythm::Bulk, Rhythm::Echo],
    [Rhythm::Asks(200, 5000), Rhythm::Answers(200, 5000)],
    [Rhythm::Asks(5000, 5000), Rhythm::Answers(5000, 5000)],
];
const MAKES: [[Make; 2]; 5] = [
    [OWN, OWN],
    [OWN, Make::Smoltcp],
    [Make::Smoltcp, OWN],
    [OWN, Make::Us(Manner::Strict)],
    [OWN, Make::Us(Manner::Sloppy)],
];
const SLOW: Pace = Some((3000, Duration::millis(30)));
const PACES: [[Pace; 2]; 3] = [[None, None], [SLOW, None], [None, SLOW]];
const WINDOWS: [[usize; 2]; 4] = [
    [1 << 20, 1 << 20],
    [1 << 16, 20_000],
    [6000, 1 << 16],
    [3000, 3000],
];

fn links() -> Vec<Link> {
    let clean = Link {
        mtu: 1500,
        ..Link::clean(10)
    };
    let losses = [0, 20_000, 100_000, 200_000].map(|loss| Link { loss, ..clean });
    let jitter = Duration::millis(15);
    let shaken = [0, 50_000].map(|loss| Link {
        jitter,
        loss,
        twice: loss,
        ..clean
    });
    let narrow = Link {
        rate: 1_000_000,
        loss: 10_000,
        mtu: 576,
        ..clean
    };
    losses.into_iter().chain(shaken).chain([narrow]).collect()
}

fn matrix() -> Vec<Case> {
    let mut cases = Vec::new();
    for makes in MAKES {
        for rhythms in RHYTHMS {
            for paces in PACES {
                for windows in WINDOWS {
                    cases.extend(links().into_iter().map(|link| Case {
                        makes,
                        rhythms,
                        paces,
                        windows,
                        size: size(windows, &link),
                        link,
                        seed: 0,
                    }));
                }
            }
        }
    }
    cases
}

/// Enough to go round each window several times; a multiple of all messages.
fn size(windows: [usize; 2], link: &Link) -> usize {
    match (windows[0].min(windows[1]), link.loss) {
        (_, 200_000..) => 40_000,
        (..6000, _) => 60_000,
        _ => 200_000,
    }
}

#[test]
fn both_directions_loaded() {
    let step = if super::long() { 1 } else { 37 };
    for (seed, case) in matrix().into_iter().enumerate().step_by(step) {
        check(&Case {
            seed: seed as u64,
            ..case
        });
    }
}

/// An echo over a lossy path: a retransmission brings an acknowledgement with an old sequence
/// number, and a window that has closed meanwhile.
#[test]
fn an_echo_ends_whatever_is_lost() {
    let losses = [0, 20_000, 50_000, 100_000];
    for (seed, loss) in (0..super::rounds(8)).flat_map(|seed| losses.map(|loss| (seed, loss))) {
        for makes in [[OWN, OWN], [OWN, Make::Us(Manner::Strict)]] {
            let link = Link {
                loss,
                mtu: 1500,
                ..Link::clean(6)
            };
            check(&Case {
                makes,
                rhythms: [Rhythm::Bulk, Rhythm::Echo],
                paces: [None, None],
                windows: [1 << 20, 1 << 16],
                size: 200_000,
                link,
                seed,
            });
        }
    }
}

/// The fault that this matrix was made for, put back: an end that holds the window as a distance from
/// SND.UNA sends beyond what it was offered, and the referee says so.
#[test]
#[should_panic(
    expected = "beyond_window (RFC 9293 §3.4, §3.8.6): 10.0.0.1:45000 to 10.0.0.2:80: data up to"
)]
fn a_window_held_as_a_distance_is_found() {
    for seed in 0..40 {
        let case = Case {
            makes: [Make::Us(Manner::Distance), Make::Us(Manner::Strict)],
            rhythms: [Rhythm::Bulk, Rhythm::Echo],
            paces: [None, None],
            windows: [1 << 20, 1 << 16],
            size: 400_000,
            link: Link {
                loss: 20_000,
                mtu: 1500,
                ..Link::clean(6)
            },
            seed,
        };
        let mut net = Net::new([host(&case, 0), host(&case, 1)], case.link, case.seed);
        net.run(Duration::seconds(1000), |hosts| {
            hosts.iter_mut().all(|host| host.over())
        });
        let faults = net.faults();
        assert!(faults.is_empty(), "seed {seed}: {faults:#?}");
    }
}
