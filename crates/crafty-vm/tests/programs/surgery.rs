//! `on out` at work: own segments dropped, held, delayed, duplicated, cut; what the stack, the
//! blocks and the end make of it.

use crate::bench::{Run, check, check_frames, run};
use crate::rules::program;
use crate::streams::{Host, peer};

/// A body inside a `TCP!` block that is inside an `IP!` block.
fn nested(outer: &str, inner: &str) -> String {
    program(&format!(
        "/IP!(dst=192.0.2.1) {{\n{outer}\nTCP!(dst=80, nagle=false) {{\n{inner}\n}} else e {{ print(\"else ${{e.kind}}\") }}\nprint(\"after\")\n}}"
    ))
}

fn echo(_: &[u8]) -> &'static [u8] {
    b"ok"
}

/// What leaves, and what is said, from the first data on: the handshake before it is the same in
/// all rows.
#[track_caller]
fn row(inner: &str, wanted: &str) {
    let handshake = "0.000 > 192.0.2.1 TCP 45000 > 80 S \"\"";
    check_frames(
        &nested("", inner),
        peer(Host::Serves(echo)),
        &format!("{handshake}\n{wanted}"),
    );
}

#[test]
fn a_dropped_segment_is_sent_again_by_the_stack() {
    let inner = "on out drop count=1 TCP/Bytes\nBytes(\"ask\")\nexpect timeout=5s Bytes { print(\"${STACK[TCP].retransmits} ${STACK[TCP].withheld}\") }";
    let wanted = r#"0.002 x 192.0.2.1 TCP 45000 > 80 PA "ask"
        0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.202 > 192.0.2.1 TCP 45000 > 80 PA "ask"
        0.204 1 1
        0.204 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.206 after
        0.206 > 192.0.2.1 TCP 45000 > 80 A ""
        0.206 ends 0"#;
    row(inner, wanted);
}

#[test]
fn held_segments_leave_at_release_and_at_the_end() {
    let hold =
        "on out hold count=1 TCP/Bytes\nBytes(\"one\")\nwait 1ms\nBytes(\"two\")\nwait 1ms\n";
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.003 > 192.0.2.1 TCP 45000 > 80 PA "two"
        0.004 > 192.0.2.1 TCP 45000 > 80 PA "one"
        0.005 > 192.0.2.1 TCP 45000 > 80 A "one"
        0.024 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.026 after
        0.026 > 192.0.2.1 TCP 45000 > 80 A ""
        0.026 ends 0"#;
    row(&format!("{hold}release\nwait 20ms"), wanted);
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.003 > 192.0.2.1 TCP 45000 > 80 PA "two"
        0.004 > 192.0.2.1 TCP 45000 > 80 PA "one"
        0.004 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.005 > 192.0.2.1 TCP 45000 > 80 A "one"
        0.006 after
        0.006 > 192.0.2.1 TCP 45000 > 80 A ""
        0.006 ends 0"#;
    row(hold, wanted);
}

#[test]
fn two_segments_change_their_order() {
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.003 > 192.0.2.1 TCP 45000 > 80 PA "two"
        0.005 > 192.0.2.1 TCP 45000 > 80 A "one"
        0.007 > 192.0.2.1 TCP 45000 > 80 PA "one"
        0.023 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.025 after
        0.025 > 192.0.2.1 TCP 45000 > 80 A ""
        0.025 ends 0"#;
    row(
        "on out delay=5ms count=1 TCP/Bytes\nBytes(\"one\")\nwait 1ms\nBytes(\"two\")\nwait 20ms",
        wanted,
    );
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.002 > 192.0.2.1 TCP 45000 > 80 PA "cde"
        0.007 > 192.0.2.1 TCP 45000 > 80 A "ab"
        0.022 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.024 after
        0.024 > 192.0.2.1 TCP 45000 > 80 A ""
        0.024 ends 0"#;
    row(
        "on out split=2 count=1 TCP/Bytes\non out delay=5ms count=1 Bytes\nBytes(\"abcde\")\nwait 20ms",
        wanted,
    );
}

#[test]
fn a_duplicate_and_a_cut_are_frames_of_their_own() {
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.002 > 192.0.2.1 TCP 45000 > 80 PA "ask"
        0.002 > 192.0.2.1 TCP 45000 > 80 PA "ask"
        0.022 2
        0.022 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.024 after
        0.024 > 192.0.2.1 TCP 45000 > 80 A ""
        0.024 ends 0"#;
    row(
        "on out duplicate count=1 Bytes\np = Bytes(\"ask\")\nwait 20ms\nprint(\"${frames(p)}\")",
        wanted,
    );
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.002 > 192.0.2.1 TCP 45000 > 80 A "a"
        0.002 > 192.0.2.1 TCP 45000 > 80 PA "sk"
        0.022 2
        0.022 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.024 after
        0.024 > 192.0.2.1 TCP 45000 > 80 A ""
        0.024 ends 0"#;
    row(
        "on out split=1 Bytes\np = Bytes(\"ask\")\nwait 20ms\nprint(\"${frames(p)}\")",
        wanted,
    );
    // Of two cuts the second takes what the first has left to cut.
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.002 > 192.0.2.1 TCP 45000 > 80 A "ab"
        0.002 > 192.0.2.1 TCP 45000 > 80 A "cd"
        0.002 > 192.0.2.1 TCP 45000 > 80 A "ef"
        0.002 > 192.0.2.1 TCP 45000 > 80 PA "g"
        0.022 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.024 after
        0.024 > 192.0.2.1 TCP 45000 > 80 A ""
        0.024 ends 0"#;
    row(
        "on out split=4 Bytes\non out split=2 Bytes\nBytes(\"abcdefg\")\nwait 20ms",
        wanted,
    );
}

#[test]
fn an_acknowledgement_is_withheld_and_a_fin_is_lost() {
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.002 > 192.0.2.1 TCP 45000 > 80 PA "ask"
        0.044 x 192.0.2.1 TCP 45000 > 80 A ""
        0.102 1
        0.102 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.104 x 192.0.2.1 TCP 45000 > 80 A ""
        0.104 after
        0.104 ends 0"#;
    row(
        "on out drop TCP(flags == ack)/End\nBytes(\"ask\")\nwait 100ms\nprint(\"${STACK[TCP].withheld}\")",
        wanted,
    );
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.003 x 192.0.2.1 TCP 45000 > 80 FA ""
        0.203 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.205 after
        0.205 > 192.0.2.1 TCP 45000 > 80 A ""
        0.205 ends 0"#;
    row(
        "on out drop count=1 TCP(flags has fin) as f { print(\"never\") }\nwait 1ms",
        wanted,
    );
}

#[test]
fn the_handshake_is_reached_from_the_block_around() {
    let outer = "on out delay=50ms count=1 TCP(flags == ack)/End as m { print(\"ack ${MATCH[TCP].seq == m[TCP].seq}\") }";
    let wanted = r#"0.000 > 192.0.2.1 TCP 45000 > 80 S ""
        0.002 ack true
        0.002 > 192.0.2.1 TCP 45000 > 80 PA "ask"
        0.044 > 192.0.2.1 TCP 45000 > 80 A ""
        0.052 > 192.0.2.1 TCP 45000 > 80 A ""
        0.082 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.084 after
        0.084 > 192.0.2.1 TCP 45000 > 80 A ""
        0.084 ends 0"#;
    check_frames(
        &nested(outer, "Bytes(\"ask\")\nwait 80ms"),
        peer(Host::Serves(echo)),
        wanted,
    );
    let wanted = r#"0.000 x 192.0.2.1 TCP 45000 > 80 S ""
        1.000 x 192.0.2.1 TCP 45000 > 80 S ""
        3.000 > 192.0.2.1 TCP 45000 > 80 S ""
        3.002 up
        3.002 > 192.0.2.1 TCP 45000 > 80 A ""
        3.002 > 192.0.2.1 TCP 45000 > 80 FA ""
        3.004 after
        3.004 > 192.0.2.1 TCP 45000 > 80 A ""
        3.004 ends 0"#;
    check_frames(
        &nested("on out drop count=2 TCP(flags has syn)", "print(\"up\")"),
        peer(Host::Serves(echo)),
        wanted,
    );
}

#[test]
fn blocks_run_at_the_next_wait_and_see_the_segment() {
    let inner = "seen = 0\nmore = 0\non out drop count=1 TCP(seq != 0)/Bytes where MATCH[Bytes].data == #61 and more == 0 as m {\nseen += int(m[Bytes].data)\nprint(\"${text(MATCH[Bytes].data)} at ${m[Eth].ts == now()} ${m[Eth].ts_source}\")\n}\nBytes(#61)\nprint(\"${seen}\")\nwait 1ms\nprint(\"${seen}\")\nmore += 1";
    let wanted = r#"0.002 0
        0.002 x 192.0.2.1 TCP 45000 > 80 PA "a"
        0.002 «a» at true clock
        0.003 97
        0.211 after
        0.211 ends 0"#;
    check(&nested("", inner), peer(Host::Serves(echo)), wanted);
}

#[test]
fn what_the_program_writes_itself_is_not_touched() {
    let wanted = r#"0.002 > 192.0.2.1 TCP 45000 > 80 A ""
        0.002 > 192.0.2.1 TCP 45000 > 80 A 1 bytes
        0.007 > 192.0.2.1 TCP 45000 > 80 FA ""
        0.009 after
        0.009 > 192.0.2.1 TCP 45000 > 80 A ""
        0.009 ends 0"#;
    row(
        "on out drop TCP/Bytes\nTCP(seq=auto - 1, flags=ack)/Bytes(#00)\nwait 5ms",
        wanted,
    );
}

#[test]
fn a_dropped_send_says_so() {
    let inner = "on out drop count=1 Bytes\np = Bytes(\"ask\")\nwait 1ms\ntry { print(p[Eth].ts_source) } else e { print(\"${e.message} ${frames(p)}\") }\nwait 2s\nprint(\"${p[Eth].ts_source} ${frames(p)}\")";
    let wanted = r#"0.002 x 192.0.2.1 TCP 45000 > 80 PA "ask"
        0.003 «not sent, so it has no time: an `on out` of the program dropped … (66 bytes)» 0
        2.003 recapture 1
        2.005 after
        2.005 ends 0"#;
    check(&nested("", inner), peer(Host::Serves(echo)), wanted);
}

#[test]
fn rules_multiply_no_further_than_their_bound() {
    let rules = "on out duplicate Bytes\n".repeat(40);
    let log = run(Run::of(
        &nested("", &format!("{rules}Bytes(\"a\")\nwait 10ms")),
        peer(Host::Serves(echo)),
    )
    .with_frames());
    assert_eq!(
        log.iter().filter(|line| line.ends_with("PA \"a\"")).count(),
        64,
        "{log:#?}"
    );
}

#[test]
fn what_finds_no_room_is_dropped() {
    let (rules, sends) = (
        "on out duplicate Bytes\n".repeat(6),
        "Bytes(\"a\")\nwait 1ms\n".repeat(5),
    );
    let source = nested("", &format!("{rules}on out hold Bytes\n{sends}"));
    let log = run(Run::of(&source, peer(Host::Serves(echo))));
    assert_eq!(
        log.iter().filter(|line| line.contains(" x ")).count(),
        5 * 64 - 256,
        "{log:#?}"
    );
}

#[test]
fn samples_are_arrays() {
    let inner = "Bytes(\"ask\")\nwait 100ms\nprint(\"${STACK[TCP].rtt_samples} ${length(STACK[TCP].cwnd_samples)} ${median(STACK[TCP].rtt_samples)}\")";
    check(
        &nested("", inner),
        peer(Host::Serves(echo)),
        "0.102 [2ms, 2ms] 1 2ms\n0.104 after\n0.104 ends 0",
    );
}
