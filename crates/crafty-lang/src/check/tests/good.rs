//! Programs that check without a message.

use super::{check, told};

fn accept(source: &str) {
    assert!(
        check(source).program.is_some() && told(source).is_empty(),
        "{source}\n{}",
        told(source)
    );
}

#[test]
fn round_trip_in_five_probes() {
    accept(
        r#"param target = 192.0.2.1
BUDGET = { max_duration: 10s, max_packets: 10 }
PERMISSIONS = { destinations: [target] }
PORTS = { icmp: [77] }

/IP!(dst=target) {
  foreach n 1..5 {
    probe = ICMP(type=echo_request, id=77, seq=n)/Bytes("crafty")
    expect timeout=1s /IP(src == target)/ICMP(type == echo_reply, id == 77, seq == n) {
      record rtt = MATCH[Eth].ts - probe[Eth].ts
      print("seq=${n} ttl=${MATCH[IP].ttl} rtt=${MATCH[Eth].ts - probe[Eth].ts}")
    } else {
      print("seq=${n} lost")
    }
  }
}
"#,
    );
}

#[test]
fn where_does_the_path_end() {
    accept(
        r#"param target = 192.0.2.1
BUDGET = { max_duration: 60s, max_packets: 40 }
PERMISSIONS = { destinations: [target] }
PORTS = { udp: [40000] }

done = false
/IP!(dst=target) {
  foreach hop 1..30 {
    probe = IP(ttl=hop)/UDP(src=40000, dst=33434 + hop)/Bytes("trace")
    expect timeout=1s
      /IP/ICMP(type == time_exceeded)/IP/UDP(dst == 33434 + hop) {
        print("${hop}\t${MATCH[IP].src}\t${MATCH[Eth].ts - probe[Eth].ts}")
      } or /IP/ICMP(type == dest_unreachable)/IP/UDP(dst == 33434 + hop) {
        print("${hop}\t${MATCH[IP].src}\treached")
        done := true
      } else {
        print("${hop}\t*")
      }
    if done { stop }
  }
}
"#,
    );
}

#[test]
fn a_connection_and_one_crafted_segment() {
    accept(
        r#"param server = 192.0.2.80
BUDGET = { max_duration: 20s, max_packets: 200, max_syns: 3 }
PERMISSIONS = { destinations: [server], destination_ports: { tcp: [80] } }
PORTS = { tcp: [[45000, 45100]] }

/IP!(dst=server)/TCP!(dst=80) {
  Bytes("GET / HTTP/1.0\r\n\r\n")
  expect timeout=5s /IP!/TCP!/Bytes(data has "HTTP/1.") {
    print("status ${text(MATCH[Bytes].data[9:12])}")
  } else {
    print("connected, but no answer in 5s")
  }
  IP(ttl=3)/TCP(flags=ack)/Bytes(#00)
  expect timeout=1s /IP/ICMP(type == time_exceeded)/IP/TCP(dst == 80) {
    print("third hop on this connection's path: ${MATCH[IP].src}")
  }
  print("srtt=${STACK[TCP].srtt} retransmits=${STACK[TCP].retransmits} peer_mss=${STACK[TCP].peer_mss}")
} else e {
  print("could not connect: ${e.kind}")
}
"#,
    );
}

/// The program of the article that asked for the language, unchanged.
#[test]
fn one_way_delays_by_size() {
    accept(
        r#"BUDGET = { max_duration: 60s, max_packets_per_secs: 100 }
PORTS = { udp: [[40000, 40100]] }
PERMISSIONS = { destinations: [10.100.0.50], sources: [10.20.4.1], exfiltration: false }
gateway = 10.20.4.1
tokyo_office = 10.100.0.50
dst_port = 40100
sizes = [100, 500, 1000, 1400, 1472]
burst = 50
in_flights = map(key=0, default=now()) # send time, by serial
rtts = map(key=0, default=array(init=0s, len=0)) # by size
sernum = 0
/IP!(src=gateway, dst=tokyo_office)/UDP!(dst=dst_port) {
on linger=2s /IP!(src == tokyo_office)/UDP!(src == dst_port)/Bytes {
serial = int(MATCH[Bytes].data[0])
if has(in_flights, serial) {
size = length(MATCH[Bytes].data) # length() does not taint `size`
rtts[size] += MATCH[Eth].ts - in_flights[serial]
in_flights := remove(in_flights, serial)
}
}
foreach size sizes {
repeat count=burst every=10ms {
sernum += 1
payload = byte(sernum) + #00 * (size - 1)
p = Bytes(payload)
in_flights[sernum] := p[Eth].ts
}
}
}
print("size\tn\tavg\tmax")
foreach size sizes {
round_trips = rtts[size]
if length(round_trips) > 0 {
print("${size}\t${length(round_trips)}\t${mean(round_trips)}\t${max(round_trips)}")
} else {
print("${size}\t0\t-\t-")
}
}
"#,
    );
}

/// Programs as people write them to find a fault; what they may reveal is judged elsewhere.
const PATTERNS: &[&str] = &[
    // The path MTU by halving, on whether an answer comes.
    r#"param target = 192.0.2.1
BUDGET = { max_packets: 40, max_duration: 30s }
PERMISSIONS = { destinations: [target] }
PORTS = { icmp: [77] }
low = 68
high = 1500
/IP!(dst=target) {
  repeat count=11 until=high - low <= 1 as n {
    size = div(low + high, 2)
    IP(flags=df)/ICMP(type=echo_request, id=77, seq=n)/Bytes(#00 * (size - 28))
    expect timeout=1s /IP/ICMP(type == echo_reply, id == 77, seq == n) {
      low := size
    } else {
      high := size
    }
  }
  print("path MTU ${low}")
}
"#,
    // The path MTU that a router reports, by a list.
    r#"BUDGET = { max_packets: 40 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  IP(flags=df)/ICMP(type=echo_request, id=77)/Bytes(#00 * 1472)
  expect timeout=1s /IP/ICMP(type == dest_unreachable, code == frag_needed)/IP {
    size = choose(MATCH[ICMP].mtu, [576, 1280, 1400])
    ICMP(type=echo_request, id=77)/Bytes(#00 * (size - 28))
  }
}
"#,
    // A handshake by hand.
    r#"BUDGET = { max_packets: 40 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { tcp: [45000] }
/IP!(dst=192.0.2.1) {
  TCP(src=45000, dst=80, seq=1000, flags=syn, options=[mss(1460), sack_ok])
  expect timeout=1s /IP/TCP(src == 80, dst == 45000, flags has syn+ack, ack == 1001) {
    TCP(src=45000, dst=80, seq=1001, ack=auto, flags=ack)
    print("${MATCH[TCP].options.mss}")
  } or /IP/TCP(src == 80, dst == 45000, flags has rst) {
    print("closed")
  } or /IP/ICMP(type == dest_unreachable)/IP/TCP(src == 45000) {
    print("rejected by ${MATCH[IP].src}")
  } else {
    print("silence")
  }
}
"#,
    // Count, then one more.
    r#"BUDGET = { max_packets: 40 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
seen = 0
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes {
    seen += 1
    Bytes("thanks")
  }
  repeat count=10 every=20ms {
    Bytes("ping")
  }
  wait 200ms
  if seen > 5 {
    Bytes("more")
  }
}
"#,
    // Again unless the right serial came back, the test in the pattern.
    r#"BUDGET = { max_packets: 40 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
done = false
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  repeat count=5 until=done as n {
    Bytes(byte(n) + "hello")
    expect timeout=500ms /IP!/UDP!/Bytes(data[0] == byte(n)) {
      done := true
    }
  }
  assert done, "no answer in 5 tries"
}
"#,
    // The same, the test in an `if`: refused for what it reveals, not here.
    r#"BUDGET = { max_packets: 40 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
done = false
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  repeat count=5 until=done as n {
    Bytes(byte(n))
    expect timeout=500ms /IP!/UDP!/Bytes {
      if MATCH[Bytes].data[0] == byte(n) {
        done := true
      }
    }
  }
}
"#,
    // Lines in braces without commas, shares in percent, ints beside floats, lists of names.
    r#"BUDGET = {
  max_duration: 10s
  max_packets: 20
}
PERMISSIONS = {
  destinations: [192.0.2.1]
}
PORTS = { udp: [40000] }
met = 0
of = 0
low = 1.5
shares = [0.5, met, of]
/IP!(dst=192.0.2.1) {
  expect timeout=1s /IP/ICMP(type in [time_exceeded, dest_unreachable], not (code == 3)) {
    met += 1
    if MATCH[ICMP].type not in [time_exceeded, dest_unreachable] { of += 1 }
    low := met
  } or /IP/TCP(not (flags has rst, src == 80), (src == 1 or src == 2)) { of += 1 } else { }
}
shares += [low, met]
if met > low or met in 0.5..of { met := 0 }
print("${100.0 * met / max([of, 1]):.1} ${low / 2:.1%} ${met:>8.0%} ${mean(shares) - met}")
"#,
];

#[test]
fn programs_as_people_write_them() {
    PATTERNS.iter().for_each(|source| accept(source));
}

/// The programs that are shipped: no errors, and no warnings but what is said of their budget
/// elsewhere.
#[test]
fn the_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).expect("the examples are in the repository") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|e| e == "crafty") {
            accept(&std::fs::read_to_string(&path).expect("a readable file"));
            found += 1;
        }
    }
    assert!(found > 5, "only {found} examples");
}

#[test]
fn own_segments() {
    accept(
        r#"param target = 192.0.2.1
BUDGET = { max_duration: 60s, max_packets: 40 }
PERMISSIONS = { destinations: [target] }
PORTS = { tcp: [[45000, 45100]] }

late = 50ms
/IP!(dst=target) {
  on out delay=late count=1 TCP(flags == ack)/End
  TCP!(dst=80) {
    on out split=100 TCP/Bytes as m {
      print("${m[IP].ttl} ${m[TCP].seq} ${length(m[Bytes].data)} ${m[Eth].ts}")
    }
    on out hold count=1 /IP/TCP(flags has fin) where MATCH[TCP].window > 0
    on Bytes {
      release
    }
    Bytes("x")
    wait 1s
    if STACK[TCP].withheld > 0 { release }
  }
}
"#,
    );
}

#[test]
fn names_that_collide_are_resolved_by_where_they_stand() {
    accept(
        r#"param server = 192.0.2.123
BUDGET = { max_duration: 10s, max_packets: 10 }
PERMISSIONS = { destinations: [server] }
PORTS = { udp: [40000], tcp: [45000] }

mss = 1460
syn = "seen"
/IP!(dst=server) {
  UDP(src=40000, dst=123)/NTP(mode=client)
  expect timeout=1s /IP(src == server)/UDP/NTP(mode == server) as m {
    print("${m[NTP].mode == server} ${m[IP].src == server}")
  }
  TCP(src=45000, dst=80, flags=syn, options=[mss(mss)])
  expect timeout=1s /IP(src == server)/TCP(flags has syn, options has mss, options.mss <= mss) as m {
    print("${m[TCP].options has mss} ${m[TCP].flags has syn} ${syn}")
  }
}
"#,
    );
}
