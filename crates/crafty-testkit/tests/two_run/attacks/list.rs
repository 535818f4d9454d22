//! The attacks.

use super::Outcome::{Careful, Closed, Event, Harmless, Refused, Unwritable};
use super::{Attack, By, attack, under_none};
use crafty_lang::labels::FlowRule as R;

pub const ATTACKS: &[Attack] = &[
    attack(
        "length of a datagram after a path MTU",
        By::PathMtu,
        Closed(R::PathTells),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 10ms
  p = Bytes(#00 * 1400)
  x := p[Eth].len
}
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "more fragments follow",
        By::PathMtu,
        Closed(R::PathTells),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 10ms
  p = Bytes(#00 * 650)
  if p[IP].flags has mf { x := 1 }
}
TELL/Bytes(byte(x))"#,
    ),
    attack(
        "length field of a fragment",
        By::PathMtu,
        Closed(R::PathTells),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 10ms
  p = Bytes(#00 * 1400)
  x := p[IP].len
}
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "length(p) of a fragment",
        By::PathMtu,
        Closed(R::PathTells),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 10ms
  p = Bytes(#00 * 1400)
  x := length(p)
}
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "payload of a fragment",
        By::PathMtu,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 10ms
  p = Bytes(#00 * 1400)
  x := length(p[Bytes].data)
}
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "datagrams out, fragments counted",
        By::PathMtu,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 10ms
  p = Bytes(#00 * 650)
  x := STACK[IP].packets_out
}
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "time of the last fragment",
        By::PathMtu,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 10ms
  p = Bytes(#00 * 1400)
  b += bytes("${p[Eth].last_ts - p[Eth].ts}")
}
TELL/Bytes(b)"#,
    ),
    attack(
        "a crafted datagram is cut by the path MTU",
        By::PathMtu,
        Harmless,
        r#"wait 10ms
p = /IP(dst=10.0.0.2)/UDP(src=40000, dst=7)/Bytes(#00 * 1400)
x := p[Eth].len
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "an inner Ethernet header that may be missing",
        By::Inner,
        Closed(R::AbsenceTells),
        r#"on linger=20ms /IP/UDP(dst == 4789)/* {
  x := 1
  y := MATCH[Eth, 1].type
  TELL/Bytes("x")
}"#,
    ),
    attack(
        "an IP option under a driven IP",
        By::IpOption,
        Closed(R::AbsenceTells),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=20ms /IP!/UDP!/Bytes {
    y := MATCH[IP].options.router_alert
    TELL/Bytes("x")
  }
}"#,
    ),
    attack(
        "a header that the IP length cuts",
        By::IpLength,
        Event,
        r#"on linger=20ms /IP/UDP(src == 7) {
  y := MATCH[UDP].checksum
  TELL/Bytes("x")
}"#,
    ),
    attack(
        "a signed field in a byte",
        By::Poll,
        Refused,
        r#"on linger=20ms /IP/UDP(src == 123)/NTP {
  b := byte(MATCH[NTP].poll)
  TELL/Bytes("x")
}"#,
    ),
    attack(
        "a loop variable set to what came",
        By::Bytes,
        Unwritable,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=20ms /IP!/UDP!/Bytes { x := int(MATCH[Bytes].data[0]) - 8 }
  foreach k 0..3 {
    k := x
    b := byte(k)
    wait 5ms
  }
  TELL/Bytes("x")
}"#,
    ),
    attack(
        "a remainder of a negative number",
        By::Bytes,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=20ms /IP!/UDP!/Bytes {
    b := byte((int(MATCH[Bytes].data[0]) - 8) % 200)
    TELL/Bytes("x")
  }
}"#,
    ),
    attack(
        "a number that counts up to known text",
        By::Bytes,
        Refused,
        r#"n = 117530900
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  repeat count=300 {
    n += 1
    expect timeout=2ms /IP!/UDP!/Bytes(data has bytes(n, 4)) { x += 1 }
  }
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "a serial that counts from known text",
        By::Bytes,
        Refused,
        r#"n = 117530900
n += 1
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  repeat count=300 {
    n += 1
    expect timeout=2ms /IP!/UDP!/Bytes(data has bytes(n, 4)) { x += 1 }
  }
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "a loop over numbers that are text",
        By::Bytes,
        Closed(R::SerialsAreSmall),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  foreach n 117530977..117531377 {
    expect timeout=1ms /IP!/UDP!/Bytes(data has bytes(n, 4)) { TELL/Bytes(bytes(n, 4)) }
  }
}"#,
    ),
    attack(
        "routing header in a served stack",
        By::Bytes,
        Careful,
        r#"/IP!/UDP!(src=40000) {
  on linger=20ms /IP!/UDP!/Bytes { IP6/Routing(data=#00)/UDP/Bytes("x") }
}"#,
    ),
    attack(
        "memory of received data ends the run",
        By::Bytes,
        Event,
        r#"n = 0
n += 1
DECLARE
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    if MATCH[Bytes].data[0] == #07 { foreach i 0..3 { FILL } }
  }
  repeat count=10 every=2ms { TELL/Bytes("x") }
}"#,
    ),
    attack(
        "computing over what was received ends the run",
        By::Bytes,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    if MATCH[Bytes].data[0] == #07 { foreach i 0..9 { foreach k 0..90000 { y := k } } }
  }
  repeat count=10 every=2ms { TELL/Bytes("x") }
}"#,
    ),
    attack(
        "whether stream data left, by a field that waits",
        By::Window,
        Event,
        r#"/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7, isn=1000) {
  p = Bytes(#00 * 2000)
  q = Bytes(#00 * 2000)
  try { y := q[TCP].dst
    x := 1 } else { x := 2 }
  TELL/Bytes(byte(x))
  abort
} else { print(1) }"#,
    ),
    attack(
        "whether stream data left, by its time",
        By::Window,
        Event,
        r#"/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7, isn=1000) {
  p = Bytes(#00 * 2000)
  q = Bytes(#00 * 2000)
  try { print(q[Eth].ts)
    x := 1 } else { x := 2 }
  TELL/Bytes(byte(x))
  abort
} else { print(1) }"#,
    ),
    under_none(
        "a neighbour that moves",
        By::Neighbour,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) { repeat count=4 every=5ms { Bytes("x") } }"#,
    ),
    under_none(
        "path MTU of a datagram",
        By::PathMtu,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) { repeat count=4 every=5ms { Bytes(#00 * 1400) } }"#,
    ),
    under_none(
        "path MTU of a crafted datagram",
        By::PathMtu,
        Harmless,
        r#"repeat count=4 every=5ms { /IP(dst=10.0.0.2)/UDP(src=40000, dst=7)/Bytes(#00 * 1400) }"#,
    ),
    under_none(
        "memory of received data ends the run",
        By::Coming,
        Closed(R::EndHasPrice),
        r#"DECLARE
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes { foreach i 0..3 { FILL } }
  repeat count=10 every=2ms { Bytes("x") }
}"#,
    ),
    under_none(
        "time of a computed address",
        By::Bytes,
        Careful,
        r#"wait 1ms
t = now()
/IP(dst=10.0.0.1 + round((now() - t) / 1ns) + 1)/UDP(src=40000, dst=7)/Bytes("x")"#,
    ),
    attack(
        "error kinds",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=20ms /IP!/UDP!/Bytes { x := int(MATCH[Bytes].data[0]) - 7 }
  wait 30ms
  try { y := div(1, x) } else e { b := bytes(e.kind) }
}
TELL/Bytes(b)"#,
    ),
    attack(
        "what picks from a list that grows",
        By::Bytes,
        Unwritable,
        r#"list = [1]
list += 2
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=20ms /IP!/UDP!/Bytes { x := choose(int(MATCH[Bytes].data[0]), list) }
}
TELL/Bytes(byte(x))"#,
    ),
    attack(
        "a wide hole that content makes too large",
        By::Bytes,
        Harmless,
        r#"s = ""
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=20ms /IP!/UDP!/Bytes { print("${x:>900}") }
}"#,
    ),
    attack(
        "a length that is content against a moving bound",
        By::IpHeader,
        Closed(R::LengthHasPrice),
        r#"foreach k 0..80 {
  expect timeout=1500us /IP/UDP/Bytes where length(MATCH[Bytes].data) == k { x := k }
}
TELL/Bytes(byte(x))"#,
    ),
    attack(
        "packets that match a value of the round, counted",
        By::Bytes,
        Closed(R::EachPacketAsks),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  foreach k 5..9 every=2ms {
    on /IP!/UDP!/Bytes(data[0:1] == byte(k)) { x += k }
    wait 1ms
  }
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "an answer that may have no address",
        By::Answer,
        Closed(R::AbsenceTells),
        r#"on linger=20ms /IP/UDP/DNS {
  print(1)
  if MATCH[DNS].address in [3.1.2.3] { y := 1 }
  TELL/Bytes("x")
}"#,
    ),
    attack(
        "a number that may be negative, as a count",
        By::Poll,
        Refused,
        r#"on linger=20ms /IP/UDP/NTP {
  b := #00 * MATCH[NTP].poll
  TELL/Bytes("x")
}"#,
    ),
    attack(
        "the lesser of two",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := min([int(MATCH[Bytes].data[0]), 8])
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "the first of a sorted list",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := sort([int(MATCH[Bytes].data[0]), 8])[0]
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "a range whose end came",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    if 8 in 0..int(MATCH[Bytes].data[0]) { x := 1 }
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "how many matches a handler takes",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  on count=x linger=30ms /IP!/UDP!/Bytes { y += 1 }
  wait 30ms
}
TELL/Bytes(byte(y))"#,
    ),
    attack(
        "how long a block lingers",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  on linger=1ms * x /IP!/UDP!/Bytes { y += 0 }
}
TELL/Bytes("x")"#,
    ),
    attack(
        "how long is waited for a packet",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  expect timeout=1ms * x /IP/TCP { y += 0 }
}
TELL/Bytes("x")"#,
    ),
    attack(
        "the pause of a loop",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  repeat count=2 every=1ms * x { y += 0 }
}
TELL/Bytes("x")"#,
    ),
    attack(
        "the end of a loop",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  repeat count=9 every=1ms until=x == 7 { TELL/Bytes("x") }
}"#,
    ),
    attack(
        "printed and recorded, and then a packet",
        By::Bytes,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    print(MATCH[Bytes].data)
    record r = int(MATCH[Bytes].data[0])
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "what an own segment acknowledges",
        By::Stream,
        Careful,
        r#"/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7, isn=1000) {
  on out delay=1ms TCP as m { y := bit_and(m[TCP].ack, 7) }
  Bytes("a")
  wait 20ms
  TELL/Bytes(byte(y))
  abort
} else { print(1) }"#,
    ),
    attack(
        "the window of the peer",
        By::Window,
        Refused,
        r#"/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7, isn=1000) {
  wait 5ms
  x := STACK[TCP].peer_window
  TELL/Bytes(byte(x % 200))
  abort
} else { print(1) }"#,
    ),
    attack(
        "one of two, once",
        By::Bytes,
        Event,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes { x := choose(int(MATCH[Bytes].data[0]), [7, 9]) }
}
TELL/Bytes(byte(x))"#,
    ),
    attack(
        "which layers a packet has",
        By::Inner,
        Careful,
        r#"on linger=20ms /IP/UDP/* {
  if has(MATCH, VXLAN) { x := 1 }
}
wait 30ms
TELL/Bytes(byte(x))"#,
    ),
    attack(
        "an inner header behind a test",
        By::Inner,
        Event,
        r#"on linger=20ms /IP/UDP/VXLAN/Eth { x := 1 }
wait 30ms
TELL/Bytes(byte(x))"#,
    ),
    attack(
        "a map asked for what came",
        By::Bytes,
        Refused,
        r#"m = map(key=0, default=3)
m[7] := 5
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := m[int(MATCH[Bytes].data[0])]
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "a key that came",
        By::Bytes,
        Refused,
        r#"m = map(key=0, default=3)
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    m[int(MATCH[Bytes].data[0])] := 1
  }
  wait 30ms
}
foreach k m { TELL/Bytes(byte(k)) }"#,
    ),
    attack(
        "how many keys there are",
        By::Coming,
        Refused,
        r#"m = map(key=0, default=3)
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    m[int(MATCH[Bytes].data[0])] := 1
  }
  wait 30ms
}
TELL/Bytes(#00 * length(keys(m)))"#,
    ),
    attack(
        "a key that is taken away",
        By::Bytes,
        Refused,
        r#"m = map(key=0, default=3)
m[7] := 5
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    m := remove(m, int(MATCH[Bytes].data[0]))
  }
  wait 30ms
}
TELL/Bytes(byte(m[7]))"#,
    ),
    attack(
        "a float, rounded",
        By::Bytes,
        Careful,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := int("${round(float(int(MATCH[Bytes].data[0])) / 2)}")
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "a wait as long as a byte",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  wait 10ms
  wait 1ms * x
}
TELL/Bytes("x")"#,
    ),
    attack(
        "bytes that have a byte",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    if MATCH[Bytes].data has #07 { x := 1 }
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "what fails inside a try",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  wait 30ms
}
try {
  y := div(1, x - 7)
  TELL/Bytes("x")
} else { print(1) }"#,
    ),
    attack(
        "a loop that stops",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  wait 30ms
}
repeat count=9 {
  TELL/Bytes("x")
  if x == 7 { stop }
}"#,
    ),
    attack(
        "an assertion",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  wait 30ms
}
assert x == 7
TELL/Bytes("x")"#,
    ),
    attack(
        "an exit in a handler",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    if int(MATCH[Bytes].data[0]) == 7 { exit }
  }
  wait 30ms
}
TELL/Bytes("x")"#,
    ),
    attack(
        "a failure in a handler that ends the program",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    assert int(MATCH[Bytes].data[0]) == 7
  }
  wait 30ms
}
TELL/Bytes("x")"#,
    ),
    attack(
        "a pattern that compares with what came",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  expect timeout=9ms /IP!/UDP!/Bytes(data[0:1] == byte(x % 8)) { TELL/Bytes("x") }
}"#,
    ),
    attack(
        "a filter that compares with what came",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  expect timeout=9ms /IP!/UDP!/Bytes where length(MATCH) == x + 25 { TELL/Bytes("x") }
}"#,
    ),
    attack(
        "a quantile out of range",
        By::Bytes,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    y := round(quantile([1.5, 2.5], float(int(MATCH[Bytes].data[0])) / 8))
    TELL/Bytes("x")
  }
  wait 30ms
}
TELL/Bytes(byte(x % 200))"#,
    ),
    attack(
        "our address for one that came",
        By::Bytes,
        Careful,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := int(MATCH[Bytes].data[0])
  }
  wait 30ms
}
TELL/Bytes("${source_for(10.0.0.0 + x)}")"#,
    ),
    attack(
        "how many came",
        By::Coming,
        Event,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 9ms
  x := STACK[UDP].packets_in
}
TELL/Bytes(byte(x))"#,
    ),
    attack(
        "the path MTU",
        By::PathMtu,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 9ms
  x := STACK[IP].mtu
}
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "into how many frames a datagram is cut",
        By::PathMtu,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 9ms
  p = Bytes(#00 * 650)
  x := frames(p)
}
TELL/Bytes(#00 * x)"#,
    ),
    attack(
        "the checksum of a fragment's header",
        By::PathMtu,
        Closed(R::PathTells),
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 9ms
  p = Bytes(#00 * 1400)
  x := p[IP].checksum
}
TELL/Bytes(bytes(x, 2))"#,
    ),
    attack(
        "how long the answers of computing take",
        By::Bytes,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    repeat count=int(MATCH[Bytes].data[0]) * 1000 { y += 1 }
  }
  wait 30ms
}
TELL/Bytes("x")"#,
    ),
    attack(
        "a server that answers by another station",
        By::Port,
        Harmless,
        r#"/IP!/UDP!(src=40000) {
  on linger=20ms /IP!/UDP!/Bytes { Eth(dst=02:00:00:00:00:09)/IP/UDP/Bytes("x") }
}"#,
    ),
    attack(
        "when a kept packet came",
        By::Coming,
        Unwritable,
        r#"q = /IP(dst=10.0.0.2)/UDP(src=40000, dst=7)/Bytes("x")
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    q := MATCH
  }
  wait 30ms
}
TELL/Bytes("${q[Eth].ts - now()}")"#,
    ),
    attack(
        "bits of what came, one handler each",
        By::Bytes,
        Event,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=20ms /IP!/UDP!/Bytes where bits(int(MATCH[Bytes].data[0]), 1, 1) == 1 { x := 1 }
}
TELL/Bytes(byte(x))"#,
    ),
    under_none(
        "a handler that only prints",
        By::Coming,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes { print(MATCH[Bytes].data) }
  repeat count=4 every=5ms { Bytes("x") }
}"#,
    ),
    under_none(
        "a variable that a handler set",
        By::Coming,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=30ms /IP!/UDP!/Bytes {
    x := 1
  }
  wait 30ms
}
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  Bytes(byte(x))
}"#,
    ),
    under_none(
        "a wait for an answer",
        By::Coming,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  expect timeout=9ms /IP!/UDP!/Bytes { print(1) }
  Bytes("x")
}"#,
    ),
    under_none(
        "a linger that ends with its matches",
        By::Coming,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on linger=20ms count=1 /IP!/UDP!/Bytes { print(1) }
}
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  Bytes("x")
}"#,
    ),
    under_none(
        "how many came",
        By::Coming,
        Refused,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 9ms
  Bytes(byte(STACK[UDP].packets_in))
}"#,
    ),
    under_none(
        "a connection",
        By::Window,
        Careful,
        r#"/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7, isn=1000) {
  Bytes("x")
}"#,
    ),
    under_none(
        "the time after much computing",
        By::Coming,
        Harmless,
        r#"z = 0
/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  on /IP!/UDP!/Bytes { foreach i 0..2000 { z := i } }
  wait 10ms
  Bytes("${now()}")
}"#,
    ),
    under_none(
        "the length of a large datagram",
        By::PathMtu,
        Harmless,
        r#"/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {
  wait 9ms
  p = Bytes(#00 * 1400)
  Bytes(#00 * 7)
}"#,
    ),
];
