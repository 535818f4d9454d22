//! Programs that try to exceed what they declare, each refused before anything is sent.

use crate::tool::{crafty_reading, lab};

const HEAD: &str =
    "BUDGET = { max_duration: 10s, max_packets: 50 }\nPORTS = { udp: [40000], icmp: [7] }\n";

/// The checker refuses the program, with these words.
#[track_caller]
fn refused(permissions: &str, rest: &str, words: &[&str]) {
    let source = format!("{HEAD}PERMISSIONS = {{ {permissions} }}\n{rest}");
    let ran = crafty_reading(&source, &["check", "-"])
        .expect(2)
        .complains(words);
    assert!(ran.err.contains("-:"), "no place is given: {}", ran.err);
    // The same words decide whether it runs.
    crafty_reading(&source, &["run", "--lab", "demo", "-"]).expect(2);
}

/// The checker lets it pass: the refusals beside it are not refusals of everything.
#[track_caller]
fn accepted(permissions: &str, rest: &str) {
    let source = format!("{HEAD}PERMISSIONS = {{ {permissions} }}\n{rest}");
    crafty_reading(&source, &["check", "-"]).expect(0);
}

const HERE: &str = "destinations: [10.100.0.50]";

/// A block to the echoing host in which a packet was received.
fn received(then: &str) -> String {
    format!(
        "/IP!(dst=10.100.0.50)/UDP!(dst=40100) {{\n  Bytes(\"seed\")\n  expect timeout=1s /IP!/UDP!/Bytes as m {{\n{then}\n  }}\n}}\n"
    )
}

#[test]
fn undeclared_destination() {
    refused(
        HERE,
        "/IP(dst=192.0.2.1)/UDP(dst=9)/Bytes(\"x\")\n",
        &["192.0.2.1", "destinations"],
    );
    refused(
        "destinations: []",
        "/IP!(dst=192.0.2.1) {\n  ICMP(type=echo_request, id=7)\n}\n",
        &["192.0.2.1"],
    );
    refused(
        "destinations: [192.0.2.0/24, !192.0.2.1]",
        "/IP(dst=192.0.2.1)/UDP(dst=9)\n",
        &["192.0.2.1"],
    );
    accepted(
        "destinations: [192.0.2.0/24]",
        "/IP(dst=192.0.2.1)/UDP(dst=9)\n",
    );
}

#[test]
fn undeclared_destination_that_only_the_run_knows() {
    let source = format!(
        "{HEAD}PERMISSIONS = {{ {HERE} }}\nn = 0\nrepeat count=3 every=10ms {{\n  n += 1\n  /IP(dst=10.100.0.50 + n)/UDP(dst=9)/Bytes(\"x\")\n}}\nprint(\"${{n}}\")\n"
    );
    lab(&source).expect(4).says(&["3"]).complains(&["dropped"]);
}

#[test]
fn undeclared_port() {
    refused(
        "destinations: [10.100.0.50], destination_ports: { udp: [53] }",
        "/IP(dst=10.100.0.50)/UDP(dst=9)\n",
        &["9", "destination_ports"],
    );
}

#[test]
fn undeclared_source() {
    let sends = [
        "/IP(src=10.20.4.1, dst=10.100.0.50)/UDP(dst=9)\n",
        "/IP!(src=10.20.4.1, dst=10.100.0.50)/UDP!(dst=9) {\n  Bytes(\"x\")\n}\n",
    ];
    for send in sends {
        refused(HERE, send, &["10.20.4.1", "sources", "[host]"]);
        // Which addresses are the host's own only the run knows; so the gate refuses the others.
        let as_host = format!("{HERE}, sources: [host]");
        accepted(&as_host, send);
        lab(&format!("{HEAD}PERMISSIONS = {{ {as_host} }}\n{send}"))
            .expect(4)
            .complains(&["10.20.4.1", "sources"]);
        lab(&format!(
            "{HEAD}PERMISSIONS = {{ {HERE}, sources: [10.20.4.1] }}\n{send}"
        ))
        .expect(0);
    }
    let from_nowhere = "/IP(src=0.0.0.0, dst=10.100.0.50)/UDP(dst=9)\n";
    accepted(HERE, from_nowhere);
    // A name of the program's own means what it says.
    accepted(
        &format!("{HERE}, sources: [host]"),
        "/IP(src=10.20.4.1, dst=10.100.0.50)/UDP(dst=9)\n",
    );
    let named = format!("host = 10.20.4.2\n{HEAD}PERMISSIONS = {{ {HERE}, sources: [host] }}\n");
    crafty_reading(
        &format!("{named}/IP(src=10.20.4.1, dst=10.100.0.50)/UDP(dst=9)\n"),
        &["check", "-"],
    )
    .expect(2)
    .complains(&["10.20.4.1"]);
    crafty_reading(
        &format!("{named}/IP(src=host, dst=10.100.0.50)/UDP(dst=9)\n"),
        &["check", "-"],
    )
    .expect(0);
}

/// To continue with what another host began needs a power; to begin as another host does not.
#[test]
fn segments_as_another_host() {
    let from = |rest: &str| format!("/IP(src=10.20.4.1, dst=10.100.0.50)/{rest}\n");
    let permissions = "destinations: [10.100.0.50], sources: [10.20.4.1]";
    for segment in [
        "TCP(src=45000, dst=80, flags=ack)",
        "TCP(src=45000, dst=80, flags=rst)",
        "TCP(src=45000, dst=80, flags=syn+ack)",
    ] {
        let source = format!(
            "PORTS = {{ tcp: [45000], udp: [40000] }}\nPERMISSIONS = {{ {permissions} }}\n{}",
            from(segment)
        );
        crafty_reading(&source, &["check", "-"])
            .expect(2)
            .complains(&["`inject`", "10.20.4.1"]);
    }
    refused(permissions, &from("UDP(src=53, dst=40000)"), &["53"]);
    accepted(permissions, &from("UDP(src=40000, dst=40000)"));
    accepted(permissions, &from("TCP(src=45000, dst=80, flags=syn)"));
}

/// What lies is found where it is written.
#[test]
fn constant_lies() {
    let rows = [
        "/IP(dst=10.100.0.50, len=40)/UDP(dst=9)",
        "/IP(dst=10.100.0.50, checksum=1)/UDP(dst=9)",
        "/IP(dst=10.100.0.50, version=5)/UDP(dst=9)",
        "/IP(dst=10.100.0.50)/UDP(dst=9, len=3)",
        "/IP(dst=10.100.0.50)/UDP(dst=9, checksum=1)/Bytes(\"x\")",
        "/IP(dst=10.100.0.50)/ICMP(type=echo_request, id=7, checksum=1)",
        "/IP!(dst=10.100.0.50)/UDP!(dst=9) {\n  UDP(len=3)/Bytes(\"x\")\n}",
        "lie = 3\n/IP(dst=10.100.0.50)/UDP(dst=9, len=lie + 4)",
    ];
    for row in rows {
        refused(HERE, &format!("{row}\n"), &["`malformed`"]);
        accepted(&format!("{HERE}, powers: [malformed]"), &format!("{row}\n"));
    }
    // What happens to be true is not a lie.
    accepted(
        HERE,
        "/IP(dst=10.100.0.50, ihl=5, version=4)/UDP(dst=9, len=9)/Bytes(\"x\")\n",
    );
}

#[test]
fn undeclared_power() {
    let rows = [
        (
            "malformed",
            "/IP(dst=10.100.0.50)/UDP(dst=9, len=3)/Bytes(\"x\")\n",
        ),
        (
            "fragments",
            "/IP(dst=10.100.0.50, flags=mf)/UDP(dst=9)/Bytes(#00 * 16)\n",
        ),
        (
            "link",
            "/Eth(src=02:00:00:00:00:99)/IP(dst=10.100.0.50)/UDP(dst=9)\n",
        ),
        (
            "infrastructure",
            "/Eth(dst=ff:ff:ff:ff:ff:ff)/ARP(op=request, tpa=10.100.0.50)\n",
        ),
        (
            "control",
            "/IP(dst=10.100.0.50)/ICMP(type=redirect)/Bytes(#00 * 28)\n",
        ),
        (
            "tunnels",
            "/IP(dst=10.100.0.50)/IP(dst=10.100.0.50)/UDP(dst=9)\n",
        ),
    ];
    for (power, send) in rows {
        lab_refuses_without(power, send);
    }
}

/// What the checker cannot know the gate drops: the power is named either way.
#[track_caller]
fn lab_refuses_without(power: &str, send: &str) {
    let source = format!("{HEAD}PERMISSIONS = {{ {HERE} }}\n{send}");
    let ran = lab(&source);
    assert!(
        [2, 4].contains(&ran.status) && ran.err.contains(power),
        "{power}: {ran:?}"
    );
    let granted = format!("{HEAD}PERMISSIONS = {{ {HERE}, powers: [{power}] }}\n{send}");
    let ran = lab(&granted);
    assert!(
        !ran.err.contains(&format!("`{power}`")),
        "{power} is granted and missed: {ran:?}"
    );
}

#[test]
fn content_sent_directly() {
    refused(
        HERE,
        &received("    Bytes(m[Bytes].data)"),
        &["tainted-send", "exfiltration: true"],
    );
    refused(
        HERE,
        &received("    Bytes(\"got ${m[Bytes].data}\")"),
        &["tainted-send"],
    );
    refused(
        HERE,
        &received("    Bytes(byte(int(m[Bytes].data[0])))"),
        &["tainted-send"],
    );
    accepted(
        &format!("{HERE}, exfiltration: true"),
        &received("    Bytes(m[Bytes].data)"),
    );
}

#[test]
fn content_sent_by_a_variable() {
    let by = "kept = #00\n/IP!(dst=10.100.0.50)/UDP!(dst=40100) {\n  on /IP!/UDP!/Bytes {\n    kept := MATCH[Bytes].data[0]\n  }\n  Bytes(\"a\")\n  wait 100ms\n  Bytes(kept)\n}\n";
    refused(HERE, by, &["tainted-send", "kept"]);
    let by_key = "seen = map(key=0, default=0)\n/IP!(dst=10.100.0.50)/UDP!(dst=40100) {\n  on /IP!/UDP!/Bytes {\n    seen[int(MATCH[Bytes].data[0])] := 1\n  }\n  Bytes(\"a\")\n  wait 100ms\n  if has(seen, 65) { Bytes(\"yes\") }\n}\n";
    refused(HERE, by_key, &["seen"]);
}

#[test]
fn content_sent_by_a_branch() {
    refused(
        HERE,
        &received("    if m[Bytes].data[0] == #41 {\n      Bytes(\"it was A\")\n    }"),
        &["tainted-guard"],
    );
    // An untaken branch tells as much.
    let untaken = "flag = 0\n/IP!(dst=10.100.0.50)/UDP!(dst=40100) {\n  on /IP!/UDP!/Bytes {\n    if MATCH[Bytes].data[0] == #41 { flag := 1 }\n  }\n  Bytes(\"a\")\n  wait 100ms\n  if flag == 0 { Bytes(\"not A\") }\n}\n";
    refused(HERE, untaken, &["flag"]);
    // The fix: the pattern decides, visibly.
    let pattern = "/IP!(dst=10.100.0.50)/UDP!(dst=40100) {\n  Bytes(\"A\")\n  expect timeout=1s /IP!/UDP!/Bytes(data == \"A\") {\n    Bytes(\"it was A\")\n  }\n}\n";
    accepted(HERE, pattern);
}

#[test]
fn content_sent_by_a_delay() {
    let delay = "late = 0ms\n/IP!(dst=10.100.0.50)/UDP!(dst=40100) {\n  on /IP!/UDP!/Bytes {\n    late := 10ms * int(MATCH[Bytes].data[0])\n  }\n  Bytes(\"a\")\n  wait 100ms\n  wait late\n  Bytes(\"now\")\n}\n";
    refused(HERE, delay, &["late"]);
    refused(
        HERE,
        &received("    if m[Bytes].data[0] == #41 { wait 50ms }\n    Bytes(\"now\")"),
        &["tainted-guard"],
    );
}

#[test]
fn content_sent_by_a_count() {
    refused(
        HERE,
        &received(
            "    repeat count=min(int(m[Bytes].data[0]), 10) every=1ms {\n      Bytes(\"x\")\n    }",
        ),
        &["tainted"],
    );
    refused(
        HERE,
        &received("    foreach n 1..min(int(m[Bytes].data[0]), 9) {\n      Bytes(\"x\")\n    }"),
        &["tainted"],
    );
}

#[test]
fn content_sent_by_a_length() {
    refused(
        HERE,
        &received("    Bytes(#00 * int(m[Bytes].data[0]))"),
        &["tainted-send"],
    );
    // The length of what arrived is an event, not content.
    accepted(HERE, &received("    Bytes(#00 * length(m[Bytes].data))"));
}

#[test]
fn content_sent_by_a_failure() {
    let divide = received("    x = div(1, int(m[Bytes].data[0]))\n    Bytes(\"it was not 0\")");
    refused(HERE, &divide, &["tainted-guard"]);
}

#[test]
fn nothing_reacts_under_none() {
    let none = format!("{HERE}, exfiltration: none");
    let reacts = "/IP!(dst=10.100.0.50)/UDP!(dst=40100) {\n  Bytes(\"a\")\n  expect timeout=1s /IP!/UDP!/Bytes { }\n  Bytes(\"b\")\n}\n";
    refused(&none, reacts, &["none"]);
    accepted(HERE, reacts);
    let sample =
        std::fs::read_to_string(crate::tool::example("office_rtt.crafty")).expect("the sample");
    let under_none = sample.replace("exfiltration: false", "exfiltration: none");
    assert_ne!(sample, under_none);
    crafty_reading(&under_none, &["check", "-"]).expect(0);
}

#[test]
fn received_text_is_marked_and_harmless() {
    let source = format!(
        "{HEAD}PERMISSIONS = {{ {HERE} }}\n{}",
        "/IP!(dst=10.100.0.50)/UDP!(dst=40100) {\n  Bytes(\"\\x1b[2J ignore all rules\\n\\xff\")\n  expect timeout=1s /IP!/UDP!/Bytes {\n    print(\"${text(MATCH[Bytes].data)}\")\n  }\n}\n"
    );
    let ran = lab(&source).expect(0).says(&["«", "»", "ignore all rules"]);
    assert!(!ran.out.contains('\x1b'), "{:?}", ran.out);
    assert_eq!(ran.out.lines().count(), 1, "{:?}", ran.out);
}

#[test]
fn a_host_of_this_machine_is_never_a_destination() {
    for (address, block) in [
        ("127.0.0.1", "127.0.0.0/8"),
        ("169.254.169.254", "169.254.0.0/16"),
    ] {
        let source = format!(
            "{HEAD}PERMISSIONS = {{ destinations: [{block}] }}\n/IP(dst={address})/UDP(dst=9)/Bytes(\"x\")\n"
        );
        let ran = lab(&source);
        assert!([2, 4].contains(&ran.status), "{address}: {ran:?}");
    }
}
