//! Downloads over TCP in a network in one process, with a fault or without: what was planted is
//! found, and a clean run shows nothing.

use crafty_findings::{Analyser, Finding};
use crafty_sim::{Attachment, Lab, LabOptions, Passed, QueueDevice, parse_spec};
use crafty_value::{Duration, Time};
use crafty_wire::{Decoded, decode, layer};
use smoltcp::iface::{Interface, SocketSet};
use smoltcp::phy::Medium;
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::IpAddress;

/// Where the program's host stands, as seen by the lab.
const HERE: &str = "west/program@west";

/// A client of ours in the lab.
struct Client {
    lab: Lab,
    at: Attachment,
    wire: QueueDevice,
    interface: Interface,
    sockets: SocketSet<'static>,
    now: Time,
}

fn client(spec: &str, watched: &str) -> Client {
    let spec = parse_spec(spec).unwrap();
    let mut lab = Lab::named(
        &spec.network,
        &LabOptions {
            faults: spec.faults,
            seed: 11,
        },
    )
    .unwrap();
    let at = lab.attach(None).unwrap();
    lab.judge(&at, true);
    lab.watch(watched).unwrap();
    let mut wire = QueueDevice::new(Medium::Ethernet, 1514);
    let interface = at.smoltcp_host(&mut wire);
    Client {
        lab,
        at,
        wire,
        interface,
        sockets: SocketSet::new(vec![]),
        now: Time(0),
    }
}

impl Client {
    /// Says `request` on a new connection, closes when the peer does, and reads every `pause`;
    /// gives the bytes heard.
    fn ask(&mut self, to: (&str, u16), buffer: usize, request: &[u8], pause: Duration) -> usize {
        let room = || tcp::SocketBuffer::new(vec![0; buffer]);
        let mut socket = tcp::Socket::new(room(), room());
        socket
            .connect(
                self.interface.context(),
                (to.0.parse::<IpAddress>().unwrap(), to.1),
                50_000,
            )
            .unwrap();
        let handle = self.sockets.add(socket);
        let (mut sent, mut heard, mut read_at) = (0, 0, Time(0));
        let end = self.now.after(Duration::seconds(60));
        while self.now <= end {
            self.turn();
            let socket: &mut tcp::Socket<'_> = self.sockets.get_mut(handle);
            if socket.can_send() && sent < request.len() {
                sent += socket.send_slice(&request[sent..]).unwrap();
            }
            if socket.can_recv() && self.now >= read_at {
                heard += socket.recv(|octets| (octets.len(), octets.len())).unwrap();
                read_at = self.now.after(pause);
            }
            if socket.state() == tcp::State::CloseWait && !socket.can_recv() {
                socket.close();
            }
            if socket.state() == tcp::State::Closed {
                break;
            }
            let wait = if socket.can_recv() {
                Some(read_at.max(Time(self.now.0 + 1000)))
            } else {
                None
            };
            self.turn();
            if !self.pass(wait) {
                break;
            }
        }
        heard
    }

    /// Lets our host read and say what it can.
    fn turn(&mut self) {
        while let Some((_, frame)) = self.lab.receive(self.at.port) {
            self.wire.arriving.push_back(frame);
        }
        self.interface.poll(
            Instant::from_micros(self.now.0 / 1000),
            &mut self.wire,
            &mut self.sockets,
        );
        for frame in self.wire.leaving.drain(..) {
            self.lab.send(self.at.port, self.now, &frame);
        }
    }

    /// Goes on to what happens next; says whether something does.
    fn pass(&mut self, wait: Option<Time>) -> bool {
        let at = Instant::from_micros(self.now.0 / 1000);
        let own = self
            .interface
            .poll_at(at, &self.sockets)
            .map(|at| Time(at.total_micros() * 1000).max(Time(self.now.0 + 1000)));
        let Some(next) = own
            .into_iter()
            .chain(wait)
            .chain(self.lab.next_event())
            .min()
        else {
            return false;
        };
        self.now = next.max(self.now);
        self.lab.advance(self.now);
        true
    }
}

fn findings(frames: &[Passed]) -> Vec<Finding> {
    let mut analyser = Analyser::new();
    let mut decoded = Decoded::new();
    for (i, passed) in frames.iter().enumerate() {
        decode(
            layer("Eth").unwrap(),
            &passed.frame,
            passed.frame.len(),
            &mut decoded,
        );
        analyser.packet(
            i as u64 + 1,
            Some(passed.time),
            &passed.frame,
            &decoded,
            None,
        );
    }
    analyser.finish()
}

/// Downloads the large page and gives the findings at `watched`.
fn download(spec: &str, watched: &str, server: &str) -> Vec<Finding> {
    let mut client = client(spec, watched);
    client.ask(
        (server, 80),
        65_536,
        b"GET /large HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n",
        Duration::ZERO,
    );
    findings(client.lab.capture(watched))
}

fn shown(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(|it| format!("\n{}: {} {:?}", it.name, it.sentence, &it.evidence))
        .collect()
}

fn names(findings: &[Finding]) -> Vec<&'static str> {
    let mut names: Vec<_> = findings.iter().map(|it| it.name).collect();
    names.sort();
    names.dedup();
    names
}

/// A download shows these findings at this link, and maybe others of those behind them, and nothing
/// else.
fn check(spec: &str, watched: &str, expected: &[&str], allowed: &[&str]) {
    let found = download(spec, watched, "192.0.2.80");
    let names = names(&found);
    let missing: Vec<_> = expected.iter().filter(|it| !names.contains(it)).collect();
    let strange: Vec<_> = names
        .iter()
        .filter(|it| !expected.contains(it) && !allowed.contains(it))
        .collect();
    assert!(
        missing.is_empty() && strange.is_empty(),
        "{spec} at {watched}: lacks {missing:?}, strange {strange:?}: {}",
        shown(&found)
    );
}

#[test]
fn a_clean_download_shows_nothing() {
    for link in [HERE, "r1-r2"] {
        check("demo", link, &[], &[]);
    }
    assert_eq!(download("demo", HERE, "2001:db8:80::80"), []);
    check("demo:delay=30ms", HERE, &[], &[]);
}

#[test]
fn what_was_planted_is_found() {
    let tcp = &[
        "duplicate_acknowledgement",
        "retransmission",
        "loss",
        "reordering",
    ];
    check(
        "demo:loss=2@r1-r2",
        HERE,
        &["loss", "retransmission", "duplicate_acknowledgement"],
        &[],
    );
    check(
        "demo:duplicate=5@r1-r2",
        HERE,
        &["duplicate_packet"],
        &["duplicate_acknowledgement"],
    );
    check("demo:corrupt_in_device=2@r2>r1", HERE, &["checksum"], tcp);
}

/// Frames are held back for 15 ms, longer than a round trip of 12: without time stamps and
/// identifications, as here, few may be taken for lost.
#[test]
fn the_overtaken_are_not_the_lost() {
    let found = download("demo:reorder=5@r2>r1", HERE, "192.0.2.80");
    let count = |name: &str| {
        found
            .iter()
            .filter(|it| it.name == name)
            .map(|it| it.count)
            .sum::<u64>()
    };
    assert!(
        count("reordering") > 25 && count("loss") * 8 < count("reordering"),
        "{}",
        shown(&found)
    );
    assert_eq!(count("duplicate_packet"), 0, "{}", shown(&found));
}

/// A reader that takes its time lets the window close, and no probe is taken for a retransmission.
#[test]
fn a_slow_reader_closes_its_window() {
    let mut client = client("demo", HERE);
    let request = b"GET /large HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n";
    client.ask(("192.0.2.80", 80), 8192, request, Duration::millis(900));
    let found = findings(client.lab.capture(HERE));
    assert_eq!(names(&found), ["zero_window"], "{}", shown(&found));
}

#[test]
fn loss_is_told_by_direction() {
    let sides = |watched: &str| -> (bool, bool) {
        let found = download("demo:loss=3@r2>r1", watched, "192.0.2.80");
        let lost = |place: &str| {
            found
                .iter()
                .any(|it| it.name == "loss" && it.sentence.contains(place))
        };
        (
            lost("between the sender and the capture point"),
            lost("between the capture point and the receiver"),
        )
    };
    assert_eq!(sides(HERE), (true, false));
    assert_eq!(sides("servers/web"), (false, true));
}
