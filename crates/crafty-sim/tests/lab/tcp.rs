//! A client of ours that speaks TCP through smoltcp, put at a port of the lab.

use crafty_sim::{Attachment, Lab, LabOptions, QueueDevice, parse_spec};
use crafty_value::{Duration, Time};
use smoltcp::iface::{Interface, SocketHandle, SocketSet};
use smoltcp::phy::Medium;
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::IpAddress;

struct Client {
    lab: Lab,
    at: Attachment,
    wire: QueueDevice,
    interface: Interface,
    sockets: SocketSet<'static>,
    now: Time,
}

fn client(spec: &str) -> Client {
    let spec = parse_spec(spec).unwrap();
    let mut lab = Lab::named(
        &spec.network,
        &LabOptions {
            faults: spec.faults,
            seed: 3,
        },
    )
    .unwrap();
    let at = lab.attach(None).unwrap();
    lab.judge(&at, true);
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
    fn connect(&mut self, to: &str, port: u16, own: u16) -> SocketHandle {
        let buffer = || tcp::SocketBuffer::new(vec![0; 65_536]);
        let mut socket = tcp::Socket::new(buffer(), buffer());
        socket
            .connect(
                self.interface.context(),
                (to.parse::<IpAddress>().unwrap(), port),
                own,
            )
            .unwrap();
        self.sockets.add(socket)
    }

    /// Lets time pass until `done`, or for `limit`.
    fn until(
        &mut self,
        limit: Duration,
        mut done: impl FnMut(&mut SocketSet<'static>) -> bool,
    ) -> bool {
        let end = self.now.after(limit);
        while self.now <= end {
            while let Some((_, frame)) = self.lab.receive(self.at.port) {
                self.wire.arriving.push_back(frame);
            }
            let at = Instant::from_micros(self.now.0 / 1000);
            self.interface.poll(at, &mut self.wire, &mut self.sockets);
            if done(&mut self.sockets) {
                return true;
            }
            self.interface.poll(at, &mut self.wire, &mut self.sockets);
            for frame in self.wire.leaving.drain(..) {
                self.lab.send(self.at.port, self.now, &frame);
            }
            let own = self
                .interface
                .poll_at(at, &self.sockets)
                .map(|at| Time(at.total_micros() * 1000).max(Time(self.now.0 + 1000)));
            let Some(next) = own.into_iter().chain(self.lab.next_event()).min() else {
                break;
            };
            self.now = next.max(self.now);
            self.lab.advance(self.now);
        }
        false
    }

    /// Says `request` on a new connection; gives what comes until the peer closes, or until nothing
    /// comes any more.
    fn ask(&mut self, to: &str, port: u16, own: u16, request: &[u8]) -> Vec<u8> {
        let handle = self.connect(to, port, own);
        let (mut sent, mut heard) = (0, Vec::new());
        self.until(Duration::seconds(60), |sockets| {
            let socket: &mut tcp::Socket<'_> = sockets.get_mut(handle);
            if socket.can_send() && sent < request.len() {
                sent += socket.send_slice(&request[sent..]).unwrap();
            }
            if socket.can_recv() {
                socket
                    .recv(|octets| (octets.len(), heard.extend_from_slice(octets)))
                    .unwrap();
            }
            if socket.state() == tcp::State::CloseWait && !socket.can_recv() {
                socket.close();
            }
            matches!(socket.state(), tcp::State::Closed)
        });
        self.sockets.remove(handle);
        heard
    }
}

/// The body of a response that came whole.
fn body(response: &[u8]) -> Option<&[u8]> {
    let end = response.windows(4).position(|it| it == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&response[..end]).ok()?;
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))?
        .parse()
        .ok()?;
    (response.len() == end + length).then(|| &response[end..])
}

#[test]
fn pages_come_whole() {
    for (spec, to) in [
        ("demo", "192.0.2.80"),
        ("demo", "2001:db8:80::80"),
        ("demo", "198.51.100.80"),
        ("demo:loss=1,reorder=1", "192.0.2.80"),
    ] {
        let mut client = client(spec);
        for (n, (path, size)) in [("/hello", 6), ("/large", 1 << 20), ("/hello", 6)]
            .into_iter()
            .enumerate()
        {
            let request = format!("GET {path} HTTP/1.0\r\n\r\n");
            let response = client.ask(to, 80, 45_000 + n as u16, request.as_bytes());
            let page = body(&response)
                .unwrap_or_else(|| panic!("{spec} {to} {path}: {} bytes", response.len()));
            assert_eq!(page.len(), size);
            assert!(
                page.chunks(64)
                    .enumerate()
                    .all(|(n, line)| size == 6 || line.starts_with(format!("{n:07}").as_bytes()))
            );
        }
    }
}

#[test]
fn more_connections_than_sockets_are_served_one_after_another() {
    let mut client = client("demo");
    for n in 0..200 {
        let response = client.ask("192.0.2.80", 80, 45_000 + n, b"GET /hello HTTP/1.0\r\n\r\n");
        assert_eq!(body(&response), Some(&b"hello\n"[..]), "{n}");
        // Waits longer than a closed connection lingers, now and then.
        client.now = client.now.after(if n % 50 == 49 {
            Duration::seconds(70)
        } else {
            Duration::ZERO
        });
    }
}

#[test]
fn many_connections_at_once_are_served() {
    let mut client = client("demo");
    let handles: Vec<SocketHandle> = (0..40)
        .map(|n| client.connect("192.0.2.80", 80, 46_000 + n))
        .collect();
    let all = client.until(Duration::seconds(5), |sockets| {
        handles
            .iter()
            .all(|it| sockets.get::<tcp::Socket<'_>>(*it).may_send())
    });
    assert!(all);
}

#[test]
fn bytes_are_echoed_and_discarded() {
    let mut client = client("demo");
    let handle = client.connect("192.0.2.1", 7, 45_000);
    let (mut sent, mut heard) = (0_usize, Vec::new());
    let said: Vec<u8> = (0..300_000_usize).map(|n| (n % 251) as u8).collect();
    let done = client.until(Duration::seconds(60), |sockets| {
        let socket: &mut tcp::Socket<'_> = sockets.get_mut(handle);
        if socket.can_send() && sent < said.len() {
            sent += socket.send_slice(&said[sent..]).unwrap();
        }
        if socket.can_recv() {
            socket
                .recv(|octets| (octets.len(), heard.extend_from_slice(octets)))
                .unwrap();
        }
        heard.len() == said.len()
    });
    assert!(done && heard == said, "{} of {}", heard.len(), said.len());
    assert_eq!(
        client.ask("192.0.2.1", 9, 45_001, b"nothing comes back"),
        b""
    );
}

#[test]
fn a_closed_port_refuses() {
    let mut client = client("demo");
    let handle = client.connect("192.0.2.80", 444, 45_000);
    let refused = client.until(Duration::seconds(1), |sockets| {
        sockets.get::<tcp::Socket<'_>>(handle).state() == tcp::State::Closed
    });
    assert!(refused && client.now < Time(0).after(Duration::millis(100)));
}

#[test]
fn names_are_answered_over_tcp() {
    let mut client = client("demo");
    let query = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x03big\x07example\x03com\0\0\x10\0\x01";
    let heard = client.ask(
        "198.51.100.53",
        53,
        45_000,
        &[&(query.len() as u16).to_be_bytes()[..], query].concat(),
    );
    assert_eq!(
        heard.len(),
        2 + usize::from(u16::from_be_bytes([heard[0], heard[1]]))
    );
    assert!(heard.len() > 1000 && heard[4] & 2 == 0);
}
