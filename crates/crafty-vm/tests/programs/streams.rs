//! `TCP!` blocks against a host of the stack crate.

use crate::bench::{check, check_frames};
use crate::peers::{Arriving, OURS, Own, Peer, TARGET, icmp_error, ip_frame, ipv4};
use crate::rules::program;
use core::net::SocketAddr;
use crafty_referee::harness::TraceGuard;
use crafty_stack::tcp::{Config, Connection, Segment};
use crafty_value::Time;

const MS: i64 = 1_000_000;

/// What the other host does.
#[derive(Clone, Copy)]
pub enum Host {
    /// Listens, and answers each piece of data with what the function makes of it.
    Serves(fn(&[u8]) -> &'static [u8]),
    /// Listens, says this at once, and closes.
    SaysAndCloses(&'static [u8]),
    /// Listens, and resets the connection at this time.
    Resets(i64),
    /// Refuses.
    Refuses,
    /// Connects to port 45000 at 10 ms, says this, and closes when answered.
    Connects(&'static [u8]),
}

struct Server {
    host: Host,
    connection: Option<Connection>,
    said: bool,
    asked: bool,
    config: Config,
    guard: TraceGuard,
}

pub fn peer(host: Host) -> Peer {
    peer_of(host, Config::default())
}

/// A host whose connections are like this.
pub fn peer_of(host: Host, config: Config) -> Peer {
    Peer::Own(Box::new(Server {
        host,
        connection: None,
        said: false,
        asked: false,
        config,
        guard: TraceGuard::of("the host at the other end"),
    }))
}

impl Server {
    /// What the connection has to send, 2 ms away.
    fn flush(&mut self, now: i64) -> Vec<Arriving> {
        let mut out = Vec::new();
        self.act(now);
        let Some(connection) = &mut self.connection else {
            return out;
        };
        let mut segment = Vec::new();
        while connection.poll_transmit(Time(now), &mut segment) {
            let frame = ip_frame(TARGET, OURS, 6, 57, &segment);
            self.guard.sent(Time(now), &frame[14..]);
            out.push((2 * MS, frame));
        }
        while connection.poll_event().is_some() {}
        out
    }

    fn act(&mut self, now: i64) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        let up =
            connection.state().name() == "established" || connection.state().name() == "close_wait";
        match self.host {
            Host::Serves(answer) => {
                let mut got = Vec::new();
                if connection.read(&mut got) > 0 {
                    let _ = connection.send(answer(&got));
                }
                if connection.state().name() == "close_wait" {
                    connection.close(Time(now));
                }
            }
            Host::SaysAndCloses(words) if up && !self.said => {
                self.said = true;
                let _ = connection.send(words);
                connection.close(Time(now));
            }
            Host::Connects(words) if up && !self.said => {
                self.said = true;
                let _ = connection.send(words);
            }
            Host::Connects(_) => {
                let mut got = Vec::new();
                if connection.read(&mut got) > 0 {
                    connection.close(Time(now));
                }
            }
            Host::Resets(at) if now >= at => connection.abort(Time(now)),
            _ => {}
        }
    }

    fn refusal(segment: &[u8]) -> Vec<u8> {
        let seq = u32::from_be_bytes(segment[4..8].try_into().unwrap()).wrapping_add(1);
        let mut reset = [
            &segment[2..4],
            &segment[0..2],
            &[0; 4],
            &seq.to_be_bytes(),
            &[0x50, 0x14, 0, 0, 0, 0, 0, 0],
        ]
        .concat();
        let parts = [&TARGET[..], &OURS, &[0, 6, 0, 20], &reset].concat();
        let total: u32 = parts
            .chunks(2)
            .map(|c| u32::from(c[0]) << 8 | u32::from(c[1]))
            .sum();
        let folded = (total & 0xffff) + (total >> 16);
        reset[16..18].copy_from_slice(&(!(folded as u16)).to_be_bytes());
        ip_frame(TARGET, OURS, 6, 64, &reset)
    }
}

impl Own for Server {
    fn answer(&mut self, now: i64, frame: &[u8]) -> Vec<Arriving> {
        let Some((ip, payload)) = ipv4(frame).filter(|(ip, _)| ip[9] == 6) else {
            return Vec::new();
        };
        if ip[8] < 8 {
            return vec![(
                MS,
                icmp_error([198, 51, 100, ip[8]], 11, 0, &ip[..ip.len().min(28 + 20)]),
            )];
        }
        let segment = Segment::of_datagram(ip, true).unwrap();
        match (&mut self.connection, self.host) {
            (_, Host::Refuses) => return vec![(2 * MS, Server::refusal(payload))],
            (Some(connection), _) => {
                self.guard.heard(Time(now), ip);
                connection.handle_segment(Time(now), &segment);
            }
            (None, _) => {
                self.guard.heard(Time(now), ip);
                self.connection = Connection::accept(self.config.clone(), &segment, 1000, Time(now))
            }
        }
        self.flush(now)
    }

    fn poll_timeout(&self) -> Option<i64> {
        let opens = matches!(self.host, Host::Connects(_)) && !self.asked;
        let resets = match (self.host, &self.connection) {
            (Host::Resets(at), Some(c)) if c.state().name() != "closed" => Some(at),
            _ => None,
        };
        let timer = self
            .connection
            .as_ref()
            .and_then(Connection::poll_timeout)
            .map(|t| t.0);
        [opens.then_some(10 * MS), resets, timer]
            .into_iter()
            .flatten()
            .min()
    }

    fn wake(&mut self, now: i64) -> Vec<Arriving> {
        if matches!(self.host, Host::Connects(_)) && !self.asked {
            self.asked = true;
            let (local, remote) = (
                SocketAddr::from((TARGET, 5555)),
                SocketAddr::from((OURS, 45000)),
            );
            self.connection = Some(Connection::open(
                Config::default(),
                local,
                remote,
                77,
                Time(now),
            ));
        }
        if let Some(connection) = &mut self.connection {
            connection.handle_timeout(Time(now));
        }
        self.flush(now)
    }
}

/// A body inside a TCP block towards the target, and its `else`.
pub fn in_tcp(body: &str) -> String {
    program(&format!(
        "/IP!(dst=192.0.2.1)/TCP!(dst=80) {{\n{body}\n}} else e {{ print(\"else ${{e.kind}}\") }}\nprint(\"after\")"
    ))
}

pub fn http(_: &[u8]) -> &'static [u8] {
    b"HTTP/1.0 200 OK\r\n\r\nhello"
}

#[test]
fn a_connection_its_health_and_one_crafted_segment() {
    let body = r#"
  print("up ${STACK[TCP].state}")
  Bytes("GET / HTTP/1.0\r\n\r\n")
  expect timeout=5s /IP!/TCP!/Bytes(data has "HTTP/1.") {
    print("status ${text(MATCH[Bytes].data[9:12])} of ${length(MATCH[Bytes].data)}")
  } else { print("no answer") }
  IP(ttl=3)/TCP(flags=ack)/Bytes(#00)
  expect timeout=1s /IP/ICMP(type == time_exceeded)/IP/TCP(dst == 80) {
    print("third hop ${MATCH[IP].src}")
  }
  print("${STACK[TCP].srtt} ${STACK[TCP].retransmits} ${STACK[TCP].peer_mss} ${STACK[TCP].handshake}")"#;
    let wanted = "0.002 up established
        0.004 status «200» of 24
        0.005 third hop 198.51.100.3
        0.005 2ms 0 1460 2ms
        0.007 after
        0.007 ends 0";
    check(&in_tcp(body), peer(Host::Serves(http)), wanted);
}

#[test]
fn what_is_closed_says_so_on_the_wire() {
    let rows = [
        (
            "",
            "0.002 > 192.0.2.1 TCP 45000 > 80 A \"\"\n0.002 > 192.0.2.1 TCP 45000 > 80 FA \"\"\n0.004 after\n0.004 > 192.0.2.1 TCP 45000 > 80 A \"\"\n0.004 ends 0",
        ),
        (
            "abort\nprint(\"never\")",
            "0.002 after\n0.002 > 192.0.2.1 TCP 45000 > 80 A \"\"\n0.002 > 192.0.2.1 TCP 45000 > 80 RA \"\"\n0.002 ends 0",
        ),
        (
            "xs = [1]\nn = 3\nn += 0\nprint(\"${xs[n]}\")",
            "0.002 error index\n0.002 after\n0.002 > 192.0.2.1 TCP 45000 > 80 A \"\"\n0.002 > 192.0.2.1 TCP 45000 > 80 RA \"\"\n0.002 ends 1",
        ),
    ];
    for (body, wanted) in rows {
        let opening = "0.000 > 192.0.2.1 TCP 45000 > 80 S \"\"";
        check_frames(
            &in_tcp(body),
            peer(Host::Serves(http)),
            &format!("{opening}\n{wanted}"),
        );
    }
}

#[test]
fn an_opening_that_fails_goes_to_else() {
    check(
        &in_tcp("print(\"up\")"),
        peer(Host::Refuses),
        "0.002 else refused\n0.002 after\n0.002 ends 0",
    );
    check(
        &in_tcp("print(\"up\")"),
        Peer::Silent,
        "5.000 else timeout\n5.000 after\n5.000 ends 0",
    );
    check(
        &in_tcp("print(\"up\")"),
        Peer::Path(0),
        "0.001 else unreachable\n0.001 after\n0.001 ends 0",
    );
}

#[test]
fn a_break_interrupts_the_wait_under_way() {
    let body = "expect timeout=5s /IP!/TCP!/Bytes { print(\"data\") } else { print(\"none\") }\nprint(\"never\")";
    check(
        &in_tcp(body),
        peer(Host::Resets(30 * MS)),
        "0.032 else reset\n0.032 after\n0.032 ends 0",
    );
}

#[test]
fn the_packet_that_breaks_is_shown_first() {
    let body = "expect timeout=5s /IP/TCP(flags has rst) { print(\"reset seen\") }\nprint(\"still here\")\nwait 1s\nprint(\"never\")";
    check(
        &in_tcp(body),
        peer(Host::Resets(30 * MS)),
        "0.032 reset seen\n0.032 still here\n0.032 else reset\n0.032 after\n0.032 ends 0",
    );
}

#[test]
fn a_stream_is_matched_on_all_that_was_not_taken() {
    let body = r#"
  on /IP!/TCP!/Bytes { print("on ${length(MATCH[Bytes].data)}") }
  expect timeout=1s Bytes(data has "world") { print("expect ${length(MATCH[Bytes].data)}") }
  expect timeout=10ms Bytes { print("more") } else { print("no more") }"#;
    let wanted = "0.004 on 11\n0.004 expect 11\n0.014 no more\n0.016 after\n0.016 ends 0";
    check(
        &in_tcp(body),
        peer(Host::SaysAndCloses(b"hello world")),
        wanted,
    );
}

#[test]
fn a_send_into_a_stream_has_a_stamp() {
    let body = "p = Bytes(\"x\")\nprint(\"${p[Eth].ts - now()} ${p[Eth].ts_source}\")";
    check(
        &in_tcp(body),
        peer(Host::Serves(http)),
        "0.002 0s recapture\n0.004 after\n0.004 ends 0",
    );
}

#[test]
fn auto_is_what_the_stack_would_send() {
    let body = "TCP(seq=auto - 1)/Bytes(#00)\nwait 10ms\nprint(\"${STACK[TCP].state}\")";
    let wanted = "0.000 > 192.0.2.1 TCP 45000 > 80 S \"\"
        0.002 > 192.0.2.1 TCP 45000 > 80 A \"\"
        0.002 > 192.0.2.1 TCP 45000 > 80 A 1 bytes
        0.012 established
        0.012 > 192.0.2.1 TCP 45000 > 80 FA \"\"
        0.014 after
        0.014 > 192.0.2.1 TCP 45000 > 80 A \"\"
        0.014 ends 0";
    check_frames(&in_tcp(body), peer(Host::Serves(http)), wanted);
}

#[test]
fn auto_on_a_flow_that_the_program_makes_itself() {
    let body = r#"
/IP(dst=192.0.2.1)/TCP(src=45003, dst=80, flags=syn, seq=100)
expect timeout=1s /IP/TCP(flags == syn+ack, ack == 101) { print("answered") }
/IP(dst=192.0.2.1)/TCP(src=45003, dst=80, flags=ack, seq=auto, ack=auto)
/IP(dst=192.0.2.1)/TCP(src=45003, dst=80, flags=psh+ack, seq=auto, ack=auto)/Bytes("hi")
expect timeout=1s /IP/TCP(ack == 103)/Bytes(data has "hello") { print("served") }"#;
    check(
        &program(body),
        peer(Host::Serves(http)),
        "0.002 answered\n0.004 served\n0.004 ends 0",
    );
}

#[test]
fn what_a_peer_holds_open_is_reset_at_the_end() {
    let syn = "/IP(dst=192.0.2.1)/TCP(src=45003, dst=80, flags=syn, seq=100)\nwait 10ms";
    let reset = "\n/IP(dst=192.0.2.1)/TCP(src=45003, dst=80, flags=rst, seq=101)";
    let sent = "0.000 > 192.0.2.1 TCP 45003 > 80 S \"\"\n";
    let by_us = "0.010 > 192.0.2.1 TCP 45003 > 80 R \"\"\n";
    check_frames(
        &program(syn),
        peer(Host::Serves(http)),
        &format!("{sent}{by_us}0.010 ends 0"),
    );
    check_frames(
        &program(&format!("{syn}{reset}")),
        peer(Host::Serves(http)),
        &format!("{sent}{by_us}0.010 ends 0"),
    );
    check_frames(
        &program(syn),
        peer(Host::Refuses),
        &format!("{sent}0.010 ends 0"),
    );
    let closed = program(syn).replace("192.0.2.0/24]", "192.0.2.0/24], exfiltration: none");
    check_frames(
        &closed,
        peer(Host::Serves(http)),
        &format!("{sent}0.010 ends 0"),
    );
}

#[test]
fn too_much_unsent_is_busy() {
    let body = "x = #00 * 1000000\nBytes(x)\nBytes(x)\nprint(\"never\")";
    check(
        &in_tcp(body),
        peer(Host::Serves(|_| b"")),
        "0.002 else busy\n0.002 after\n0.002 ends 0",
    );
}

#[test]
fn options_of_a_connection_are_kept() {
    let text = in_tcp("print(\"${STACK[TCP].src} ${STACK[TCP].mss} ${STACK[TCP].sack_ok} ${STACK[TCP].timestamps}\")")
        .replace("TCP!(dst=80)", "TCP!(src=45009, dst=80, mss=600, sack=false, timestamps=false)");
    check(
        &text,
        peer(Host::Serves(http)),
        "0.002 45009 600 false false\n0.004 after\n0.004 ends 0",
    );
}

#[test]
fn a_second_connection_takes_the_next_port() {
    let text = program(
        "repeat count=2 {\n /IP!(dst=192.0.2.1)/TCP!(dst=80) { print(\"${STACK[TCP].src}\") }\n}\n/IP!(dst=192.0.2.1)/TCP!(dst=80) {\n /IP!(dst=192.0.2.1)/TCP!(dst=80, timeout=10ms) { print(\"up\") } else e { print(\"${e.kind}\") }\n}",
    );
    // The host answers one connection only; the others see no answer.
    check(
        &text,
        peer(Host::Serves(http)),
        "0.002 45000\n5.004 error timeout\n5.004 ends 1",
    );
}

#[test]
fn a_server_answers_its_peers() {
    let text = program(
        "/IP!/TCP!(src=45000, listen=true) {\n on linger=100ms /IP!/TCP!/Bytes {\n print(\"${STACK[IP].dst} says ${text(MATCH[Bytes].data)}\")\n Bytes(\"welcome\")\n }\n on /IP!/TCP!(state == \"established\") { print(\"a peer\") }\n}\nprint(\"after\")",
    );
    let wanted = "0.014 192.0.2.1 says «hi»\n0.014 a peer\n0.102 after\n0.102 ends 0";
    check(&text, peer(Host::Connects(b"hi")), wanted);
}

/// A body inside a block that does not read for half a second once it is up, at 2 ms.
fn stalled(window: u32, body: &str) -> String {
    in_tcp(body).replace(
        "TCP!(dst=80)",
        &format!(
            "TCP!(dst=80, window={window}, wscale=-1, timestamps=false, sack=false, stall=500ms)"
        ),
    )
}

#[test]
fn a_receiver_that_does_not_read_is_told_nothing_until_it_does() {
    let body = r#"
  on /IP!/TCP!/Bytes { print("on ${length(MATCH[Bytes].data)}") }
  expect timeout=1s Bytes { print("expect ${length(MATCH[Bytes].data)}") } else { print("nothing") }
  expect timeout=10ms Bytes { print("more") } else { print("no more") }"#;
    let wanted = "0.502 on 11\n0.502 expect 11\n0.512 no more\n0.514 after\n0.514 ends 0";
    check(
        &stalled(4096, body),
        peer(Host::SaysAndCloses(b"hello world")),
        wanted,
    );
    // Another wait that ends then is not cut short, nor is the data lost to a later one.
    let body = "wait 500ms\nprint(\"waited\")\nwait 100ms\nexpect timeout=1s Bytes { print(\"${length(MATCH[Bytes].data)}\") }\nabort";
    check(
        &stalled(4096, body),
        peer(Host::SaysAndCloses(b"hello world")),
        "0.502 waited\n0.602 11\n0.602 after\n0.602 ends 0",
    );
}

#[test]
fn a_window_that_is_not_read_closes_and_opens_again() {
    let body = r#"
  expect timeout=1s Bytes(data has "d") { print("${length(MATCH[Bytes].data)} bytes") } else { print("nothing") }"#;
    check(
        &stalled(4, body),
        peer(Host::SaysAndCloses(b"hello world")),
        "0.506 11 bytes\n0.508 after\n0.508 ends 0",
    );
}
