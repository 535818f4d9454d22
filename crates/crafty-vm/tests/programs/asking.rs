//! `ask`: tries, their answers and their end.

use crate::bench::check;
use crate::peers::{OURS, Peer, TARGET, udp};
use crate::rules::program;

/// A body inside a UDP block towards the target.
fn in_udp(body: &str) -> String {
    program(&format!(
        "/IP!(dst=192.0.2.1)/UDP!(dst=7) {{\n{body}\nprint(\"after\")\n}}"
    ))
}

/// Answers that come by themselves, at these milliseconds.
fn script(rows: &[(i64, &[u8])]) -> Peer {
    let answer = |data: &[u8]| udp(TARGET, 7, OURS, 40000, data);
    Peer::Script(rows.iter().map(|(ms, data)| (*ms, answer(data))).collect())
}

const ASK: &str = r#"
  ask tries=3 as n {
    print("asks ${n}")
    Bytes("q")
  } expect timeout=10ms /IP!/UDP!/Bytes(data == "a") {
    print("answered at try ${n}")
  } else {
    print("no answer")
  }"#;

#[test]
fn it_asks_until_the_answer_comes() {
    check(
        &in_udp(ASK),
        script(&[(25, b"a")]),
        "0.000 asks 1\n0.010 asks 2\n0.020 asks 3\n0.025 answered at try 3\n0.025 after\n0.025 ends 0",
    );
    check(
        &in_udp(ASK),
        script(&[(5, b"a"), (15, b"a")]),
        "0.000 asks 1\n0.005 answered at try 1\n0.005 after\n0.005 ends 0",
    );
}

#[test]
fn without_an_answer_the_else_runs_once() {
    check(
        &in_udp(ASK),
        script(&[(12, b"b")]),
        "0.000 asks 1\n0.010 asks 2\n0.020 asks 3\nnear miss: 1 frame matched except for one condition: `Bytes.data` is «#62»\n0.030 no answer\n0.030 after\n0.030 ends 0",
    );
}

#[test]
fn all_tries_are_one_round() {
    let body = r#"
  ask tries=2 {
    wait 10ms
    Bytes("q")
  } expect timeout=10ms /IP!/UDP!/Bytes(data == "a") { print("late, but an answer") }
  Bytes("q")
  expect timeout=10ms /IP!/UDP!/Bytes { print("old") } else { print("a new round") }"#;
    check(
        &in_udp(body),
        script(&[(25, b"a"), (26, b"b")]),
        "0.030 late, but an answer\n0.040 a new round\n0.040 after\n0.040 ends 0",
    );
}

#[test]
fn a_stop_in_it_ends_the_loop_around() {
    let body = r#"
  foreach k 1..3 {
    ask tries=2 {
      Bytes("q")
    } expect timeout=10ms /IP!/UDP!/Bytes {
      print("round ${k}")
      stop
    }
  }"#;
    check(
        &in_udp(body),
        script(&[(5, b"a"), (6, b"b")]),
        "0.005 round 1\n0.005 after\n0.005 ends 0",
    );
}

#[test]
fn an_answer_is_one_even_if_what_is_done_with_it_fails() {
    let body = r#"
  ask tries=3 {
    Bytes("q")
  } expect timeout=10ms /IP!/UDP!/Bytes {
    print("taken")
    print("${div(1, length(MATCH[Bytes].data) - 1)}")
  } else {
    print("no answer")
  }"#;
    check(
        &in_udp(body),
        script(&[(5, b"a"), (15, b"b")]),
        "0.005 taken\n0.005 error divide\n0.005 after\n0.005 ends 1",
    );
}

#[test]
fn what_the_question_declares_the_answer_reads() {
    let body = r#"
  ask tries=3 as n {
    tag = byte(n)
    p = Bytes(tag)
  } expect timeout=10ms * n /IP!/UDP!/Bytes(data == tag) as m {
    print("${n} ${tag} ${m[Eth].ts - p[Eth].ts}")
  }"#;
    check(
        &in_udp(body),
        script(&[(22, b"\x02")]),
        "0.022 2 #02 12ms\n0.022 after\n0.022 ends 0",
    );
}
