//! `crafty lab`: each kind of fault is found by its program, and scenario files are checked.

use crate::tool::{Folder, crafty};

/// Every row of the table: found when it is there, not found when it is not, and the path that it
/// does not touch works.
#[test]
fn each_fault_is_found_when_it_is_there_and_only_then() {
    let ran = crafty(&["lab", "audit"]).expect(0);
    assert!(ran.out.lines().count() >= 80, "{}", ran.out);
    assert!(
        ran.out.lines().all(|line| line.starts_with("ok ")),
        "{}",
        ran.out
    );
}

#[test]
fn a_fault_that_no_program_finds_is_told() {
    crafty(&["lab", "audit", "gremlins"])
        .expect(2)
        .complains(&["there is no audit for a fault `gremlins`"]);
}

#[test]
fn a_network_is_made_up_checked_and_run_in() {
    let folder = Folder::new();
    let made = [
        "lab",
        "new",
        "--routers",
        "20",
        "--hosts",
        "6",
        "--seed",
        "3",
    ];
    let text = crafty(&made).expect(0).out;
    assert_eq!(crafty(&made).expect(0).out, text);
    let file = folder.file("made.toml", &text);
    crafty(&["lab", "check", &file])
        .expect(0)
        .says(&["no mistakes"]);
    crafty(&["lab", &file])
        .expect(0)
        .says(&["router core1", "portal hamburg"]);
    let program = folder.file(
        "ping.crafty",
        "BUDGET = { max_duration: 10s, max_packets: 10 }\nPERMISSIONS = { destinations: [10.64.0.254] }\nPORTS = { icmp: [77] }\n/IP!(dst=10.64.0.254) {\n  ICMP(type=echo_request, id=77, seq=1)/Bytes(\"x\")\n  expect timeout=1s /IP/ICMP(type == echo_reply) { print(\"answered\") }\n}\n",
    );
    crafty(&["run", "--lab", &file, &program])
        .expect(0)
        .says(&["answered"]);
    let faulty = format!("{file}:loss=100@hamburg/edge-hamburg");
    let silent = crafty(&["run", "--lab", &faulty, &program]).expect(5);
    assert!(!silent.out.contains("answered"), "{}", silent.out);
}

#[test]
fn all_mistakes_of_a_scenario_are_told_with_their_lines() {
    let folder = Folder::new();
    let file = folder.file(
        "wrong.toml",
        "name = \"wrong\"\nrooters = []\n[[segments]]\nname = \"a\"\nv4 = \"10.0.0.0/24\"\n[[segments]]\nname = \"b\"\nv4 = \"10.0.0.128/25\"\n[[routers]]\nname = \"r1\"\non = [\"a\", \"c\"]\n[[links]]\nbetween = [\"r1\", \"r2\"]\n",
    );
    crafty(&["lab", "check", &file]).expect(2).complains(&[
        "wrong.toml:2: a scenario has no key `rooters`; did you mean `routers`?",
        "wrong.toml:6: the net 10.0.0.128/25 of `b` overlaps 10.0.0.0/24 of `a`",
        "wrong.toml:9: there is no segment `c`",
        "wrong.toml:12: there is no router or switch `r2`; did you mean `r1`?",
        "wrong.toml:1: the scenario has no portal",
    ]);
}
