//! The demo network, seen by a host of ours that makes its frames by hand.

use crafty_sim::{Attachment, Lab, LabOptions, faults, networks, parse_spec};
use crafty_value::{Duration, Mac, Time};
use smoltcp::wire::checksum::data as ones_sum;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host of ours at work: it knows nothing but how to ask for its gateway.
struct Here {
    lab: Lab,
    at: Attachment,
    router4: Mac,
    router6: Mac,
    now: Time,
}

const MS: i64 = 1_000_000;

fn here(spec: &str, seed: u64) -> Here {
    here_at(spec, seed, None)
}

fn here_at(spec: &str, seed: u64, stand: Option<&str>) -> Here {
    let spec = parse_spec(spec).unwrap();
    let mut lab = Lab::named(&spec.network, &LabOptions { faults: spec.faults, seed }).unwrap();
    let at = lab.attach(stand).unwrap();
    let nobody = Mac([0; 6]);
    let mut here = Here { lab, at, router4: nobody, router6: nobody, now: Time(0) };
    here.meet_the_routers();
    here
}

impl Here {
    fn v4(&self) -> IpAddr {
        self.at.addresses[0].0
    }

    fn v6(&self) -> IpAddr {
        self.at.addresses[1].0
    }

    fn meet_the_routers(&mut self) {
        let IpAddr::V4(own) = self.v4() else { panic!() };
        let arp = arp(1, self.at.mac, own, Mac([0; 6]), self.at.gateway_v4.unwrap());
        let answers = self.ask(arp, 10 * MS);
        let answer = answers.iter().map(|it| &it.1).find(|it| it[12..14] == [8, 6]).expect("an ARP answer");
        self.router4 = Mac(answer[22..28].try_into().unwrap());
        let gateway = self.at.gateway_v6.unwrap();
        let mut message = vec![135, 0, 0, 0, 0, 0, 0, 0];
        message.extend(gateway.octets());
        message.extend([1, 1]);
        message.extend(self.at.mac.0);
        let [.., a, b, c] = gateway.octets();
        let group = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 1, 0xff00 | u16::from(a), u16::from_be_bytes([b, c]));
        let own = self.v6();
        let solicitation = ip(own, group.into(), 58, 255, false, &icmp(own, group.into(), message));
        let answers = self.ask(frame(Mac([0x33, 0x33, 0xff, a, b, c]), self.at.mac, &solicitation), 10 * MS);
        let answer = answers.iter().map(|it| &it.1).find(|it| it.get(54) == Some(&136)).expect("an advertisement");
        self.router6 = Mac(answer[80..86].try_into().unwrap());
    }

    /// Says a frame, lets time pass, and gives what was heard; answers ARP and solicitations on the way.
    fn ask(&mut self, frame: Vec<u8>, wait: i64) -> Vec<(Time, Vec<u8>)> {
        self.lab.send(self.at.port, self.now, &frame);
        self.listen(wait)
    }

    fn listen(&mut self, wait: i64) -> Vec<(Time, Vec<u8>)> {
        let until = self.now.after(Duration(wait));
        let mut heard = Vec::new();
        while let Some(at) = self.lab.next_event().filter(|at| *at <= until) {
            self.lab.advance(at);
            while let Some((at, frame)) = self.lab.receive(self.at.port) {
                if let Some(answer) = self.neighbourly(&frame) {
                    self.lab.send(self.at.port, at, &answer);
                }
                heard.push((at, frame));
            }
        }
        self.lab.advance(until);
        self.now = until;
        heard
    }

    /// The answer to a question for one of our addresses.
    fn neighbourly(&self, frame: &[u8]) -> Option<Vec<u8>> {
        let IpAddr::V4(own) = self.v4() else { return None };
        let asks_v4 = frame[12..14] == [8, 6] && frame[21] == 1 && frame[38..42] == own.octets();
        if asks_v4 {
            let asker = Ipv4Addr::new(frame[28], frame[29], frame[30], frame[31]);
            return Some(arp(2, self.at.mac, own, Mac(frame[22..28].try_into().unwrap()), asker));
        }
        let asks_v6 = frame[12..14] == [0x86, 0xdd] && frame[20] == 58 && frame[54] == 135;
        let target = Ipv6Addr::from(<[u8; 16]>::try_from(frame.get(62..78)?).unwrap());
        let own = self.at.addresses[1..].iter().any(|it| it.0 == IpAddr::V6(target));
        (asks_v6 && own).then(|| {
            let asker = IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(&frame[22..38]).unwrap()));
            let mut message = vec![136, 0, 0, 0, 0x60, 0, 0, 0];
            message.extend(target.octets());
            message.extend([2, 1]);
            message.extend(self.at.mac.0);
            let answer = ip(target.into(), asker, 58, 255, false, &icmp(target.into(), asker, message));
            crate::frame(Mac(frame[6..12].try_into().unwrap()), self.at.mac, &answer)
        })
    }

    /// Sends a datagram through the gateway; gives the datagrams for `src` that come back within `wait`.
    fn exchange(&mut self, datagram: Vec<u8>, wait: i64) -> Vec<(Time, Vec<u8>)> {
        let router = if datagram[0] >> 4 == 4 { self.router4 } else { self.router6 };
        let out = frame(router, self.at.mac, &datagram);
        let src = source(&datagram);
        let heard = self.ask(out, wait);
        heard
            .into_iter()
            .map(|(at, frame)| (at, frame[14..].to_vec()))
            .filter(|(_, it)| it[0] >> 4 != 0 && destination(it) == src)
            .collect()
    }

    fn ping(&mut self, to: &str, size: usize, wait: i64) -> Vec<(Time, Vec<u8>)> {
        let to: IpAddr = to.parse().unwrap();
        let src = if to.is_ipv4() { self.v4() } else { self.v6() };
        self.exchange(ip(src, to, if to.is_ipv4() { 1 } else { 58 }, 64, true, &echo(src, to, size)), wait)
    }

    fn udp(&mut self, to: &str, ports: (u16, u16), ttl: u8, payload: &[u8], wait: i64) -> Vec<Vec<u8>> {
        let to: IpAddr = to.parse().unwrap();
        let src = if to.is_ipv4() { self.v4() } else { self.v6() };
        self.exchange(ip(src, to, 17, ttl, true, &udp(src, to, ports, payload)), wait).into_iter().map(|it| it.1).collect()
    }
}

// Frames by hand.

fn frame(dst: Mac, src: Mac, datagram: &[u8]) -> Vec<u8> {
    let kind: [u8; 2] = if datagram[0] >> 4 == 4 { [8, 0] } else { [0x86, 0xdd] };
    [&dst.0[..], &src.0, &kind, datagram].concat()
}

fn arp(operation: u8, mac: Mac, ip: Ipv4Addr, to_mac: Mac, to: Ipv4Addr) -> Vec<u8> {
    let dst = if operation == 1 { Mac::BROADCAST } else { to_mac };
    [&dst.0[..], &mac.0, &[8, 6, 0, 1, 8, 0, 6, 4, 0, operation], &mac.0, &ip.octets(), &to_mac.0, &to.octets()].concat()
}

fn ip(src: IpAddr, dst: IpAddr, proto: u8, ttl: u8, df: bool, payload: &[u8]) -> Vec<u8> {
    match (src, dst) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => {
            let total = (20 + payload.len()) as u16;
            let df = if df { 0x40 } else { 0 };
            let mut header =
                [&[0x45, 0][..], &total.to_be_bytes(), &[0, 7, df, 0, ttl, proto, 0, 0], &src.octets(), &dst.octets()].concat();
            let sum = !ones_sum(&header);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
            [&header[..], payload].concat()
        }
        (IpAddr::V6(src), IpAddr::V6(dst)) => {
            let length = (payload.len() as u16).to_be_bytes();
            [&[0x60, 0, 0, 0][..], &length, &[proto, ttl], &src.octets(), &dst.octets(), payload].concat()
        }
        _ => panic!("addresses of one version"),
    }
}

fn pseudo(src: IpAddr, dst: IpAddr, proto: u8, length: usize) -> Vec<u8> {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(it) => it.octets().to_vec(),
        IpAddr::V6(it) => it.octets().to_vec(),
    };
    [&bits(src)[..], &bits(dst), &(length as u32).to_be_bytes(), &[0, 0, 0, proto]].concat()
}

fn icmp(src: IpAddr, dst: IpAddr, mut message: Vec<u8>) -> Vec<u8> {
    let front = if src.is_ipv6() { pseudo(src, dst, 58, message.len()) } else { vec![] };
    let sum = !ones_sum(&[&front[..], &message].concat());
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    message
}

fn echo(src: IpAddr, dst: IpAddr, size: usize) -> Vec<u8> {
    let mut message = vec![if src.is_ipv4() { 8 } else { 128 }, 0, 0, 0, 0, 77, 0, 1];
    message.extend((0..size).map(|n| n as u8));
    icmp(src, dst, message)
}

fn udp(src: IpAddr, dst: IpAddr, ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let length = (8 + payload.len()) as u16;
    let mut segment = [&ports.0.to_be_bytes()[..], &ports.1.to_be_bytes(), &length.to_be_bytes(), &[0, 0], payload].concat();
    let sum = !ones_sum(&[&pseudo(src, dst, 17, segment.len())[..], &segment].concat());
    segment[6..8].copy_from_slice(&sum.to_be_bytes());
    segment
}

fn source(datagram: &[u8]) -> IpAddr {
    match datagram[0] >> 4 {
        4 => Ipv4Addr::new(datagram[12], datagram[13], datagram[14], datagram[15]).into(),
        _ => Ipv6Addr::from(<[u8; 16]>::try_from(&datagram[8..24]).unwrap()).into(),
    }
}

fn destination(datagram: &[u8]) -> IpAddr {
    match datagram[0] >> 4 {
        4 => Ipv4Addr::new(datagram[16], datagram[17], datagram[18], datagram[19]).into(),
        6 => Ipv6Addr::from(<[u8; 16]>::try_from(&datagram[24..40]).unwrap()).into(),
        _ => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
    }
}

/// Protocol and upper layer.
fn upper(datagram: &[u8]) -> (u8, &[u8]) {
    match datagram[0] >> 4 {
        4 => (datagram[9], &datagram[20..usize::from(u16::from_be_bytes([datagram[2], datagram[3]]))]),
        _ => (datagram[6], &datagram[40..40 + usize::from(u16::from_be_bytes([datagram[4], datagram[5]]))]),
    }
}

/// Checks every checksum that a datagram and its ICMP or UDP have.
fn is_sound(datagram: &[u8]) -> bool {
    let (proto, message) = upper(datagram);
    let front = if proto == 1 { vec![] } else { pseudo(source(datagram), destination(datagram), proto, message.len()) };
    let header = datagram[0] >> 4 == 6 || ones_sum(&datagram[..20]) == 0xffff;
    header && ones_sum(&[&front[..], message].concat()) == 0xffff
}

#[test]
fn echoes_come_back_from_everywhere() {
    let rows = [
        ("192.0.2.1", 12),
        ("10.100.0.50", 12),
        ("198.51.100.53", 22),
        ("10.20.4.254", 0),
        ("203.0.113.22", 22),
        ("2001:db8:80::1", 12),
        ("2001:db8:100::50", 12),
        ("2001:db8:53::53", 22),
        ("2001:db8:4::fe", 0),
    ];
    for (to, milliseconds) in rows {
        let mut here = here("demo", 1);
        let sent = here.now;
        let answers = here.ping(to, 56, 200 * MS);
        let [(at, reply)] = &answers[..] else { panic!("{to}: {answers:02x?}") };
        assert!(is_sound(reply), "{to}");
        assert_eq!(source(reply), to.parse::<IpAddr>().unwrap());
        assert!(matches!(upper(reply), (1, [0, ..]) | (58, [129, ..])), "{to}");
        assert_eq!(upper(reply).1.len(), 64);
        assert_eq!(at.since(sent).0 / MS, milliseconds, "{to}");
    }
}

#[test]
fn a_trace_shows_four_routers_and_the_end() {
    for (to, ends) in [
        ("10.100.0.50", &["10.20.4.254", "203.0.113.2", "203.0.113.", "203.0.113.1", "10.100.0.50"][..]),
        ("2001:db8:80::1", &["2001:db8:4::fe", "2001:db8:ffff::2", "2001:db8:ffff:", "2001:db8:ffff:", "2001:db8:80::1"]),
    ] {
        let mut here = here("demo", 1);
        for (hop, begin) in (1..).zip(ends) {
            let heard = here.udp(to, (40000, 33434), hop, b"trace", 100 * MS);
            let [error] = &heard[..] else { panic!("{to} {hop}: {heard:02x?}") };
            assert!(is_sound(error));
            let (_, message) = upper(error);
            let kind = if hop == 5 { [(3, 3), (1, 4)] } else { [(11, 0), (3, 0)] };
            assert!(kind.contains(&(message[0], message[1])), "{to} {hop}: {message:02x?}");
            assert!(source(error).to_string().starts_with(begin), "{to} {hop}: {}", source(error));
            assert_eq!(upper(&message[8..]).1[2..4], 33434_u16.to_be_bytes());
            assert_eq!(upper(&message[8..]).1[8..], *b"trace");
        }
    }
}

#[test]
fn equal_paths_are_taken_by_flow() {
    let mut here = here("demo", 1);
    let mut third_hop = |port: u16| {
        let heard = here.udp("10.100.0.50", (port, 33434), 3, b"", 100 * MS);
        source(&heard[0]).to_string()
    };
    let first: Vec<String> = (40000..40032).map(&mut third_hop).collect();
    let again: Vec<String> = (40000..40032).map(&mut third_hop).collect();
    assert_eq!(first, again);
    let by_a = first.iter().filter(|it| *it == "203.0.113.6").count();
    let by_b = first.iter().filter(|it| *it == "203.0.113.10").count();
    assert_eq!(by_a + by_b, 32);
    assert!(by_a > 5 && by_b > 5, "{by_a} {by_b}");
}

#[test]
fn udp_is_echoed_and_names_are_answered() {
    let mut here = here("demo", 1);
    for to in ["10.100.0.50", "2001:db8:100::50"] {
        let heard = here.udp(to, (40000, 40100), 64, b"\x01payload", 100 * MS);
        let [reply] = &heard[..] else { panic!("{heard:02x?}") };
        assert!(is_sound(reply));
        assert_eq!(upper(reply).1[..4], [40100_u16.to_be_bytes(), 40000_u16.to_be_bytes()].concat());
        assert_eq!(upper(reply).1[8..], *b"\x01payload");
    }
    let query = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x03www\x07example\x03com\0\0\x01\0\x01";
    for to in ["198.51.100.53", "2001:db8:53::53"] {
        let heard = here.udp(to, (40000, 53), 64, query, 100 * MS);
        let [reply] = &heard[..] else { panic!("{heard:02x?}") };
        assert!(upper(reply).1.starts_with(&53_u16.to_be_bytes()) && reply.ends_with(&[192, 0, 2, 80]));
    }
}

/// The first seed's sample: the source is the gateway's address, and the answers are heard on the segment.
#[test]
fn a_spoofed_gateway_hears_its_answers() {
    for stand in ["west", "gateway"] {
        let mut here = here_at("demo", 1, Some(stand));
        let (gateway, office) = ("10.20.4.1".parse().unwrap(), "10.100.0.50".parse().unwrap());
        for serial in 1..=50 {
            let payload = vec![serial; 1472];
            let probe = ip(gateway, office, 17, 64, false, &udp(gateway, office, (40000, 40100), &payload));
            let heard = here.exchange(probe, 10 * MS);
            // An answer is heard while the next probe is under way.
            assert!(heard.iter().all(|it| source(&it.1) == office && upper(&it.1).1[8..].len() == 1472), "{stand}");
            assert_eq!(heard.len(), usize::from(serial > 1), "{stand} {serial}");
        }
        assert_eq!(here.listen(10 * MS).iter().filter(|it| it.1.len() == 1514).count(), 1);
    }
}

#[test]
fn a_host_that_is_not_there_is_said_to_be_so() {
    let mut here = here("demo", 1);
    for (to, kind) in [
        ("10.100.0.77", [3, 1]),
        ("10.99.0.1", [3, 0]),
        ("2001:db8:100::77", [1, 3]),
        ("2001:db9::1", [1, 0]),
        ("192.0.2.1", [3, 3]),
        ("10.20.4.254", [3, 3]),
        ("203.0.113.18", [3, 3]),
    ] {
        let heard = here.udp(to, (40000, 9999), 64, b"x", 4000 * MS);
        let [error] = &heard[..] else { panic!("{to}: {heard:02x?}") };
        assert!(is_sound(error) && upper(error).1[..2] == kind, "{to}: {error:02x?}");
    }
}

#[test]
fn the_path_mtu_is_told() {
    let mut here = here("demo", 1);
    for (to, size, header) in [("198.51.100.80", 1400 - 28, 20), ("2001:db8:53::80", 1400 - 48, 40)] {
        let fits = here.ping(to, size, 100 * MS);
        assert!(matches!(upper(&fits[0].1), (1, [0, ..]) | (58, [129, ..])));
        let heard = here.ping(to, size + 1, 100 * MS);
        let [(_, error)] = &heard[..] else { panic!("{to}: {heard:02x?}") };
        assert!(is_sound(error));
        let (_, message) = upper(error);
        assert!(matches!(message, [3, 4, ..] | [2, 0, ..]));
        assert_eq!(message[6..8], 1400_u16.to_be_bytes());
        assert_eq!(error.len(), if header == 20 { 576 } else { 1280 });
    }
}

#[test]
fn without_df_a_router_cuts_and_the_host_joins() {
    let mut here = here("demo", 1);
    let (src, dst) = (here.v4(), "198.51.100.80".parse().unwrap());
    let heard = here.exchange(ip(src, dst, 1, 64, false, &echo(src, dst, 1472)), 100 * MS);
    let got: usize = heard.iter().map(|(_, it)| upper(it).1.len()).sum();
    assert_eq!((heard.len(), got), (2, 1480), "{heard:02x?}");
    assert_eq!(heard[0].1[6] & 0x20, 0x20);
}

#[test]
fn faults_show_as_they_should() {
    let sizes = |spec: &str| -> Vec<usize> {
        let mut here = here(spec, 1);
        [56, 1000, 1400, 1472].into_iter().filter(|size| !here.ping("10.100.0.50", *size, 200 * MS).is_empty()).collect()
    };
    assert_eq!(sizes("demo"), [56, 1000, 1400, 1472]);
    assert_eq!(sizes("demo:mtu_hole"), [56, 1000, 1400]);
    assert_eq!(sizes("demo:mtu_hole=1000@r1>r2"), [56]);
    assert_eq!(sizes("demo:loss=100"), []);
    assert_eq!(sizes("demo:ttl_loop"), []);
    assert_eq!(sizes("demo:ttl_loop@r4-r5,loss=100@r4-r5"), [56, 1000, 1400, 1472]);
}

/// How many of a hundred echoes are answered, how many times, how many out of order, how many broken; and the longest round trip.
fn burst(spec: &str) -> (usize, usize, usize, Duration) {
    let mut here = here(spec, 5);
    let (src, dst) = (here.v4(), "10.100.0.50".parse().unwrap());
    let mut heard = Vec::new();
    let mut sent = Vec::new();
    for serial in 0..100 {
        sent.push(here.now);
        heard.extend(here.exchange(ip(src, dst, 17, 64, false, &udp(src, dst, (40000, 40100), &[serial; 64])), 2 * MS));
    }
    let (own, all) = (here.v4(), here.listen(2000 * MS));
    heard.extend(all.into_iter().map(|(at, frame)| (at, frame[14..].to_vec())).filter(|it| destination(&it.1) == own));
    let serials: Vec<u8> = heard.iter().map(|it| upper(&it.1).1[8]).collect();
    let late = serials.windows(2).filter(|it| it[1] < it[0]).count();
    let broken = heard.iter().filter(|it| !is_sound(&it.1)).count();
    let longest = heard.iter().filter_map(|it| Some(it.0.since(*sent.get(usize::from(upper(&it.1).1[8]))?))).max();
    (heard.len(), late, broken, longest.unwrap_or_default())
}

#[test]
fn chance_and_time_are_as_told() {
    let healthy = burst("demo");
    assert_eq!((healthy.0, healthy.1, healthy.2), (100, 0, 0));
    let lossy = burst("demo:loss=10");
    assert!((70..=90).contains(&lossy.0), "{lossy:?}");
    let twice = burst("demo:duplicate=10@r1>r2");
    assert!((104..=120).contains(&twice.0), "{twice:?}");
    let swapped = burst("demo:reorder=10");
    assert!(swapped.0 == 100 && swapped.1 > 5, "{swapped:?}");
    let sprayed = burst("demo:packet_ecmp");
    assert!(sprayed.0 == 100 && sprayed.1 > 20, "{sprayed:?}");
    let bent = burst("demo:corrupt_in_device=100@r4>r3a,corrupt_in_device=100@r4>r3b");
    assert!(bent.2 > 90, "{bent:?}");
    let slow = burst("demo:delay=30ms");
    assert!(slow.0 == 100 && slow.1 == 0 && (slow.3.0 - healthy.3.0) / MS == 60, "{slow:?}");
    let shaky = burst("demo:jitter=20ms");
    assert!(shaky.0 == 100 && shaky.1 > 20 && shaky.3.0 / MS < 54, "{shaky:?}");
    let bloated = burst("demo:bufferbloat=50ms");
    assert!(bloated.0 == 100 && bloated.3 > healthy.3, "{bloated:?}");
}

#[test]
fn routers_may_be_silent_or_slow_to_complain() {
    let complaints = |spec: &str| {
        let mut here = here(spec, 1);
        (0..20).filter(|n| !here.udp("10.100.0.50", (40000 + n, 33434), 2, b"", 20 * MS).is_empty()).count()
    };
    assert_eq!(complaints("demo"), 20);
    assert_eq!(complaints("demo:rate_limit_icmp=1"), 6);
    assert_eq!(complaints("demo:rate_limit_icmp=1@r1"), 20);
    assert_eq!(complaints("demo:silent_router@r2"), 0);
    assert_eq!(complaints("demo:silent_router@r3a"), 20);
}

#[test]
fn a_loop_spends_the_time_to_live() {
    let mut here = here("demo:ttl_loop", 1);
    let hops: Vec<String> =
        (1..=5).map(|ttl| source(&here.udp("10.100.0.50", (40000, 33434), ttl, b"", 100 * MS)[0]).to_string()).collect();
    assert_eq!(hops, ["10.20.4.254", "203.0.113.2", "203.0.113.1", "203.0.113.2", "203.0.113.1"]);
}

/// Everything that passed four links, in a run with chance in it.
fn run(seed: u64) -> Vec<Vec<crafty_sim::Passed>> {
    let links = ["west/r1", "r1-r2", "r3a-r4", "west/program@west"];
    let mut here = here("demo:loss=5,jitter=5ms,duplicate=5,packet_ecmp", seed);
    links.iter().for_each(|link| here.lab.watch(link).unwrap());
    for n in 0..200_u16 {
        here.udp("10.100.0.50", (40000, 40100), 64, &n.to_be_bytes(), 3 * MS);
        here.ping("2001:db8:80::80", usize::from(n), 3 * MS);
    }
    links.iter().map(|link| here.lab.capture(link).to_vec()).collect()
}

#[test]
fn the_same_seed_gives_the_same_octets() {
    let first = run(42);
    assert!(first.iter().all(|it| it.len() > 100));
    assert!(first.iter().flatten().all(|it| it.time > Time(0)) && first.iter().all(|it| it.is_sorted_by_key(|it| it.time)));
    assert_eq!(first, run(42));
    assert_ne!(first, run(43));
}

#[test]
fn what_is_not_known_is_named_with_what_there_is() {
    let rows = [
        ("nowhere", "there is no network `nowhere` in the lab; there is `demo`"),
        ("demo:los", "there is no fault `los`; there are `bufferbloat`, "),
        ("demo:loss=x", "the share of `loss` is `x`, and must lie between 0% and 100%, as in `loss=5%`"),
        ("demo:loss=101", "the share of `loss` is `101`, and must"),
        ("demo:delay=1m", "the time of `delay` is `1m`, and must lie between 0s and 10s, as in `delay=50ms`"),
        ("demo:ttl_loop=3", "the fault `ttl_loop` takes no value, and `3` was given: write `ttl_loop`"),
        ("demo:", "no fault follows the colon of `demo:`"),
        ("demo:loss@r9-r1", "there is no link `r9-r1` in `demo`; there are `west/gateway`, "),
        ("demo:loss@r9>r1", "there is no link `r9-r1` in `demo`"),
        ("demo:silent_router@west", "there is no router `west` in `demo`; there are `gateway`, `r1`"),
        ("demo:ttl_loop@west/desk", "`west/desk` does not join two routers; choose a link such as `r1-r2`"),
    ];
    for (text, begin) in rows {
        let spec = parse_spec(text).and_then(|spec| Lab::named(&spec.network, &LabOptions { faults: spec.faults, seed: 0 }));
        let error = spec.err().unwrap_or_default();
        assert!(error.starts_with(begin), "{text}: {error}");
    }
    let mut lab = Lab::named("demo", &LabOptions::default()).unwrap();
    assert!(lab.attach(Some("north")).unwrap_err().starts_with("there is no stand `north` in `demo`; there are `west`, `gateway`"));
    assert!(lab.attach(None).is_ok() && lab.attach(Some("east")).is_ok());
    assert!(lab.attach(Some("west")).unwrap_err().starts_with("a host stands at `west` already"));
    assert!(lab.watch("x").unwrap_err().starts_with("there is no link `x`"));
}

#[test]
fn values_are_read_with_their_units() {
    for (text, shown) in [("loss=1.5", "1.5%"), ("loss=0.01%", "0.01%"), ("delay=3", "3ms"), ("delay=1.5ms", "1.5ms"), ("delay=2s", "2s")] {
        let spec = parse_spec(&format!("demo:{text}")).unwrap();
        assert_eq!(spec.faults, [text]);
        let name = text.split('=').next().unwrap();
        let unit = faults().iter().find(|it| it.name == name).unwrap().parameter.as_ref().unwrap().unit;
        let scale = if name == "loss" {
            10_000.0
        } else if text.ends_with("2s") {
            1e9
        } else {
            1e6
        };
        let number: f64 = text.split('=').nth(1).unwrap().trim_end_matches(['%', 'm', 's']).parse().unwrap();
        assert_eq!(unit.show((number * scale) as i64), shown);
    }
}

#[test]
fn rows_are_in_order() {
    assert!(faults().is_sorted_by_key(|fault| fault.name));
    for doc in faults().iter().map(|it| it.doc).chain(networks().iter().map(|it| it.doc)) {
        assert!(doc.ends_with('.') && doc.len() > 20 && !doc.contains("  "), "{doc}");
    }
    for fault in faults() {
        if let Some(parameter) = &fault.parameter {
            assert!((parameter.least..=parameter.most).contains(&parameter.default), "{}", fault.name);
        }
        assert!(Lab::named("demo", &LabOptions { faults: vec![fault.name.into()], seed: 0 }).is_ok(), "{}", fault.name);
    }
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/faults")).unwrap();
    let files = folder.filter(|it| it.as_ref().unwrap().file_name() != "mod.rs").count();
    assert_eq!(files, faults().len(), "a file in `src/faults` is not in the list of `src/faults/mod.rs`");
}

#[test]
fn the_map_names_everything_and_tells_no_fault() {
    let map = |faults: Vec<String>| Lab::named("demo", &LabOptions { faults, seed: 0 }).unwrap().describe().to_string();
    let healthy = map(vec![]);
    for part in [
        "segment west 10.20.4.0/24",
        "link r4-r5 100 Mbit/s, delay 5ms",
        "mtu 1400",
        "route 10.100.0.0/24 via 203.0.113.6 or 203.0.113.10",
        "udp/40100 echo",
        "stand gateway 10.20.4.1",
    ] {
        assert!(healthy.contains(part), "{part} in\n{healthy}");
    }
    assert_eq!(healthy, map(vec!["ttl_loop".into(), "bufferbloat".into()]));
}
