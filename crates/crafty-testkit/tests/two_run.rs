//! The label rules hold in generated programs, and each of them is needed: without it a program is accepted that two networks tell apart.

use crafty_lang::labels::Rule;
use crafty_policy::Mode;
use crafty_testkit::{Datagram, Network, accepted, campaign, trace};

/// A program that a rule refuses, and two networks that it would tell apart.
struct Witness {
    rule: Rule,
    mode: Mode,
    handler: &'static str,
    main: &'static str,
    /// Arrivals: milliseconds and payload.
    networks: [&'static [(u64, &'static [u8])]; 2],
}

const READ: &str = "x := int(MATCH[Bytes].data[0])";
const SEVEN: &[(u64, &[u8])] = &[(2, &[7])];
const NINE: &[(u64, &[u8])] = &[(2, &[9])];

const WITNESSES: &[Witness] = &[
    Witness {
        rule: Rule::AssignTakesPc,
        mode: Mode::False,
        handler: "if int(MATCH[Bytes].data[0]) == 7 { x := 1 }",
        main: "Bytes(byte(x))",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::ContainerTakesPc,
        mode: Mode::False,
        handler: "if int(MATCH[Bytes].data[0]) == 7 { m[1] := 5 }",
        main: "Bytes(byte(m[1]))",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::KeyTellsStructure,
        mode: Mode::False,
        handler: "m[int(MATCH[Bytes].data[0])] := 1",
        main: "Bytes(byte(m[7]))",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::HasTellsStructure,
        mode: Mode::False,
        handler: "m[int(MATCH[Bytes].data[0])] := 1",
        main: "if has(m, 7) { Bytes(#01) }",
        networks: [SEVEN, NINE],
    },
    Witness { rule: Rule::CompareKeeps, mode: Mode::False, handler: READ, main: "if x == 7 { Bytes(#01) }", networks: [SEVEN, NINE] },
    Witness { rule: Rule::BranchRaisesPc, mode: Mode::False, handler: READ, main: "if x == 7 { Bytes(#01) }", networks: [SEVEN, NINE] },
    Witness {
        rule: Rule::CountRaisesPc,
        mode: Mode::False,
        handler: READ,
        main: "repeat count=min(x, 4) { Bytes(#01) }",
        networks: [&[(2, &[1])], &[(2, &[3])]],
    },
    Witness {
        rule: Rule::SendTakesPc,
        mode: Mode::False,
        handler: "if int(MATCH[Bytes].data[0]) == 7 { Bytes(#01) }",
        main: "wait 1ms",
        networks: [SEVEN, NINE],
    },
    Witness { rule: Rule::LengthTells, mode: Mode::False, handler: READ, main: "Bytes(#00 * min(max(x, 0), 9))", networks: [SEVEN, NINE] },
    Witness {
        rule: Rule::OwnLengthTells,
        mode: Mode::False,
        handler: "m[int(MATCH[Bytes].data[0])] := 1\n  m[int(MATCH[Bytes].data[1])] := 1",
        main: "Bytes(byte(length(m)))",
        networks: [&[(2, &[1, 1])], &[(2, &[1, 2])]],
    },
    Witness {
        rule: Rule::WaitRaisesClock,
        mode: Mode::False,
        handler: READ,
        main: "if x == 7 { wait 5ms }\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::ExpectRaisesClock,
        mode: Mode::None,
        handler: "x := 1",
        main: "expect timeout=20ms /IP!/UDP!/Bytes { }\n  Bytes(#01)",
        networks: [&[(14, &[1])], &[(17, &[1])]],
    },
    Witness { rule: Rule::HandlerIsEvent, mode: Mode::None, handler: "Bytes(#01)", main: "wait 1ms", networks: [SEVEN, &[]] },
    Witness {
        rule: Rule::HandlerTakesClock,
        mode: Mode::False,
        handler: READ,
        main: "try {\n    on /IP!/UDP!/Bytes(data[0:1] == #01) { Bytes(#02) }\n    wait 1ms\n    if x == 7 { wait 20ms }\n  } else { }",
        networks: [&[(2, &[7]), (20, &[1])], &[(2, &[9]), (20, &[1])]],
    },
    Witness {
        rule: Rule::FailureRaisesPc,
        mode: Mode::False,
        handler: READ,
        main: "y := div(1, x - 7)\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::EndRaisesClock,
        mode: Mode::False,
        handler: READ,
        main: "if x == 7 { exit }\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::StopRaisesLoop,
        mode: Mode::False,
        handler: READ,
        main: "repeat count=3 every=1ms {\n    Bytes(#01)\n    if x == 7 { stop }\n  }",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::TryElseTakesFailure,
        mode: Mode::False,
        handler: READ,
        main: "try { y := div(1, x - 7) } else { Bytes(#01) }",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: Rule::LingerTakesFailure,
        mode: Mode::False,
        handler: READ,
        main: "if y == 2 {\n    on linger=20ms /IP!/UDP!/Bytes { z := 1 }\n    z := div(1, x - 7)\n  }\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
];

fn text(witness: &Witness) -> String {
    format!(
        "BUDGET = {{ max_duration: 3s, max_packets: 50 }}\nPERMISSIONS = {{ destinations: [10.0.0.2], exfiltration: {} }}\nPORTS = {{ udp: [40000] }}\nx = 0\ny = 0\nz = 0\nm = map(key=0, default=0)\ny := 2\nz := 0\nx := 0\n/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {{\n  on /IP!/UDP!/Bytes {{\n  {}\n  }}\n  wait 10ms\n  {}\n  wait 30ms\n}}\n",
        witness.mode.name(),
        witness.handler,
        witness.main
    )
}

fn network(arrivals: &[(u64, &[u8])]) -> Network {
    Network { datagrams: arrivals.iter().map(|(at, payload)| Datagram { at: *at, payload: payload.to_vec() }).collect() }
}

/// Each rule refuses its witness; without the rule the witness is accepted, and leaks.
#[test]
fn each_rule_is_needed() {
    for witness in WITNESSES {
        let source = text(witness);
        assert!(accepted(&source, witness.mode, None).is_none(), "{:?} does not refuse:\n{source}", witness.rule);
        let program = accepted(&source, witness.mode, Some(witness.rule));
        let program = program.unwrap_or_else(|| panic!("without {:?} this is refused still:\n{source}", witness.rule));
        let [first, second] = witness.networks.map(network);
        assert_ne!(trace(&program, &first), trace(&program, &second), "{:?} hides nothing here:\n{source}", witness.rule);
    }
}

/// Closing a stream shows whether its block failed: judged by the labels alone, since this network has no TCP.
#[test]
fn closing_a_stream_is_judged() {
    let source = "BUDGET = { max_duration: 3s }\nPERMISSIONS = { destinations: [10.0.0.2] }\nPORTS = { tcp: [40000] }\nx = 0\nx := 0\n/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7) {\n  expect timeout=1s /IP!/TCP!/Bytes { x := int(MATCH[Bytes].data[0]) }\n  y = div(1, x)\n}\n";
    assert!(accepted(source, Mode::False, None).is_none());
    assert!(accepted(source, Mode::False, Some(Rule::CloseIsSend)).is_some());
}

#[test]
fn every_rule_has_a_witness() {
    for rule in Rule::ALL {
        assert!(*rule == Rule::CloseIsSend || WITNESSES.iter().any(|w| w.rule == *rule), "{rule:?}");
    }
}

fn check(mode: Mode, programs: u64, least: u64) {
    match campaign(mode, None, programs, 6, 1) {
        Ok(accepted) => assert!(accepted >= least, "only {accepted} of {programs} programs were accepted: the test tries too little"),
        Err(leak) => panic!("{}\n{:#?}\n{:#?}", leak.source, leak.networks, leak.traces),
    }
}

/// The short form; `cargo run --release -p crafty-testkit --example two_run` is the long one.
#[test]
fn generated_programs_do_not_leak_under_false() {
    check(Mode::False, 1_500, 200);
}

#[test]
fn generated_programs_do_not_leak_under_none() {
    check(Mode::None, 3_000, 40);
}
