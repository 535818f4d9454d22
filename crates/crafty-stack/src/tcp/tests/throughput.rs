//! How much of a link is used, by loss and delay: our controls, and smoltcp on the same link. The
//! figures are checked in, so that a change that makes one worse, or better, says so.

use super::net::{Host, Net, Ours, Stranger};
use super::pair::Link;
use crate::tcp::{Config, congestion};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use crafty_value::Duration;

/// Bytes from one end to the other.
const SIZE: usize = 500_000;
/// What each end sends.
const ONE_WAY: [usize; 2] = [SIZE, 0];
const BOTH_WAYS: [usize; 2] = [SIZE, SIZE];
/// Window of every stack, and buffer of smoltcp's, in bytes.
const WINDOW: usize = 1 << 20;
/// Runs with the same settings and other dice; the middle one counts.
const SEEDS: u64 = 5;
/// 100 Mbit/s.
const RATE: u64 = 12_500_000;

/// The two hosts of a run: a sender and a receiver of the same make.
type Make = fn() -> [Box<dyn Host>; 2];

type Row = (&'static str, [usize; 2], Make);

static MAKES: [Row; 4] = [
    ("cubic", ONE_WAY, || {
        ours(ONE_WAY, &congestion::cubic::CONTROL)
    }),
    ("new_reno", ONE_WAY, || {
        ours(ONE_WAY, &congestion::new_reno::CONTROL)
    }),
    ("both ways", BOTH_WAYS, || {
        ours(BOTH_WAYS, &congestion::cubic::CONTROL)
    }),
    ("smoltcp", ONE_WAY, || strangers(ONE_WAY)),
];

/// What takes long: in the long form only. smoltcp does not end at each loss.
static SLOW_MAKES: [Row; 1] = [("smoltcp", BOTH_WAYS, || strangers(BOTH_WAYS))];

fn strangers(sizes: [usize; 2]) -> [Box<dyn Host>; 2] {
    [0, 1].map(|end| {
        let to_send = alloc::vec![7; sizes[end]];
        Box::new(Stranger::new(1500, WINDOW, end, to_send, false)) as Box<dyn Host>
    })
}

fn ours(sizes: [usize; 2], cc: &'static congestion::CongestionControl) -> [Box<dyn Host>; 2] {
    let patient = Duration::seconds(10_000);
    let config = Config {
        cc,
        window: WINDOW as u32,
        give_up: patient,
        timeout: patient,
        ..Config::default()
    };
    [0, 1].map(|end| {
        let to_send = alloc::vec![7; sizes[end]];
        Box::new(Ours::new(config.clone(), end, to_send, false)) as Box<dyn Host>
    })
}

/// Of both directions together, in kB/s; 0 if it does not end.
fn throughput(sizes: [usize; 2], make: Make, link: Link, seed: u64) -> i64 {
    let mut net = Net::new(make(), link, seed);
    let all = |hosts: &mut [Box<dyn Host>; 2]| {
        (0..2).all(|end| hosts[1 - end].heard().len() == sizes[end])
    };
    let ended = net.run(Duration::seconds(20_000), all);
    if !ended {
        return 0;
    }
    (sizes[0] + sizes[1]) as i64 * 1_000_000 / net.now.0
}

/// The figures of these makes.
fn table(makes: &[Row]) -> String {
    let mut table = String::from(
        "kB/s of 12500, by loss (per cent) and delay (one way, ms): SEEDS runs of SIZE bytes each way, the middle one; both ways: the sum of both\n\n",
    );
    table = table.replace("SEEDS", "5").replace("SIZE", "500,000");
    table += "loss  delay";
    makes
        .iter()
        .for_each(|(name, ..)| write!(table, "  {name:>9}").unwrap());
    table.push('\n');
    for loss in [0, 1_000, 10_000, 50_000, 100_000, 200_000] {
        for delay in [1, 10, 50] {
            let link = Link {
                loss,
                rate: RATE,
                ..Link::clean(delay)
            };
            write!(table, "{:>4}  {delay:>5}", loss as f64 / 1e4).unwrap();
            for (_, sizes, make) in makes {
                write!(table, "  {:>9}", middle(*sizes, *make, link)).unwrap();
            }
            table.push('\n');
        }
    }
    table
}

fn middle(sizes: [usize; 2], make: Make, link: Link) -> i64 {
    let run = |seed| throughput(sizes, make, link, seed);
    let mut runs: Vec<i64> = (0..SEEDS).map(run).collect();
    runs.sort_unstable();
    runs[runs.len() / 2]
}

fn compare(makes: &[Row], file: &str, known: &str) {
    let table = table(makes);
    assert_eq!(
        table, known,
        "if that is better, it is the new content of {file}:\n{table}"
    );
}

#[test]
fn throughput_by_loss_and_delay() {
    compare(&MAKES, "throughput.txt", include_str!("throughput.txt"));
}

#[test]
fn throughput_of_smoltcp_both_ways() {
    if super::long() {
        let known = include_str!("throughput_smoltcp.txt");
        compare(&SLOW_MAKES, "throughput_smoltcp.txt", known);
    }
}
