//! The Linux kernel at the other end, over a TUN interface in a network namespace of its own: both roles, both families,
//! with loss and reordering. Needs root; says so and passes without.

use crafty_net::{Capability, Tun, TunKind, in_namespace, may, now};
use crafty_stack::checksum;
use crafty_stack::tcp::{Config, Connection, Event, Segment, State};
use crafty_value::{Duration, Time};
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;

/// Links that are there at the same time.
const AT_ONCE: usize = 12;

/// What the link between us and the kernel does, and what is sent over it.
#[derive(Clone, Debug)]
struct Case {
    we_open: bool,
    v6: bool,
    /// Octets that we send, and that the kernel sends.
    sizes: [usize; 2],
    /// Packets lost in either direction, per thousand.
    loss: u64,
    /// Packets that leave after the next one, per thousand.
    swaps: u64,
    mtu: u16,
    config: Config,
}

fn case() -> Case {
    let config = Config { close: Duration::seconds(60), timeout: Duration::seconds(30), ..Config::default() };
    Case { we_open: true, v6: false, sizes: [300_000, 200_000], loss: 0, swaps: 0, mtu: 1500, config }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (we_open, v6) in [(true, false), (false, false), (true, true), (false, true)] {
        let base = Case { we_open, v6, ..case() };
        cases.push(Case { sizes: [1, 1], ..base.clone() });
        cases.push(Case { sizes: [20_000_000, 20_000_000], ..base.clone() });
        cases.push(Case { loss: 20, swaps: 50, ..base.clone() });
        cases.push(Case { loss: 100, sizes: [100_000, 50_000], ..base.clone() });
        cases.push(Case { loss: 200, sizes: [10_000, 5_000], ..base.clone() });
        cases.push(Case { mtu: 9000, ..base.clone() });
        cases.push(Case { mtu: 1280, swaps: 200, ..base.clone() });
        cases.push(Case { config: Config { window: 1000, ..base.config.clone() }, sizes: [30_000, 30_000], ..base.clone() });
        cases.push(Case { config: Config { sack: false, timestamps: false, ..base.config.clone() }, loss: 20, ..base.clone() });
        cases.push(Case { config: Config { ecn: true, nagle: false, delayed_ack: false, ..base.config.clone() }, ..base });
    }
    cases
}

#[test]
fn the_kernel_and_we_understand_each_other() {
    if !may(Capability::NetAdmin) {
        eprintln!("skipped: needs CAP_NET_ADMIN");
        return;
    }
    let name = format!("crafty-stack-{}", std::process::id());
    let space = Space::new(&name);
    let cases: Vec<(usize, Case)> = cases().into_iter().enumerate().collect();
    for some in cases.chunks(AT_ONCE) {
        in_namespace(&space.0, || thread::scope(|scope| some.iter().for_each(|(n, case)| drop(scope.spawn(|| check(*n, case)))))).unwrap();
    }
}

/// A network namespace that goes with its value.
struct Space(String);

impl Space {
    fn new(name: &str) -> Space {
        ip(&["netns", "add", name]);
        Space(name.into())
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        ip(&["netns", "del", &self.0]);
    }
}

fn ip(words: &[&str]) {
    assert!(Command::new("ip").args(words).status().unwrap().success(), "ip {words:?}");
}

fn check(n: usize, case: &Case) {
    let mut tun = Tun::open("far%d", TunKind::Packets).unwrap();
    let name = tun.name().to_owned();
    let (near, far): (IpAddr, IpAddr) = match case.v6 {
        false => ([10, 7, n as u8, 1].into(), [10, 7, n as u8, 2].into()),
        true => ([0xfd00, 7, n as u16, 0, 0, 0, 0, 1].into(), [0xfd00, 7, n as u16, 0, 0, 0, 0, 2].into()),
    };
    ip(&["link", "set", &name, "mtu", &case.mtu.to_string(), "up"]);
    let prefix = if case.v6 { "64" } else { "24" };
    let mut words = vec!["addr", "add", "dev", &name];
    let address = format!("{near}/{prefix}");
    words.push(&address);
    if case.v6 {
        words.push("nodad");
    }
    ip(&words);
    thread::scope(|scope| {
        let (kernel_end, our_end) = (SocketAddr::new(near, 4000 + n as u16), SocketAddr::new(far, 5000 + n as u16));
        let listener = case.we_open.then(|| TcpListener::bind(kernel_end).unwrap());
        let kernel = scope.spawn(move || match listener {
            Some(listener) => talk(listener.accept().unwrap().0, case.sizes),
            None => talk(TcpStream::connect(our_end).unwrap(), case.sizes),
        });
        let heard = Host::new(case, kernel_end, our_end).run(&mut tun);
        assert!(heard == stream(1, case.sizes[1]), "{case:?}: we heard {}", heard.len());
        assert!(kernel.join().unwrap() == stream(0, case.sizes[0]), "{case:?}: the kernel heard something else");
    });
}

/// The kernel's program: sends and hears at once, then closes.
fn talk(socket: TcpStream, sizes: [usize; 2]) -> Vec<u8> {
    let mut writer = socket.try_clone().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            writer.write_all(&stream(1, sizes[1])).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let (mut socket, mut heard) = (socket, Vec::new());
        socket.read_to_end(&mut heard).unwrap();
        heard
    })
}

fn stream(salt: usize, len: usize) -> Vec<u8> {
    (0..len).map(|n| (n * 31 + n / 256 * 7 + salt * 101) as u8).collect()
}

/// Our host: one connection over the interface.
struct Host<'a> {
    case: &'a Case,
    tcp: Option<Connection>,
    to_send: Vec<u8>,
    sent: usize,
    heard: Vec<u8>,
    dice: u64,
    held: Option<Vec<u8>>,
    config: Config,
    closed_at: Option<Time>,
}

impl Host<'_> {
    fn new(case: &Case, kernel_end: SocketAddr, our_end: SocketAddr) -> Host<'_> {
        let overhead = if case.v6 { 60 } else { 40 };
        let config = Config { mss: case.mtu - overhead, ..case.config.clone() };
        let tcp = case.we_open.then(|| Connection::open(config.clone(), our_end, kernel_end, 0xffff_0000, now()));
        let to_send = stream(0, case.sizes[0]);
        Host { case, tcp, to_send, sent: 0, heard: Vec::new(), dice: 1, held: None, config, closed_at: None }
    }

    /// Until both have closed, and a moment longer for what the kernel missed.
    fn run(mut self, tun: &mut Tun) -> Vec<u8> {
        let end = now().after(Duration::seconds(60));
        let mut packet = vec![0; 10_000];
        while now() < end && self.closed_at.is_none_or(|at| now().since(at) <= Duration::millis(300)) {
            self.speak(tun);
            let due = self.tcp.as_ref().and_then(Connection::poll_timeout).unwrap_or(end);
            let wait = due.min(now().after(Duration::millis(50)));
            if let Some(len) = tun.receive(&mut packet, wait).unwrap() {
                self.hear(&packet[..len]);
            }
            if let Some(tcp) = self.tcp.as_mut().filter(|tcp| tcp.poll_timeout().is_some_and(|due| due <= now())) {
                tcp.handle_timeout(now());
            }
        }
        self.heard
    }

    fn hear(&mut self, packet: &[u8]) {
        if self.hits(self.case.loss) {
            return;
        }
        let Some(segment) = Segment::of_datagram(packet, true) else { return };
        match &mut self.tcp {
            Some(tcp) => tcp.handle_segment(now(), &segment),
            None => self.tcp = Connection::accept(self.config.clone(), &segment, 77, now()),
        }
    }

    fn speak(&mut self, tun: &mut Tun) {
        let Some(tcp) = &mut self.tcp else { return };
        let rest = &self.to_send[self.sent..];
        if tcp.unsent() < 200_000 && tcp.send(&rest[..rest.len().min(100_000)]).is_ok() {
            self.sent += rest.len().min(100_000);
        }
        tcp.read(&mut self.heard);
        if self.sent == self.to_send.len() && matches!(tcp.state(), State::Established | State::CloseWait) {
            tcp.close(now());
        }
        while let Some(event) = tcp.poll_event() {
            assert!(!matches!(event, Event::Reset(_) | Event::TimedOut | Event::OpenTimedOut), "{event:?} {:?}", self.case);
            if event == Event::Closed {
                self.closed_at = Some(now());
            }
        }
        let mut segment = Vec::new();
        while let Some(tcp) = self.tcp.as_mut()
            && tcp.poll_transmit(now(), &mut segment)
        {
            let datagram = wrap(tcp.local().ip(), tcp.remote().ip(), tcp.last_sent().ecn, &segment);
            self.carry(tun, datagram);
        }
        if let Some(held) = self.held.take() {
            tun.send(&held).unwrap();
        }
    }

    fn carry(&mut self, tun: &mut Tun, datagram: Vec<u8>) {
        if self.hits(self.case.loss) {
            return;
        }
        if self.held.is_none() && self.hits(self.case.swaps) {
            self.held = Some(datagram);
            return;
        }
        tun.send(&datagram).unwrap();
        if let Some(held) = self.held.take() {
            tun.send(&held).unwrap();
        }
    }

    fn hits(&mut self, per_mille: u64) -> bool {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % 1000 < per_mille
    }
}

fn wrap(source: IpAddr, destination: IpAddr, ecn: u8, segment: &[u8]) -> Vec<u8> {
    match (source, destination) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let [high, low] = (20 + segment.len() as u16).to_be_bytes();
            let mut octets = vec![0x45, ecn, high, low, 0, 0, 0x40, 0, 64, 6, 0, 0];
            octets.extend([a.octets(), b.octets()].concat());
            let sum = checksum::of(&octets);
            octets[10..12].copy_from_slice(&sum.to_be_bytes());
            [&octets, segment].concat()
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let [high, low] = (segment.len() as u16).to_be_bytes();
            let head = [0x60, ecn << 4, 0, 0, high, low, 6, 64];
            [&head[..], &a.octets(), &b.octets(), segment].concat()
        }
        _ => Vec::new(),
    }
}
