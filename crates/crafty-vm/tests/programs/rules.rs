//! The rules of programs at work, one row or more each.

use crate::bench::{Run, check, check_frames, compare, run};
use crate::peers::{OURS, Peer, TARGET, icmp_error, ip_frame, udp, udp_payload};

/// What the rows below have in common.
pub fn program(body: &str) -> String {
    format!(
        "BUDGET = {{ max_duration: 20s, max_packets: 100 }}\nPERMISSIONS = {{ destinations: [192.0.2.0/24] }}\n\
         PORTS = {{ icmp: [77], udp: [40000, 40001], tcp: [[45000, 45009]] }}\n{body}\n"
    )
}

/// A body inside a UDP block towards the target.
fn in_udp(body: &str) -> String {
    program(&format!("/IP!(dst=192.0.2.1)/UDP!(dst=7) {{\n{body}\n}}"))
}

fn answer(data: &[u8]) -> Vec<u8> {
    udp(TARGET, 7, OURS, 40000, data)
}

fn script(rows: &[(i64, &[u8])]) -> Peer {
    Peer::Script(rows.iter().map(|(ms, data)| (*ms, answer(data))).collect())
}

#[test]
fn handlers_come_before_the_expect_and_take_nothing_away() {
    let body = r#"
  on /IP!/UDP!/Bytes { print("first on") }
  on /IP!/UDP!/Bytes { print("second on") }
  wait 1ms
  Bytes("a")
  expect timeout=1s /IP!/UDP!/Bytes { print("expect") }"#;
    check(
        &in_udp(body),
        Peer::Echo(5),
        "0.006 first on\n0.006 second on\n0.006 expect\n0.006 ends 0",
    );
}

#[test]
fn no_handler_runs_while_a_stamp_is_read() {
    let body = r#"
  sent = map(key=0, default=0s)
  n = 0
  on linger=10ms /IP!/UDP!/Bytes { print("entry ${has(sent, 1)}") }
  wait 1ms
  p = Bytes("a")
  t = p[Eth].ts
  sent[1] := 1s
  print("entered")"#;
    check(
        &in_udp(body),
        Peer::Echo(0),
        "0.001 entered\n0.001 entry true\n0.011 ends 0",
    );
}

#[test]
fn two_sends_are_awaited_in_any_order() {
    let body = r#"
  Bytes("a")
  Bytes("b")
  expect timeout=1s /IP!/UDP!/Bytes(data == "b") { print("b") }
  expect timeout=1s /IP!/UDP!/Bytes(data == "a") { print("a") }"#;
    check(
        &in_udp(body),
        Peer::Echo(5),
        "0.005 b\n0.005 a\n0.005 ends 0",
    );
}

#[test]
fn what_came_before_the_round_is_no_answer() {
    let body = r#"
  Bytes("1")
  expect timeout=10ms /IP!/UDP!/Bytes { print("first") } else { print("none") }
  wait 50ms
  Bytes("2")
  expect timeout=10ms /IP!/UDP!/Bytes { print("stale") } else { print("none") }"#;
    check(
        &in_udp(body),
        script(&[(5, b"x"), (20, b"y")]),
        "0.005 first\n0.065 none\n0.065 ends 0",
    );
}

#[test]
fn what_an_expect_passes_over_is_shown_to_the_next() {
    let body = r#"
  Bytes("1")
  expect timeout=10ms /IP!/UDP!/Bytes(data == "y") { print("y") }
  expect timeout=10ms /IP!/UDP!/Bytes { print("${length(MATCH)} ${MATCH[Eth].ts > now() - 1s}") }"#;
    check(
        &in_udp(body),
        script(&[(5, b"x"), (6, b"y")]),
        "0.006 y\n0.006 29 true\n0.006 ends 0",
    );
}

#[test]
fn a_packet_at_the_deadline_is_in_time_and_one_after_it_is_not() {
    let body = r#"
  Bytes("1")
  expect timeout=10ms /IP!/UDP!/Bytes { print("in time") } else { print("late") }"#;
    check(
        &in_udp(body),
        script(&[(10, b"x")]),
        "0.010 in time\n0.010 ends 0",
    );
    check(
        &in_udp(body),
        script(&[(11, b"x")]),
        "0.010 late\n0.010 ends 0",
    );
}

#[test]
fn a_linger_lasts_its_full_time_and_the_longest_counts() {
    let body = r#"
  on linger=30ms /IP!/UDP!/Bytes(data == "x") { print("x") }
  on linger=50ms /IP!/UDP!/Bytes(data == "y") { print("y") }"#;
    let wanted = "0.005 x\n0.040 y\n0.050 ends 0";
    check(
        &in_udp(body),
        script(&[(5, b"x"), (40, b"y"), (60, b"y")]),
        wanted,
    );
}

#[test]
fn a_handler_that_has_had_its_matches_holds_nothing() {
    let body = r#"
  on linger=1s count=2 /IP!/UDP!/Bytes { print("got") }"#;
    check(
        &in_udp(body),
        script(&[(5, b"x"), (8, b"y"), (9, b"z")]),
        "0.005 got\n0.008 got\n0.008 ends 0",
    );
}

#[test]
fn every_keeps_its_grid() {
    let rows = [
        (
            "repeat count=3 every=10ms as n {\n print(\"${n}\")\n if n == 1 { wait 15ms }\n}\nprint(\"end\")",
            "0.000 1\n0.020 2\n0.030 3\n0.040 end\n0.040 ends 0",
        ),
        (
            "repeat for=25ms every=10ms as n { print(\"${n}\") }",
            "0.000 1\n0.010 2\n0.020 3\n0.030 ends 0",
        ),
        (
            "foreach x [7, 8] every=5ms { print(\"${x}\") }",
            "0.000 7\n0.005 8\n0.010 ends 0",
        ),
        (
            "n = 0\nrepeat count=9 every=1ms until=n == 2 { n += 1 }\nprint(\"${n}\")",
            "0.002 2\n0.002 ends 0",
        ),
        (
            "foreach x 3..2 { print(\"never\") }\nrepeat count=0 { print(\"never\") }",
            "0.000 ends 0",
        ),
    ];
    for (body, wanted) in rows {
        check(&program(body), Peer::Silent, wanted);
    }
}

#[test]
fn stop_and_exit_leave_through_blocks() {
    let rows = [
        (
            "foreach x 1..9 {\n /IP!(dst=192.0.2.1) {\n if x == 2 { stop }\n print(\"${x}\")\n }\n}\nprint(\"after\")",
            "0.000 1\n0.000 after\n0.000 ends 0",
        ),
        (
            "foreach x 1..3 {\n foreach y 1..3 { if y == 2 { stop }; print(\"${x}${y}\") }\n}",
            "0.000 11\n0.000 21\n0.000 31\n0.000 ends 0",
        ),
        ("print(\"a\")\nexit\nprint(\"b\")", "0.000 a\n0.000 ends 0"),
        ("fail \"no ${1 + 1}\"", "0.000 failed: no 2\n0.000 ends 1"),
        ("assert 1 > 2, \"odd\"", "0.000 failed: odd\n0.000 ends 1"),
        ("assert 2 > 1\nprint(\"fine\")", "0.000 fine\n0.000 ends 0"),
    ];
    for (body, wanted) in rows {
        check(&program(body), Peer::Silent, wanted);
    }
}

#[test]
fn a_handler_can_end_the_program() {
    let body = r#"
  on /IP!/UDP!/Bytes { exit }
  wait 1s
  print("never")"#;
    check(&in_udp(body), script(&[(5, b"x")]), "0.000 ends 0");
}

#[test]
fn what_the_gate_drops_was_not_sent() {
    let text = r#"
BUDGET = { max_duration: 20s, max_packets: 2 }
PERMISSIONS = { destinations: [192.0.2.0/24] }
PORTS = { udp: [40000] }
n = 3
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  repeat count=min(n, 3) every=10ms {
    p = Bytes("x")
    print("${frames(p)}")
    print("${p[Eth].ts_source} ${now() - p[Eth].ts}")
  }
  print("after")
}"#;
    check(
        text,
        Peer::Silent,
        "0.000 1\n0.000 recapture 0s\n0.010 1\n0.010 recapture 0s\ndropped: max_packets\n0.020 0\n0.020 error not_sent\n0.030 after\n0.030 ends 4",
    );
}

/// What a program reads of a packet that was not sent, and how its run ends.
#[test]
fn no_time_is_read_of_what_was_not_sent() {
    let head = "BUDGET = { max_duration: 20s, max_packets: 1 }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\n/IP!(dst=192.0.2.1)/UDP!(dst=7) {\nBytes(\"a\")\np = Bytes(\"b\")\n";
    let why = "the gate dropped it (max_packets: the run's 1 packets are used up, or reserved for the main program)";
    let dropped = "dropped: max_packets\n";
    for (body, wanted) in [
        (
            "try { print(\"${p[Eth].ts}\") } else e { print(e.kind) }",
            "0.000 not_sent\n0.000 ends 4".to_string(),
        ),
        (
            "try { print(p[Eth].ts_source) } else e { print(e.message) }",
            "0.000 «not sent, so it has no time: the gate dropped it (max_packets: t… (129 bytes)»\n0.000 ends 4".into(),
        ),
        (
            "try { print(\"${p[Eth].last_ts}\") } else e { print(e.kind) }",
            "0.000 not_sent\n0.000 ends 4".to_string(),
        ),
        (
            "print(\"${length(p)} ${p[UDP].dst} ${p[Bytes].data} ${frames(p)}\")",
            "0.000 43 7 #62 0\n0.000 ends 4".to_string(),
        ),
        (
            "print(\"${p[Eth].ts}\")\nprint(\"never\")",
            "0.000 error not_sent\n0.000 ends 4".to_string(),
        ),
        (
            "print(\"${p[Eth].ts}\")\n}\nfail \"it is worse\"\nif true {",
            "0.000 error not_sent\n0.000 failed: it is worse\n0.000 ends 1".to_string(),
        ),
        (
            "expect timeout=10ms /IP!/UDP!/Bytes { } else { print(\"none\") }",
            format!("not asked: {why}\n0.010 none\n0.010 ends 4"),
        ),
    ] {
        check(
            &format!("{head}{body}\n}}\n"),
            Peer::Silent,
            &format!("{dropped}{wanted}"),
        );
    }
}

/// Only the `else` of the round in which something was not sent says so.
#[test]
fn an_else_speaks_of_its_own_round() {
    let text = r#"
BUDGET = { max_duration: 20s, max_packets: 9, max_bytes: 100 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  Bytes(#00 * 200)
  expect timeout=10ms /IP!/UDP!/Bytes { } else { print("first") }
  Bytes("x")
  expect timeout=10ms /IP!/UDP!/Bytes { } else { print("second") }
}"#;
    let why = "the gate dropped it (max_bytes: the run's 100 bytes are used up, or reserved for the main program)";
    check(
        text,
        Peer::Silent,
        &format!("dropped: max_bytes\nnot asked: {why}\n0.010 first\n0.020 second\n0.020 ends 4"),
    );
}

#[test]
fn a_frame_that_comes_a_little_early_is_held() {
    let text = r#"
BUDGET = { max_duration: 20s, max_packets: 9, max_packets_per_secs: 2 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("1")
  Bytes("2")
  wait 990ms
  p = Bytes("3")
  print("${p[Eth].ts - now()}")
}"#;
    let wanted = r#"0.000 > 192.0.2.1 UDP 40000 > 7 "1"
        0.000 > 192.0.2.1 UDP 40000 > 7 "2"
        1.000 > 192.0.2.1 UDP 40000 > 7 "3"
        0.990 10ms
        0.990 ends 0"#;
    check_frames(text, Peer::Silent, wanted);
}

#[test]
fn without_a_recapture_the_clock_must_do() {
    let text = in_udp("p = Bytes(\"x\")\nprint(\"${p[Eth].ts_source} ${p[Eth].ts - now()}\")");
    compare(
        Run {
            stamps: false,
            ..Run::of(&text, Peer::Silent)
        },
        "0.000 clock 0s\n0.000 ends 0",
    );
}

#[test]
fn lateness_is_caught_up_and_told() {
    let text = program("repeat count=2 every=10ms { print(\"x\") }\nprint(\"end\")");
    compare(
        Run {
            late: 5_000_000,
            ..Run::of(&text, Peer::Silent)
        },
        "0.000 x\n0.010 x\nlate\n0.020 end\n0.020 ends 0",
    );
}

#[test]
fn literal_layers_go_where_the_text_says() {
    let rows = [
        (
            "ICMP(type=echo_request, seq=5)/Bytes(\"x\")",
            "0.000 > 192.0.2.1 ICMP 8 id 77 seq 5 \"x\"",
        ),
        (
            "UDP(dst=9)/Bytes(\"x\")",
            "0.000 > 192.0.2.1 UDP 40000 > 9 \"x\"",
        ),
        (
            "IP(ttl=3)/UDP(src=40001)/Bytes(\"x\")",
            "0.000 > 192.0.2.1 ttl 3 UDP 40001 > 7 \"x\"",
        ),
        (
            "/IP(dst=192.0.2.80)/UDP(dst=5)/Bytes(\"x\")",
            "0.000 > 192.0.2.80 UDP 40000 > 5 \"x\"",
        ),
    ];
    for (send, frame) in rows {
        check_frames(
            &in_udp(send),
            Peer::Silent,
            &format!("{frame}\n0.000 ends 0"),
        );
    }
}

#[test]
fn a_driven_ip_fragments_and_a_literal_one_does_not() {
    let cut = "p = Bytes(#00 * 2000)\nprint(\"${frames(p)} ${p[Eth].last_ts - p[Eth].ts}\")";
    let wanted = "0.000 > 192.0.2.1 fragment at 0 UDP 40000 > 7 1472 bytes\n0.000 > 192.0.2.1 fragment at 1480 528 bytes\n0.000 2 0s\n0.000 ends 0";
    check_frames(&in_udp(cut), Peer::Silent, wanted);
    let n = "n = 2000\nn += 0\nIP(ttl=9)/UDP(dst=9)/Bytes(#00 * n)\nprint(\"never\")";
    check(&in_udp(n), Peer::Silent, "0.000 error range\n0.000 ends 1");
}

#[test]
fn fragments_are_put_together_for_the_block() {
    let whole = udp_payload(TARGET, 7, OURS, 40000, &[0x61; 2000]);
    let piece = |from: usize, to: usize, more: bool| {
        let mut frame = ip_frame(TARGET, OURS, 17, 64, &whole[from..to]);
        let field = (from / 8) as u16 | if more { 0x2000 } else { 0 };
        frame[20..22].copy_from_slice(&field.to_be_bytes());
        frame[24..26].fill(0);
        let sum: u32 = frame[14..34]
            .chunks(2)
            .map(|c| u32::from(c[0]) << 8 | u32::from(c[1]))
            .sum();
        let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
        frame[24..26].copy_from_slice(&checksum.to_be_bytes());
        frame
    };
    let body = r#"
  expect timeout=1s /IP!/UDP!/Bytes {
    print("${length(MATCH[Bytes].data)} ${STACK[IP].fragments_in} ${STACK[IP].reassembled}")
  }
  expect timeout=1s /IP/Bytes { print("a fragment") }"#;
    let peer = Peer::Script(vec![
        (5, piece(0, 1480, true)),
        (6, piece(1480, 2008, false)),
    ]);
    check(
        &in_udp(body),
        peer,
        "0.006 2000 2 1\n0.006 a fragment\n0.006 ends 0",
    );
}

#[test]
fn icmp_errors_raise_nothing_and_are_counted() {
    let body = r#"
  Bytes("x")
  expect timeout=1s /IP/ICMP(type == dest_unreachable, code == port_unreachable)/IP/UDP(dst == 7) { print("no port") }
  print("${STACK[UDP].icmp_errors} ${STACK[UDP].packets_out}")"#;
    check(
        &in_udp(body),
        Peer::Path(0),
        "0.001 no port\n0.001 1 1\n0.001 ends 0",
    );
}

#[test]
fn a_path_mtu_is_learnt() {
    let body = r#"
  print("${STACK[IP].mtu}")
  Bytes(#00 * 1400)
  wait 10ms
  p = Bytes(#00 * 1400)
  print("${STACK[IP].mtu} ${frames(p)}")"#;
    let too_big = Peer::With(|frame| {
        if frame.len() < 1400 {
            return Vec::new();
        }
        let mut error = icmp_error([198, 51, 100, 1], 3, 4, &frame[14..62]);
        error[40..42].copy_from_slice(&1000u16.to_be_bytes());
        error[36..38].fill(0);
        let sum: u32 = error[34..34 + 56]
            .chunks(2)
            .map(|c| u32::from(c[0]) << 8 | u32::from(c[1]))
            .sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        error[36..38].copy_from_slice(&(!(folded as u16 + (folded >> 16) as u16)).to_be_bytes());
        vec![(1_000_000, error)]
    });
    check(
        &in_udp(body),
        too_big,
        "0.000 1500\n0.010 1000 2\n0.010 ends 0",
    );
}

#[test]
fn patterns_are_anchored_runs() {
    let quoted = |data: &[u8]| {
        let frame = ip_frame(
            OURS,
            TARGET,
            17,
            1,
            &udp_payload(OURS, 40000, TARGET, 7, data),
        );
        icmp_error([198, 51, 100, 9], 11, 0, &frame[14..14 + 28 + data.len()])
    };
    let rows = [
        ("/IP/UDP", "no"),
        ("/IP/*/UDP", "yes"),
        ("/*/UDP(dst == 7)", "yes"),
        ("/IP/ICMP/IP/UDP(dst == 7)/Bytes", "yes"),
        ("/IP/ICMP/IP/UDP/End", "no"),
        ("/Eth/IP/ICMP", "yes"),
        ("/IP/ICMP(seq == 0)", "no"),
        ("/IP/ICMP(not seq == 1)", "no"),
        ("/IP/ICMP(type == time_exceeded, code in 0..1)", "yes"),
        ("/IP(src in 198.51.100.0/24 or ttl == 1)/ICMP", "yes"),
        ("/IP(checksum == good)/ICMP(checksum == good)", "yes"),
        ("/IP(checksum == bad)/ICMP", "no"),
        (
            "/IP/ICMP where MATCH[IP].ttl > 50 and MATCH[IP].ttl < 60",
            "yes",
        ),
        ("/IP/ICMP where length(MATCH) > 500", "no"),
    ];
    for (pattern, wanted) in rows {
        let body = format!(
            "  Bytes(\"q\")\n  expect timeout=10ms {pattern} {{ print(\"yes\") }} else {{ print(\"no\") }}"
        );
        let at = if wanted == "yes" { "0.005" } else { "0.010" };
        let text = in_udp(&body);
        let mut log = run(Run::of(&text, Peer::Script(vec![(5, quoted(b"q"))])));
        log.retain(|line| !line.starts_with("near miss"));
        assert_eq!(
            log,
            [format!("{at} {wanted}"), format!("{at} ends 0")],
            "{text}"
        );
    }
}

#[test]
fn layers_are_counted_from_outside() {
    let body = r#"
  IP(ttl=2)/UDP(dst=7)/Bytes("q")
  expect timeout=1s /IP/ICMP/IP/UDP/* {
    print("${MATCH[IP].src} ${MATCH[IP, 1].dst} ${MATCH[IP, -1].ttl} ${MATCH[UDP].dst} ${MATCH[Bytes].data}")
  }"#;
    check(
        &in_udp(body),
        Peer::Path(9),
        "0.001 198.51.100.2 192.0.2.1 2 7 «#71»\n0.001 ends 0",
    );
}

#[test]
fn operands_are_frozen_and_where_is_not() {
    let body = r#"
  n = 1
  on /IP!/UDP!/Bytes where length(MATCH[Bytes].data) == n { print("where ${n}") }
  on /IP!/UDP!/Bytes(data == byte(n)) { print("frozen ${n}") }
  n := 2
  wait 1s"#;
    check(
        &in_udp(body),
        script(&[(5, &[1]), (6, &[2, 2])]),
        "0.005 frozen 2\n0.006 where 2\n1.000 ends 0",
    );
}

#[test]
fn an_error_in_a_where_is_no_match() {
    let body = r#"
  expect timeout=10ms /IP!/UDP!/Bytes where int(MATCH[Bytes].data[3]) > 0 { print("match") } else { print("none") }"#;
    check(
        &in_udp(body),
        script(&[(5, b"x")]),
        "0.010 none\n0.010 ends 0",
    );
}

#[test]
fn a_handler_hears_what_comes_after_it_was_set_up() {
    let body = r#"
  wait 10ms
  on /IP!/UDP!/Bytes { print("${MATCH[Bytes].data}") }
  wait 10ms"#;
    check(
        &in_udp(body),
        script(&[(5, b"a"), (15, b"b"), (25, b"c")]),
        "0.015 «#62»\n0.020 ends 0",
    );
}

#[test]
fn received_text_is_marked() {
    let body = r#"
  Bytes("?")
  expect timeout=1s /IP!/UDP!/Bytes { print("it says ${text(MATCH[Bytes].data)} ${length(MATCH[Bytes].data)}") }"#;
    check(
        &in_udp(body),
        script(&[(5, b"run\nme")]),
        "0.005 it says «run\\nme» 6\n0.005 ends 0",
    );
}

#[test]
fn a_wrong_checksum_is_not_delivered_but_seen() {
    let mut frame = answer(b"x");
    frame[40] ^= 1;
    let body = r#"
  expect timeout=10ms /IP!/UDP! { print("delivered") } else { print("not delivered") }
  expect timeout=10ms /IP/UDP(checksum == bad) { print("seen") }"#;
    check(
        &in_udp(body),
        Peer::Script(vec![(5, frame)]),
        "0.010 not delivered\n0.010 seen\n0.010 ends 0",
    );
}

#[test]
fn inner_blocks_send_on_outer_stacks_by_name() {
    let text = program(
        "/IP!(dst=192.0.2.1)/UDP!(dst=7) as one {\n /IP!(dst=192.0.2.80)/UDP!(dst=9, src=40001) {\n Bytes(\"in\")\n one/Bytes(\"out\")\n print(\"${STACK[UDP].dst} ${one[UDP].dst}\")\n }\n}",
    );
    let wanted = r#"0.000 9 7
        0.000 > 192.0.2.80 UDP 40001 > 9 "in"
        0.000 > 192.0.2.1 UDP 40000 > 7 "out"
        0.000 ends 0"#;
    check_frames(&text, Peer::Silent, wanted);
}

#[test]
fn values_are_copied_and_loops_walk_what_was_there() {
    let rows = [
        (
            "a = [1]\nb = a\na += 2\nprint(\"${a} ${b}\")",
            "0.000 [1, 2] [1]\n0.000 ends 0",
        ),
        (
            "a = [1, 2]\nforeach x a { a += x }\nprint(\"${a}\")",
            "0.000 [1, 2, 1, 2]\n0.000 ends 0",
        ),
        (
            "m = map(key=\"\", default=0)\nm[\"b\"] += 2\nm[\"a\"] := 1\nforeach k m { print(\"${k}${m[k]}\") }",
            "0.000 a1\n0.000 b2\n0.000 ends 0",
        ),
        (
            "a = [[1]]\na += [2]\na[0] += 5\nprint(\"${a}\")",
            "0.000 [[1, 5], [2]]\n0.000 ends 0",
        ),
    ];
    for (body, wanted) in rows {
        check(&program(body), Peer::Silent, wanted);
    }
}

/// What nearly matched, or was not shown, is reported with the fix; what matched, or missed in more
/// than one respect, is not.
#[test]
fn near_misses_are_told() {
    let program = |destination: &str, body: &str| {
        format!(
            "BUDGET = {{ max_duration: 20s }}\nPERMISSIONS = {{ destinations: [{destination}] }}\nPORTS = {{ udp: [40000] }}\n{body}\n"
        )
    };
    let expect = |pattern: &str| {
        format!("expect timeout=10ms {pattern} {{ print(\"yes\") }} else {{ print(\"no\") }}")
    };
    let stranger = "1 frame matched, but was hidden from the program: it comes from 192.0.2.1, which is not among the destinations: add it to `destinations`, or the power `observe`";
    for (destination, body, wanted) in [
        (
            "192.0.2.1",
            expect("/IP/UDP/Bytes(data == \"y\")"),
            "near miss: 1 frame matched except for one condition: `Bytes.data` is «#78»\n0.010 no\n0.010 ends 0".to_string(),
        ),
        (
            "192.0.2.1",
            expect("/IP(src == 192.0.2.2)/UDP(dst == 40000)"),
            "near miss: 1 frame matched except for one condition: `IP.src` is 192.0.2.1\n0.010 no\n0.010 ends 0".to_string(),
        ),
        (
            "192.0.2.1",
            expect("/IP(src == 192.0.2.2)/UDP(dst == 40001)"),
            "0.010 no\n0.010 ends 0".to_string(),
        ),
        (
            "192.0.2.1",
            expect("/IP(src == 192.0.2.1)/UDP(dst == 40000)"),
            "0.005 yes\n0.005 ends 0".to_string(),
        ),
        (
            "192.0.2.80",
            expect("/IP/UDP/Bytes"),
            format!("near miss: {stranger}\n0.010 no\n0.010 ends 0"),
        ),
        (
            "192.0.2.80",
            "on linger=10ms /IP/UDP/Bytes { print(\"yes\") }".into(),
            format!("near miss: {stranger}\n0.010 ends 0"),
        ),
        (
            "192.0.2.1",
            "on linger=10ms /IP/UDP(src == 9)/Bytes { print(\"yes\") }".into(),
            "near miss: 1 frame matched except for one condition: `UDP.src` is 7\n0.010 ends 0".into(),
        ),
        (
            "192.0.2.1",
            "on linger=10ms /IP/UDP/Bytes { print(\"yes\") }".into(),
            "0.005 yes\n0.010 ends 0".into(),
        ),
    ] {
        check(&program(destination, &body), script(&[(5, b"x")]), &wanted);
    }
}
