//! Conformance as packet traces: what the RFCs ask, a case each, in files that read like them
//! (notation: [`super::trace`]).
//!
//! A case begins with `== ` and its title. Then come, both optional, `with` and settings that
//! differ from the plainest connection, and `begin` (`active`, `passive` or `established`; the last
//! if nothing is said).

use super::trace::{Begin, play};
use crate::tcp::state::TRANSITIONS;
use crate::tcp::{Config, TcpState, WindowScale, congestion};
use alloc::string::String;
use alloc::vec::Vec;
use crafty_value::Duration;

static FILES: &[(&str, &str)] = &[
    ("opening", include_str!("conformance/opening.txt")),
    ("segments", include_str!("conformance/segments.txt")),
    ("closing", include_str!("conformance/closing.txt")),
    ("windows", include_str!("conformance/windows.txt")),
    (
        "blind_attacks",
        include_str!("conformance/blind_attacks.txt"),
    ),
    ("time_stamps", include_str!("conformance/time_stamps.txt")),
    ("loss", include_str!("conformance/loss.txt")),
    ("congestion", include_str!("conformance/congestion.txt")),
    ("path", include_str!("conformance/path.txt")),
];

/// Sets something to a number, which is 0 where none is given.
type Set = fn(&mut Config, u32);

/// Words after `with`, and what they set.
static SETTINGS: &[(&str, Set)] = &[
    ("sack", |c, _| c.sack = true),
    ("timestamps", |c, _| c.timestamps = true),
    ("wscale", |c, _| c.wscale = WindowScale::Auto),
    ("ecn", |c, _| c.ecn = true),
    ("new_reno", |c, _| c.cc = &congestion::new_reno::CONTROL),
    ("no_nagle", |c, _| c.nagle = false),
    ("delayed_ack", |c, _| c.delayed_ack = true),
    ("window", |c, n| c.window = n),
    ("mss", |c, n| c.mss = n as u16),
    ("initial_window", |c, n| c.initial_window = n as u16),
    ("give_up", |c, n| c.give_up = milliseconds(n)),
    ("close", |c, n| c.close = milliseconds(n)),
    ("timeout", |c, n| c.timeout = milliseconds(n)),
    ("keep_alive", |c, n| c.keep_alive = Some(milliseconds(n))),
];

fn milliseconds(n: u32) -> Duration {
    Duration::millis(i64::from(n))
}

struct Case<'a> {
    title: &'a str,
    config: Config,
    begin: Begin,
    trace: String,
}

/// The plainest connection: no option but MSS, acknowledgements at once.
fn plain() -> Config {
    Config {
        timestamps: false,
        sack: false,
        wscale: WindowScale::Off,
        delayed_ack: false,
        window: 65535,
        mss: 1000,
        ..Config::default()
    }
}

fn cases(file: &str) -> Vec<Case<'_>> {
    file.split("\n== ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case<'_> {
    let (title, rest) = text.split_once('\n').unwrap();
    let mut case = Case {
        title,
        config: plain(),
        begin: Begin::Established,
        trace: String::new(),
    };
    for line in rest.lines() {
        match line.split_once(' ') {
            Some(("with", words)) => words
                .split(' ')
                .for_each(|word| set(&mut case.config, word)),
            Some(("begin", "active")) => case.begin = Begin::Active,
            Some(("begin", "passive")) => case.begin = Begin::Passive,
            _ => case.trace.extend([line, "\n"]),
        }
    }
    case
}

fn set(config: &mut Config, word: &str) {
    let (name, number) = word.split_once('=').unwrap_or((word, "0"));
    let row = SETTINGS.iter().find(|(known, _)| *known == name);
    row.unwrap_or_else(|| panic!("no setting `{word}`")).1(config, number.parse().unwrap());
}

#[test]
fn what_the_rfcs_ask() {
    let mut failed = Vec::new();
    for (name, file) in FILES {
        for case in cases(file) {
            if let Err(why) = play(case.config, case.begin, &case.trace) {
                failed.push(alloc::format!("{name}: {}\n  {why}", case.title));
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn a_title_stands_once() {
    let mut titles: Vec<&str> = FILES
        .iter()
        .flat_map(|(_, file)| cases(file))
        .map(|case| case.title)
        .collect();
    let count = titles.len();
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), count);
    assert!(count >= 100, "{count} cases");
}

/// RFC 9293 figure 5 is walked as a whole; a state that is left and entered at once in one step is
/// not asked for.
#[test]
fn every_way_of_the_state_diagram_is_gone() {
    let mut gone: Vec<(TcpState, TcpState)> = Vec::new();
    for case in FILES.iter().flat_map(|(_, file)| cases(file)) {
        gone.extend(play(case.config, case.begin, &case.trace).unwrap_or_default());
    }
    let missing: Vec<_> = TRANSITIONS
        .iter()
        .filter(|(from, _, to)| !gone.contains(&(*from, *to)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
