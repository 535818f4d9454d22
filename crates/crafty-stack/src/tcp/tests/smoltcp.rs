//! A stranger at the other end: smoltcp, in both roles, over links of every kind.

use super::net::{Host, Net, Ours, Stranger};
use super::pair::Link;
use crate::tcp::Config;
use alloc::boxed::Box;
use alloc::vec::Vec;
use crafty_value::Duration;

#[derive(Clone, Copy, Debug)]
struct Case {
    we_open: bool,
    /// What we send, and what the stranger does.
    sizes: [usize; 2],
    link: Link,
    /// Our window, and the stranger's.
    windows: [usize; 2],
    seed: u64,
}

const CLEAN: Case = Case {
    we_open: true,
    sizes: [100_000, 100_000],
    link: Link {
        delay: Duration::millis(5),
        jitter: Duration::ZERO,
        loss: 0,
        twice: 0,
        marks: 0,
        mtu: 1500,
        tells_mtu: true,
        rate: 0,
    },
    windows: [1 << 20, 1 << 16],
    seed: 1,
};

fn check(case: &Case) {
    let patient = Duration::seconds(5000);
    let config = Config {
        close: patient,
        timeout: patient,
        give_up: patient,
        window: case.windows[0] as u32,
        mss: case.link.mtu as u16 - 40,
        ..Config::default()
    };
    let streams = [0, 1].map(|n| {
        (0..case.sizes[n])
            .map(|k| (k * 31 + n * 7 + k / 256) as u8)
            .collect::<Vec<u8>>()
    });
    let (our_end, their_end) = if case.we_open { (0, 1) } else { (1, 0) };
    let ours: Box<dyn Host> = Box::new(Ours::new(config, our_end, streams[0].clone(), true));
    let theirs: Box<dyn Host> = Box::new(Stranger::new(
        case.link.mtu,
        case.windows[1],
        their_end,
        streams[1].clone(),
        true,
    ));
    let mut net = Net::new(
        if case.we_open {
            [ours, theirs]
        } else {
            [theirs, ours]
        },
        case.link,
        case.seed,
    );
    let ended = net.run(patient, |hosts| hosts.iter_mut().all(|host| host.over()));
    for (end, expected) in [(our_end, &streams[1]), (their_end, &streams[0])] {
        let heard = net.hosts[end].heard();
        assert!(
            heard == expected,
            "{case:?} at {}: end {end} heard {} of {}",
            net.now,
            heard.len(),
            expected.len()
        );
    }
    assert!(ended, "{case:?} at {}: not closed", net.now);
    let faults = net.faults();
    assert!(faults.is_empty(), "{case:?}: {faults:#?}");
}

#[test]
fn both_roles_on_a_clean_link() {
    for we_open in [true, false] {
        for sizes in [[1, 1], [100_000, 0], [0, 100_000], [2_000_000, 1_000_000]] {
            check(&Case {
                we_open,
                sizes,
                ..CLEAN
            });
        }
    }
}

/// Every combination of role, loss, disturbance, size, MTU and windows; with `TEST_MATRIX=all`
/// each of them, else a spread sample.
#[test]
fn the_matrix() {
    let mut cases = Vec::new();
    for (windows, most) in [
        ([1 << 20, 1 << 16], 1_000_000),
        ([1, 1 << 16], 200),
        ([1 << 20, 1], 200),
        ([700, 900], 20_000),
        ([3000, 1 << 16], 100_000),
    ] {
        for (mtu, loss) in [576, 1280, 1500, 9000]
            .into_iter()
            .flat_map(|mtu| [0, 10_000, 50_000, 200_000].map(|loss| (mtu, loss)))
        {
            for (jitter, twice) in [(0, 0), (20, 0), (0, 100_000)] {
                for size in [1, 1000, 1_000_000] {
                    let most = if loss >= 200_000 {
                        most.min(30_000)
                    } else {
                        most
                    };
                    let link = Link {
                        mtu,
                        loss,
                        jitter: Duration::millis(jitter),
                        twice,
                        ..CLEAN.link
                    };
                    cases.extend([true, false].map(|we_open| Case {
                        we_open,
                        sizes: [size.min(most); 2],
                        link,
                        windows,
                        seed: 1,
                    }));
                }
            }
        }
    }
    let step = if super::long() { 1 } else { 29 };
    for (seed, case) in cases.iter().enumerate().step_by(step) {
        check(&Case {
            seed: seed as u64,
            ..*case
        });
    }
}
