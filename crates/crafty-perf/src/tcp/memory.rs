//! A stream to another stack of the same kind in memory: ours beside smoltcp, one thread, checksums
//! on.
//!
//! Both stacks run over the same queues of IP datagrams and do the same work a datagram: header,
//! checksums, one copy in and one out. Ours has time stamps, SACK and congestion control on;
//! smoltcp has none of them.

use super::put_header;
use crafty_stack::tcp::{Config, Connection, Segment};
use crafty_value::Time;
use smoltcp::iface::{Config as HostConfig, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};
use std::collections::VecDeque;
use std::net::Ipv4Addr;

/// Window of either stack in bytes.
const BUFFER: usize = 1 << 16;
const CHUNK: usize = 1 << 16;

/// Datagrams on their way; buffers are used again.
#[derive(Default)]
struct MemoryWire {
    full: VecDeque<Vec<u8>>,
    empty: Vec<Vec<u8>>,
}

impl MemoryWire {
    fn buffer(&mut self) -> Vec<u8> {
        self.empty.pop().unwrap_or_default()
    }
}

/// Moves this many bytes with our stack.
pub fn ours(mtu: usize, octets: usize) {
    let config = Config {
        mss: (mtu - 40) as u16,
        window: BUFFER as u32,
        ..Config::default()
    };
    let (a, b) = (
        "10.0.0.1:45000".parse().unwrap(),
        "10.0.0.2:80".parse().unwrap(),
    );
    let mut client = Connection::open(config.clone(), a, b, 1, Time(0));
    let mut server = None;
    let (mut there, mut back) = (MemoryWire::default(), MemoryWire::default());
    let (mut sent, mut received, mut now) = (0, 0, Time(0));
    let (data, mut read, mut segment) = (vec![7; CHUNK], Vec::new(), Vec::new());
    while received < octets {
        now.0 += 1000;
        while sent < octets
            && client.unsent() < CHUNK as u64
            && client.send(&data[..CHUNK.min(octets - sent)]).is_ok()
        {
            sent += CHUNK.min(octets - sent);
        }
        drain(&mut client, now, &mut there, &mut segment);
        while let Some(datagram) = there.full.pop_front() {
            let arrived = Segment::of_datagram(&datagram, true).unwrap();
            match &mut server {
                None => server = Connection::accept(config.clone(), &arrived, 2, now),
                Some(tcp) => tcp.handle_segment(now, &arrived),
            }
            there.empty.push(datagram);
        }
        let Some(server) = &mut server else { continue };
        read.clear();
        received += server.read(&mut read);
        drain(server, now, &mut back, &mut segment);
        while let Some(datagram) = back.full.pop_front() {
            client.handle_segment(now, &Segment::of_datagram(&datagram, true).unwrap());
            back.empty.push(datagram);
        }
        for tcp in [&mut client, server] {
            if tcp.poll_timeout().is_some_and(|due| due <= now) {
                tcp.handle_timeout(now);
            }
        }
    }
}

/// Wraps what a connection has to say into IP.
fn drain(tcp: &mut Connection, now: Time, wire: &mut MemoryWire, segment: &mut Vec<u8>) {
    let (a, b) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
    let (source, destination) = if tcp.local().port() == 80 {
        (b, a)
    } else {
        (a, b)
    };
    while tcp.poll_transmit(now, segment) {
        let mut datagram = wire.buffer();
        datagram.clear();
        put_header(source, destination, 0, segment.len(), &mut datagram);
        datagram.extend_from_slice(segment);
        wire.full.push_back(datagram);
    }
}

struct MemoryPort<'a> {
    arriving: &'a mut MemoryWire,
    leaving: &'a mut MemoryWire,
    mtu: usize,
}

struct MemoryRxToken<'a>(Vec<u8>, &'a mut Vec<Vec<u8>>);
struct MemoryTxToken<'a>(&'a mut MemoryWire);

impl RxToken for MemoryRxToken<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        let result = f(&self.0);
        self.1.push(self.0);
        result
    }
}

impl TxToken for MemoryTxToken<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut datagram = self.0.buffer();
        datagram.resize(len, 0);
        let result = f(&mut datagram);
        self.0.full.push_back(datagram);
        result
    }
}

impl Device for MemoryPort<'_> {
    type RxToken<'a>
        = MemoryRxToken<'a>
    where
        Self: 'a;
    type TxToken<'a>
        = MemoryTxToken<'a>
    where
        Self: 'a;

    fn receive(&mut self, _: Instant) -> Option<(MemoryRxToken<'_>, MemoryTxToken<'_>)> {
        let datagram = self.arriving.full.pop_front()?;
        Some((
            MemoryRxToken(datagram, &mut self.arriving.empty),
            MemoryTxToken(self.leaving),
        ))
    }

    fn transmit(&mut self, _: Instant) -> Option<MemoryTxToken<'_>> {
        Some(MemoryTxToken(self.leaving))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = self.mtu;
        capabilities
    }
}

struct MemoryHost {
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
}

impl MemoryHost {
    fn new(last: u8, port: &mut MemoryPort<'_>) -> MemoryHost {
        let mut interface =
            Interface::new(HostConfig::new(HardwareAddress::Ip), port, Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            addresses
                .push(IpCidr::new(IpAddress::v4(10, 0, 0, last), 24))
                .unwrap()
        });
        let buffer = || tcp::SocketBuffer::new(vec![0; BUFFER]);
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(tcp::Socket::new(buffer(), buffer()));
        MemoryHost {
            interface,
            sockets,
            handle,
        }
    }

    fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    fn poll(&mut self, now: Instant, port: &mut MemoryPort<'_>) {
        self.interface.poll(now, port, &mut self.sockets);
    }
}

/// Moves this many bytes with smoltcp.
pub fn theirs(mtu: usize, octets: usize) {
    let (mut there, mut back) = (MemoryWire::default(), MemoryWire::default());
    let mut client = MemoryHost::new(
        1,
        &mut MemoryPort {
            arriving: &mut back,
            leaving: &mut there,
            mtu,
        },
    );
    let mut server = MemoryHost::new(
        2,
        &mut MemoryPort {
            arriving: &mut there,
            leaving: &mut back,
            mtu,
        },
    );
    server.socket().listen(80).unwrap();
    let socket = client.sockets.get_mut::<tcp::Socket>(client.handle);
    socket
        .connect(
            client.interface.context(),
            (IpAddress::v4(10, 0, 0, 2), 80),
            45000,
        )
        .unwrap();
    let (mut sent, mut received, mut now) = (0, 0, 0);
    let (data, mut read) = (vec![7; CHUNK], vec![0; CHUNK]);
    while received < octets {
        now += 1;
        let socket = client.socket();
        while sent < octets && socket.can_send() {
            sent += socket
                .send_slice(&data[..CHUNK.min(octets - sent)])
                .unwrap();
        }
        client.poll(
            Instant::from_micros(now),
            &mut MemoryPort {
                arriving: &mut back,
                leaving: &mut there,
                mtu,
            },
        );
        server.poll(
            Instant::from_micros(now),
            &mut MemoryPort {
                arriving: &mut there,
                leaving: &mut back,
                mtu,
            },
        );
        let socket = server.socket();
        while socket.can_recv() {
            received += socket.recv_slice(&mut read).unwrap();
        }
    }
}
