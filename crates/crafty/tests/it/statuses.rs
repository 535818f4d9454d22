//! Each exit status by a program that earns it: statuses are what scripts read.

use crate::tool::{Folder, Ran, crafty, crafty_reading, example, lab};

const PING: &str = "BUDGET = { max_duration: 10s, max_packets: 20 }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { icmp: [77] }\n";

#[track_caller]
fn check(rest: &str, status: i32) -> Ran {
    lab(&format!("{PING}{rest}")).expect(status)
}

#[test]
fn done() {
    check("print(\"well\")\n", 0).says(&["well"]);
    check("print(\"well\")\nexit\nprint(\"never\")\n", 0);
}

#[test]
fn failed_by_the_program_itself() {
    check("fail \"the link is down\"\n", 1).complains(&["the link is down"]);
    check("assert 1 > 2, \"one is less\"\n", 1).complains(&["one is less"]);
}

#[test]
fn failed_by_an_error_that_nothing_takes() {
    check("xs = [1, 2]\ni = length(xs)\nprint(\"${xs[i]}\")\n", 1).complains(&["index", ":6:"]);
    check("xs = array(init=0, len=0)\nif length(xs) == 0 {\n  print(\"${mean(xs)}\")\n}\nprint(\"goes on\")\n", 1).says(&["goes on"]);
    let taken = "xs = array(init=0, len=0)\ntry {\n  print(\"${mean(xs)}\")\n} else e {\n  print(\"took ${e.kind}\")\n}\n";
    check(taken, 0).says(&["took empty"]);
}

#[test]
fn mistakes_and_wrong_usage() {
    check("x = 1\nx = 2\n", 2).complains(&["`x`", ":="]);
    crafty(&["run", "--lab", "demo"]).expect(2);
    crafty(&["run", "--lab", "demo", "no/such/file.crafty"])
        .expect(2)
        .complains(&["no/such/file.crafty"]);
    crafty(&["run", "--lab", "nowhere", &example("ping.crafty")])
        .expect(2)
        .complains(&["nowhere"]);
    crafty(&["run", "--lab", "demo:gremlins", &example("ping.crafty")])
        .expect(2)
        .complains(&["gremlins"]);
    crafty(&[
        "run",
        "--lab",
        "demo",
        &example("ping.crafty"),
        "aim=192.0.2.1",
    ])
    .expect(2)
    .complains(&["`aim`", "`target`"]);
    crafty(&[
        "run",
        "--lab",
        "demo",
        &example("ping.crafty"),
        "target=here or there",
    ])
    .expect(2)
    .complains(&["target"]);
    crafty(&["fly"]).expect(2);
    crafty(&[]).expect(2);
}

#[test]
fn refused_by_the_operator() {
    let ping = example("ping.crafty");
    crafty(&[
        "run",
        "--lab",
        "demo",
        "--destinations",
        "10.0.0.0/8",
        &ping,
    ])
    .expect(3);
    crafty(&["check", "--destinations", "10.0.0.0/8", &ping]).expect(3);
    let folder = Folder::new();
    let policy = folder.file(
        "policy.toml",
        "[permissions]\ndestinations = [\"10.0.0.0/8\"]\n",
    );
    crafty(&["run", "--lab", "demo", "--policy", &policy, &ping])
        .expect(3)
        .complains(&["policy"]);
}

#[test]
fn the_operator_narrows_and_never_widens() {
    let ping = example("ping.crafty");
    crafty(&["run", "--lab", "demo", "--max-packets", "1000", &ping])
        .expect(0)
        .says(&["seq=5 ttl="]);
    let narrowed = crafty(&["run", "--lab", "demo", "--max-packets", "3", &ping]);
    assert!([3, 4].contains(&narrowed.status), "{narrowed:?}");
}

#[test]
fn dropped_by_the_budget() {
    let rest = "n = 0\n/IP!(dst=192.0.2.1) {\n  repeat every=20ms for=1s {\n    n += 1\n    ICMP(type=echo_request, id=77, seq=n)\n  }\n}\nprint(\"sent ${n}\")\n";
    check(rest, 4).says(&["sent 50"]).complains(&["dropped"]);
}

#[test]
fn the_machine_lacks_something() {
    let ping = example("ping.crafty");
    crafty(&["run", "--iface", "nosuch0", &ping])
        .expect(5)
        .complains(&["nosuch0", "help:"]);
    let unwritable = crafty(&[
        "run",
        "--lab",
        "demo",
        "--pcap",
        "/no/such/folder/x.pcapng",
        &ping,
    ])
    .expect(5);
    unwritable.complains(&["/no/such/folder/x.pcapng"]);
}

#[test]
fn the_deadline() {
    let source = "BUDGET = { max_duration: 1s }\nwait 5s\nprint(\"never\")\n";
    let ran = lab(source).expect(6);
    assert!(!ran.out.contains("never"));
    // No `try` takes it, in a wait or while the program computes.
    for (span, work) in [
        ("1s", "wait 5s"),
        ("20ms", "x = 0\nrepeat count=50_000_000 { x := 1 }"),
    ] {
        let tried = format!(
            "BUDGET = {{ max_duration: {span} }}\ntry {{\n{work}\n}} else e {{\n  print(\"never, ${{e.kind}}\")\n}}\n"
        );
        let ran = lab(&tried).expect(6);
        assert!(!ran.out.contains("never"), "{}", ran.out);
    }
}

#[test]
fn the_worst_of_several_counts() {
    let rest = "n = 0\n/IP!(dst=192.0.2.1) {\n  repeat every=20ms for=1s {\n    n += 1\n    ICMP(type=echo_request, id=77, seq=n)\n  }\n}\nfail \"and this\"\n";
    check(rest, 1);
}

#[test]
fn help_is_no_mistake() {
    for words in [
        &["--help"][..],
        &["run", "--help"],
        &["--version"],
        &["manual", "commands"],
    ] {
        crafty(words).expect(0);
    }
    crafty_reading("", &["check", "-"]).expect(0);
}
