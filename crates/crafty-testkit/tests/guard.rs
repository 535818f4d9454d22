//! Holes that attacks found in the label rules, by kind: each program is refused, each of its
//! variants too, and what was honest beside it stays accepted.
//!
//! The attacks that the guard was first built for, and the tests that cover them:
//!
//! | attack | test |
//! |---|---|
//! | 01 every byte through `one_of` | here: a list of all bytes |
//! | 02 one `where` a bit | here: a test that asks another question each time |
//! | 03 `ack=auto` under `none` | here: `auto` carries the peer's word |
//! | 05 a neighbour asked for under `none` | here: a neighbour that is asked in the middle of the run |
//! | 06 computing time under `none` | `wide.rs`, `under_none_nothing_that_arrives_changes_a_frame` |
//! | 07 a checksum over `auto` | here: a checksum over `auto` |
//! | 08 `auto` in a tunnel | here: `auto` for somebody else |
//! | 09 a float that overflows | here: an operation that fails on some content |
//! | 11 a server that diverts | here: a stack that a peer opened sends elsewhere |
//! | 12 behind a header of variable length | here: what is left behind a header of variable length |
//! | 13 twice the rate | `crafty`, kernel/limits.rs, `no_second_is_above_its_limit_on_the_wire` |
//! | 14 after the deadline | the same, `nothing_leaves_after_the_deadline` |
//! | 15 a burst of ARP | the same, `neighbours_are_asked_for_at_the_declared_pace` |
//! | 16, 17 work and memory without end | `crafty`, hostile.rs, `work_and_memory_without_end` |
//! | 18, 19 `opened`, policy files | `crafty`, policies.rs, `a_later_layer_opens_nothing` and others |
//! | 20 frames for nobody | `crafty-policy`, guard.rs, `frames_for_any_neighbour_need_a_power_that_says_so` |
//! | 21 carriers | the same, `what_carriers_hold_is_read`, `carriers_that_cannot_be_read_need_a_power_of_their_own` |
//! | 22 segments by a declared source | the same, `a_declared_foreign_source_does_not_make_a_flow_ones_own` |
//! | 23 a BGP speaker from port 179 | the same, `both_ports_of_infrastructure_protocols_count` |
//! | 24 what is heard | the same, `destination_ports_limit_what_is_heard` |
//! | 25 what a review omits | `crafty`, reviews.rs, `unused_grants_and_limits_are_told`, `every_send_has_a_line_and_every_idle_grant_is_listed` |
//! | 26 a line that draws rows | the same, `no_name_can_draw_a_line` |
//! | 27 marks | `crafty-lang`, labels/origin.rs, `what_the_network_wrote_is_the_networks` |
//! | 28 ARP that starves | `crafty`, kernel/limits.rs, `questions_of_strangers_do_not_spend_the_budget` |

use crafty_lang::judge::whole;

/// A kind of hole: programs that are refused with these diagnostics, and honest relatives.
struct Kind {
    what: &'static str,
    refused: &'static [(&'static str, &'static str)],
    honest: &'static [&'static str],
}

const HEAD: &str = "BUDGET = { max_duration: 20s, max_packets: 400 }
PERMISSIONS = { destinations: [192.0.2.1, 192.0.2.80, 10.100.0.50], powers: [tunnels, link] }
PORTS = { udp: [40000, 40001], tcp: [45000], icmp: [7] }
";
const NONE: &str = "BUDGET = { max_duration: 20s, max_packets: 400 }
PERMISSIONS = { destinations: [192.0.2.0/24, 10.100.0.50], exfiltration: none, powers: [tunnels, link] }
PORTS = { udp: [40000, 40001], tcp: [45000], icmp: [7] }
";

/// What a program does under `exfiltration: false`.
const FALSE_KINDS: &[Kind] = &[
    Kind {
        what: "content through a list of all bytes, one at a time",
        refused: &[
            (
                "loot = bytes(\"\")
/IP!(dst=192.0.2.80)/TCP!(dst=80) {
  expect timeout=5s /IP!/TCP!/Bytes(data has \"</\") {
    foreach i 0..1000 { loot += byte(one_of(int(MATCH[Bytes].data[i]), [0, 1, 2, 3])) }
  }
}
/IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(loot)",
                "leak-over-limit",
            ),
            (
                "sum = 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes { sum := choose(int(MATCH[Bytes].data[0]), [1, 2, 3]) }
  repeat count=90 every=10ms { Bytes(byte(sum)) }
}",
                "leak-over-limit",
            ),
            (
                "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  repeat count=70 every=10ms {
    expect timeout=5ms /IP!/UDP!/Bytes {
      if choose(int(MATCH[Bytes].data[0]), [1, 2]) == 1 { Bytes(\"one\") }
    }
  }
}",
                "leak-over-limit",
            ),
        ],
        honest: &[
            "size = 100
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes { size := choose(int(MATCH[Bytes].data[0:2]), [100, 500, 1000]) }
  repeat count=90 every=10ms { Bytes(#00 * size) }
}",
            "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes { print(choose(int(MATCH[Bytes].data[0]), [1, 2, 3])) }
  repeat count=90 every=10ms { Bytes(\"x\") }
}",
        ],
    },
    Kind {
        what: "what a packet lacks decides over what a print fails with",
        refused: &[
            (
                "n = 0
n += 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP/*/UDP {
    print(\"${[MATCH[ICMP].mtu, div(1, n)][0]}\")
    Bytes(\"x\")
  }
}",
                "tainted-guard",
            ),
            (
                "n = 0
n += 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP/*/UDP {
    print(MATCH[ICMP].mtu > 5 and div(1, n) == 1)
    Bytes(\"x\")
  }
}",
                "tainted-guard",
            ),
            (
                "n = 0
n += 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP/*/UDP {
    record r = n, by=[MATCH[ICMP].mtu, div(1, n)]
    Bytes(\"x\")
  }
}",
                "tainted-guard",
            ),
        ],
        honest: &[
            "n = 0
n += 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP/*/UDP {
    print(\"${MATCH[ICMP].mtu} ${MATCH[TCP].options.mss}\")
    print(MATCH[ICMP].mtu + 1)
    record mtu = MATCH[ICMP].mtu, mss=MATCH[TCP].options.mss
    Bytes(\"x\")
  }
}",
        ],
    },
    Kind {
        what: "a test that asks another question each time",
        refused: &[
            (
                "bit = map(key=0, default=#00)
k = 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes where bits(int(MATCH[Bytes].data[div(k, 8)]), 7 - k % 8, 7 - k % 8) == 1 { bit[k] := #01 }
  foreach i 0..159 {
    k := i
    Bytes(\"again\")
    wait 20ms
  }
}
loot = bytes(\"\")
foreach i 0..159 { loot += bit[i] }
/IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(loot)",
                "leak-over-limit",
            ),
            (
                "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  foreach k 0..255 every=10ms {
    Bytes(\"again\")
    expect timeout=5ms /IP!/UDP!/Bytes(data[0:1] == byte(k)) {
      /IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(\"that one\")
    }
  }
}",
                "leak-over-limit",
            ),
            (
                "found = 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  foreach k 0..99 every=10ms {
    on count=1 /IP!/UDP!/Bytes(data[k:k + 1] == #41) { found += 1 }
    Bytes(\"again\")
    wait 5ms
  }
}
/IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(#00 * found)",
                "leak-over-limit",
            ),
            (
                "number = 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  repeat count=100 every=10ms {
    number += 1
    Bytes(bytes(number, 4))
    expect timeout=5ms /IP!/UDP!/Bytes(data[0:1] == bytes(number, 4)[3:4]) { Bytes(\"that one\") }
  }
}",
                "leak-over-limit",
            ),
        ],
        honest: &[
            "/IP!(dst=192.0.2.1) {
  foreach n 1..100 every=10ms {
    ICMP(type=echo_request, id=7, seq=n)
    expect timeout=5ms /IP/ICMP(type == echo_reply, id == 7, seq == n) { print(n) }
  }
}",
            "/IP!(dst=192.0.2.1) {
  foreach hop 1..100 every=10ms {
    IP(ttl=hop)/UDP(src=40000, dst=33434 + hop)/Bytes(\"trace\")
    expect timeout=5ms /IP/ICMP(type == time_exceeded)/IP/UDP(dst == 33434 + hop) { print(hop) }
  }
}",
            "number = 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  repeat count=100 every=10ms {
    number += 1
    tag = bytes(number, 4)
    Bytes(tag + #00 * 20)
    expect timeout=5ms /IP!/UDP!/Bytes(data has tag) { print(number) }
  }
}",
            "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes(data[0:1] == #41) { Bytes(\"fixed\") }
  foreach k 0..30 every=10ms {
    Bytes(\"again\")
    expect timeout=5ms /IP!/UDP!/Bytes where length(MATCH[Bytes].data) > k { Bytes(\"longer\") }
  }
}",
        ],
    },
    Kind {
        what: "`auto` for somebody else",
        refused: &[
            (
                "/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=syn, seq=1000)
wait 200ms
/IP(dst=10.100.0.50)/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, seq=auto, ack=auto)",
                "tainted-send",
            ),
            (
                "/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=syn, seq=1000)
wait 200ms
/IP(dst=10.100.0.50)/UDP(src=40001, dst=4789)/VXLAN(vni=1)/Eth/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, ack=auto)",
                "tainted-send",
            ),
            (
                "/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=syn, seq=1000)
wait 200ms
/Eth(dst=02:00:00:00:00:09)/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, ack=auto + 1)",
                "tainted-send",
            ),
        ],
        honest: &["/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=syn, seq=1000)
wait 200ms
/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, seq=auto, ack=auto)
wait 200ms
/Eth/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=rst, seq=auto)"],
    },
    Kind {
        what: "a checksum over `auto`",
        refused: &[
            (
                "p = /IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, ack=auto, seq=auto)
/IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(bytes(p[TCP].checksum, 2))",
                "tainted-send",
            ),
            (
                "p = /IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, ack=auto, seq=auto)
q = p
q := p
/IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(bytes(q[TCP].checksum, 2))",
                "tainted-send",
            ),
            (
                "p = /IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, ack=auto, seq=auto)
if p[TCP].checksum > 5 { /IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(\"x\") }",
                "tainted-guard",
            ),
        ],
        honest: &["p = /IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=syn, seq=1000)
/IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(bytes(p[TCP].checksum, 2))"],
    },
    Kind {
        what: "an operation that fails on some content",
        refused: &[
            (
                "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes {
    x = float(int(MATCH[Bytes].data[0])) / 0.000000000000000001
    /IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(\"bit\")
  }
}",
                "tainted-guard",
            ),
            (
                "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes {
    d = 9000000000s * float(int(MATCH[Bytes].data[0]))
    Bytes(\"bit\")
  }
}",
                "tainted-guard",
            ),
            (
                "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes {
    t = sum([9223372036854775000, int(MATCH[Bytes].data[0:2])])
    Bytes(\"bit\")
  }
}",
                "tainted-guard",
            ),
            (
                "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes {
    s = #00 * 900000
    n = int(MATCH[Bytes].data[0:2])
    grown = s
    if n > 9 { grown += s[0:200000] }
    Bytes(\"short\" + (grown + grown)[0:1])
  }
}",
                "tainted-send",
            ),
            (
                "/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes {
    q = div(-9223372036854775807 - 1 + int(MATCH[Bytes].data[0]), -1)
    Bytes(\"bit\")
  }
}",
                "tainted-guard",
            ),
        ],
        honest: &["p = /IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(\"x\")
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes {
    ms = (MATCH[Eth].ts - p[Eth].ts) / 1ms
    share = int(MATCH[Bytes].data[0]) / 7
    Bytes(\"bit\")
  }
}"],
    },
    Kind {
        what: "a stack that a peer opened sends elsewhere",
        refused: &[
            (
                "/IP!/UDP!(src=40000) {
  on linger=3s /IP!/UDP!/Bytes { IP(dst=192.0.2.1)/UDP/Bytes(\"x\") }
}",
                "tainted-send",
            ),
            (
                "/IP!/UDP!(src=40000) {
  on linger=3s /IP!/UDP!/Bytes { IP(dst=192.0.2.1)/UDP(dst=9)/Bytes(\"x\") }
}",
                "tainted-send",
            ),
            (
                "/IP!/TCP!(src=45000, listen=true) {
  on linger=3s /IP!/TCP!/Bytes { IP(dst=192.0.2.1)/TCP(flags=ack)/Bytes(\"x\") }
}",
                "tainted-send",
            ),
        ],
        honest: &["/IP!/UDP!(src=40000) {
  on linger=3s /IP!/UDP!/Bytes {
    Bytes(\"back\")
    IP(ttl=3)/UDP/Bytes(\"back\")
    /IP(dst=192.0.2.1)/UDP(src=40001, dst=9)/Bytes(\"somebody asked\")
  }
}"],
    },
    Kind {
        what: "what is left behind a header of variable length",
        refused: &[
            (
                "on linger=3s /IP(src == 192.0.2.1)/UDP(dst == 40000)/Bytes {
  /IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(#00 * length(MATCH[Bytes].data))
}",
                "tainted-send",
            ),
            (
                "/IP!(dst=192.0.2.1) {
  on linger=3s /IP!/TCP(dst == 45000)/Bytes {
    /IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(#00 * length(MATCH[Bytes].data))
  }
}",
                "tainted-send",
            ),
            (
                "/IP!(dst=192.0.2.1) {
  on linger=3s /IP!/*/Bytes {
    /IP(dst=10.100.0.50)/UDP(src=40001, dst=9)/Bytes(#00 * length(MATCH[Bytes].data))
  }
}",
                "tainted-send",
            ),
        ],
        honest: &["/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on linger=3s /IP!/UDP!/Bytes { Bytes(#00 * length(MATCH[Bytes].data)) }
}"],
    },
];

/// The same under `exfiltration: none`.
const NONE_KINDS: &[Kind] = &[
    Kind {
        what: "`auto` carries the peer's word",
        refused: &[
            (
                "/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=syn, seq=1000)
wait 200ms
/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, seq=auto, ack=auto)",
                "event-send",
            ),
            (
                "/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=ack, ack=auto - 1)",
                "event-send",
            ),
            (
                "/IP!(dst=192.0.2.80) { TCP(src=45000, dst=80, flags=ack, ack=auto) }",
                "event-send",
            ),
        ],
        honest: &[
            "/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=syn, seq=1000)
wait 200ms
/IP(dst=192.0.2.80)/TCP(src=45000, dst=80, flags=rst, seq=auto)",
        ],
    },
    Kind {
        what: "a neighbour that is asked in the middle of the run",
        refused: &[
            (
                "x = 0
wait 1s
x += 20
p = /IP(dst=192.0.2.0 + x)/ICMP(type=echo_request, id=7, seq=1)
wait 4s",
                "event-send",
            ),
            (
                "foreach n 1..9 every=1s { /IP(dst=192.0.2.0 + n)/UDP(src=40001, dst=9)/Bytes(\"x\") }",
                "event-send",
            ),
            (
                "/IP!(dst=192.0.2.1) {
  foreach n 1..9 every=1s { IP(dst=192.0.2.0 + n)/UDP(src=40001, dst=9)/Bytes(\"x\") }
}",
                "event-send",
            ),
        ],
        honest: &["last = 192.0.2.0 + 9
/IP(dst=last)/UDP(src=40001, dst=9)/Bytes(\"x\")
p = /IP(dst=192.0.2.1)/UDP(src=40001, dst=9)/Bytes(\"x\")
wait 1s
/IP(dst=192.0.2.1)/UDP(src=40001, dst=9)/Bytes(\"${p[Eth].ts}\")"],
    },
];

fn codes(program: &str) -> Vec<&'static str> {
    let (_, reports) = whole(program);
    let errors = reports
        .iter()
        .filter(|r| r.diagnostic.severity == crafty_syntax::diagnostic::Severity::Error);
    errors.map(|r| r.diagnostic.name).collect()
}

fn check(head: &str, kinds: &[Kind]) {
    for kind in kinds {
        assert!(
            kind.refused.len() >= 3,
            "{}: a case and two variants",
            kind.what
        );
        for (program, wanted) in kind.refused {
            let found = codes(&format!("{head}{program}\n"));
            assert!(
                !found.is_empty() && found.iter().all(|code| code == wanted),
                "{}: {found:?} for {wanted}:\n{program}",
                kind.what
            );
        }
        for program in kind.honest {
            let found = codes(&format!("{head}{program}\n"));
            assert!(found.is_empty(), "{}: {found:?}:\n{program}", kind.what);
        }
    }
}

#[test]
fn holes_under_false_are_closed_by_kind() {
    check(HEAD, FALSE_KINDS);
}

#[test]
fn holes_under_none_are_closed_by_kind() {
    check(NONE, NONE_KINDS);
}
