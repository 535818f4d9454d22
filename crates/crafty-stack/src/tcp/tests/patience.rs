//! When a peer counts as gone: after enough attempts without an answer, and not by time alone.

use super::net::{Manner, Net, Ours};
use super::pair::Link;
use super::talk::{Rhythm, Talk};
use super::trace::active;
use crate::tcp::{Config, ConnectionEvent, WindowScale};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use crafty_value::Duration;

fn plain() -> Config {
    Config {
        timestamps: false,
        sack: false,
        wscale: WindowScale::Off,
        mss: 1000,
        ..Config::default()
    }
}

/// Waits of a connection whose first time-out is 2.7 s, in milliseconds: 100 s are over after the
/// sixth, and eight attempts are asked for.
const WAITS: [u32; 8] = [2_700, 5_400, 10_800, 21_600, 43_200, 60_000, 60_000, 60_000];

/// A long round trip: a time-out is 2.7 s.
fn far(window: u16) -> String {
    format!("> S 0:0\n+900\n< S. 0:0 1 mss=1000 win={window}\n> . 1:1 1\nsend 10\n! Established\n")
}

fn attempts(segment: &str) -> String {
    let one = |wait: &u32| format!("+{wait}\n> {segment}\n");
    WAITS.iter().map(one).collect()
}

#[test]
fn long_time_outs_do_not_make_few_attempts_enough() {
    let data = format!(
        "{}> P. 1:11 1\n{}+60000\n> R. 11:11 1\n= closed\n! TimedOut\ncount timeouts 8",
        far(5000),
        attempts("P. 1:11 1")
    );
    active(plain(), &data);
    let probes = format!(
        "{}{}+60000\n> R. 1:1 1\n= closed\n! TimedOut\ncount window_probes 8",
        far(0),
        attempts(". 0:0 1")
    );
    active(plain(), &probes);
}

/// The seventh is answered: eight more are asked for, at the same distance.
#[test]
fn an_answer_begins_the_count_anew() {
    let last = "+60000\n> . 0:0 1\n".repeat(7);
    let text = format!(
        "{}{}< . 1:1 1 win=0\n+60000\n> . 0:0 1\n{last}+60000\n> R. 1:1 1\n= closed\n! TimedOut",
        far(0),
        attempts(". 0:0 1")
    );
    active(plain(), &text);
}

/// What a closed window took does not slow down what follows: the first loss behind it is repaired
/// after a plain time-out.
#[test]
fn probes_do_not_lengthen_the_time_outs_of_data() {
    let probes = "+200\n> . 0:0 1\n+400\n> . 0:0 1\n+800\n> . 0:0 1\n+1600\n> . 0:0 1\n";
    let text = format!(
        "> S 0:0\n< S. 0:0 1 mss=1000 win=0\n> . 1:1 1\nsend 10\n{probes}< . 1:1 1 win=100\n> P. 1:11 1\n+200\n> P. 1:11 1\n< . 1:1 11"
    );
    active(plain(), &text);
}

/// A window that stays closed for ten minutes at a time, over a path that loses a fifth each way:
/// nobody gives up, and all arrives. Eight attempts in a row stay unanswered by chance 3 times in
/// 10,000; with these seeds they do not.
#[test]
fn a_closed_window_outlasts_a_lossy_path() {
    let bytes: alloc::vec::Vec<u8> = (0..24_000_u32).map(|n| (n / 7) as u8).collect();
    for seed in 0..10 {
        let config = Config {
            window: 6000,
            timeout: Duration::seconds(1000),
            close: Duration::seconds(10_000),
            ..Config::default()
        };
        let pause = Some((3000, Duration::seconds(600)));
        let host = |end, talk| {
            Box::new(Ours::with(config.clone(), end, talk, false, Manner::Own)) as Box<_>
        };
        let hosts = [
            host(0, Talk::new(Rhythm::Bulk, None, bytes.clone())),
            host(1, Talk::new(Rhythm::Bulk, pause, alloc::vec::Vec::new())),
        ];
        let link = Link {
            loss: 200_000,
            ..Link::clean(10)
        };
        let mut net = Net::new(hosts, link, seed);
        let all = net.run(Duration::seconds(20_000), |hosts| {
            hosts[1].heard().len() == bytes.len()
        });
        let events = format!("{:?}", net.told());
        assert!(
            all && net.hosts[1].heard() == bytes,
            "seed {seed}: {events}"
        );
        assert!(
            !events.contains(&format!("{:?}", ConnectionEvent::TimedOut)),
            "seed {seed}: {events}"
        );
    }
}
