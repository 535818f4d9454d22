//! Programs with one mistake each: it is reported, and nothing else.

use super::{In, codes, told};
use In::*;

const ROWS: &[(In, &str, &str)] = &[
    // Names and scopes.
    (Top, "print(lost)", "E0201"),
    (Top, "if 1 < 2 { x = 1 }\nprint(x)", "E0201"),
    (Top, "lost := 5", "E0201"),
    (Top, "kind = syn\nprint(kind)", "E0201"),
    (Top, "x = 1\nx = 2\nprint(x)", "E0202"),
    (Top, "x = 1\nforeach x 1..3 { print(x) }", "E0202"),
    (
        Udp,
        "on linger=1s /IP!/UDP!/Bytes as m { m = 5\nprint(m) }",
        "E0202",
    ),
    (Top, "print(avg([1, 2]))", "E0203"),
    (Top, "print(mss(1460))", "E0203"),
    (Alone, "param n = 5\nn := 6", "E0204"),
    (Top, "repeat count=3 as n { n += 1 }", "E0204"),
    (Top, "try { fail \"x\" } else e { e := e }", "E0204"),
    (Ip, "Ether(dst=aa:bb:cc:dd:ee:ff)", "E0205"),
    (Ip, "on linger=1s /IP/ICMPv6 { print(1) }", "E0205"),
    (Ip, "IP(tos=4)/ICMP(type=echo_request, id=77)", "E0206"),
    (Ip, "on linger=1s /IP(hlim == 3)/ICMP { print(1) }", "E0206"),
    (
        Ip,
        "p = ICMP(type=echo_request, id=77)\nprint(p[IP].ts)",
        "E0206",
    ),
    (
        Ip,
        "on linger=1s /IP/ICMP(type == echo_replay) { print(1) }",
        "E0207",
    ),
    (Top, "print(ICMP.echo_replay)", "E0207"),
    (
        Tcp,
        "expect timeout=1s /IP!/TCP!(state == establishd) { print(1) }",
        "E0207",
    ),
    (Tcp, "print(STACK[TCP].state == \"open\")", "E0207"),
    (
        Tcp,
        "expect timeout=1s /IP!/TCP!(state < established) { print(1) }",
        "E0311",
    ),
    (Tcp, "expect timeout=1s /IP!/TCP!/NTP { print(1) }", "E0421"),
    (
        Tcp,
        "expect timeout=1s /IP!/TCP!/TLS/HTTP { print(MATCH[Bytes].data) }",
        "E0418",
    ),
    (Tcp, "NTP()", "E0405"),
    (Ip, "syn = 5\nTCP(src=45000, flags=syn)", "E0208"),
    (Top, "print(max())", "E0209"),
    (Top, "print(round(1.5, 2, 3))", "E0209"),
    (Top, "print(text(#00, len=3))", "E0209"),
    (Top, "print(MATCH[IP].src)", "E0210"),
    (
        Udp,
        "Bytes(\"x\")\nif MATCH[IP].ttl > 3 { print(1) }",
        "E0210",
    ),
    (Top, "print(STACK[IP].src)", "E0211"),
    (Udp, "print(STACK[TCP].srtt)", "E0212"),
    (Tcp, "print(STACK[TCP].retransmit)", "E0212"),
    (Top, "xs = [1, 2]\nprint(xs.length)", "E0213"),
    (Udp, "p = Bytes(\"x\")\nprint(p.ts)", "E0213"),
    (Top, "try { fail \"x\" } else e { print(e.text) }", "E0213"),
    (
        Tcp,
        "on linger=1s /IP/TCP as m { print(m[TCP].options.sack_ok) }",
        "E0213",
    ),
    (
        Tcp,
        "on linger=1s /IP/TCP as m { print(m[TCP].options.ts) }",
        "E0213",
    ),
    (
        Udp,
        "on linger=1s /IP/UDP/DHCP as m { print(m[DHCP].options.relay.circuit) }",
        "E0407",
    ),
    (
        Udp,
        "on linger=1s /IP/UDP/DHCP as m { print(m[DHCP].options.relay.circuit_id.data.x) }",
        "E0213",
    ),
    (
        Udp,
        "on linger=1s /IP/UDP/DHCP as m { print(m[DHCP].options.relay.source_port) }",
        "E0213",
    ),
    (Udp, "web/Bytes(\"x\")", "E0214"),
    // Types.
    (Top, "x = 5\nx := \"five\"\nprint(x)", "E0301"),
    (Top, "xs = [1]\nxs += \"two\"\nprint(length(xs))", "E0301"),
    (
        Top,
        "m = map(key=0, default=0s)\nm[1] := 5s\nm[\"a\"] := 5s",
        "E0301",
    ),
    (Top, "fail 5", "E0301"),
    (Udp, "n = 5\nn += 1\nBytes(n)", "E0301"),
    (Udp, "s = \"a\"\ns += \"b\"\nBytes(s)", "E0301"),
    (Top, "record rtt = map(key=0, default=0)", "E0301"),
    (Top, "x = true + false\nprint(x)", "E0302"),
    (Top, "x = 5 * #00\nprint(x)", "E0302"),
    (Top, "xs = [1, 2]\nxs -= 1", "E0302"),
    (Top, "t = now()\nt := t + t", "E0302"),
    (
        Top,
        "port = 80\nport += 1\nprint(\"port \" + port)",
        "E0303",
    ),
    (Top, "print(1 + \" packets\")", "E0303"),
    (
        Top,
        "lost = 10\nlost += 1\nrepeat count=min(lost / 200, 5) { print(1) }",
        "E0304",
    ),
    (
        Ip,
        "IP(ttl=200 / 3)/ICMP(type=echo_request, id=77)",
        "E0304",
    ),
    (Top, "n = 1\nn += 1\nif n { print(n) }", "E0305"),
    (Top, "print(not 5)", "E0305"),
    (Top, "xs = [1]\nassert xs", "E0305"),
    (Top, "wait 5", "E0307"),
    (
        Udp,
        "expect timeout=3 /IP!/UDP!/Bytes { print(1) }",
        "E0307",
    ),
    (Top, "print(now() + 5)", "E0307"),
    (Top, "d = 5ms\nd += 1ms\nprint(d < 10)", "E0307"),
    (Alone, "BUDGET = { max_duration: 60 }", "E0307"),
    (Top, "xs = []", "E0308"),
    (Top, "m = map()", "E0308"),
    (Top, "xs = [1, 2s]", "E0309"),
    (Top, "n = 1\nn += 0.5", "E0304"),
    (Top, "print(\"${now():.1%}\")", "E0301"),
    (Top, "n = 5\nprint(n[0])", "E0310"),
    (Top, "print(\"abc\"[1:2])", "E0310"),
    (Top, "b = #0102\nb[0] := #03", "E0310"),
    (Top, "print(10.0.0.1 == \"10.0.0.1\")", "E0311"),
    (Top, "print(true < false)", "E0311"),
    (
        Ip,
        "on linger=1s /IP(ttl == \"3\")/ICMP { print(1) }",
        "E0311",
    ),
    (
        Ip,
        "on linger=1s /IP(src == 192.0.2.0/24)/ICMP { print(1) }",
        "E0311",
    ),
    (
        Ip,
        "on linger=1s /IP(checksum < bad)/ICMP { print(1) }",
        "E0311",
    ),
    (Top, "x = 1 % 0\nprint(x)", "E0312"),
    (Top, "x = 9_223_372_036_854_775_807 + 1\nprint(x)", "E0312"),
    (Top, "xs = [1, 2]\nprint(xs[-1])", "E0312"),
    (Top, "print([1, 2][5])", "E0312"),
    (Top, "wait -1s", "E0312"),
    (Top, "repeat count=3 every=0s { print(1) }", "E0312"),
    (
        Top,
        "try { fail \"x\" } else e { if e.kind == \"timed_out\" { print(1) } }",
        "E0313",
    ),
    (
        Ip,
        "on linger=1s /IP(ttl == 1..5)/ICMP { print(1) }",
        "E0314",
    ),
    (
        Top,
        "try { fail \"x\" } else e { x = e\nprint(x.kind) }",
        "E0315",
    ),
    (Udp, "p = Bytes(\"x\")\nxs = [p]", "E0315"),
    (Top, "print(sqrt(\"4\"))", "E0316"),
    (Top, "print(bytes(5))", "E0316"),
    (Top, "print(mean([\"a\"]))", "E0316"),
    (
        Udp,
        "on linger=1s /IP!/UDP!/Bytes { print(frames(MATCH)) }",
        "E0316",
    ),
    (Top, "m = map(key=0, default=0)\nprint(m has 3)", "E0317"),
    (Top, "print([1, 2] has 1)", "E0317"),
    (Top, "print(\"a\" in \"abc\")", "E0317"),
    (Udp, "p = Bytes(\"x\")\nprint(p has IP.df)", "E0317"),
    (
        Ip,
        "on linger=1s /IP/TCP as m { print(m[IP].flags has TCP.syn) }",
        "E0318",
    ),
    (Ip, "TCP(src=45000, flags=IP.df)", "E0318"),
    (Udp, "p = Bytes(\"x\")\nprint(p[IP])", "E0319"),
    (Udp, "p = Bytes(\"x\")\nprint(p)", "E0319"),
    (Udp, "p = Bytes(\"x\")\nprint(\"${p}\")", "E0319"),
    (Udp, "print(STACK.src)", "E0319"),
    (
        Ip,
        "p = ICMP(type=echo_request, id=77)\np := IP(ttl=3)/ICMP(type=echo_request, id=77)\nprint(p[Eth].ts)",
        "E0320",
    ),
    (Top, "a = fe80::1%eth0\nprint(a)", "E0321"),
    (Tcp, "x = auto + 1\nprint(x)", "E0322"),
    (Tcp, "TCP(seq=auto * 2)/Bytes(#00)", "E0322"),
    (Tcp, "TCP(seq=1 + auto)/Bytes(#00)", "E0322"),
    (Top, "xs = [1, 2]\nxs += 3\nprint(one_of(1, xs))", "E0323"),
    (Alone, "n = 5\nn := 6\nparam m = n\nprint(m)", "E0323"),
    (
        Alone,
        "n = 10\nBUDGET = { max_packets: n }\nn := 11",
        "E0323",
    ),
    // Layers, stacks, patterns.
    (Ip, "IP(ttl=300)/ICMP(type=echo_request, id=77)", "E0401"),
    (Ip, "UDP(src=40000, dst=70000)", "E0401"),
    (Ip, "on linger=1s /IP(ttl > 256)/ICMP { print(1) }", "E0401"),
    (Top, "/IP!(dst=192.0.2.1, ttl=256) { print(1) }", "E0401"),
    (
        Ip,
        "TCP(src=45000, flags=syn, options=[mss(70000)])",
        "E0401",
    ),
    (Top, "/IP!(dst=192.0.2.1)", "E0402"),
    (
        Top,
        "/IP!(dst=192.0.2.1)/TCP!(dst=80)/Bytes(\"x\")",
        "E0402",
    ),
    (
        Top,
        "/IP!(dst=192.0.2.1)/TCP(dst=80) { Bytes(\"x\") }",
        "E0403",
    ),
    (
        Top,
        "/IP(dst=192.0.2.1)/UDP(src=40000, dst=7) {\n  Bytes(\"x\")\n}",
        "E0403",
    ),
    (Udp, "/Bytes(\"x\")", "E0404"),
    (Tcp, "/TCP(flags=rst)", "E0404"),
    (Top, "Bytes(\"x\")", "E0405"),
    (Top, "TCP!(dst=80) { print(1) }", "E0405"),
    (Udp, "ARP(op=request)", "E0405"),
    (Udp, "TCP!(dst=80) { print(1) }", "E0405"),
    (Ip, "IP(ttl=3)/DNS(qname=\"a.example\")", "E0406"),
    (
        Ip,
        "ICMP(type=echo_request, id=77)/UDP(src=40000, dst=7)",
        "E0406",
    ),
    (Top, "/GRE/IP(dst=192.0.2.1)/Bytes(\"x\")", "E0404"),
    (
        Ip,
        "expect timeout=1s /IP/ICMP { print(MATCH[GRE].key) }",
        "E0418",
    ),
    (Top, "/IP!(dst=192.0.2.1, hlim=3) { print(1) }", "E0407"),
    (
        Ip,
        "TCP(src=45000, flags=syn, options=[mst(1460)])",
        "E0407",
    ),
    (
        Tcp,
        "on linger=1s /IP/TCP(options has mst) { print(1) }",
        "E0407",
    ),
    (
        Tcp,
        "on linger=1s /IP/TCP(options.mst > 3) { print(1) }",
        "E0407",
    ),
    (Top, "/IP!(dst=192.0.2.1)/ICMP! { print(1) }", "E0408"),
    (Top, "/IP!(dst=192.0.2.1)/TCP! { print(1) }", "E0409"),
    (Top, "/IP!/TCP!(dst=80) { print(1) }", "E0409"),
    (Serve, "wait 1s\nBytes(\"x\")", "E0410"),
    (Serve, "on linger=1s /IP/UDP { Bytes(\"x\") }", "E0410"),
    (
        Serve,
        "on linger=1s /IP!/UDP!/Bytes { IP(dst=MATCH[IP].src)/UDP/Bytes(\"x\") }",
        "E0411",
    ),
    (Ip, "ICMP(8)", "E0412"),
    (Top, "/IP!(192.0.2.1) { print(1) }", "E0412"),
    (Ip, "ICMP(type=echo_request, id=77, id=77)", "E0413"),
    (Top, "record rtt = 5ms, hop=1, hop=2", "E0413"),
    (Top, "repeat count=3 count=4 { print(1) }", "E0413"),
    (Ip, "TCP(src=45000, flags=syn, options=[ts(1)])", "E0414"),
    (
        Ip,
        "UDP(src=68, dst=67)/DHCP(options=[relay([circuit_id(\"x\", 1)])])",
        "E0414",
    ),
    (
        Ip,
        "UDP(src=68, dst=67)/DHCP(options=[relay([circut_id(\"x\")])])",
        "E0407",
    ),
    (Ip, "TCP(src=45000, flags=syn, options=[nop(1)])", "E0414"),
    (
        Top,
        "expect timeout=1s /IP!/UDP!/Bytes { print(1) }",
        "E0415",
    ),
    (
        Udp,
        "expect timeout=1s /IP!/TCP!/Bytes { print(1) }",
        "E0415",
    ),
    (
        Tcp,
        "expect timeout=1s /IP!/TCP!(flags has rst) { print(1) }",
        "E0416",
    ),
    (
        Tcp,
        "expect timeout=1s /IP!(ttl < 10)/TCP!/Bytes { print(1) }",
        "E0416",
    ),
    (
        Tcp,
        "expect timeout=1s /IP!/TCP!/Bytes { print(MATCH[TCP].flags) }",
        "E0416",
    ),
    (
        Udp,
        "expect timeout=1s /IP!/UDP!/Bytes(\"x\") { print(1) }",
        "E0417",
    ),
    (
        Ip,
        "expect timeout=1s /IP/ICMP { print(MATCH[TCP].dst) }",
        "E0418",
    ),
    (
        Ip,
        "expect timeout=1s /IP/ICMP { print(MATCH[IP, 1].dst) }",
        "E0418",
    ),
    (Udp, "p = Bytes(\"x\")\nprint(p[TCP].seq)", "E0418"),
    (Top, "expect timeout=1s UDP(dst == 7) { print(1) }", "E0419"),
    (
        Udp,
        "expect timeout=1s /UDP(dst == 7) { print(1) }",
        "E0419",
    ),
    (Ip, "expect timeout=1s /IP/Bytes/ICMP { print(1) }", "E0420"),
    (Ip, "expect timeout=1s /IP/*/*/DNS { print(1) }", "E0420"),
    (Ip, "expect timeout=1s /IP/DNS { print(1) }", "E0421"),
    (
        Ip,
        "expect timeout=1s /IP(src == 2001:db8::1)/ICMP { print(1) }",
        "E0423",
    ),
    (Ip, "IP6(ttl=3)/UDP(src=40000, dst=7)", "E0423"),
    (
        Top,
        "/IP!(dst=2001:db8::1) {\n  IP(ttl=3)/UDP(src=40000, dst=7)\n}",
        "E0423",
    ),
    (
        Top,
        "/IP!(dst=2001:db8::1) {\n  ICMP(type=echo_request, id=77)\n}",
        "E0423",
    ),
    (
        Alone,
        "param t = 2001:db8::1\nPERMISSIONS = { destinations: [t] }\nPORTS = { udp: [40000] }\n/IP!(dst=t) {\n  IP(ttl=3)/UDP(src=40000, dst=7)\n}",
        "E0423",
    ),
    (Top, "/IP(dst=2001:db8::1)/UDP(src=40000, dst=7)", "E0423"),
    // Settings.
    (Alone, "BUDGET = { max_packets_per_sec: 100 }", "E0501"),
    (Alone, "BUDGET = { destinations: [192.0.2.1] }", "E0501"),
    (Alone, "PERMISSIONS = { fragments: true }", "E0501"),
    (Alone, "PORTS = { sctp: [5] }", "E0501"),
    (
        Alone,
        "PERMISSIONS = { destination_ports: { icmp: [80] } }",
        "E0501",
    ),
    (Alone, "PERMISSIONS = { destinations: 192.0.2.1 }", "E0502"),
    (
        Alone,
        "PERMISSIONS = { destinations: [\"example.com\"] }",
        "E0502",
    ),
    (Alone, "PERMISSIONS = { exfiltration: maybe }", "E0502"),
    (Alone, "PORTS = { tcp: [[2, 1]] }", "E0502"),
    (Alone, "PORTS = { tcp: [70000] }", "E0502"),
    (Alone, "PORTS = { tcp: [[1, 2, 3]] }", "E0502"),
    (Alone, "BUDGET = { max_packets: [5] }", "E0502"),
    (Alone, "BUDGET = { max_packets: 0 - 5 }", "E0502"),
    (Alone, "PORTS = { udp: [!53] }", "E0502"),
    (
        Alone,
        "if 1 < 2 {\n  BUDGET = { max_packets: 5 }\n}",
        "E0503",
    ),
    (Alone, "print(1)\nPORTS = { tcp: [80] }", "E0503"),
    (Alone, "if 1 < 2 {\n  param n = 5\n  print(n)\n}", "E0503"),
    (
        Alone,
        "PORTS = { tcp: [80] }\nPORTS = { udp: [53] }",
        "E0504",
    ),
    (Alone, "PORTS = { tcp: [80], tcp: [81] }", "E0504"),
    (Alone, "PERMISSIONS = { powers: [fragment] }", "E0505"),
    (Alone, "param x: number = 5", "E0506"),
    (Alone, "param m = map(key=0, default=0)", "E0506"),
    (Top, "/IP!(dst=198.51.100.1) { print(1) }", "E0508"),
    (Top, "/IP(dst=198.51.100.1)/UDP(src=40000, dst=7)", "E0508"),
    (
        Alone,
        "PORTS = { icmp: [77] }\n/IP!(dst=192.0.2.1) { print(1) }",
        "E0508",
    ),
    (
        Alone,
        "PERMISSIONS = { destinations: [192.0.2.0/24, !192.0.2.1] }\n/IP!(dst=192.0.2.1) { print(1) }",
        "E0508",
    ),
    (
        Top,
        "/IP!(dst=192.0.2.1)/TCP!(dst=80, src=44999) { print(1) }",
        "E0510",
    ),
    (Top, "/IP(dst=192.0.2.1)/UDP(src=40001, dst=7)", "E0510"),
    (
        Alone,
        "PERMISSIONS = { destinations: [192.0.2.1] }\n/IP!(dst=192.0.2.1)/UDP!(dst=7) { print(1) }",
        "E0511",
    ),
    (
        Alone,
        "PERMISSIONS = { destinations: [192.0.2.1] }\n/IP(dst=192.0.2.1)/UDP(dst=7)",
        "E0511",
    ),
    (
        Alone,
        "PERMISSIONS = { destinations: [192.0.2.1] }\n/IP(dst=192.0.2.1)/ICMP(type=echo_request)",
        "E0511",
    ),
    (Top, "/ARP(op=request, tpa=192.0.2.1)", "E0512"),
    (Ip, "IP(frag=10)/Bytes(\"x\")", "E0512"),
    (
        Top,
        "/IP!(dst=192.0.2.1)/IP!(dst=192.0.2.2) { print(1) }",
        "E0512",
    ),
    (Ip, "ICMP(type=redirect)", "E0512"),
    (Alone, "param n: int = \"x\"", "E0513"),
    // Statements.
    (Udp, "on linger=1s /IP!/UDP!/Bytes { wait 1s }", "E0701"),
    (
        Udp,
        "on linger=1s /IP!/UDP!/Bytes { on /IP/ICMP { print(1) } }",
        "E0701",
    ),
    (
        Udp,
        "on linger=1s /IP!/UDP!/Bytes { repeat count=3 every=1s { print(1) } }",
        "E0701",
    ),
    (
        Udp,
        "on linger=1s /IP!/UDP!/Bytes { expect timeout=1s /IP/ICMP { print(1) } }",
        "E0701",
    ),
    (
        Ip,
        "on linger=1s /IP/ICMP { UDP!(dst=7) { print(1) } }",
        "E0701",
    ),
    (
        Tcp,
        "p = Bytes(\"x\")\non linger=1s /IP/TCP { print(p[Eth].ts) }",
        "E0701",
    ),
    (Udp, "expect /IP!/UDP!/Bytes { print(1) }", "E0702"),
    (Top, "repeat times=3 { print(1) }", "E0703"),
    (
        Udp,
        "expect timeout=1s count=3 /IP!/UDP!/Bytes { print(1) }",
        "E0703",
    ),
    (
        Udp,
        "on timeout=1s /IP!/UDP!/Bytes { print(1) }\nwait 1s",
        "E0703",
    ),
    (Top, "repeat until=1 > 2 { print(1) }", "E0704"),
    (
        Top,
        "x = 1\nx += 1\nrepeat until=x > 3 { if x > 1 { wait 1s } }",
        "E0704",
    ),
    (Top, "x = 1\nx += 1\nrepeat count=x { wait 1ms }", "E0705"),
    (
        Top,
        "x = 1\nx += 1\nforeach i 1..x every=1ms { print(i) }",
        "E0705",
    ),
    (
        Ip,
        "x = 1\nx += 1\nforeach i 1..x { if x > 2 { ICMP(id=77) } }",
        "E0705",
    ),
    (Top, "foreach i, x 1..5 { print(i) }", "E0708"),
    (
        Udp,
        "on linger=1s /IP!/UDP!/Bytes { repeat count=length(MATCH[Bytes].data) { Bytes(#00) } }",
        "E0705",
    ),
    (Top, "stop", "E0706"),
    (
        Udp,
        "repeat count=3 every=1s { on linger=1s /IP!/UDP!/Bytes { stop } }",
        "E0706",
    ),
    // Own segments.
    (Top, "on out drop /IP/TCP", "E0721"),
    (Udp, "on out drop /IP/TCP", "E0721"),
    (Tcp, "on out TCP/Bytes", "E0722"),
    (Tcp, "on out lose TCP/Bytes", "E0722"),
    (Tcp, "on out drop hold TCP/Bytes", "E0722"),
    (Tcp, "on out drop delay=5ms TCP/Bytes", "E0722"),
    (Tcp, "on out delay=5ms split=3 TCP/Bytes", "E0722"),
    (Tcp, "on out drop linger=1s TCP/Bytes", "E0703"),
    (Tcp, "on out delay=0ms - 5ms TCP/Bytes", "E0312"),
    (Tcp, "on out split=0 TCP/Bytes", "E0312"),
    (Tcp, "on out split=1.5 TCP/Bytes", "E0304"),
    (Tcp, "on out drop /IP!/TCP!", "E0723"),
    (Tcp, "on out drop TCP!(flags has fin)", "E0723"),
    (Tcp, "on out drop TCP(colour == 3)", "E0206"),
    (Tcp, "on out drop TCP as m { wait 1s }", "E0701"),
    (Tcp, "on linger=1s /IP/TCP { on out drop TCP }", "E0701"),
    (Tcp, "on out drop TCP { print(MATCH[UDP].src) }", "E0418"),
    (Tcp, "release", "E0724"),
    (Tcp, "if 1 < 2 { on out hold TCP }\nrelease", "E0724"),
    (Top, "close", "E0707"),
    (Udp, "abort", "E0707"),
    (Tcp, "on linger=1s /IP/TCP { close }", "E0707"),
    (Top, "foreach b #010203 { print(b) }", "E0708"),
    (Top, "foreach i 5 { print(i) }", "E0708"),
    // Warnings.
    (
        Udp,
        "on /IP!/UDP!/Bytes { print(1) }\nBytes(\"x\")",
        "W0101",
    ),
    (
        Udp,
        "Bytes(\"x\")\non /IP!/UDP!/Bytes { print(1) }",
        "W0102",
    ),
    (
        Top,
        "repeat count=3 every=100ms { wait 50ms\nwait 60ms }",
        "W0103",
    ),
    (Alone, "PORTS = { tcp: [45000, 45100] }", "W0201"),
];

#[test]
fn one_mistake_is_told_once() {
    let wrong: Vec<String> = ROWS
        .iter()
        .map(|(place, body, code)| (place.program(body), *code))
        .filter(|(source, code)| codes(source) != [*code])
        .map(|(source, code)| format!("{code} wanted of\n{source}told:\n{}", told(&source)))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n\n{}",
        wrong.len(),
        ROWS.len(),
        wrong.join("\n")
    );
}

#[test]
fn several_mistakes_are_told_at_once() {
    let source = Top.program("print(a)\nx = 5 + 1s\nprint(x)\nwait 3\n/IP!(dst=192.0.2.1) {\n  ICMP(typ=echo_request)\n  stop\n}");
    assert_eq!(
        codes(&source),
        ["E0201", "E0302", "E0307", "E0206", "E0706"],
        "{}",
        told(&source)
    );
}

/// Each fix that is offered leads to a program without that mistake.
#[test]
fn what_is_offered_fixes() {
    let mut useless = Vec::new();
    for (place, body, code) in ROWS {
        let source = place.program(body);
        for report in super::check(&source).reports {
            for fix in report.fixes.iter().filter(|f| f.safe) {
                let fixed = fix.apply(&source);
                if codes(&fixed).contains(code) {
                    useless.push(format!("{code} `{}`:\n{fixed}{}", fix.title, told(&fixed)));
                }
            }
        }
    }
    assert!(useless.is_empty(), "{}", useless.join("\n"));
}

/// The programs of all rows.
pub(super) fn sources() -> impl Iterator<Item = String> {
    ROWS.iter().map(|(place, body, _)| place.program(body))
}
