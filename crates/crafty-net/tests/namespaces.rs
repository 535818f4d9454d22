//! Everything that needs a kernel to show it: pairs of network namespaces, a veth between them, and tools of others as
//! witnesses. Without root, each test says that it was skipped.

use crafty_net::*;
use crafty_value::{Duration, Mac, Time};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Two namespaces joined by a veth: `10.9.0.1` and `fd09::1` on `a0`, `10.9.0.2` and `fd09::2` on `b0`.
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
        let pair = Pair { a: format!("cn{pid}a{n}"), b: format!("cn{pid}b{n}") };
        for namespace in [&pair.a, &pair.b] {
            shell(&format!("ip netns add {namespace} && ip -n {namespace} link set lo up"));
        }
        let (a, b) = (&pair.a, &pair.b);
        shell(&format!("ip -n {a} link add a0 type veth peer name b0 netns {b}"));
        for (namespace, link, n) in [(a, "a0", 1), (b, "b0", 2)] {
            shell(&format!("ip netns exec {namespace} sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.{link}.accept_dad=0"));
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
            let _ = Command::new("ip").args(["netns", "del", namespace]).status();
        }
    }
}

fn privileged() -> bool {
    let has = |tool: &str| Command::new(tool).arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    std::fs::read_to_string("/proc/self/status").is_ok_and(|s| s.contains("\nUid:\t0\t0")) && has("ip") && has("nft")
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
    let mut sum: u32 = octets.chunks(2).map(|c| u32::from(c[0]) << 8 | u32::from(*c.get(1).unwrap_or(&0))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An IPv4 packet from A to B.
fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let len = (20 + payload.len()) as u16;
    let mut header = vec![0x45, 0, (len >> 8) as u8, len as u8, 0, 0, 0x40, 0, 64, protocol, 0, 0];
    header.extend_from_slice(&A.octets());
    header.extend_from_slice(&B.octets());
    let sum = checksum(&[&header]).to_be_bytes();
    header[10..12].copy_from_slice(&sum);
    [header, payload.to_vec()].concat()
}

fn udp(from: u16, to: u16, data: &[u8]) -> Vec<u8> {
    let len = (8 + data.len()) as u16;
    let header = [from.to_be_bytes(), to.to_be_bytes(), len.to_be_bytes(), [0, 0]].concat();
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
fn port_a(pair: &Pair, options: Options) -> (Port, Mac, Mac) {
    let (port, from) = pair.at_a(|| {
        let link = interface("a0").unwrap();
        (Port::open(&link, options).unwrap(), link.mac.unwrap())
    });
    let to = pair.at_b(|| interface("b0").unwrap().mac.unwrap());
    (port, from, to)
}

/// Collects frames until `enough` says so or time is up.
fn receive_until(port: &mut Port, milliseconds: i64, enough: impl Fn(&[Received]) -> bool) -> Vec<Received> {
    let deadline = soon(milliseconds);
    let mut frames = Vec::new();
    while !enough(&frames) && now() < deadline {
        port.receive(&mut frames, deadline).unwrap();
    }
    frames
}

fn ring_and_queue() -> [Options; 2] {
    [Options::default(), Options { ring_bytes: 0, ..Options::default() }]
}

#[test]
fn a_thousand_frames_are_recaptured_and_matched() {
    let Some(pair) = Pair::new() else { return };
    for options in ring_and_queue() {
        let (mut port, from, to) = port_a(&pair, options);
        // Every fourth frame equals the one before it.
        let frames: Vec<Vec<u8>> = (0..1000u16).map(|n| ethernet(to, from, &udp(4000, 9, &(n - (n % 4) / 3).to_be_bytes()))).collect();
        let mut matcher = StampMatcher::new(1 << 16, 10_000);
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
                if c.direction == Direction::Outgoing {
                    stamps.extend(matcher.captured(c.frame, c.wire_len, c.time));
                }
            };
            port.receive_each(deadline, take).unwrap();
        }
        let order: Vec<u64> = stamps.iter().map(|(n, _)| *n).collect();
        assert_eq!(order, (0..1000).collect::<Vec<u64>>());
        assert!(stamps.windows(2).all(|w| w[0].1.time <= w[1].1.time), "stamps go backwards");
        assert!(stamps.iter().all(|(_, s)| s.time >= start && s.time <= now() && s.source == Source::Recapture));
        assert_eq!((matcher.waiting(), port.drops(), port.sent()), (0, 0, 1000));
    }
}

#[test]
fn a_peer_receives_what_was_sent_at_once() {
    let Some(pair) = Pair::new() else { return };
    for options in ring_and_queue() {
        let (mut port, from, to) = port_a(&pair, Options::default());
        let mut peer = pair.at_b(|| Port::open(&interface("b0").unwrap(), options).unwrap());
        let mut late = Vec::new();
        for n in 0..50u8 {
            let frame = ethernet(to, from, &udp(4000, 9, &[n; 100]));
            port.send(&frame).unwrap();
            let got = receive_until(&mut peer, 1000, |f| f.iter().any(|r| r.frame == frame));
            let seen = now();
            let received = got.iter().find(|r| r.frame == frame).unwrap();
            assert_eq!((received.direction, received.wire_len, received.kind), (Direction::Incoming, frame.len(), 0));
            late.push(seen.since(received.time));
        }
        late.sort();
        assert!(late[25] < Duration::millis(1), "a frame is seen {} after its stamp", late[25]);
    }
}

#[test]
fn stamps_equal_those_of_tcpdump() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, from, to) = port_a(&pair, Options::default());
    let mut peer = pair.at_b(|| Port::open(&interface("b0").unwrap(), Options::default()).unwrap());
    let dump = |namespace: &str, link: &str| {
        let line = format!(
            "exec ip netns exec {namespace} tcpdump -i {link} -n -tt -Z root --time-stamp-precision=nano -l -c 20 udp port 4001 2>/dev/null"
        );
        Command::new("sh").args(["-c", &line]).stdout(Stdio::piped()).spawn().unwrap()
    };
    let dumps = [dump(&pair.a, "a0"), dump(&pair.b, "b0")];
    std::thread::sleep(std::time::Duration::from_millis(700));
    for n in 0..20u8 {
        port.send(&ethernet(to, from, &udp(4001, 9, &[n]))).unwrap();
    }
    let ours = |r: &&Received| r.frame.get(34..36) == Some(&4001u16.to_be_bytes());
    let enough = |f: &[Received]| f.iter().filter(ours).count() == 20;
    let all = [receive_until(&mut port, 1000, enough), receive_until(&mut peer, 1000, enough)];
    for (dump, frames) in dumps.into_iter().zip(all) {
        let text = String::from_utf8(dump.wait_with_output().unwrap().stdout).unwrap();
        let theirs: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
        let stamps: Vec<String> = frames.iter().filter(ours).map(|r| r.time.to_string()).collect();
        assert_eq!(stamps, theirs);
        assert_eq!(stamps.len(), 20);
    }
}

#[test]
fn what_finds_no_room_is_counted() {
    let Some(pair) = Pair::new() else { return };
    let small = Options { ring_bytes: 1, ..Options::default() };
    let (mut port, from, to) = port_a(&pair, small);
    let frame = ethernet(to, from, &udp(4000, 9, b"x"));
    for _ in 0..1000 {
        port.send(&frame).unwrap();
    }
    let mut kept = Vec::new();
    while port.receive(&mut kept, Time(0)).unwrap() > 0 {}
    let kept = kept.iter().filter(|r| r.frame == frame).count() as u64;
    let dropped = port.drops();
    assert!(kept > 0 && dropped > 0 && kept + dropped >= 1000, "{kept} kept, {dropped} dropped");
    assert!(port.drops() >= dropped, "the count starts anew");
}

#[test]
fn the_driver_stamps_what_it_sends() {
    let Some(pair) = Pair::new() else { return };
    let (mut port, from, to) = port_a(&pair, Options { tx_stamps: true, ..Options::default() });
    for n in 0..10u8 {
        port.send(&ethernet(to, from, &udp(4000, 9, &[n]))).unwrap();
    }
    let copies = receive_until(&mut port, 1000, |f| f.iter().filter(|r| r.direction == Direction::Outgoing).count() >= 10);
    let copies: Vec<_> = copies.iter().filter(|r| r.frame.get(12..14) == Some(&[8, 0])).collect();
    let mut stamps = Vec::new();
    port.tx_stamps(&mut stamps).unwrap();
    assert_eq!(stamps.iter().map(|s| s.nth).collect::<Vec<_>>(), (0..10).collect::<Vec<u64>>());
    for (stamp, copy) in stamps.iter().zip(copies) {
        let later = stamp.stamp.time.since(copy.time);
        assert!(later >= Duration::ZERO && later < Duration::millis(50), "{later}");
        assert_eq!(stamp.stamp.source, Source::Software);
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
    let (mut port, from, to) = port_a(&pair, Options::default());
    let owned = [
        Owned::Ports { transport: Transport::Tcp, address: A.into(), first: 5000, last: 5009 },
        Owned::Ports { transport: Transport::Udp, address: A.into(), first: 5000, last: 5000 },
        Owned::Ports { transport: Transport::Tcp, address: "fd09::1".parse().unwrap(), first: 5000, last: 5000 },
        Owned::Echo { address: A.into(), id: 77 },
        Owned::Address("10.9.0.200".parse().unwrap()),
        Owned::Address("fd09::200".parse().unwrap()),
    ];
    let mut firewall = pair.at_a(|| Firewall::install(interface("a0").unwrap().index, &owned).unwrap());
    // Answers to a SYN: SYN-ACK (0x12) from B; then A's kernel resets (0x04) what it does not know, unless it is owned.
    let mut exchange = |source: u16| {
        port.send(&ethernet(to, from, &syn(source, 80))).unwrap();
        let has_reset = |f: &[Received]| segments(f, source).iter().any(|flags| flags & 4 != 0);
        segments(&receive_until(&mut port, 400, has_reset), source)
    };
    assert_eq!(exchange(5003), [0x02, 0x12], "the kernel answered for an owned port");
    assert_eq!(exchange(5010), [0x02, 0x12, 0x04], "the kernel fell silent for a port that is not owned");
    assert_eq!(firewall.dropped().unwrap(), 1);
    let unreachable = |port: u16, address: &str| {
        let send = || {
            std::net::UdpSocket::bind(format!("{}:0", if address.contains(':') { "[fd09::2]" } else { "10.9.0.2" })).and_then(|s| {
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
    assert!(unreachable(5000, "10.9.0.1"), "the rules outlive their owner");
}

#[test]
fn ping_is_answered_unless_owned() {
    let Some(pair) = Pair::new() else { return };
    let answered = |to: &str, id: u16| {
        let line = format!("ip netns exec {} ping -q -c 1 -W 1 -e {id} {to}", pair.b);
        Command::new("sh").args(["-c", &line]).stdout(Stdio::null()).status().unwrap().success()
    };
    shell(&format!("ip -n {0} addr add 10.9.0.200/24 dev a0 && ip -n {0} addr add fd09::200/64 dev a0 nodad", pair.a));
    assert!(answered("10.9.0.1", 77) && answered("10.9.0.200", 1) && answered("fd09::200", 1));
    let owned = [
        Owned::Echo { address: A.into(), id: 77 },
        Owned::Echo { address: "fd09::1".parse().unwrap(), id: 78 },
        Owned::Address("10.9.0.200".parse().unwrap()),
        Owned::Address("fd09::200".parse().unwrap()),
    ];
    let _firewall = pair.at_a(|| Firewall::install(0, &owned).unwrap());
    let rows = [("10.9.0.1", 77, false), ("10.9.0.1", 78, true), ("fd09::1", 78, false), ("fd09::1", 77, true)];
    for (to, id, expected) in rows.into_iter().chain([("10.9.0.200", 1, false), ("fd09::200", 1, false)]) {
        assert_eq!(answered(to, id), expected, "{to} {id}");
    }
    // Neighbour discovery of a silent address still works.
    shell(&format!("ip -n {0} neigh flush dev b0", pair.b));
    assert!(!answered("fd09::200", 1));
    assert!(pair.at_b(|| neighbour(interface("b0").unwrap().index, "fd09::200".parse().unwrap())).is_some());
}

#[test]
fn what_is_in_use_is_refused() {
    let Some(pair) = Pair::new() else { return };
    let install = |owned: Owned| pair.at_a(|| Firewall::install(0, &[owned]));
    let ports = |transport, first, last| Owned::Ports { transport, address: A.into(), first, last };
    let _server = pair.at_a(|| std::net::TcpListener::bind("0.0.0.0:8080").unwrap());
    let error = install(ports(Transport::Tcp, 8079, 8081)).err().unwrap();
    let me = std::fs::read_to_string("/proc/self/comm").unwrap();
    let holder = format!("`{}` (process {})", me.trim(), std::process::id());
    assert_eq!(error, NetError::PortInUse { protocol: "tcp", port: 8080, holder });
    assert!(error.to_string().starts_with("tcp port 8080 is in use by `") && error.fix().contains("another port"));
    let one = install(ports(Transport::Udp, 8079, 8081)).unwrap();
    let error = install(ports(Transport::Udp, 8081, 9000)).err().unwrap();
    assert!(matches!(error, NetError::PortInUse { protocol: "udp", port: 8081, .. }), "{error}");
    assert!(pair.at_a(|| std::net::UdpSocket::bind("10.9.0.1:8080")).is_err(), "another program got an owned port");
    drop(one);
    let _again = install(ports(Transport::Udp, 8081, 9000)).unwrap();
    let _echo = install(Owned::Echo { address: A.into(), id: 5 }).unwrap();
    let error = install(Owned::Echo { address: A.into(), id: 5 }).err().unwrap();
    assert_eq!(error.to_string(), "another run holds echo identifier 5 of 10.9.0.1");
    let error = install(Owned::Address(A.into())).err().unwrap();
    assert!(matches!(error, NetError::AddressInUse { .. }), "{error}");
    let error = install(ports(Transport::Tcp, 9000, 60_000)).err().unwrap();
    assert!(matches!(error, NetError::TooManyPorts { .. }), "{error}");
    let port = pair.at_a(|| free_port(0, Transport::Tcp, A.into())).unwrap();
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
        .env("CRAFTY_TEST_OWNER", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(owner.stdout.take().unwrap()));
    assert!(lines.map_while(Result::ok).any(|line| line.contains("owner is ready")));
    let tables = || shell(&format!("ip netns exec {} nft list ruleset", pair.a));
    let before = tables();
    assert!(before.contains(&format!("table inet crafty_{}", owner.id())), "{before}");
    assert!(before.contains("flags owner") && before.contains("tcp dport 5000"), "{before}");
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
    if std::env::var_os("CRAFTY_TEST_OWNER").is_none() {
        return;
    }
    let owned = Owned::Ports { transport: Transport::Tcp, address: A.into(), first: 5000, last: 5000 };
    let _firewall = Firewall::install(0, &[owned]).unwrap();
    println!("owner is ready");
    std::thread::sleep(std::time::Duration::from_secs(60));
}
