//! Programs at the edges of the rules that check without a message.

use super::{In, check, told};
use In::*;

const ROWS: &[(In, &str)] = &[
    (Top, "xs = [1, 2.5]\nprint(mean(xs))"),
    (Top, "x = 0.5\nx := x + 1\nx += 2\nprint(max(x, 1))"),
    (Top, "b = #00 + \"abc\"\nprint(hex(b * 2))"),
    (Top, "d = 5ms * 3 + 1s / 2\nprint(d / 2ms)"),
    (
        Top,
        "print(192.0.2.1 + 5 - 192.0.2.1)\nprint(192.0.2.1 in 192.0.2.0/24)\nprint(5 in 1..9 and 3 in [1, 2, 3])",
    ),
    (
        Top,
        "if true { x = 1\nprint(x) } else { x = \"a\"\nprint(x) }",
    ),
    (
        Top,
        "m = map(key=\"\", default=array(init=0, len=0))\nm[\"a\"] += 1\nm[\"a\"] += [2, 3]\nforeach k m { print(\"${k}: ${m[k]}\") }",
    ),
    (Top, "t = now()\nwait 10ms\nprint(now() - t)\nt += 5s"),
    (
        Top,
        "n = 7\nn += 1\nrepeat count=min(n, 10) as i { print(\"${i:>4} ${float(i) / 3.0:.2}\") }",
    ),
    (
        Top,
        "repeat every=100ms for=1s { print(1) }\nrepeat until=1 > 2 { wait 1s }",
    ),
    (
        Top,
        "foreach x [1, 2, 3] every=1ms until=1 > 2 { print(x) }",
    ),
    (
        Top,
        "try { x = [1, 2]\nprint(x[length(x)]) } else e { if e.kind == \"index\" { print(e.message) } }",
    ),
    (
        Alone,
        "param targets = [192.0.2.1, 192.0.2.2]\nPERMISSIONS = { destinations: targets }\nPORTS = { icmp: [77] }\nforeach t targets {\n  /IP!(dst=t) {\n    ICMP(type=echo_request, id=77)\n  }\n}",
    ),
    (
        Alone,
        "param target: ip\nPERMISSIONS = { destinations: [target] }\nPORTS = { icmp: [77] }\n/IP!(dst=target) { ICMP(type=echo_request) }",
    ),
    (
        Alone,
        "BUDGET = { max_bytes: 2 * 1MB, max_packets: 0 }\nPERMISSIONS = { powers: [fragments, malformed], interfaces: [eth0, \"lo\"], exfiltration: none }",
    ),
    (
        Ip,
        "expect timeout=1s ICMP(type == echo_reply) where MATCH[ICMP].id == 77 as m { print(length(m)) }",
    ),
    (
        Ip,
        "on linger=1s /IP/ICMP(type == dest_unreachable)/IP/* as m { if has(m, UDP) { print(m[IP, 1].dst) } }",
    ),
    (
        Ip,
        "UDP!(dst=7) { Bytes(\"x\")\nexpect timeout=1s Bytes(data == \"x\") { print(STACK[UDP].bytes_in) } }",
    ),
    (
        Ip,
        "TCP(src=45000, dst=80, flags=syn, options=[mss(1460), nop, wscale(7), sack_ok, ts(1, 0), raw(#fd04_1234)])",
    ),
    (
        Ip,
        "expect timeout=1s /IP/TCP(flags has syn+ack, options has mss, options.mss < 1460, checksum == good) { print(MATCH[TCP].options.mss) }",
    ),
    (
        Ip,
        "expect timeout=1s /IP/TCP(flags == syn+ack or flags has rst, seq in 1..100)/End { print(MATCH[TCP].flags == TCP.syn + TCP.ack) }",
    ),
    (
        Ip,
        "TCP(src=45000, dst=80, flags=0)\nTCP(src=45000, dst=80, seq=5_000_000_000, flags=TCP.syn)",
    ),
    (
        Udp,
        "p = Bytes(\"x\")\nprint(p[Eth].ts)\nprint(p[UDP].src)\nprint(p[IP].ttl)\nprint(frames(p) + length(p))\nprint(p[Eth].ts_source)",
    ),
    (
        Udp,
        "p = Bytes(\"x\")\np := Bytes(\"y\")\nq = p\nprint(q[Bytes].data)",
    ),
    (
        Udp,
        "expect timeout=1s /IP!(src == 192.0.2.1)/UDP!/Bytes(data[0:2] == #0102, data[3] == #03) as m { print(m[Bytes].data) }",
    ),
    (
        Udp,
        "heard = 0\non /IP!/UDP! { heard += 1 }\nrepeat count=5 every=10ms until=heard > 3 { Bytes(\"x\") }",
    ),
    (
        Tcp,
        "TCP(seq=auto - 1)/Bytes(#00)\nIP(ttl=4)/TCP(flags=ack, ack=auto, seq=auto + 5)/Bytes(\"x\")\nTCP(flags=rst)",
    ),
    (
        Tcp,
        "p = Bytes(\"x\")\non /IP/TCP(flags has rst) { print(MATCH[TCP].seq) }\nrtt = p[Eth].ts - now()\nprint(rtt)\nprint(p[TCP].flags)",
    ),
    (
        Tcp,
        "expect timeout=1s /IP!/TCP!/Bytes as m { print(m[TCP].src)\nprint(m[Eth].ts)\nclose }\nabort",
    ),
    (
        Tcp,
        "if STACK[TCP].state != close_wait and STACK[TCP].state == \"established\" { print(STACK[TCP].state) }",
    ),
    (
        Tcp,
        "expect timeout=1s /IP!/TCP!(state == \"fin_wait_1\" or state != established) { print(1) }",
    ),
    (
        Tcp,
        "repeat until=1 > 2 { expect timeout=1s Bytes(data has \"end\") { stop } }",
    ),
    (
        Top,
        "/IP!(dst=192.0.2.1)/TCP!(dst=80) as web {\n  /IP!(dst=192.0.2.2)/UDP!(dst=7) {\n    web/Bytes(\"x\")\n    Bytes(\"y\")\n    print(web[TCP].srtt)\n  }\n}",
    ),
    (
        Top,
        "/IP!/TCP!(src=8080, listen=true) {\n  on linger=5s /IP!/TCP!(state == established) { Bytes(\"hello\") }\n  on /IP!/TCP!/Bytes(data has \"bye\") { close }\n}",
    ),
    (
        Alone,
        "PERMISSIONS = { destinations: [192.0.2.1], powers: [tunnels, link] }\nPORTS = { udp: [40000] }\n/Eth/VLAN(id=5)/IP!(dst=192.0.2.1)/GRE/IP!(dst=192.0.2.1)/UDP!(dst=7) {\n  Bytes(\"x\")\n  expect timeout=1s /IP!/GRE/IP!/UDP!/Bytes { print(MATCH[IP, 1].src) }\n}",
    ),
    (
        Alone,
        "PERMISSIONS = { destinations: [2001:db8::1] }\nPORTS = { udp: [40000] }\n/IP6(dst=2001:db8::1)/UDP(dst=7)\n/IP!(dst=2001:db8::1) {\n  p = IP6(flow=5)/ICMP6(type=echo_request, id=1)\n  expect timeout=1s /IP6/ICMP6(type == echo_reply) { print(MATCH[IP6].flow + p[IP6].flow) }\n}",
    ),
    (
        Serve,
        "on linger=5s /IP!/UDP!/Bytes { Bytes(\"pong\")\nprint(STACK[UDP].dst) }",
    ),
    (
        Serve,
        "repeat until=1 > 2 { expect timeout=1s /IP!/UDP!/Bytes(data == \"ping\") { Bytes(\"pong\") } }",
    ),
];

#[test]
fn nothing_is_said_of_them() {
    let wrong: Vec<String> = ROWS
        .iter()
        .map(|(place, body)| place.program(body))
        .filter(|source| check(source).program.is_none() || !told(source).is_empty())
        .map(|source| format!("{source}told:\n{}", told(&source)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All of them, for the noise.
pub(super) fn programs() -> Vec<String> {
    ROWS.iter()
        .map(|(place, body)| place.program(body))
        .collect()
}
