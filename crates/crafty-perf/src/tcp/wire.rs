//! A bulk transfer to the kernel over AF_PACKET: our stack over our port, every frame stamped,
//! beside smoltcp over its raw socket. Both speak from an address that the near kernel knows
//! nothing of.

use super::put_header;
use crate::place::Testbed;
use crate::row::BenchmarkResult;
use crafty_net::{CaptureDirection, Port, PortOptions, StampMatcher, interface, neighbour, now};
use crafty_stack::tcp::{Config, Connection, Segment, TcpState};
use crafty_value::Duration;
use smoltcp::iface::{Config as HostConfig, Interface, SocketSet};
use smoltcp::phy::{Medium, RawSocket, wait};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr};
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::AsRawFd;

/// Where our stacks live, and whom they send to.
const GUEST: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 3);
const SINK: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);
/// Bytes of buffers, and of a write.
const BUFFER: usize = 1 << 20;
const CHUNK: usize = 1 << 17;
/// Bytes kept of each captured frame: all of an acknowledgement, and enough to know a frame of
/// ours.
const SNAP: u32 = 128;
/// Bytes of the ring: room for some batches, so that it stays in the processor's cache.
const RING: usize = 1 << 19;
/// Between two reads of the sink.
const PAUSE: std::time::Duration = std::time::Duration::from_micros(200);
/// Frames that are handed to the kernel at once.
const BATCH: usize = 64;

/// Two namespaces where a stack without a kernel can send to a kernel.
pub fn place() -> BenchmarkResult<Testbed> {
    let place = Testbed::new()?;
    place.introduce_guest(&GUEST.to_string())?;
    place.whole_checksums()?;
    Ok(place)
}

/// Bytes a second that the kernel's program reads, from the first to the last, while `send` does
/// its work on the other side.
pub fn rate(
    place: &Testbed,
    port: u16,
    octets: usize,
    send: fn(u16, usize) -> BenchmarkResult<()>,
) -> BenchmarkResult<f64> {
    let listener = place.run_there(|| Ok(TcpListener::bind((SINK, port))?))?;
    std::thread::scope(|scope| {
        let sink = scope.spawn(move || drink(&listener, octets));
        place.run_here(|| send(port, octets))?;
        sink.join().map_err(|_| "the sink ended")?
    })
}

fn drink(listener: &TcpListener, octets: usize) -> BenchmarkResult<f64> {
    let (mut socket, _) = listener.accept()?;
    let (mut buffer, mut got) = (vec![0; 1 << 18], socket.read(&mut [0; 1])?);
    let begun = std::time::Instant::now();
    while got < octets {
        match socket.read(&mut buffer)? {
            0 => return Err(format!("the stream ended after {got} bytes").into()),
            len => got += len,
        }
        // The reader is not woken for each segment: what is measured is the sender.
        std::thread::sleep(PAUSE);
    }
    Ok(octets as f64 / begun.elapsed().as_secs_f64())
}

/// Our stack. What it sends is captured again for its stamps, as in a run.
pub fn ours(port: u16, octets: usize) -> BenchmarkResult<()> {
    let link = interface("near")?;
    let (near, far) = (
        link.mac.ok_or("no link address")?,
        neighbour(link.index, SINK.into()).ok_or("no neighbour")?,
    );
    let mut wire = Port::open(
        &link,
        PortOptions {
            snap: SNAP,
            ring_bytes: RING,
            ..PortOptions::default()
        },
    )?;
    let mut stamps = StampMatcher::new(SNAP as usize, 1 << 16);
    let config = Config {
        close: Duration::seconds(10),
        ..Config::default()
    };
    let ends = (
        SocketAddr::new(GUEST.into(), 40_000 + port % 20_000),
        SocketAddr::new(SINK.into(), port),
    );
    let mut tcp = Connection::open(config, ends.0, ends.1, now().0 as u32, now());
    let link_header = [&far.0[..], &near.0, &[8, 0]].concat();
    let (data, mut sent, mut frames) = (vec![7; CHUNK], 0, FrameBatch::default());
    while !matches!(tcp.state(), TcpState::Closed | TcpState::TimeWait) {
        while sent < octets && tcp.send(&data[..CHUNK.min(octets - sent)]).is_ok() {
            sent += CHUNK.min(octets - sent);
        }
        if sent == octets && tcp.state() == TcpState::Established {
            tcp.close(now());
        }
        let full = frames.fill(&mut tcp, &link_header);
        frames.leave(&mut wire, &mut stamps)?;
        let deadline = if full {
            now()
        } else {
            tcp.poll_timeout()
                .unwrap_or(now())
                .min(now().after(Duration::seconds(1)))
        };
        wire.receive_each(deadline, |seen| match seen.direction {
            CaptureDirection::Outgoing => {
                let _stamp = stamps.captured(seen.frame, seen.wire_len, seen.time);
            }
            CaptureDirection::Incoming => {
                heard(&mut tcp, ends, seen.frame, !seen.checksum_not_ready)
            }
        })?;
        if tcp.poll_timeout().is_some_and(|due| due <= now()) {
            tcp.handle_timeout(now());
        }
    }
    Ok(())
}

/// Hands a captured frame to the connection between these ends, if it is one of its segments.
fn heard(tcp: &mut Connection, ends: (SocketAddr, SocketAddr), frame: &[u8], checksum_ready: bool) {
    let segment = Segment::of_datagram(&frame[14..], checksum_ready)
        .filter(|s| s.ends().is_some_and(|e| e == (ends.1, ends.0)));
    if let Some(segment) = segment {
        tcp.handle_segment(now(), &segment);
    }
}

/// Frames to be sent at once; buffers are used again.
#[derive(Default)]
struct FrameBatch {
    buffers: Vec<Vec<u8>>,
    count: usize,
    sent: u64,
}

impl FrameBatch {
    /// Takes what the stack sends now; whether there may be more.
    fn fill(&mut self, tcp: &mut Connection, link_header: &[u8]) -> bool {
        self.buffers.resize(BATCH, Vec::new());
        let mut segment = Vec::new();
        self.count = 0;
        while self.count < BATCH && tcp.poll_transmit(now(), &mut segment) {
            let frame = &mut self.buffers[self.count];
            frame.clear();
            frame.extend_from_slice(link_header);
            put_header(GUEST, SINK, tcp.last_sent().ecn, segment.len(), frame);
            frame.extend_from_slice(&segment);
            self.count += 1;
        }
        self.count == BATCH
    }

    fn leave(&mut self, wire: &mut Port, stamps: &mut StampMatcher) -> BenchmarkResult<()> {
        let frames: Vec<&[u8]> = self.buffers[..self.count]
            .iter()
            .map(Vec::as_slice)
            .collect();
        for frame in &frames {
            stamps.register(self.sent, frame);
            self.sent += 1;
        }
        if !frames.is_empty() && wire.send_batch(&frames)? < frames.len() {
            return Err("a batch was cut".into());
        }
        Ok(())
    }
}

/// smoltcp over its own raw socket, with the loop of its documentation.
pub fn theirs(port: u16, octets: usize) -> BenchmarkResult<()> {
    let link = interface("near")?;
    let mac = EthernetAddress(link.mac.ok_or("no link address")?.0);
    let mut device = RawSocket::new("near", Medium::Ethernet)?;
    let fd = device.as_raw_fd();
    let mut host = Interface::new(
        HostConfig::new(HardwareAddress::Ethernet(mac)),
        &mut device,
        Instant::now(),
    );
    host.update_ip_addrs(|addresses| addresses.extend([IpCidr::new(IpAddress::Ipv4(GUEST), 24)]));
    let buffer = || tcp::SocketBuffer::new(vec![0; BUFFER]);
    let mut sockets = SocketSet::new(Vec::new());
    let handle = sockets.add(tcp::Socket::new(buffer(), buffer()));
    let socket = sockets.get_mut::<tcp::Socket>(handle);
    socket
        .connect(
            host.context(),
            (IpAddress::Ipv4(SINK), port),
            40_000 + port % 20_000,
        )
        .map_err(|e| format!("{e:?}"))?;
    let (data, mut sent) = (vec![7; CHUNK], 0);
    loop {
        host.poll(Instant::now(), &mut device, &mut sockets);
        let socket = sockets.get_mut::<tcp::Socket>(handle);
        while sent < octets && socket.can_send() {
            sent += socket
                .send_slice(&data[..CHUNK.min(octets - sent)])
                .map_err(|e| format!("{e:?}"))?;
        }
        if sent == octets && socket.may_send() {
            socket.close();
        }
        if matches!(socket.state(), tcp::State::Closed | tcp::State::TimeWait) {
            return Ok(());
        }
        let delay = host.poll_delay(Instant::now(), &sockets);
        wait(fd, delay.or(Some(smoltcp::time::Duration::from_secs(1))))?;
    }
}
