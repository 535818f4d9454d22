//! The programs of the manual.

use crate::bench::{check, check_frames};
use crate::peers::{OURS, Peer, udp};

const ECHO: &str = r#"
param target = 192.0.2.1
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
}"#;

#[test]
fn round_trip() {
    check_frames(
        ECHO,
        Peer::Some(7, &[0, 1, 4], 0),
        r#"0.000 > 192.0.2.1 ICMP 8 id 77 seq 1 "crafty"
           0.007 record rtt=7ms
           0.007 seq=1 ttl=57 rtt=7ms
           0.007 > 192.0.2.1 ICMP 8 id 77 seq 2 "crafty"
           0.014 record rtt=7ms
           0.014 seq=2 ttl=57 rtt=7ms
           0.014 > 192.0.2.1 ICMP 8 id 77 seq 3 "crafty"
           1.014 seq=3 lost
           1.014 > 192.0.2.1 ICMP 8 id 77 seq 4 "crafty"
           2.014 seq=4 lost
           2.014 > 192.0.2.1 ICMP 8 id 77 seq 5 "crafty"
           2.021 record rtt=7ms
           2.021 seq=5 ttl=57 rtt=7ms
           2.021 ends 0"#,
    );
}

#[test]
fn where_does_the_path_end() {
    let program = r#"
param target = 192.0.2.1
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
}"#;
    check_frames(
        program,
        Peer::Path(3),
        "0.000 > 192.0.2.1 ttl 1 UDP 40000 > 33435 \"trace\"
         0.001 1\t198.51.100.1\t1ms
         0.001 > 192.0.2.1 ttl 2 UDP 40000 > 33436 \"trace\"
         0.002 2\t198.51.100.2\t1ms
         0.002 > 192.0.2.1 ttl 3 UDP 40000 > 33437 \"trace\"
         0.003 3\t192.0.2.1\treached
         0.003 ends 0",
    );
}

/// The seed's sample; the office answers with what it got.
pub const SAMPLE: &str = r#"
BUDGET = { max_duration: 60s, max_packets_per_secs: 100 }
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
}"#;

#[test]
fn the_seeds_sample_loses_nothing() {
    check(
        SAMPLE,
        Peer::Echo(3),
        "4.500 size\tn\tavg\tmax
         4.500 100\t50\t3ms\t3ms
         4.500 500\t50\t3ms\t3ms
         4.500 1000\t50\t3ms\t3ms
         4.500 1400\t50\t3ms\t3ms
         4.500 1472\t50\t3ms\t3ms
         4.500 ends 0",
    );
}

#[test]
fn the_sample_without_answers() {
    check(
        SAMPLE,
        Peer::Silent,
        "4.500 size\tn\tavg\tmax
         4.500 100\t0\t-\t-
         4.500 500\t0\t-\t-
         4.500 1000\t0\t-\t-
         4.500 1400\t0\t-\t-
         4.500 1472\t0\t-\t-
         4.500 ends 0",
    );
}

#[test]
fn a_server_answers_who_asked() {
    let program = r#"
BUDGET = { max_duration: 10s, max_packets: 10 }
PERMISSIONS = { destinations: [192.0.2.0/24] }
PORTS = { udp: [40000] }
/IP!/UDP!(src=40000) {
  on count=2 linger=5s /IP!/UDP!/Bytes {
    Bytes("pong")
    print("${STACK[IP].dst}:${STACK[UDP].dst} ${MATCH[Bytes].data}")
  }
}"#;
    let ask = |host: u8, port: u16| udp([192, 0, 2, host], port, OURS, 40000, b"ping");
    check_frames(
        program,
        Peer::Script(vec![(10, ask(1, 5001)), (20, ask(80, 5002))]),
        "0.010 192.0.2.1:5001 «#70696e67»
         0.010 > 192.0.2.1 UDP 40000 > 5001 \"pong\"
         0.020 192.0.2.80:5002 «#70696e67»
         0.020 > 192.0.2.80 UDP 40000 > 5002 \"pong\"
         0.020 ends 0",
    );
}
