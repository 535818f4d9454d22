//! Everything that needs a kernel to show it: pairs of network namespaces, a veth between them, and
//! tools of others as witnesses. Without root, each test says that it was skipped.

use crafty_net::*;
use crafty_value::{Duration, Mac, Time};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Two namespaces joined by a veth: `10.9.0.1` and `fd09::1` on `a0`, `10.9.0.2` and `fd09::2` on
/// `b0`.
struct Pair {
    a: String,
    b: String,
}

impl Pair {
    /// `None`, with a message, where this machine does not let us.
    fn new() -> Option<Pair> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if !privileged() {
            eprintln!("skipped: needs root, `ip` and `nft`");
            return None;
        }
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let pid = std::process::id();
        let pair = Pair {
            a: format!("cn{pid}a{n}"),
            b: format!("cn{pid}b{n}"),
        };
        for namespace in [&pair.a, &pair.b] {
            shell(&format!(
                "ip netns add {namespace} && ip -n {namespace} link set lo up"
            ));
        }
        let (a, b) = (&pair.a, &pair.b);
        shell(&format!(
            "ip -n {a} link add a0 type veth peer name b0 netns {b}"
        ));
        for (namespace, link, n) in [(a, "a0", 1), (b, "b0", 2)] {
            shell(&format!(
                "ip netns exec {namespace} sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.{link}.accept_dad=0"
            ));
            shell(&format!(
                "ip -n {namespace} addr add 10.9.0.{n}/24 dev {link} && ip -n {namespace} addr add fd09::{n}/64 dev {link} nodad"
            ));
            shell(&format!("ip -n {namespace} link set {link} up"));
        }
        Some(pair)
    }

    fn at_a<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        in_namespace(&self.a, work).unwrap()
    }

    fn at_b<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        in_namespace(&self.b, work).unwrap()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        for namespace in [&self.a, &self.b] {
            let _ = Command::new("ip")
                .args(["netns", "del", namespace])
                .status();
        }
    }
}

fn privileged() -> bool {
    let has = |tool: &str| {
        Command::new(tool)
            .arg("-V")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok()
    };
    std::fs::read_to_string("/proc/self/status").is_ok_and(|s| s.contains("\nUid:\t0\t0"))
        && has("ip")
        && has("nft")
}

fn shell(line: &str) -> String {
    let output = Command::new("sh").args(["-c", line]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{line}`: {error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const A: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
const B: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);

/// The sum of RFC 1071.
fn checksum(parts: &[&[u8]]) -> u16 {
    let octets = parts.concat();
    let mut sum: u32 = octets
        .chunks(2)
        .map(|c| u32::from(c[0]) << 8 | u32::from(*c.get(1).unwrap_or(&0)))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An IPv4 packet from A to B.
fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let len = (20 + payload.len()) as u16;
    let mut header = vec![
        0x45,
        0,
        (len >> 8) as u8,
        len as u8,
        0,
        0,
        0x40,
        0,
        64,
        protocol,
        0,
        0,
    ];
    header.extend_from_slice(&A.octets());
    header.extend_from_slice(&B.octets());
    let sum = checksum(&[&header]).to_be_bytes();
    header[10..12].copy_from_slice(&sum);
    [header, payload.to_vec()].concat()
}

fn udp(from: u16, to: u16, data: &[u8]) -> Vec<u8> {
    let len = (8 + data.len()) as u16;
    let header = [
        from.to_be_bytes(),
        to.to_be_bytes(),
        len.to_be_bytes(),
        [0, 0],
    ]
    .concat();
    ipv4(17, &[&header, data].concat())
}

/// A SYN with a right checksum.
fn syn(from: u16, to: u16) -> Vec<u8> {
    let mut header = [from.to_be_bytes(), to.to_be_bytes()].concat();
    header.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 0xff, 0xff, 0, 0, 0, 0]);
    let sum = checksum(&[&A.octets(), &B.octets(), &[0, 6, 0, 20], &header]).to_be_bytes();
    header[16..18].copy_from_slice(&sum);
    ipv4(6, &header)
}

fn ethernet(to: Mac, from: Mac, packet: &[u8]) -> Vec<u8> {
    [&to.0[..], &from.0, &[8, 0], packet].concat()
}

fn soon(milliseconds: i64) -> Time {
    now().after(Duration::millis(milliseconds))
}

/// A port on `a0` and the link addresses of both ends.
fn port_a(pair: &Pair, options: PortOptions) -> (Port, Mac, Mac) {
    let (port, from) = pair.at_a(|| {
        let link = interface("a0").unwrap();
        (Port::open(&link, options).unwrap(), link.mac.unwrap())
    });
    let to = pair.at_b(|| interface("b0").unwrap().mac.unwrap());
    (port, from, to)
}

/// Collects frames until `enough` says so or time is up.
fn receive_until(
    port: &mut Port,
    milliseconds: i64,
    enough: impl Fn(&[Received]) -> bool,
) -> Vec<Received> {
    let deadline = soon(milliseconds);
    let mut frames = Vec::new();
    while !enough(&frames) && now() < deadline {
        port.receive(&mut frames, deadline).unwrap();
    }
    frames
}

fn ring_and_queue() -> [PortOptions; 2] {
    [
        PortOptions::default(),
        PortOptions {
            ring_bytes: 0,
            ..PortOptions::default()
        },
    ]
}

#[test]
fn a_thousand_frames_are_recaptured_and_matched() {
    let Some(pair) = Pair::new() else { return };
    // The last keeps less than the UDP checksum: all frames look the same.
    for options in ring_and_queue().into_iter().chain([PortOptions {
        own_snap: 40,
        ..PortOptions::default()
    }]) {
        let mut matcher = StampMatcher::new(options.own_snap as usize, 10_000);
        let (mut port, from, to) = port_a(&pair, options);
        // Every fourth frame equals the one before it.
        let frames: Vec<Vec<u8>> = (0..1000u16)
            .map(|n| ethernet(to, from, &udp(4000, 9, &(n - (n % 4) / 3).to_be_bytes())))
            .collect();
        for (n, frame) in frames.iter().enumerate() {
            matcher.register(n as u64, frame);
        }
        let start = now();
        let views: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
        assert_eq!(port.send_batch(&views).unwrap(), 1000);
        let mut stamps = Vec::new();
        let deadline = soon(2000);
        while stamps.len() < 1000 && now() < deadline {
            let take = |c: Captured<'_>| {
                if c.direction == CaptureDirection::Outgoing {
                    stamps.extend(matcher.captured(c.frame, c.wire_len, c.time));
                }
            };
            port.receive_each(deadline, take).unwrap();
        }
        let order: Vec<u64> = stamps.iter().map(|(n, _)| *n).collect();
        assert_eq!(order, (0..1000).collect::<Vec<u64>>());
        assert!(
            stamps.windows(2).all(|w| w[0].1.time <= w[1].1.time),
            "stamps go backwards"
        );
        assert!(stamps.iter().all(|(_, s)| s.time >= start
            && s.time <= now()
            && s.source == WireTimeSource::Recapture));
        assert_eq!((matcher.waiting(), port.drops(), port.sent()), (0, 0, 1000));
    }
}

/// Frames that say which one of many they are.
fn numbered(from: Mac, to: Mac, n: u64, len: usize) -> Vec<u8> {
    let mut frame = ethernet(to, from, &n.to_be_bytes());
    frame[12..14].copy_from_slice(&[0x88, 0xb5]);
    frame.resize(len, 0);
    frame
}

/// Which of them came; the kernel says a word of its own now and then.
fn numbers(frames: &[Received]) -> Vec<u64> {
    let own = frames.iter().filter(|r| r.frame[12..14] == [0x88, 0xb5]);
    own.map(|r| u64::from_be_bytes(r.frame[14..22].try_into().unwrap()))
        .collect()
}

#[test]
fn what_is_handed_over_leaves_in_order_and_what_fails_is_told() {
    let Some(pair) = Pair::new() else { return };
    // Longer than a link takes, sent at once, or handed over: by number.
    let (is_long, is_direct) = (|n: u64| n % 700 == 650, |n: u64| n % 400 == 399);
    for thread in [true, false] {
        let (mut port, from, to) = port_a(
            &pair,
            PortOptions {
                thread,
                ..PortOptions::default()
            },
        );
        port.start_thread().unwrap();
        let mut peer =
            pair.at_b(|| Port::open(&interface("b0").unwrap(), PortOptions::default()).unwrap());
        let failures = port.failures();
        let mut failed = Vec::new();
        for n in 0..3000 {
            let frame = numbered(from, to, n, if is_long(n) { 1600 } else { 60 });
            let result = if is_direct(n) {
                port.send(&frame)
            } else {
                port.send_soon(n, &frame, Default::default()).map(drop)
            };
            assert!(result.is_ok() || !thread && is_long(n), "{n}: {result:?}");
            failed.extend(result.err().map(|error| (n, error.raw_os_error())));
            failed.extend(
                failures
                    .take()
                    .into_iter()
                    .map(|f| (f.number, f.error.raw_os_error())),
            );
            // All before it have left by then.
            assert!(
                !is_direct(n) || port.sent() == n + 1 - failed.len() as u64,
                "{n}"
            );
        }
        port.finish();
        failed.extend(
            failures
                .take()
                .into_iter()
                .map(|f| (f.number, f.error.raw_os_error())),
        );
        let long: Vec<_> = (0..3000)
            .filter(|n| is_long(*n))
            .map(|n| (n, Some(libc::EMSGSIZE)))
            .collect();
        assert_eq!((failed, port.sent()), (long, 3000 - 4), "{thread}");
        let came = receive_until(&mut peer, 2000, |f| {
            numbers(&f[f.len().saturating_sub(9)..]).contains(&2999)
        });
        let wanted = || (0..3000).filter(|n| !is_long(*n));
        let order = numbers(&came);
        let wrong = order
            .iter()
            .copied()
            .zip(wanted())
            .find(|(n, wanted)| n != wanted);
        assert!(
            order.len() == wanted().count() && wrong.is_none(),
            "{thread}: {} came, {wrong:?}",
            order.len()
        );
    }
}

#[test]
fn what_was_handed_over_leaves_though_the_port_goes_away() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, from, to) = port_a(
        &pair,
        PortOptions {
            thread: true,
            ..PortOptions::default()
        },
    );
    port.start_thread().unwrap();
    let mut peer =
        pair.at_b(|| Port::open(&interface("b0").unwrap(), PortOptions::default()).unwrap());
    (0..1000).for_each(|n| {
        assert!(
            port.send_soon(n, &numbered(from, to, n, 60), Default::default())
                .is_ok()
        )
    });
    drop(port);
    let came = receive_until(&mut peer, 2000, |f| {
        numbers(&f[f.len().saturating_sub(9)..]).contains(&999)
    });
    assert_eq!(numbers(&came), (0..1000).collect::<Vec<_>>());
}

#[test]
fn a_peer_receives_what_was_sent_at_once() {
    let Some(pair) = Pair::new() else { return };
    for options in ring_and_queue() {
        let (mut port, from, to) = port_a(&pair, PortOptions::default());
        let mut peer = pair.at_b(|| Port::open(&interface("b0").unwrap(), options).unwrap());
        let mut late = Vec::new();
        for n in 0..50u8 {
            let frame = ethernet(to, from, &udp(4000, 9, &[n; 100]));
            port.send(&frame).unwrap();
            let got = receive_until(&mut peer, 1000, |f| f.iter().any(|r| r.frame == frame));
            let seen = now();
            let received = got.iter().find(|r| r.frame == frame).unwrap();
            assert_eq!(
                (received.direction, received.wire_len, received.kind),
                (CaptureDirection::Incoming, frame.len(), 0)
            );
            late.push(seen.since(received.time));
        }
        late.sort();
        assert!(
            late[25] < Duration::millis(1),
            "a frame is seen {} after its stamp",
            late[25]
        );
    }
}

#[test]
fn stamps_equal_those_of_tcpdump() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, from, to) = port_a(&pair, PortOptions::default());
    let mut peer =
        pair.at_b(|| Port::open(&interface("b0").unwrap(), PortOptions::default()).unwrap());
    let dump = |namespace: &str, link: &str| {
        let line = format!(
            "exec ip netns exec {namespace} tcpdump -i {link} -n -tt -Z root --time-stamp-precision=nano -l -c 20 udp port 4001"
        );
        let mut dump = Command::new("sh")
            .args(["-c", &line])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut words =
            std::io::BufRead::lines(std::io::BufReader::new(dump.stderr.take().unwrap()));
        assert!(
            words.any(|line| line.is_ok_and(|line| line.contains("listening on"))),
            "tcpdump does not listen"
        );
        std::thread::spawn(move || words.for_each(drop));
        dump
    };
    let dumps = [dump(&pair.a, "a0"), dump(&pair.b, "b0")];
    for n in 0..20u8 {
        port.send(&ethernet(to, from, &udp(4001, 9, &[n]))).unwrap();
    }
    let ours = |r: &&Received| r.frame.get(34..36) == Some(&4001u16.to_be_bytes());
    let enough = |f: &[Received]| f.iter().filter(ours).count() == 20;
    let all = [
        receive_until(&mut port, 1000, enough),
        receive_until(&mut peer, 1000, enough),
    ];
    for (dump, frames) in dumps.into_iter().zip(all) {
        let text = String::from_utf8(dump.wait_with_output().unwrap().stdout).unwrap();
        let theirs: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
        let stamps: Vec<String> = frames
            .iter()
            .filter(ours)
            .map(|r| r.time.to_string())
            .collect();
        assert_eq!(stamps, theirs);
        assert_eq!(stamps.len(), 20);
    }
}

#[test]
fn what_finds_no_room_is_counted() {
    let Some(pair) = Pair::new() else { return };
    let small = PortOptions {
        ring_bytes: 1,
        ..PortOptions::default()
    };
    let (mut port, from, to) = port_a(&pair, small);
    let frame = ethernet(to, from, &udp(4000, 9, b"x"));
    for _ in 0..1000 {
        port.send(&frame).unwrap();
    }
    let mut kept = Vec::new();
    while port.receive(&mut kept, Time(0)).unwrap() > 0 {}
    let kept = kept.iter().filter(|r| r.frame == frame).count() as u64;
    let dropped = port.drops();
    assert!(
        kept > 0 && dropped > 0 && kept + dropped >= 1000,
        "{kept} kept, {dropped} dropped"
    );
    assert!(port.drops() >= dropped, "the count starts again");
}

#[test]
fn the_driver_stamps_what_it_sends() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, from, to) = port_a(
        &pair,
        PortOptions {
            tx_stamps: true,
            ..PortOptions::default()
        },
    );
    for n in 0..10u8 {
        port.send(&ethernet(to, from, &udp(4000, 9, &[n]))).unwrap();
    }
    let copies = receive_until(&mut port, 1000, |f| {
        f.iter()
            .filter(|r| r.direction == CaptureDirection::Outgoing)
            .count()
            >= 10
    });
    let copies: Vec<_> = copies
        .iter()
        .filter(|r| r.frame.get(12..14) == Some(&[8, 0]))
        .collect();
    let mut stamps = Vec::new();
    port.tx_stamps(&mut stamps).unwrap();
    assert_eq!(
        stamps.iter().map(|s| s.nth).collect::<Vec<_>>(),
        (0..10).collect::<Vec<u64>>()
    );
    for (stamp, copy) in stamps.iter().zip(copies) {
        let later = stamp.stamp.time.since(copy.time);
        assert!(
            later >= Duration::ZERO && later < Duration::millis(50),
            "{later}"
        );
        assert_eq!(stamp.stamp.source, WireTimeSource::Software);
    }
}

/// Flags of TCP segments and types of ICMP messages that B's kernel, or A's, put on the wire.
fn segments(frames: &[Received], port: u16) -> Vec<u8> {
    let flags = |r: &Received| {
        let f = &r.frame;
        let mine = [f.get(34..36)?, f.get(36..38)?].contains(&&port.to_be_bytes()[..]);
        (f.get(12..14)? == [8, 0] && f.get(23) == Some(&6) && mine).then(|| f[47])
    };
    frames.iter().filter_map(flags).collect()
}

#[test]
fn the_kernel_is_silent_for_what_is_owned_and_for_nothing_else() {
    let Some(pair) = Pair::new() else { return };
    let _listener = pair.at_b(|| std::net::TcpListener::bind("10.9.0.2:80").unwrap());
    let (mut port, from, to) = port_a(&pair, PortOptions::default());
    let owned = [
        Owned::Ports {
            transport: Transport::Tcp,
            address: A.into(),
            first: 5000,
            last: 5009,
        },
        Owned::Ports {
            transport: Transport::Udp,
            address: A.into(),
            first: 5000,
            last: 5000,
        },
        Owned::Ports {
            transport: Transport::Tcp,
            address: "fd09::1".parse().unwrap(),
            first: 5000,
            last: 5000,
        },
        Owned::Echo {
            address: A.into(),
            id: 77,
        },
        Owned::Address("10.9.0.200".parse().unwrap()),
        Owned::Address("fd09::200".parse().unwrap()),
    ];
    let mut firewall =
        pair.at_a(|| Firewall::install(interface("a0").unwrap().index, &owned).unwrap());
    // Answers to a SYN: SYN-ACK (0x12) from B; then A's kernel resets (0x04) what it does not know,
    // unless it is owned.
    let mut exchange = |source: u16| {
        port.send(&ethernet(to, from, &syn(source, 80))).unwrap();
        let has_reset = |f: &[Received]| segments(f, source).iter().any(|flags| flags & 4 != 0);
        segments(&receive_until(&mut port, 400, has_reset), source)
    };
    assert_eq!(
        exchange(5003),
        [0x02, 0x12],
        "the kernel answered for an owned port"
    );
    assert_eq!(
        exchange(5010),
        [0x02, 0x12, 0x04],
        "the kernel fell silent for a port that is not owned"
    );
    assert_eq!(firewall.dropped().unwrap(), 1);
    let unreachable = |port: u16, address: &str| {
        let send = || {
            std::net::UdpSocket::bind(format!(
                "{}:0",
                if address.contains(':') {
                    "[fd09::2]"
                } else {
                    "10.9.0.2"
                }
            ))
            .and_then(|s| {
                s.connect((address.parse::<IpAddr>().unwrap(), port))?;
                s.set_read_timeout(Some(std::time::Duration::from_millis(300)))?;
                s.send(b"x")?;
                s.recv(&mut [0; 1])
            })
        };
        pair.at_b(send).unwrap_err().kind() == std::io::ErrorKind::ConnectionRefused
    };
    assert!(!unreachable(5000, "10.9.0.1") && unreachable(5001, "10.9.0.1"));
    assert!(unreachable(5000, "fd09::1"), "only TCP is owned there");
    drop(firewall);
    assert!(
        unreachable(5000, "10.9.0.1"),
        "the rules outlive their owner"
    );
}

#[test]
fn ping_is_answered_unless_owned() {
    let Some(pair) = Pair::new() else { return };
    let answered = |to: &str, id: u16| {
        let line = format!("ip netns exec {} ping -q -c 1 -W 1 -e {id} {to}", pair.b);
        Command::new("sh")
            .args(["-c", &line])
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    };
    shell(&format!(
        "ip -n {0} addr add 10.9.0.200/24 dev a0 && ip -n {0} addr add fd09::200/64 dev a0 nodad",
        pair.a
    ));
    assert!(answered("10.9.0.1", 77) && answered("10.9.0.200", 1) && answered("fd09::200", 1));
    let owned = [
        Owned::Echo {
            address: A.into(),
            id: 77,
        },
        Owned::Echo {
            address: "fd09::1".parse().unwrap(),
            id: 78,
        },
        Owned::Address("10.9.0.200".parse().unwrap()),
        Owned::Address("fd09::200".parse().unwrap()),
    ];
    let _firewall = pair.at_a(|| Firewall::install(0, &owned).unwrap());
    let rows = [
        ("10.9.0.1", 77, false),
        ("10.9.0.1", 78, true),
        ("fd09::1", 78, false),
        ("fd09::1", 77, true),
    ];
    for (to, id, expected) in rows
        .into_iter()
        .chain([("10.9.0.200", 1, false), ("fd09::200", 1, false)])
    {
        assert_eq!(answered(to, id), expected, "{to} {id}");
    }
    // Neighbour discovery of a silent address still works.
    shell(&format!("ip -n {0} neigh flush dev b0", pair.b));
    assert!(!answered("fd09::200", 1));
    assert!(
        pair.at_b(|| neighbour(interface("b0").unwrap().index, "fd09::200".parse().unwrap()))
            .is_some()
    );
}

#[test]
fn what_is_in_use_is_refused() {
    let Some(pair) = Pair::new() else { return };
    let install = |owned: Owned| pair.at_a(|| Firewall::install(0, &[owned]));
    let ports = |transport, first, last| Owned::Ports {
        transport,
        address: A.into(),
        first,
        last,
    };
    let _server = pair.at_a(|| std::net::TcpListener::bind("0.0.0.0:8080").unwrap());
    let error = install(ports(Transport::Tcp, 8079, 8081)).err().unwrap();
    let me = std::fs::read_to_string("/proc/self/comm").unwrap();
    let holder = format!("`{}` (process {})", me.trim(), std::process::id());
    assert_eq!(
        error,
        NetError::PortInUse {
            protocol: "tcp",
            port: 8080,
            holder
        }
    );
    assert!(
        error
            .to_string()
            .starts_with("tcp port 8080 is in use by `")
            && error.fix().contains("another port")
    );
    let one = install(ports(Transport::Udp, 8079, 8081)).unwrap();
    let error = install(ports(Transport::Udp, 8081, 9000)).err().unwrap();
    assert!(
        matches!(
            error,
            NetError::PortInUse {
                protocol: "udp",
                port: 8081,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        pair.at_a(|| std::net::UdpSocket::bind("10.9.0.1:8080"))
            .is_err(),
        "another program got an owned port"
    );
    drop(one);
    // What another test starts at this moment has our descriptors until it is the other program.
    let again = (0..200).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        install(ports(Transport::Udp, 8081, 9000)).ok()
    });
    assert!(again.is_some(), "the port is still held");
    let _echo = install(Owned::Echo {
        address: A.into(),
        id: 5,
    })
    .unwrap();
    let error = install(Owned::Echo {
        address: A.into(),
        id: 5,
    })
    .err()
    .unwrap();
    assert_eq!(
        error.to_string(),
        "another run holds echo identifier 5 of 10.9.0.1"
    );
    let error = install(Owned::Address(A.into())).err().unwrap();
    assert!(matches!(error, NetError::AddressInUse { .. }), "{error}");
    let error = install(ports(Transport::Tcp, 9000, 60_000)).err().unwrap();
    assert!(matches!(error, NetError::TooManyPorts { .. }), "{error}");
    let port = pair
        .at_a(|| free_port(0, Transport::Tcp, A.into()))
        .unwrap();
    assert!(install(ports(Transport::Tcp, port, port)).is_ok());
}

#[test]
fn sigkill_leaves_no_rule() {
    let Some(pair) = Pair::new() else { return };
    let myself = std::env::current_exe().unwrap();
    let mut owner = Command::new("ip")
        .args(["netns", "exec", &pair.a])
        .arg(myself)
        .args(["--exact", "owner_until_killed", "--nocapture"])
        .env("TEST_OWNER", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(owner.stdout.take().unwrap()));
    assert!(
        lines
            .map_while(Result::ok)
            .any(|line| line.contains("owner is ready"))
    );
    let tables = || shell(&format!("ip netns exec {} nft list ruleset", pair.a));
    let before = tables();
    assert!(
        before.contains(&format!("table inet crafty_{}", owner.id())),
        "{before}"
    );
    assert!(
        before.contains("flags owner") && before.contains("tcp dport 5000"),
        "{before}"
    );
    owner.kill().unwrap();
    owner.wait().unwrap();
    let gone = soon(2000);
    while !tables().is_empty() && now() < gone {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(tables(), "");
}

/// The program that [`sigkill_leaves_no_rule`] kills: this file again.
#[test]
fn owner_until_killed() {
    if std::env::var_os("TEST_OWNER").is_none() {
        return;
    }
    let owned = Owned::Ports {
        transport: Transport::Tcp,
        address: A.into(),
        first: 5000,
        last: 5000,
    };
    let _firewall = Firewall::install(0, &[owned]).unwrap();
    println!("owner is ready");
    std::thread::sleep(std::time::Duration::from_secs(60));
}

fn udp_socket(namespace: &str, address: &str) -> std::net::UdpSocket {
    in_namespace(namespace, || std::net::UdpSocket::bind(address).unwrap()).unwrap()
}

fn count(frames: &[Received], direction: CaptureDirection, part: &[u8]) -> usize {
    frames
        .iter()
        .filter(|r| r.direction == direction && r.frame.windows(part.len()).any(|w| w == part))
        .count()
}

#[test]
fn on_a_loopback_each_copy_has_its_direction() {
    let Some(pair) = Pair::new() else { return };
    let mut port =
        pair.at_a(|| Port::open(&interface("lo").unwrap(), PortOptions::default()).unwrap());
    let _reader = udp_socket(&pair.a, "127.0.0.1:9");
    let packet = udp(4000, 9, b"around");
    port.send(&ethernet(Mac([0; 6]), Mac([0; 6]), &packet))
        .unwrap();
    let socket = udp_socket(&pair.a, "127.0.0.1:0");
    socket.send_to(b"kernel's", "127.0.0.1:9").unwrap();
    // Longer than any slot: comes whole through the queue.
    socket.send_to(&[b'L'; 60_000], "127.0.0.1:9").unwrap();
    let long = [b'L'; 60_000];
    let all = receive_until(&mut port, 500, |_| false);
    for part in [&b"around"[..], b"kernel's", &long] {
        let (out, back) = (
            count(&all, CaptureDirection::Outgoing, part),
            count(&all, CaptureDirection::Incoming, part),
        );
        assert_eq!((out, back), (1, 1), "{} bytes", part.len());
    }
}

#[test]
fn a_tun_has_no_link_header() {
    let Some(pair) = Pair::new() else { return };
    let mut tun = pair.at_a(|| Tun::open("tun%d", TunKind::Packets).unwrap());
    assert_eq!(tun.name(), "tun0");
    shell(&format!(
        "ip -n {0} link set tun0 up && ip -n {0} addr add 10.8.0.1/24 dev tun0",
        pair.a
    ));
    let link = pair.at_a(|| interface("tun0").unwrap());
    assert_eq!(
        (link.link, link.mac, link.header_len()),
        (LinkType::RawIp, None, 0)
    );
    let mut port = pair.at_a(|| Port::open(&link, PortOptions::default()).unwrap());
    let packet = udp(1, 2, b"through the tunnel");
    let mut matcher = StampMatcher::new(1 << 16, 10);
    matcher.register(0, &packet);
    port.send(&packet).unwrap();
    let copies = receive_until(&mut port, 500, |f| {
        count(f, CaptureDirection::Outgoing, &packet) > 0
    });
    let stamps = copies
        .iter()
        .filter_map(|r| matcher.captured(&r.frame, r.wire_len, r.time));
    assert_eq!(stamps.count(), 1);
    let mut buffer = [0; 2000];
    let mut arrived = Vec::new();
    while let Some(len) = tun.receive(&mut buffer, soon(200)).unwrap() {
        arrived.push(buffer[..len].to_vec());
    }
    assert!(arrived.contains(&packet));
    tun.send(&packet).unwrap();
    let back = receive_until(&mut port, 500, |f| {
        count(f, CaptureDirection::Incoming, &packet) > 0
    });
    assert_eq!(count(&back, CaptureDirection::Incoming, &packet), 1);
}

#[test]
fn vlan_tags_are_back_in_their_place() {
    let Some(pair) = Pair::new() else { return };
    for options in ring_and_queue() {
        let (mut port, from, to) = port_a(&pair, PortOptions::default());
        let mut peer = pair.at_b(|| Port::open(&interface("b0").unwrap(), options).unwrap());
        let mut matcher = StampMatcher::new(1 << 16, 10);
        let packet = udp(4000, 9, b"tagged");
        let rows: [(&[u8], u16, u16); 3] = [
            (&[0x81, 0, 0x60, 5], 0x8100, 0x6005),
            (&[0x88, 0xa8, 0, 7], 0x88a8, 7),
            (&[0x88, 0xa8, 0, 7, 0x81, 0, 0, 9], 0x88a8, 7),
        ];
        for (n, (tags, tpid, tci)) in rows.into_iter().enumerate() {
            let frame = [&to.0[..], &from.0, tags, &[8, 0], &packet].concat();
            matcher.register(n as u64, &frame);
            port.send(&frame).unwrap();
            let got = receive_until(&mut peer, 500, |f| {
                count(f, CaptureDirection::Incoming, b"tagged") > 0
            });
            let got = got.iter().find(|r| r.frame == frame).unwrap();
            assert_eq!(
                (got.vlan, got.wire_len),
                (Some(VlanTag { tpid, tci }), frame.len())
            );
            let own = receive_until(&mut port, 500, |f| {
                count(f, CaptureDirection::Outgoing, b"tagged") > 0
            });
            let stamped: Vec<_> = own
                .iter()
                .filter_map(|r| matcher.captured(&r.frame, r.wire_len, r.time))
                .collect();
            assert_eq!(
                stamped.iter().map(|(send, _)| *send).collect::<Vec<_>>(),
                [n as u64]
            );
        }
    }
}

#[test]
fn offloads_of_a_peer_are_told() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, ..) = port_a(&pair, PortOptions::default());
    let listener = pair.at_a(|| std::net::TcpListener::bind("10.9.0.1:80").unwrap());
    let mut stream = pair.at_b(|| std::net::TcpStream::connect("10.9.0.1:80").unwrap());
    let mut other = listener.accept().unwrap().0;
    let reader =
        std::thread::spawn(move || std::io::copy(&mut other, &mut std::io::sink()).unwrap());
    for _ in 0..20 {
        std::io::Write::write_all(&mut stream, &[b'G'; 60_000]).unwrap();
    }
    drop(stream);
    assert_eq!(reader.join().unwrap(), 1_200_000);
    let all = receive_until(&mut port, 300, |_| false);
    let data: Vec<_> = all
        .iter()
        .filter(|r| r.direction == CaptureDirection::Incoming && r.wire_len > 100)
        .collect();
    assert!(
        data.iter().all(|r| r.frame.len() == r.wire_len),
        "a frame was cut"
    );
    assert!(
        data.iter().any(|r| r.merged && r.wire_len > 2 * 1514),
        "no merged frame seen"
    );
    assert!(
        data.iter().any(|r| r.checksum_not_ready),
        "no frame without its checksum seen"
    );
    let payload: usize = data
        .iter()
        .map(|r| r.frame.len() - 14 - 20 - usize::from(r.frame[46] >> 4) * 4)
        .sum();
    assert!(payload >= 1_200_000, "{payload} bytes seen");
}

#[test]
fn the_filter_and_the_snap_length_hold() {
    let Some(pair) = Pair::new() else { return };
    let insn = |code, jt, jf, k| BpfInsn { code, jt, jf, k };
    // Ethernet type 0x88b5 only.
    let filter = vec![
        insn(0x28, 0, 0, 12),
        insn(0x15, 0, 1, 0x88b5),
        insn(6, 0, 0, 1 << 18),
        insn(6, 0, 0, 0),
    ];
    for options in ring_and_queue() {
        let options = PortOptions {
            filter: Some(filter.clone()),
            snap: 40,
            own_snap: 30,
            ..options
        };
        let (mut port, from, to) = port_a(
            &pair,
            PortOptions {
                filter: Some(vec![insn(6, 0, 0, 0)]),
                ..options.clone()
            },
        );
        let mut peer = pair.at_b(|| Port::open(&interface("b0").unwrap(), options).unwrap());
        let wanted = [&to.0[..], &from.0, &[0x88, 0xb5], &[1; 100]].concat();
        let unwanted = [&to.0[..], &from.0, &[0x88, 0xb6], &[1; 100]].concat();
        assert_eq!(
            port.send_batch(&[&unwanted, &wanted, &unwanted]).unwrap(),
            3
        );
        let heard = receive_until(&mut peer, 300, |_| false);
        let heard: Vec<_> = heard
            .iter()
            .filter(|r| r.direction == CaptureDirection::Incoming)
            .collect();
        assert_eq!(heard.len(), 1);
        assert_eq!(
            (heard[0].frame.as_slice(), heard[0].wire_len),
            (&wanted[..40], 114)
        );
        let own = receive_until(&mut port, 300, |_| false);
        let own: Vec<_> = own
            .iter()
            .filter(|r| r.frame.get(12) == Some(&0x88))
            .collect();
        assert_eq!(
            own.len(),
            3,
            "a filter that refuses all must not hide what we send"
        );
        assert!(own.iter().all(|r| r.frame.len() == 30 && r.wire_len == 114));
    }
}

#[test]
fn routes_and_neighbours_are_the_kernels() {
    let Some(pair) = Pair::new() else { return };
    let a = &pair.a;
    shell(&format!(
        "ip -n {a} route add 10.7.0.0/16 via 10.9.0.2 mtu 1400 && ip -n {a} route add blackhole 10.6.0.0/16"
    ));
    shell(&format!(
        "ip -n {a} link add d0 type veth peer name d1 && ip -n {a} -6 route add fd07::/64 via fd09::2"
    ));
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    let ask =
        |to: &str, from: Option<&str>, iface| pair.at_a(|| route_to(ip(to), from.map(ip), iface));
    let a0 = pair.at_a(|| interface("a0").unwrap());
    assert!(
        a0.addresses.contains(&(ip("10.9.0.1"), 24))
            && a0.addresses.contains(&(ip("fd09::1"), 64))
            && a0.up
    );
    assert!(
        a0.offloads.contains(&"generic-segmentation-offload"),
        "{:?}",
        a0.offloads
    );
    let way = |gateway: Option<&str>, source, mtu| DestinationRoute {
        interface: a0.index,
        gateway: gateway.map(ip),
        source: Some(ip(source)),
        mtu,
        local: false,
    };
    assert_eq!(ask("10.9.0.2", None, None), Ok(way(None, "10.9.0.1", 1500)));
    assert_eq!(
        ask("10.7.1.1", None, Some("a0")),
        Ok(way(Some("10.9.0.2"), "10.9.0.1", 1400))
    );
    assert_eq!(
        ask("fd07::1", None, None),
        Ok(way(Some("fd09::2"), "fd09::1", 1500))
    );
    assert_eq!(
        ask("fd09::2", Some("fd09::1"), None).map(|r| (r.interface, r.gateway)),
        Ok((a0.index, None))
    );
    assert!(ask("10.9.0.1", None, None).unwrap().local);
    let no_route = |to, interface: Option<&str>| {
        Err(NetError::NoRoute {
            destination: ip(to),
            interface: interface.map(Into::into),
        })
    };
    assert_eq!(ask("192.0.2.1", None, None), no_route("192.0.2.1", None));
    assert_eq!(ask("10.6.0.1", None, None), no_route("10.6.0.1", None));
    assert_eq!(
        ask("10.9.0.2", Some("10.9.0.77"), None),
        Err(NetError::NotOurAddress {
            source: ip("10.9.0.77")
        })
    );
    assert_eq!(
        ask("10.9.0.2", None, Some("d0")),
        Err(NetError::InterfaceDown { name: "d0".into() })
    );
    assert_eq!(
        ask("10.9.0.2", None, Some("e9")),
        Err(NetError::NoSuchInterface { name: "e9".into() })
    );
    assert_eq!(pair.at_a(|| neighbour(a0.index, ip("10.9.0.2"))), None);
    shell(&format!(
        "ip netns exec {a} ping -q -c 1 10.9.0.2 && ip netns exec {a} ping -q -c 1 fd09::2"
    ));
    let b0 = pair.at_b(|| interface("b0").unwrap());
    for address in ["10.9.0.2", "fd09::2"] {
        assert_eq!(
            pair.at_a(|| neighbour(a0.index, ip(address))),
            b0.mac,
            "{address}"
        );
    }
}

#[test]
fn failures_of_the_link_are_told() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, from, to) = port_a(&pair, PortOptions::default());
    let error = port.send(&ethernet(to, from, &[0; 1600])).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EMSGSIZE));
    assert!(
        port.receive(&mut Vec::new(), Time(0)).is_ok(),
        "one failed send is not the end"
    );
    shell(&format!("ip -n {} link set a0 down", pair.a));
    assert!(port.send(&ethernet(to, from, &[0; 60])).is_err());
    let failed = (0..50).find_map(|_| port.receive(&mut Vec::new(), soon(100)).err());
    assert_eq!(failed.and_then(|e| e.raw_os_error()), Some(libc::ENETDOWN));
    let again = pair
        .at_a(|| Port::open(&interface("a0").unwrap(), PortOptions::default()))
        .err()
        .unwrap();
    assert_eq!(again, NetError::InterfaceDown { name: "a0".into() });
}

#[test]
fn promiscuity_is_a_membership() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, from, _) = port_a(&pair, PortOptions::default());
    let stray = ethernet(
        Mac([2, 0, 0, 0, 0, 9]),
        from,
        &udp(1, 2, b"for somebody else"),
    );
    for promiscuous in [false, true] {
        let open = || {
            Port::open(
                &interface("b0").unwrap(),
                PortOptions {
                    promiscuous,
                    ..PortOptions::default()
                },
            )
            .unwrap()
        };
        let mut peer = pair.at_b(open);
        port.send(&stray).unwrap();
        let heard = receive_until(&mut peer, 300, |f| {
            count(f, CaptureDirection::Incoming, &stray) > 0
        });
        let flags = shell(&format!("ip -n {} -d link show b0", pair.b));
        assert!(
            !flags.contains("PROMISC,")
                && flags.contains(if promiscuous {
                    "promiscuity 1"
                } else {
                    "promiscuity 0"
                })
        );
        // A veth delivers all that its other end sends; what is not for us is classed as such.
        assert!(
            heard
                .iter()
                .all(|r| r.direction == CaptureDirection::Outgoing
                    || r.frame != stray
                    || r.kind == libc::PACKET_OTHERHOST)
        );
    }
}

#[cfg(feature = "jail")]
#[test]
fn locked_down_nothing_else_goes() {
    let Some(pair) = Pair::new() else { return };
    let mut jailed = Command::new("ip")
        .args(["netns", "exec", &pair.a])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "escapes_from_the_jail", "--nocapture"])
        .env("TEST_JAIL", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(jailed.stdout.take().unwrap()))
        .map_while(Result::ok);
    let mut text: Vec<String> = lines
        .by_ref()
        .take_while(|line| line != "all tried")
        .collect();
    let sender = sender_of(jailed.id());
    // It waits for its input to end.
    drop(jailed.stdin.take());
    text.extend(lines);
    jailed.wait().unwrap();
    let text = text.join("\n");
    for line in [
        "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
    ] {
        assert!(sender.contains(line), "{line}: {sender}");
    }
    let held: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("held "))
        .collect();
    assert!(
        text.contains("landlock true") && !text.contains("ESCAPED") && !text.contains("BROKEN"),
        "{text}"
    );
    assert_eq!(held.len(), 16, "{text}");
}

/// What the kernel says of a process's thread that sends.
#[cfg(feature = "jail")]
fn sender_of(process: u32) -> String {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"))
        .unwrap()
        .flatten();
    let statuses =
        threads.map(|thread| std::fs::read_to_string(thread.path().join("status")).unwrap());
    statuses
        .into_iter()
        .find(|status| status.starts_with("Name:\tcrafty-send"))
        .unwrap_or_default()
}

/// What [`locked_down_nothing_else_goes`] runs: this file again.
#[cfg(feature = "jail")]
#[test]
fn escapes_from_the_jail() {
    if std::env::var_os("TEST_JAIL").is_none() {
        return;
    }
    let link = interface("a0").unwrap();
    let mut port = Port::open(
        &link,
        PortOptions {
            thread: true,
            ..PortOptions::default()
        },
    )
    .unwrap();
    let frame = [
        &[0xff; 6][..],
        &link.mac.unwrap().0,
        &[0x88, 0xb5],
        &[0; 50],
    ]
    .concat();
    let fd = {
        // The sender is the first of the port's two sockets, the capture the next.
        use std::os::fd::AsRawFd;
        port.fd().as_raw_fd() - 1
    };
    let attempt = |(_, call, arguments): &Escape| {
        let [a, b, c, d, e, f] = *arguments;
        // SAFETY: locked down, these are refused before the kernel looks at the arguments; the few
        // that are tried before describe memory that lives on.
        unsafe { libc::syscall(*call, a, b, c, d, e, f) >= 0 }
    };
    let all = escapes(fd, link.index, &frame);
    // What is refused afterwards must have worked before, or the refusal shows nothing.
    for escape in all.iter().filter(|(name, ..)| HARMLESS.contains(name)) {
        println!(
            "{} {} before",
            if attempt(escape) { "works" } else { "BROKEN" },
            escape.0
        );
    }
    receive_until(&mut port, 200, |_| false);
    let confinement = lock_down(&mut [&mut port]).unwrap();
    println!("landlock {}", confinement.landlock);
    for escape in &all {
        println!(
            "{} {}",
            if attempt(escape) { "ESCAPED" } else { "held" },
            escape.0
        );
    }
    let mut copies = 0;
    let sent = port.send_batch(&[&frame, &frame]);
    let _ = port.receive_each(soon(300), |c| copies += usize::from(c.frame == frame));
    (0..100).for_each(|n| {
        port.send_soon(n, &frame, Default::default())
            .map(drop)
            .unwrap()
    });
    port.finish();
    let _ = port.receive_each(soon(300), |c| copies += usize::from(c.frame == frame));
    let works = matches!(sent, Ok(2))
        && copies == 102
        && port.failures().take().is_empty()
        && port.drops() == 0;
    println!("{}\nall tried", if works { "works" } else { "BROKEN" });
    let _ = std::io::stdin().read_line(&mut String::new());
    // The harness would want to write to files of its own.
    std::process::exit(0);
}

/// Name, system call and its arguments.
#[cfg(feature = "jail")]
type Escape = (&'static str, i64, [u64; 6]);

/// Escapes that can be tried outside the jail.
#[cfg(feature = "jail")]
const HARMLESS: [&str; 8] = [
    "re-aimed send",
    "sendmsg",
    "sendmmsg",
    "send on the capture",
    "internet socket",
    "netlink socket",
    "packet socket",
    "open",
];

#[cfg(feature = "jail")]
fn escapes(fd: i32, index: u32, frame: &[u8]) -> Vec<Escape> {
    let fd = fd as u64;
    let leak = |octets: Vec<u8>| octets.leak().as_ptr() as u64;
    let address = leak([&[17, 0, 0, 3], &index.to_ne_bytes()[..], &[0; 12]].concat());
    let part = leak(
        [
            (frame.as_ptr() as u64).to_ne_bytes(),
            (frame.len() as u64).to_ne_bytes(),
        ]
        .concat(),
    );
    let head = leak(
        [address, 20, part, 1, 0, 0, 0, 0]
            .map(u64::to_ne_bytes)
            .concat(),
    );
    let path = leak(b"/etc/passwd\0".to_vec());
    let program = leak(b"/bin/true\0".to_vec());
    let one = leak(vec![1, 0, 0, 0]);
    let (octets, len) = (frame.as_ptr() as u64, frame.len() as u64);
    vec![
        (
            "re-aimed send",
            libc::SYS_sendto,
            [fd, octets, len, 0, address, 20],
        ),
        ("sendmsg", libc::SYS_sendmsg, [fd, head, 0, 0, 0, 0]),
        ("sendmmsg", libc::SYS_sendmmsg, [fd, head, 1, 0, 0, 0]),
        (
            "send on the capture",
            libc::SYS_sendto,
            [fd + 1, octets, len, 0, 0, 0],
        ),
        ("bind", libc::SYS_bind, [fd, address, 20, 0, 0, 0]),
        (
            "virtual network header",
            libc::SYS_setsockopt,
            [fd, 263, 15, one, 4, 0],
        ),
        (
            "queue bypass",
            libc::SYS_setsockopt,
            [fd, 263, 20, one, 4, 0],
        ),
        ("internet socket", libc::SYS_socket, [2, 1, 0, 0, 0, 0]),
        ("netlink socket", libc::SYS_socket, [16, 3, 0, 0, 0, 0]),
        ("packet socket", libc::SYS_socket, [17, 3, 0, 0, 0, 0]),
        ("open", libc::SYS_openat, [-100i64 as u64, path, 0, 0, 0, 0]),
        ("exec", libc::SYS_execve, [program, 0, 0, 0, 0, 0]),
        (
            "clone",
            libc::SYS_clone,
            [libc::SIGCHLD as u64, 0, 0, 0, 0, 0],
        ),
        ("io_uring", libc::SYS_io_uring_setup, [4, one, 0, 0, 0, 0]),
        ("ptrace", libc::SYS_ptrace, [0; 6]),
        (
            "executable memory",
            libc::SYS_mmap,
            [0, 4096, 7, 0x22, u64::MAX, 0],
        ),
    ]
}

#[test]
fn a_wish_to_stop_is_waited_for_like_a_packet() {
    let Some(pair) = Pair::new() else { return };
    let line = [
        &pair.a,
        std::env::current_exe().unwrap().to_str().unwrap(),
        "--exact",
        "stops_when_asked",
        "--nocapture",
    ]
    .map(String::from);
    let mut program = Command::new("ip")
        .args(["netns", "exec"])
        .args(line)
        .env("TEST_STOP", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(program.stdout.take().unwrap()))
            .map_while(Result::ok);
    assert!(lines.by_ref().any(|line| line.contains("waiting")));
    shell(&format!("kill -INT {}", program.id()));
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().any(|line| line == "asked to stop"), "{rest:?}");
    assert!(program.wait().unwrap().success());
}

/// What [`a_wish_to_stop_is_waited_for_like_a_packet`] runs: this file again.
#[test]
fn stops_when_asked() {
    use std::os::fd::AsFd;
    if std::env::var_os("TEST_STOP").is_none() {
        return;
    }
    let interrupt = Interrupt::listen().unwrap();
    let port = Port::open(&interface("a0").unwrap(), PortOptions::default()).unwrap();
    println!("waiting");
    let due = soon(20_000);
    while !interrupt.came() && now() < due {
        wait_any(&[port.fd(), interrupt.as_fd()], due).unwrap();
    }
    println!("{}", if now() < due { "asked to stop" } else { "late" });
    std::process::exit(0);
}

#[test]
fn a_namespace_of_our_own_has_the_interface_that_was_set_up() {
    if !privileged() {
        eprintln!("skipped: needs root, `ip` and `nft`");
        return;
    }
    let own = OwnNamespace::new().unwrap();
    let setup = InterfaceSetup {
        mac: Some(Mac([2, 0, 0, 0, 0, 9])),
        mtu: Some(1400),
        addresses: vec![
            ("10.8.0.2".parse().unwrap(), 24),
            ("fd08::2".parse().unwrap(), 64),
            ("fe80::2".parse().unwrap(), 64),
        ],
        gateways: vec!["10.8.0.1".parse().unwrap(), "fd08::1".parse().unwrap()],
    };
    let wanted = setup.clone();
    let (tun, seen, routes) = own
        .run(move || {
            let tun = Tun::open("eth0", TunKind::Frames).unwrap();
            set_up_loopback().unwrap();
            set_up_interface("eth0", &wanted).unwrap();
            let ip = |family| Command::new("ip").args([family, "route"]).output().unwrap();
            let routes = [ip("-4").stdout, ip("-6").stdout].concat();
            (
                tun,
                interface("eth0").unwrap(),
                String::from_utf8(routes).unwrap(),
            )
        })
        .unwrap();
    assert_eq!((seen.mac, seen.mtu, seen.up), (setup.mac, 1400, true));
    assert_eq!(seen.addresses, setup.addresses);
    for gateway in [
        "default via 10.8.0.1 dev eth0",
        "default via fd08::1 dev eth0",
    ] {
        assert!(routes.contains(gateway), "{routes}");
    }
    assert_eq!(tun.name(), "eth0");
    let twice = own.run(move || set_up_interface("eth0", &setup)).unwrap();
    assert!(twice.is_err(), "the same addresses a second time");
}
