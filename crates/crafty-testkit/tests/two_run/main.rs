//! The label rules hold in generated programs, and each of them is needed: without it a program is
//! accepted that two networks tell apart.

mod attacks;
mod stack;

use crafty_lang::check::bind;
use crafty_lang::check::check as check_text;
use crafty_lang::labels::{FlowRule, SendCertainty, infer, infer_without};
use crafty_lang::worst::worst;
use crafty_policy::ExfiltrationMode;
use crafty_testkit::{
    ScheduledDatagram, TestNetwork, accepted, campaign, segment, trace, trace_frames,
};
use std::collections::BTreeMap;

/// A program that a rule refuses, and two networks that it would tell apart.
struct Witness {
    rule: FlowRule,
    mode: ExfiltrationMode,
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
        rule: FlowRule::AssignTakesPc,
        mode: ExfiltrationMode::False,
        handler: "if int(MATCH[Bytes].data[0]) == 7 { x := 1 }",
        main: "Bytes(byte(x))",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::ContainerTakesPc,
        mode: ExfiltrationMode::False,
        handler: "if int(MATCH[Bytes].data[0]) == 7 { m[1] := 5 }",
        main: "Bytes(byte(m[1]))",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::KeyTellsStructure,
        mode: ExfiltrationMode::False,
        handler: "m[int(MATCH[Bytes].data[0])] := 1",
        main: "Bytes(byte(m[7]))",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::HasTellsStructure,
        mode: ExfiltrationMode::False,
        handler: "m[int(MATCH[Bytes].data[0])] := 1",
        main: "if has(m, 7) { Bytes(#01) }",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::CompareKeeps,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "if x == 7 { Bytes(#01) }",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::BranchRaisesPc,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "if x == 7 { Bytes(#01) }",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::CountRaisesPc,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "repeat count=min(x, 4) { Bytes(#01) }",
        networks: [&[(2, &[1])], &[(2, &[3])]],
    },
    Witness {
        rule: FlowRule::SendTakesPc,
        mode: ExfiltrationMode::False,
        handler: "if int(MATCH[Bytes].data[0]) == 7 { Bytes(#01) }",
        main: "wait 1ms",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::LengthTells,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "Bytes(#00 * min(max(x, 0), 9))",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::OwnLengthTells,
        mode: ExfiltrationMode::False,
        handler: "m[int(MATCH[Bytes].data[0])] := 1\n  m[int(MATCH[Bytes].data[1])] := 1",
        main: "Bytes(byte(length(m)))",
        networks: [&[(2, &[1, 1])], &[(2, &[1, 2])]],
    },
    Witness {
        rule: FlowRule::WaitRaisesClock,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "if x == 7 { wait 5ms }\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::ExpectRaisesClock,
        mode: ExfiltrationMode::None,
        handler: "x := 1",
        main: "expect timeout=20ms /IP!/UDP!/Bytes { }\n  Bytes(#01)",
        networks: [&[(14, &[1])], &[(17, &[1])]],
    },
    Witness {
        rule: FlowRule::HandlerIsEvent,
        mode: ExfiltrationMode::None,
        handler: "Bytes(#01)",
        main: "wait 1ms",
        networks: [SEVEN, &[]],
    },
    Witness {
        rule: FlowRule::HandlerTakesClock,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "try {\n    on /IP!/UDP!/Bytes(data[0:1] == #01) { Bytes(#02) }\n    wait 1ms\n    if x == 7 { wait 20ms }\n  } else { }",
        networks: [&[(2, &[7]), (20, &[1])], &[(2, &[9]), (20, &[1])]],
    },
    Witness {
        rule: FlowRule::FailureRaisesPc,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "y := div(1, x - 7)\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::EndRaisesClock,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "if x == 7 { exit }\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::StopRaisesLoop,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "repeat count=3 every=1ms {\n    Bytes(#01)\n    if x == 7 { stop }\n  }",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::TryElseTakesFailure,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "try { y := div(1, x - 7) } else { Bytes(#01) }",
        networks: [SEVEN, NINE],
    },
    Witness {
        rule: FlowRule::LingerTakesFailure,
        mode: ExfiltrationMode::False,
        handler: READ,
        main: "if y == 2 {\n    on linger=20ms /IP!/UDP!/Bytes { z := 1 }\n    z := div(1, x - 7)\n  }\n  Bytes(#01)",
        networks: [SEVEN, NINE],
    },
];

/// A program that is refused under `false`, and that the two networks would tell apart.
struct Refused {
    /// Declared first: variables that the handler and the main program share.
    declared: &'static str,
    handler: &'static str,
    main: &'static str,
}

const ZERO: &str = "zero = 0\nzero := 0";
const IS_SEVEN: &str = "int(MATCH[Bytes].data[0]) == 7";

const REFUSED: &[Refused] = &[
    // The lowest number has no opposite.
    Refused {
        declared: "",
        handler: "if SEVEN { x := -9223372036854775807 - 1 }",
        main: "w = -x\n  Bytes(#01)",
    },
    // What is evaluated only under a condition fails only under it.
    Refused {
        declared: ZERO,
        handler: READ,
        main: "t = x == 7 and div(1, zero) == 1\n  Bytes(#01)",
    },
    Refused {
        declared: ZERO,
        handler: READ,
        main: "t = x == 7 or div(1, zero) == 1\n  Bytes(#01)",
    },
    Refused {
        declared: ZERO,
        handler: READ,
        main: "if x == 7 { z := 1 } else if div(1, zero) == 1 { z := 2 }\n  Bytes(#01)",
    },
    Refused {
        declared: "",
        handler: READ,
        main: "repeat count=3 until=div(1, STACK[UDP].packets_out - 1) == 9 {\n    Bytes(#01)\n    if x == 7 { stop }\n  }\n  Bytes(#02)",
    },
    // A packet that is kept is its bytes.
    Refused {
        declared: "",
        handler: "p = MATCH\n  Bytes(p[Bytes].data)",
        main: "wait 1ms",
    },
    // Which of two own packets a variable holds.
    Refused {
        declared: "",
        handler: READ,
        main: "p = Bytes(#01)\n  wait 5ms\n  q = Bytes(#02)\n  r = q\n  r := q\n  if x == 7 { r := p }\n  if q[Eth].ts - r[Eth].ts > 1ms { Bytes(#03) }",
    },
    Refused {
        declared: "",
        handler: READ,
        main: "p = Bytes(#01)\n  q = Bytes(#02 * 1500)\n  r = q\n  r := q\n  if x == 7 { r := p }\n  Bytes(byte(frames(r)))",
    },
    // What the head of a block says is in its frames.
    Refused {
        declared: "",
        handler: READ,
        main: "/IP!(dst=10.0.0.2, ttl=x)/UDP!(src=40001, dst=7) { Bytes(#01) }",
    },
    // An index may be wrong behind a key that cannot.
    Refused {
        declared: "n = map(key=0, default=array(init=0, len=8))",
        handler: READ,
        main: "n[1][x] := 5\n  Bytes(#01)",
    },
    // Only an element of bytes has one byte for sure.
    Refused {
        declared: "n = map(key=0, default=#01)",
        handler: "if SEVEN { n[0] := bytes(\"\") }",
        main: "w = int(n[0])\n  Bytes(#01)",
    },
    // A write over the cap of a variable is not made.
    Refused {
        declared: "n = map(key=0, default=#00)",
        handler: "b = (#00 * 4000) * int(MATCH[Bytes].data[1])\n  foreach i 0..80 { n[i] := b }\n  n[999] := #00 * 500000",
        main: "if has(n, 999) { Bytes(#01) }",
    },
    // A computed time may lie anywhere.
    Refused {
        declared: "t = now()\nt := now()",
        handler: "if SEVEN {\n    t := now() - 9223372036s\n    t := t - 850ms\n  }",
        main: "w = now() - t\n  Bytes(#01)",
    },
    Refused {
        declared: "t = now()\nt := now()",
        handler: "if SEVEN {\n    t -= 9223372036s\n    t -= 850ms\n  }",
        main: "w = now() - t\n  Bytes(#01)",
    },
    // Options of handlers.
    Refused {
        declared: "",
        handler: "if SEVEN { x := 2 } else { x := 1 }",
        main: "try {\n    on count=min(x, 3) /IP!/UDP!/Bytes { Bytes(#01) }\n    wait 20ms\n  } else { }",
    },
    Refused {
        declared: "t = 1ms\nt := 1ms",
        handler: "if SEVEN { t := 5ms }",
        main: "if y == 2 { on linger=t /IP!/UDP!/Bytes { z := 1 } }\n  Bytes(#01)",
    },
    // Records: what one part reveals also reveals the whole.
    Refused {
        declared: "r = {a: 0, b: #00}",
        handler: "r.a := int(MATCH[Bytes].data[0])",
        main: "Bytes(byte(r.a))",
    },
    Refused {
        declared: "rows = map(key=0, default={n: 0, k: 0})",
        handler: "rows[1] := {n: int(MATCH[Bytes].data[0]), k: 1}",
        main: "foreach k, row rows { Bytes(byte(row.n)) }",
    },
    Refused {
        declared: "rows = map(key=0, default={n: 0, k: 0})",
        handler: "rows[int(MATCH[Bytes].data[0])].k := 1",
        main: "if rows[7].k == 1 { Bytes(#01) }",
    },
    // Questions that are asked again.
    Refused {
        declared: "",
        handler: "if SEVEN { z := 1 }",
        main: "foreach k 1..2 {\n    Bytes(#01)\n    ask tries=1 { if z == 1 { stop } } expect timeout=1ms /IP/ICMP { }\n  }",
    },
    Refused {
        declared: "",
        handler: "if SEVEN { z := 3 }",
        main: "ask tries=min(max(z, 1), 3) { Bytes(#01) } expect timeout=1ms /IP/ICMP { }",
    },
];

/// Programs of the same kinds that nothing received decides: they stay accepted.
const ACCEPTED: &[&str] = &[
    "w = -y\n  Bytes(#01)",
    "t = y == 7 and div(1, y) == 1\n  Bytes(#01)",
    "p = Bytes(#01)\n  q = Bytes(byte(length(p)))\n  if q[Eth].ts - p[Eth].ts > 1ms { Bytes(byte(bit_and(q[IP].id, 255))) }",
    "/IP!(dst=10.0.0.2, ttl=9)/UDP!(src=40001, dst=7) { Bytes(#01) }",
    "r = {n: y, sent: 0}\n  r.sent += 1\n  if r == {n: 2, sent: 1} { Bytes(byte(r.n)) }",
    "ask tries=2 { Bytes(#01) } expect timeout=2ms /IP!/UDP!/Bytes { y := 3 } else { y := 4 }\n  Bytes(byte(y))",
    "on count=2 linger=5ms /IP!/UDP!/Bytes { Bytes(byte(bit_and(length(MATCH[Bytes].data), 255))) }",
];

/// Programs about connections and servers, judged by the labels alone: bytes that the peer chose,
/// and where they would go.
const PEERS: &[(&str, &str)] = &[
    (
        "/IP!/UDP!(src=40000)",
        "on /IP!/UDP!/Bytes { Bytes(bytes(STACK[UDP].dst, 2)) }\n  wait 1ms",
    ),
    (
        "/IP!/UDP!(src=40000)",
        "on /IP!/UDP!/Bytes {\n    p = Bytes(#01)\n    Bytes(bytes(p[UDP].dst, 2))\n  }\n  wait 1ms",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)",
        "p = Bytes(#01)\n  Bytes(bytes(p[TCP].checksum, 2))",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)",
        "p = Bytes(#01)\n  Bytes(bytes(length(p), 2))",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)",
        "Bytes(bytes(STACK[TCP].mss, 2))",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)",
        "Bytes(bytes(STACK[IP].mtu, 2))",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)",
        "IP(dst=10.0.0.3)/TCP(flags=ack)",
    ),
    (
        "/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7)",
        "p = Bytes(#01)\n  Bytes(byte(frames(p)))",
    ),
    (
        "/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7)/DNS!(name=\"a.b\")",
        "Bytes(bytes(STACK[DNS].rcode, 2))",
    ),
    (
        "/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7)/DNS!(name=\"a.b\")",
        "foreach a STACK[DNS].addresses { Bytes(#01) }",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)/HTTP!(get=\"/\")",
        "if STACK[HTTP].status == 200 { Bytes(#01) }",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)/HTTP!(get=\"/\")",
        "Bytes(#00 * length(STACK[HTTP].reason))",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)/TLS!(sni=\"a.b\")",
        "Bytes(STACK[TLS].sha256)",
    ),
    (
        "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7)/TLS!(sni=\"a.b\")",
        "w = now() - STACK[TLS].not_after\n  Bytes(#01)",
    ),
    (
        "/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7)",
        "on /IP/TCP(options has mss) { Bytes(byte(bit_and(length(MATCH[TCP].options), 255))) }\n  wait 1ms",
    ),
];

/// The program around a handler and a main program, under `false`.
fn program(declared: &str, head: &str, body: &str) -> String {
    format!(
        "BUDGET = {{ max_duration: 3s, max_packets: 50 }}\nPERMISSIONS = {{ destinations: [10.0.0.2, 10.0.0.3] }}\nPORTS = {{ udp: [40000, 40001], tcp: [40000] }}\n{declared}\nx = 0\ny = 0\nz = 0\ny := 2\nz := 0\nx := 0\n{head} {{\n  {body}\n}}\n"
    )
}

fn handled(declared: &str, handler: &str, main: &str) -> String {
    let body = format!(
        "on /IP!/UDP!/Bytes {{\n  {}\n  }}\n  wait 10ms\n  {main}\n  wait 30ms",
        handler.replace("SEVEN", IS_SEVEN)
    );
    program(declared, "/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7)", &body)
}

/// Each is refused, and with reason: run anyway, it shows the difference of two networks.
#[test]
fn found_leaks_stay_closed() {
    for Refused {
        declared,
        handler,
        main,
    } in REFUSED
    {
        let source = handled(declared, handler, main);
        let checked = check_text(&source)
            .program
            .unwrap_or_else(|| panic!("no program:\n{source}"));
        assert!(
            accepted(&source, ExfiltrationMode::False, None).is_none(),
            "accepted:\n{source}"
        );
        let [first, second] = [7, 9].map(|octet| {
            let payload = vec![octet, if octet == 7 { 255 } else { 0 }];
            TestNetwork {
                datagrams: [2, 14, 17]
                    .map(|at| ScheduledDatagram {
                        at,
                        payload: payload.clone(),
                    })
                    .to_vec(),
            }
        });
        assert_ne!(
            trace(&checked, &first),
            trace(&checked, &second),
            "nothing differs:\n{source}"
        );
    }
}

#[test]
fn harmless_programs_stay_accepted() {
    for main in ACCEPTED {
        let source = handled("", READ, main);
        assert!(
            accepted(&source, ExfiltrationMode::False, None).is_some(),
            "refused:\n{source}"
        );
    }
}

#[test]
fn bytes_that_peers_chose_are_content() {
    for (head, body) in PEERS {
        let source = program("", head, body);
        let checked = check_text(&source)
            .program
            .unwrap_or_else(|| panic!("no program:\n{source}"));
        assert!(
            !infer(&checked, ExfiltrationMode::False, SendCertainty::Certain)
                .reports
                .is_empty(),
            "accepted:\n{source}"
        );
    }
}

fn text(witness: &Witness) -> String {
    format!(
        "BUDGET = {{ max_duration: 3s, max_packets: 50 }}\nPERMISSIONS = {{ destinations: [10.0.0.2], exfiltration: {} }}\nPORTS = {{ udp: [40000] }}\nx = 0\ny = 0\nz = 0\nm = map(key=0, default=0)\ny := 2\nz := 0\nx := 0\n/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {{\n  on /IP!/UDP!/Bytes {{\n  {}\n  }}\n  wait 10ms\n  {}\n  wait 30ms\n}}\n",
        witness.mode.name(),
        witness.handler,
        witness.main
    )
}

fn network(arrivals: &[(u64, &[u8])]) -> TestNetwork {
    TestNetwork {
        datagrams: arrivals
            .iter()
            .map(|(at, payload)| ScheduledDatagram {
                at: *at,
                payload: payload.to_vec(),
            })
            .collect(),
    }
}

/// Each rule refuses its witness; without the rule the witness is accepted, and leaks.
#[test]
fn each_rule_is_needed() {
    for witness in WITNESSES {
        let source = text(witness);
        assert!(
            accepted(&source, witness.mode, None).is_none(),
            "{:?} does not refuse:\n{source}",
            witness.rule
        );
        let program = accepted(&source, witness.mode, Some(witness.rule));
        let program = program.unwrap_or_else(|| {
            panic!(
                "without {:?} this is refused still:\n{source}",
                witness.rule
            )
        });
        let [first, second] = witness.networks.map(network);
        assert_ne!(
            trace(&program, &first),
            trace(&program, &second),
            "{:?} hides nothing here:\n{source}",
            witness.rule
        );
    }
}

/// A program around `DNS!` that a rule refuses, and two networks that it would tell apart: answers
/// with their times.
struct Asking {
    rule: FlowRule,
    mode: ExfiltrationMode,
    body: &'static str,
    /// Records among the answers, and among the authorities; none is not an answer.
    answers: [Option<(u8, u8)>; 2],
}

const ASKING: &[Asking] = &[
    Asking {
        rule: FlowRule::CounterTellsStructure,
        mode: ExfiltrationMode::False,
        body: "Bytes(#00 * length(STACK[DNS].answers))",
        answers: [Some((1, 1)), Some((2, 0))],
    },
    Asking {
        rule: FlowRule::SessionsReact,
        mode: ExfiltrationMode::None,
        body: "x := 1",
        answers: [Some((1, 0)), None],
    },
];

/// An answer to the question that the programs ask: a.b of type a, number 7.
fn answer((answers, authorities): (u8, u8)) -> ScheduledDatagram {
    let record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1];
    let head = [
        0,
        7,
        0x80,
        0,
        0,
        1,
        0,
        answers,
        0,
        authorities,
        0,
        0,
        1,
        b'a',
        1,
        b'b',
        0,
        0,
        1,
        0,
        1,
    ];
    ScheduledDatagram {
        at: 2,
        payload: [
            &head[..],
            &record.repeat(usize::from(answers + authorities)),
        ]
        .concat(),
    }
}

#[test]
fn what_a_name_server_says_is_judged() {
    for Asking {
        rule,
        mode,
        body,
        answers,
    } in ASKING
    {
        let source = format!(
            "BUDGET = {{ max_duration: 3s, max_packets: 50 }}\nPERMISSIONS = {{ destinations: [10.0.0.2], exfiltration: {} }}\nPORTS = {{ udp: [40000] }}\nx = 0\nx := 0\n/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7)/DNS!(name=\"a.b\", id=7, edns=0, tries=2, timeout=10ms) {{\n  {body}\n}}\n",
            mode.name()
        );
        assert!(
            accepted(&source, *mode, None).is_none(),
            "{rule:?} does not refuse:\n{source}"
        );
        let program = accepted(&source, *mode, Some(*rule))
            .unwrap_or_else(|| panic!("without {rule:?} this is refused still:\n{source}"));
        let [first, second] = answers.map(|counts| TestNetwork {
            datagrams: counts.map(answer).into_iter().collect(),
        });
        assert_ne!(
            trace(&program, &first),
            trace(&program, &second),
            "{rule:?} hides nothing here:\n{source}"
        );
    }
}

/// A handler that sends takes the room of a second from a packet of the main program, which then
/// reads whether its packet left, and sends one thing or the other.
const READS_WHETHER_IT_LEFT: &str = "BUDGET = { max_duration: 3s, max_packets: 50, max_bytes_per_secs: 1200 }\nPERMISSIONS = { destinations: [10.0.0.2] }\nPORTS = { udp: [40000] }\n/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {\n  on count=9 /IP!/UDP!/Bytes { Bytes(#00 * 400) }\n  wait 10ms\n  p = Bytes(#00 * 1000)\n  try {\n    at = p[Eth].ts\n    Bytes(#01)\n  } else { Bytes(#02) }\n}\n";

/// By send statement of a program, the bytes of `Bytes(#01)` and `Bytes(#02)`: whether it reacts.
fn reacting_branches(source: &str, off: Option<FlowRule>) -> Vec<bool> {
    let program = check_text(source).program.expect("a program");
    let bound = bind(&program, &BTreeMap::new()).expect("it binds");
    let certainty = worst(&program, &bound).0.certainty(&bound.policy);
    let labels = infer_without(&program, ExfiltrationMode::False, certainty, off);
    let branches = labels.sites.iter().filter(|site| {
        let text = &source[site.span.start as usize..site.span.end as usize];
        matches!(text, "Bytes(#01)" | "Bytes(#02)")
    });
    branches.map(|site| site.reacts()).collect()
}

/// Whether a packet left is an event where reactions may take its room: what is sent after reading
/// it is metered as a reaction. Without the rule it is not, and two networks tell it apart.
#[test]
fn whether_a_packet_left_counts_as_an_event() {
    let narrow = READS_WHETHER_IT_LEFT;
    assert_eq!(reacting_branches(narrow, None), [true, true]);
    let without = reacting_branches(narrow, Some(FlowRule::DropTells));
    assert_eq!(without, [false, false]);
    let program = accepted(narrow, ExfiltrationMode::False, None).expect("an event may steer");
    let (busy, idle) = (network(&[(2, &[7]), (3, &[7]), (4, &[7])]), network(&[]));

    let last = |network| trace(&program, network).last().map(|(_, frame)| frame[42]);
    assert_eq!((last(&busy), last(&idle)), (Some(2), Some(1)));
}

/// Where the worst case of the main program fits and nothing that reacts shares its second, reading
/// the time of a packet costs no bit, and stays possible under `none`.
#[test]
fn what_is_sure_to_leave_tells_nothing() {
    let text = |mode: ExfiltrationMode, packets: u32| {
        format!(
            "BUDGET = {{ max_duration: 3s, max_packets: {packets} }}\nPERMISSIONS = {{ destinations: [10.0.0.2], exfiltration: {} }}\nPORTS = {{ udp: [40000] }}\nn = 0\n/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {{\n  on linger=10ms /IP!/UDP!/Bytes {{ n += 1 }}\n  repeat count=3 every=5ms {{\n    p = Bytes(#01)\n    at = p[Eth].ts\n  }}\n}}\nprint(n)\n",
            mode.name()
        )
    };
    for mode in [ExfiltrationMode::None, ExfiltrationMode::False] {
        let source = text(mode, 3);
        let program = accepted(&source, mode, None).unwrap_or_else(|| panic!("refused:\n{source}"));
        let bound = bind(&program, &BTreeMap::new()).expect("it binds");
        let certainty = worst(&program, &bound).0.certainty(&bound.policy);
        let labels = infer_without(&program, mode, certainty, None);
        assert!(labels.sites.iter().all(|site| !site.reacts()), "{mode:?}");
        let (busy, idle) = (network(&[(2, &[7]), (3, &[7])]), network(&[]));
        assert_eq!(trace(&program, &busy), trace(&program, &idle), "{mode:?}");
    }
    let narrow = text(ExfiltrationMode::None, 2);
    assert!(
        accepted(&narrow, ExfiltrationMode::None, None).is_none(),
        "accepted:\n{narrow}"
    );
    assert!(accepted(&narrow, ExfiltrationMode::None, Some(FlowRule::DropTells)).is_some());
}

/// Under `none` the gate lets nothing out because a peer opened a conversation.
#[test]
fn under_none_no_conversation_opens_a_port() {
    let source = "BUDGET = { max_duration: 3s, max_packets: 50 }\nPERMISSIONS = { destinations: [10.0.0.2], destination_ports: { udp: [8] }, exfiltration: none }\nPORTS = { udp: [40000] }\nport = 8\nport := 6\n/IP!(dst=10.0.0.2) {\n  wait 10ms\n  port += 1\n  UDP(src=40000, dst=port)/Bytes(#01)\n  wait 10ms\n}\n";
    let program = accepted(source, ExfiltrationMode::None, None).expect("accepted");
    let (busy, idle) = (network(&[(2, &[7])]), network(&[]));
    assert_eq!(trace(&program, &busy), trace(&program, &idle));
}

/// How many came chooses the address that a block sends to: each of its frames tells it.
#[test]
fn what_events_choose_of_a_head_is_counted() {
    let source = "BUDGET = { max_duration: 3s, max_packets: 50 }\nPERMISSIONS = { destinations: [10.0.0.0/24] }\nPORTS = { udp: [40000, 40001] }\nn = 0\n/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {\n  on linger=30ms /IP!/UDP!/Bytes { n += 1 }\n}\n/IP!(dst=10.0.0.3 + n, ttl=9)/UDP!(src=40001, dst=9) { Bytes(#01) }\n";
    let program = check_text(source).program.expect("a program");
    let chosen = |off| {
        let labels = infer_without(
            &program,
            ExfiltrationMode::False,
            SendCertainty::Certain,
            off,
        );
        let sites = labels.sites.iter();
        let sent = sites.filter(|site| source[site.span.start as usize..].starts_with("Bytes"));
        sent.map(|site| site.chosen.bits(60)).collect::<Vec<_>>()
    };
    assert_eq!(chosen(None), [128], "an address of either family");
    assert_eq!(chosen(Some(FlowRule::HeadsAreChosen)), [0]);
    let network = |count: usize| network(&[(2, &[7][..]), (3, &[7]), (4, &[7])][..count]);
    let last = |count| {
        trace(&program, &network(count))
            .last()
            .map(|(_, frame)| frame[41])
    };
    assert_eq!((last(1), last(3)), (Some(4), Some(6)));
}

#[test]
fn every_rule_has_a_witness() {
    for rule in FlowRule::ALL {
        let known = WITNESSES
            .iter()
            .map(|w| w.rule)
            .chain(STREAMS.iter().map(|(rule, _)| *rule));
        let known = known
            .chain(ASKING.iter().map(|w| w.rule))
            .chain(stack::rules())
            .chain(attacks::rules())
            // `whether_a_packet_left_counts_as_an_event`, `what_events_choose_of_a_head_is_counted`
            .chain([FlowRule::DropTells, FlowRule::HeadsAreChosen]);
        assert!(known.into_iter().any(|known| known == *rule), "{rule:?}");
    }
}

fn check(mode: ExfiltrationMode, programs: u64, least: u64) {
    match campaign(mode, None, programs, 6, 1) {
        Ok(accepted) => assert!(
            accepted >= least,
            "only {accepted} of {programs} programs were accepted: the test tries too little"
        ),
        Err(leak) => panic!("{}\n{:#?}\n{:#?}", leak.source, leak.networks, leak.traces),
    }
}

/// Rules about connections, and programs that received bytes would steer without them.
const STREAMS: &[(FlowRule, &str)] = &[
    (FlowRule::CloseIsSend, "w = div(1, x)"),
    (
        FlowRule::OutIsSend,
        "on out drop count=x Bytes\n  Bytes(\"a\")\n  wait 30ms",
    ),
    (
        FlowRule::OutIsSend,
        "on out split=x Bytes\n  Bytes(\"ab\")\n  wait 30ms",
    ),
    (
        FlowRule::OutIsSend,
        "on out hold count=1 Bytes\n  Bytes(\"a\")\n  wait 5ms\n  if x == 1 { release }\n  wait 30ms",
    ),
];

/// A connection whose peer says one byte: the program reads it into `x`.
fn connected(main: &str) -> String {
    let head = "/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7, isn=1000, timestamps=false)";
    program(
        "",
        head,
        &format!("on Bytes {{ x := int(MATCH[Bytes].data[0]) }}\n  wait 10ms\n  {main}"),
    )
}

/// Each is refused; without its rule it is accepted, and tells two peers apart that say the same
/// number of bytes at the same times.
#[test]
fn each_rule_about_connections_is_needed() {
    const SYN_ACK: u8 = 0x12;
    let peer = |octet: u8| {
        [
            (2, segment(5000, 1001, SYN_ACK, &[])),
            (4, segment(5001, 1001, 0x10, &[octet])),
        ]
    };
    for (rule, main) in STREAMS {
        let source = connected(main);
        assert!(
            accepted(&source, ExfiltrationMode::False, None).is_none(),
            "accepted:\n{source}"
        );
        let program = accepted(&source, ExfiltrationMode::False, Some(*rule))
            .unwrap_or_else(|| panic!("refused still:\n{source}"));
        assert_ne!(
            trace_frames(&program, &peer(0)),
            trace_frames(&program, &peer(1)),
            "nothing differs:\n{source}"
        );
    }
    let harmless = connected(
        "on out drop count=1 Bytes(data == #61)\n  Bytes(\"a\")\n  on out hold TCP(flags has fin)\n  release",
    );
    let program = accepted(&harmless, ExfiltrationMode::False, None)
        .unwrap_or_else(|| panic!("refused:\n{harmless}"));
    assert_eq!(
        trace_frames(&program, &peer(0)),
        trace_frames(&program, &peer(1))
    );
}

/// How long a segment of ours is the peer decides; which of its fields it chose is content too.
#[test]
fn own_segments_are_content() {
    for read in [
        "length(MATCH)",
        "MATCH[Eth].len",
        "length(MATCH[Bytes].data)",
        "bit_and(MATCH[TCP].ack, 255)",
    ] {
        let source = connected(&format!(
            "on out drop count=1 Bytes {{ y := {read} }}\n  Bytes(\"a\")\n  wait 1ms\n  Bytes(byte(min(max(y, 0), 255)))"
        ));
        assert!(
            check_text(&source).program.is_some(),
            "no program:\n{source}"
        );
        assert!(
            accepted(&source, ExfiltrationMode::False, None).is_none(),
            "accepted:\n{source}"
        );
    }
}

/// The short form; `cargo run --release -p crafty-testkit --example two_run` is the long one.
#[test]
fn generated_programs_do_not_leak_under_false() {
    check(ExfiltrationMode::False, 1_500, 200);
}

#[test]
fn generated_programs_do_not_leak_under_none() {
    check(ExfiltrationMode::None, 3_000, 40);
}
