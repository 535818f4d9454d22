//! Texts at the edges of the grammar that are programs.

use super::{accept, print};

#[test]
fn lines_end_and_go_on() {
    for source in [
        "",
        "\n\n  \n",
        "# only this",
        "#\n##\n#!\n#\tx",
        "a = 1; b = 2;; c = 3;",
        "a = 1\r\nb = 2\r\n",
        "x =\n  1 +\n  2",
        "x = a\n  + b\n  - c\n  * d",
        "x = a and\n  b\n  or c",
        "x = a\n  in b",
        "x = a\n  has b",
        "x = f(\n  1,\n  2\n)",
        "x = [\n  1,\n\n  # two\n  2,\n]",
        "x = f\n(1)".split('\n').next().unwrap_or(""),
        "if a\n{ b = 1 }\nelse\n{ c = 2 }",
        "if a { b = 1 }\nelse if c { d = 1 }\nelse { e = 1 }",
        "print(a\n  [0])",
        "x = 5 # five\ny = 6 #",
        "x = 5 ## five",
        "x = #00 # zero",
        "x = 1 +  # one\n  2",
    ] {
        accept(source);
    }
}

#[test]
fn slashes_separate_and_divide() {
    for source in [
        "/IP/UDP/Bytes",
        "/IP\n/IP",
        "/IP /\n  UDP /\n\n  Bytes(\"x\")",
        "/ IP / UDP",
        "x = IP/UDP",
        "x = /Eth/IP",
        "x = a / b / c",
        "x = a/b",
        "x = a /\n  b",
        "x = n / MATCH[IP].ttl",
        "x = n / STACK[TCP].mss",
        "x = 1 / (ICMP.echo_reply)",
        "x = web/Bytes(\"x\")",
        "web/Bytes(\"x\")",
        "x := IP(ttl=3)/TCP(flags=syn+ack)/Bytes(#00)",
        "on linger=2s /IP!/UDP!(src == 5)/Bytes { }",
        "on linger=t /IP/*/DNS { }",
        "on linger=t / 2 /IP { }",
        "on linger=2s\n  /IP\n  /UDP\n  /Bytes { }",
        "on IP/UDP { }",
        "on /* { }",
        "on /IP/*/DNS where MATCH[IP].ttl / 2 > 5 as m { }",
        "on /IP\n  where a\n  as m\n{ }",
        "expect timeout=1s\n  /IP { } or\n  /UDP { }\nelse { }",
    ] {
        accept(source);
    }
}

#[test]
fn stacks_open_and_are_sent() {
    for source in [
        "/IP!(dst=a)/TCP!(dst=80) { } else e { print(e.kind) }",
        "/IP!(dst=a)/TCP!(dst=80) as web { web/Bytes(\"x\") }",
        "/IP!(dst=a) { on /IP { }\n TCP!(dst=80) { } }",
        "/Eth/VLAN(id=5)/IP!(dst=a)/TCP!(dst=80, close=2s, listen=true) { }",
        "/IP!(dst=gw)/GRE/IP!(dst=x)/TCP!(dst=80)\n{ }\nelse { }",
        "TCP(options=[mss(1460), nop, wscale(7), sack_ok, ts(1, 0), raw(#fd04_1234)])",
        "TCP(seq=auto - 1)/Bytes(#00)",
        "TCP(\n  flags=syn,\n  # the window\n  window=5,\n)",
        "IP(ttl=3) # low\nIP (ttl=4)",
        "x = p[IP].ttl\nx = p[IP, 1].src\nx = p[ IP , -1 ].src",
        "close\nabort\nexit\nstop",
    ] {
        accept(source);
    }
}

#[test]
fn patterns_hold_conditions() {
    for source in [
        "on /IP(src == a, ttl in 1..30, not df == 1, dst not in b)/TCP(flags has syn+ack) { }",
        "on /TCP(options has mss, options.mss < 1300, options.ts.val != 0) { }",
        "on /IP/UDP(src == 1 or src == 2, dst == 3 or not dst == 4) { }",
        "on /IP!/TCP!/Bytes(data has \"HTTP/1.\", data[0:4] == #00010203, data[3] != #00, data[:2] has #00) { }",
        "on count=1 linger=d /IP/End { }",
        "on /IP/ICMP(type == time_exceeded)/IP/UDP(dst == 33434 + hop) { }",
        "on /IP!/TCP!(state == established) { }",
        "on /Bytes(\"GET\") { }",
        "on /IP(target) { }",
        "on /IP(has == 1, in == 2) { }",
        "on /TCP(not (flags has rst), (src == 1 or src == 2), not (a == 1, b == 2) or c == 3) { }",
        "on /IP(\n  src == a,\n  dst == b,\n) { }",
        "on /IP() { }",
        "expect timeout=1s /IP where length(MATCH[Bytes].data) > 5 and x { } or /IP as m { }",
        "expect /IP { }",
    ] {
        accept(source);
    }
}

#[test]
fn settings_hold_groups_and_lists() {
    for source in [
        "BUDGET = { }",
        "BUDGET = { max_duration: 60s, max_bytes: 1MB, }",
        "BUDGET = {\n  max_packets: 2 * n + 1,\n\n  # bytes\n  max_bytes: (5 + 1) * 1KB\n}",
        "PORTS = { tcp: [[45000, 45100]], udp: [53000, [40000, 40100]], icmp: [77] }",
        "PERMISSIONS = { destinations: [192.0.2.0/24, !192.0.2.1, !target, ::1], destination_ports: { tcp: [80, 443] } }",
        "PERMISSIONS = { exfiltration: none, powers: [fragments], in: 1, on: 2 }",
        "PERMISSIONS =\n{\n}",
        "BUDGET = {\n  a: 1\n  b: { c: 2\n d: [3,\n 4] }\n\n  # five\n  e: x + 5 # six\n  f: 7,\n}",
        "param a = 1\nparam b: ip\nparam c: int = 5\nparam d=[1, 2]",
    ] {
        accept(source);
    }
}

#[test]
fn statements_of_every_kind() {
    for source in [
        "m[k] := 1\nm[k][l] += 2\nm[k] -= 3\nx += 1\nx -= 1\nx := [1]",
        "foreach x xs every=1ms until=done for=2s { stop }",
        "foreach n 1..30 { }\nforeach n a + 1..b - 1 { }\nforeach k keys(m) { }\nforeach i, x xs { }\nforeach k ,\n  v m until=v > 3 { }",
        "repeat count=5 every=10ms until=done as n { }",
        "repeat every=1ms for=2s { wait 5ms }",
        "try { x = 1 } else e { print(e.message) }\ntry { } else { }",
        "try { x = 1 }\nelse { }",
        "fail \"why ${x}\"",
        "record rtt = a - b, size=n, of=\"x\"",
        "assert a == b, \"message\"\nassert a",
        "print(\"${x:>8.2}\")\nprint (x)",
        "wait 200ms\nwait (a + b) * 2",
        "if a { if b { stop } else { exit } } else if c { } else { }",
        "if has(m, k) { }\nif not has(p, VLAN) and a not in b { }",
        "x = median(xs)\ny = quantile(xs, 0.99)\nz = map(key=0, default=array(init=0s, len=0))",
        "x = y.stop\nx = y.close.print",
        "_x = 1\nx_1 = _x",
        "x = p[Eth].ts - q[Eth].ts",
        "x = length(p[VLAN].id) # no\n\n\n\n# two\n\n# three\ny = 2",
        "if a { # why\n  b = 1 # because\n  # end\n} # after\nelse { # else\n}",
    ] {
        accept(source);
    }
}

#[test]
fn long_lines_are_broken_where_they_can_be() {
    let many: Vec<String> = (1..60).map(|n| format!("192.0.2.{n}")).collect();
    accept(&format!(
        "PERMISSIONS = {{ destinations: [{}], exfiltration: true }}",
        many.join(", ")
    ));
    accept(&format!("x = [{}]", many.join(",")));
    accept(&format!("if length([{}]) > 5 {{ stop }}", many.join(", ")));
    accept(&format!(
        "expect timeout=1s /IP(src == 192.0.2.1, dst == 192.0.2.2)/UDP({}) {{ }} else {{ stop }}",
        vec!["src == 5"; 20].join(", ")
    ));
    accept(&format!(
        "TCP(options=[{}], seq=5, window=7, dst=80)/Bytes(\"x\")",
        vec!["mss(1460)"; 30].join(", ")
    ));
}

#[test]
fn the_deepest_nesting_is_accepted() {
    accept(&format!("x = {}1{}", "(".repeat(64), ")".repeat(64)));
    accept(&format!("{}{}", "if a {\n".repeat(64), "}\n".repeat(64)));
    accept(&format!("x = {}1", "1 + ".repeat(255)));
}

#[test]
fn own_segments_need_no_block() {
    for source in [
        "on out drop TCP",
        "on out drop count=1 /IP/TCP(flags has fin)",
        "on out delay=50ms count=n TCP/Bytes where MATCH[TCP].ack > 5 as m { print(m) }",
        "on out split=n\n  TCP/Bytes\n{ }",
        "on out hold TCP\n/IP/UDP/Bytes",
        "on out hold TCP; release",
        "if a { release }",
        // `out` and `release` are names elsewhere.
        "out = 1; release = 2; release := out",
        "on out=1 TCP { }",
    ] {
        accept(source);
    }
}

#[test]
fn a_set_of_flags_is_one_word() {
    for (written, laid_out) in [
        (
            "IP/TCP(flags=syn + ack, window=a+b)",
            "IP/TCP(flags=syn+ack, window=a + b)",
        ),
        (
            "on /IP/TCP(flags has syn + ack + ece) { }",
            "on /IP/TCP(flags has syn+ack+ece) { }",
        ),
        (
            "x = m[TCP].flags has syn + ack",
            "x = m[TCP].flags has syn+ack",
        ),
        ("IP/TCP(flags=syn + f(x))", "IP/TCP(flags=syn + f(x))"),
    ] {
        assert_eq!(print(written).trim(), laid_out);
        accept(written);
    }
}
