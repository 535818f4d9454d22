//! No test has a network without the referee. A lab has one by itself, where it is built for tests;
//! whatever else makes an end of TCP is in the table here, with the guard that watches it or the
//! reason why none does.

use crate::house::{files, metadata, text};
use std::collections::BTreeMap;

/// What makes an end of TCP, a network of a test's own, or a process that has either.
const MAKERS: &[&str] = &[
    "Connection::open(",
    "Connection::accept(",
    "Machine::new(",
    "Machine::watched(",
    "Tun::open(",
    "tcp::Socket::new(",
    "impl Medium for",
    "Command::new(CRAFTY)",
    "[CRAFTY, \"mcp\"]",
];

/// How the networks that a file makes are watched.
enum Watched {
    /// By what this word in the file stands for.
    By(&'static str),
    /// By nobody, because.
    Apart(&'static str),
}
use Watched::{Apart, By};

/// Files of tests, how often something in them makes a network, and who watches it.
const NETWORKS: &[(&str, usize, Watched)] = &[
    (
        "crates/crafty-findings/tests/lab.rs",
        1,
        By("lab.judge(&at"),
    ),
    (
        "crates/crafty-net/tests/namespaces.rs",
        2,
        Apart("interfaces that move bytes: no end of TCP of ours"),
    ),
    (
        "crates/crafty-run/tests/agreement.rs",
        1,
        Apart("nothing arrives: what is sent is compared with what `check` says"),
    ),
    (
        "crates/crafty-run/tests/runs.rs",
        2,
        Apart("a mirror of UDP, and a medium whose time stands still: no segment passes"),
    ),
    ("crates/crafty-sim/tests/lab/tcp.rs", 1, By("lab.judge(&at")),
    (
        "crates/crafty-stack/src/tcp/tests/hostile.rs",
        4,
        By("Watch::of("),
    ),
    (
        "crates/crafty-stack/src/tcp/tests/net.rs",
        3,
        By("Watch::of("),
    ),
    (
        "crates/crafty-stack/src/tcp/tests/pair.rs",
        2,
        By("Watch::of("),
    ),
    ("crates/crafty-stack/src/tcp/tests/trace.rs", 2, By("Watch")),
    (
        "crates/crafty-stack/src/tcp/tests/transfer.rs",
        1,
        By("Pair::new("),
    ),
    (
        "crates/crafty-stack/tests/kernel/host.rs",
        2,
        By("Watch::new()"),
    ),
    (
        "crates/crafty-stack/tests/kernel/main.rs",
        1,
        By("host::Host::new("),
    ),
    (
        "crates/crafty-vm/tests/programs/bench.rs",
        2,
        By("Court::of("),
    ),
    (
        "crates/crafty-vm/tests/programs/streams.rs",
        2,
        By("TraceGuard::of("),
    ),
    (
        "crates/crafty-vm/tests/programs/tunnels.rs",
        1,
        By("Court::of("),
    ),
    (
        "crates/crafty/tests/it/formats.rs",
        1,
        Apart("it decodes a file: nothing is sent"),
    ),
    (
        "crates/crafty/tests/it/limits.rs",
        1,
        Apart("the program computes: nothing is sent"),
    ),
    (
        "crates/crafty/tests/it/mcp/client.rs",
        1,
        By("the referee found"),
    ),
    (
        "crates/crafty/tests/it/referee.rs",
        1,
        Apart("it is the referee that is started"),
    ),
];

/// The part of a file that is for tests.
fn tests_of<'a>(path: &str, text: &'a str) -> &'a str {
    let all = path.contains("/tests/") || path.ends_with("/tests.rs");
    let part = text.find("#[cfg(test)]").filter(|_| !all);
    match (all, part) {
        (true, _) => text,
        (false, Some(at)) => &text[at..],
        (false, None) => "",
    }
}

fn makers_in(text: &str) -> usize {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| {
        MAKERS
            .iter()
            .map(|word| line.matches(word).count())
            .sum::<usize>()
    })
    .sum()
}

#[test]
fn every_network_of_a_test_has_the_referee() {
    let mut known: BTreeMap<&str, (usize, &Watched)> = NETWORKS
        .iter()
        .map(|(file, count, watched)| (*file, (*count, watched)))
        .collect();
    for file in files(".rs") {
        let path = file.to_string_lossy().into_owned();
        // Words of tables are not network.
        let tables = ["it/networks.rs", "it/house.rs"];
        if tables.iter().any(|table| path.ends_with(table)) || !path.starts_with("crates/") {
            continue;
        }
        let text = text(&file);
        let found = makers_in(tests_of(&path, &text));
        let (count, watched) = known
            .remove(path.as_str())
            .unwrap_or((0, &Apart("nothing is made")));
        assert_eq!(
            found, count,
            "{path} makes {found} networks or ends of TCP, and the table has {count}: use a harness that has \
             the referee (the lab, `Pair`, `Net`, `bench::run`, `tool::run`), or add a `TraceGuard` and a row"
        );
        match watched {
            By(guard) => assert!(text.contains(guard), "{path} lacks its guard, `{guard}`"),
            Apart(why) if count > 0 => println!("not judged: {path}: {why}"),
            Apart(_) => {}
        }
    }
    assert!(known.is_empty(), "rows without a file: {:?}", known.keys());
}

/// A lab judges its hosts, and programs in it, where its crate is built with `referee`: every crate
/// that can have one asks for that in its tests, and none otherwise.
#[test]
fn every_crate_with_a_lab_has_the_referee_in_it() {
    let metadata = metadata();
    let mut with_lab = 0;
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().unwrap_or_default();
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let labs = |it: &&serde_json::Value| {
            ["crafty-sim", "crafty-run"].contains(&it["name"].as_str().unwrap_or_default())
        };
        let asks = |it: &&serde_json::Value| {
            let features = it["features"].as_array().expect("features");
            features.iter().any(|feature| feature == "referee")
        };
        let for_tests = |it: &&serde_json::Value| it["kind"] == "dev";
        let labs: Vec<&serde_json::Value> = dependencies.iter().filter(labs).collect();
        if labs.is_empty() && name != "crafty-sim" {
            continue;
        }
        with_lab += 1;
        let judged = labs.iter().copied().filter(for_tests).any(|it| asks(&it));
        assert!(
            judged,
            "tests of `{name}` have labs without the referee: add `features = [\"referee\"]` to a dev-dependency"
        );
        let shipped = labs.iter().copied().filter(|it| !for_tests(it));
        assert_eq!(
            shipped.filter(asks).count(),
            0,
            "`{name}` ships the referee, which panics"
        );
    }
    assert!(with_lab >= 6, "{with_lab} crates with labs are found");
}

#[test]
fn what_makes_a_network_is_seen() {
    let text = "fn a() { let tcp = Connection::open(config); }\n// Connection::open(\n";
    assert_eq!(makers_in(text), 1);
    let inside = "let x = Machine::new();\n#[cfg(test)]\nmod tests { Machine::new( Tun::open( }";
    assert_eq!(makers_in(tests_of("crates/a/src/b.rs", inside)), 2);
    assert_eq!(makers_in(tests_of("crates/a/tests/b.rs", inside)), 3);
}
