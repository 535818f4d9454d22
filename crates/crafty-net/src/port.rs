//! One interface, open for sending and capturing. Moves bytes; never looks behind the Ethernet
//! type.

use crate::bpf::{BpfInsn, MOST_INSTRUCTIONS, with_recapture};
use crate::capture::Capture;
use crate::lane::{Failures, SendQueue, left_the_socket};
use crate::send_guard::{FrameCost, SendAttempt, SharedGuard};
use crate::stamp::{WireTime, WireTimeSource};
use crate::{EgressMonitor, Interface, NetError, clock, sys, txstamp};
use crafty_value::{Duration, Time};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// How to open a [`Port`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortOptions {
    /// Bytes kept of each captured frame.
    pub snap: u32,
    /// Which incoming frames to capture; all without one.
    pub filter: Option<Vec<BpfInsn>>,
    /// Capture outgoing frames as well: the recapture, from which the times of our own are known.
    /// Before Linux 4.20 they always are.
    pub recapture: bool,
    /// Bytes kept of each of those, at most `snap`: as many as tell one from another.
    pub own_snap: u32,
    /// Size of the capture ring. Zero: no ring but the socket's queue, which opens faster and
    /// carries less.
    pub ring_bytes: usize,
    /// Capture frames for other stations too, by membership: the interface's flag is left alone.
    pub promiscuous: bool,
    /// Ask the driver for its time stamps too, see [`Port::tx_stamps`].
    pub tx_stamps: bool,
    /// Send what is handed over from a thread of its own, which [`lock_down`](crate::lock_down)
    /// starts.
    pub thread: bool,
}

impl Default for PortOptions {
    /// Whole frames both ways, no filter, a ring of 8 MiB.
    fn default() -> PortOptions {
        let (snap, ring_bytes) = (1 << 18, 8 << 20);
        PortOptions {
            snap,
            filter: None,
            recapture: true,
            own_snap: snap,
            ring_bytes,
            promiscuous: false,
            tx_stamps: false,
            thread: false,
        }
    }
}

impl PortOptions {
    /// Bytes kept of an outgoing frame.
    pub(crate) fn own(&self) -> u32 {
        self.own_snap.min(self.snap)
    }
}

/// Which way a captured frame went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureDirection {
    /// It came in.
    Incoming,
    /// It went out, from us or from anybody on this host. On a loopback the same frame comes in
    /// next.
    Outgoing,
}

/// An outer VLAN tag that the card or the kernel had taken off the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VlanTag {
    /// Ethernet type of the tag: 0x8100, 0x88a8, …
    pub tpid: u16,
    /// Priority, drop eligibility and VLAN number.
    pub tci: u16,
}

/// A captured frame, as long as the ring lends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured<'a> {
    /// From the link header on, with the VLAN tag back in its place; cut at the snap length.
    pub frame: &'a [u8],
    /// Bytes that the frame had on the wire (before a merge by the card, on each of several wires).
    pub wire_len: usize,
    /// When the kernel saw it.
    pub time: Time,
    /// Which way it went.
    pub direction: CaptureDirection,
    /// The kernel's class of it: `PACKET_HOST`, `PACKET_BROADCAST`, …
    pub kind: u8,
    /// The tag that was put back, if one was.
    pub vlan: Option<VlanTag>,
    /// The transport checksum was still to be computed when the frame was seen: its value means
    /// nothing.
    pub checksum_not_ready: bool,
    /// Several TCP segments that travel as one until, or since, they are cut for the wire.
    pub merged: bool,
}

/// A captured frame to keep. See [`Captured`] for the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "told at `Captured`")]
pub struct Received {
    pub frame: Vec<u8>,
    pub wire_len: usize,
    pub time: Time,
    pub direction: CaptureDirection,
    pub kind: u8,
    pub vlan: Option<VlanTag>,
    pub checksum_not_ready: bool,
    pub merged: bool,
}

impl From<Captured<'_>> for Received {
    fn from(c: Captured<'_>) -> Received {
        Received {
            frame: c.frame.to_vec(),
            wire_len: c.wire_len,
            time: c.time,
            direction: c.direction,
            kind: c.kind,
            vlan: c.vlan,
            checksum_not_ready: c.checksum_not_ready,
            merged: c.merged,
        }
    }
}

/// The driver's time stamp of a sent frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxStamp {
    /// Which frame: the port's first is 0. Counts what [`Port::sent`] counts.
    pub nth: u64,
    /// When the driver had it.
    pub stamp: WireTime,
}

/// One interface: a socket that sends and hears nothing, and one that hears and sends nothing.
pub struct Port {
    sender: Arc<OwnedFd>,
    capture: Capture,
    threaded: bool,
    lane: Option<SendQueue>,
    batches: bool,
    guard: Option<SharedGuard>,
    sent: u64,
    stamped: txstamp::Sequence,
}

impl Port {
    /// Opens an interface. Needs CAP_NET_RAW.
    pub fn open(interface: &Interface, options: PortOptions) -> Result<Port, NetError> {
        if !interface.up {
            return Err(NetError::InterfaceDown {
                name: interface.name.clone(),
            });
        }
        let filter = with_recapture(options.filter.as_deref(), options.snap, options.own());
        if filter.len() > MOST_INSTRUCTIONS {
            return Err(NetError::Unsupported {
                what: "room for such a long filter",
                fix: "use a shorter pattern",
            });
        }
        let sender = sender(interface.index, options.tx_stamps)?;
        let capture = Capture::open(interface, &options, &filter)?;
        let stamped = txstamp::Sequence::default();
        Ok(Port {
            sender: Arc::new(sender),
            capture,
            threaded: options.thread,
            lane: None,
            batches: true,
            guard: None,
            sent: 0,
            stamped,
        })
    }

    /// From now on every frame leaves when this says so, asked at the send call itself. To be said
    /// before the port's thread starts.
    pub fn guarded_by(&mut self, guard: SharedGuard) {
        self.guard = Some(guard);
        self.batches = false;
    }

    /// From now on a monitor in the kernel knows what this port sends.
    pub fn watched_by(&mut self, monitor: &EgressMonitor) -> io::Result<()> {
        let mark = monitor.mark();
        sys::set_option(self.sender.as_fd(), libc::SOL_SOCKET, libc::SO_MARK, &mark)
    }

    /// Sends a frame, from its link header on, after all that was handed over. Waits while the
    /// socket's queue is full, a second at most. A guard learns that it costs its bytes.
    pub fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let cost = FrameCost {
            bytes: frame.len() as u64,
            syns: 0,
        };
        match self.try_send(frame, cost)? {
            SendAttempt::Sent => Ok(()),
            SendAttempt::TooEarly(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Sends a frame as [`Port::send`] does, if the guard lets it.
    pub fn try_send(&mut self, frame: &[u8], cost: FrameCost) -> io::Result<SendAttempt> {
        self.finish();
        let (socket, mut left) = (self.sender.as_fd(), false);
        let mut send = || {
            let result = sys::retry(|| sys::send(socket, frame, 0));
            left = left_the_socket(&result);
            result
        };
        let attempt = match &self.guard {
            Some(guard) => guard.send(cost, send),
            None => send().map(|_| SendAttempt::Sent),
        };
        self.count(usize::from(left));
        attempt
    }

    /// Sends frames in order; answers how many left before the first failure.
    pub fn send_batch(&mut self, frames: &[&[u8]]) -> io::Result<usize> {
        if !self.batches {
            return self.send_each(frames);
        }
        self.finish();
        let mut done = 0;
        while done < frames.len() {
            match sys::retry(|| sys::send_many(self.sender.as_fd(), &frames[done..])) {
                Ok(some) => {
                    self.count(some);
                    done += some;
                }
                Err(error) if done == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(done)
    }

    fn send_each(&mut self, frames: &[&[u8]]) -> io::Result<usize> {
        for (done, frame) in frames.iter().enumerate() {
            match self.send(frame) {
                Err(error) if done == 0 => return Err(error),
                Err(_) => return Ok(done),
                Ok(()) => {}
            }
        }
        Ok(frames.len())
    }

    /// Starts the thread for frames that are handed over, if the port was opened with
    /// [`PortOptions::thread`]: with all that the calling thread may do now.
    /// [`lock_down`](crate::lock_down) does it at the right moment.
    pub fn start_thread(&mut self) -> io::Result<()> {
        if self.threaded && self.lane.is_none() {
            self.lane = Some(SendQueue::start(&self.sender, self.guard.clone())?);
        }
        Ok(())
    }

    /// Hands a frame over, to be sent in order by the port's thread; without one it is sent at
    /// once. `number` tells it from others if it fails. Waits while some hundred frames are on
    /// their way.
    pub fn send_soon(
        &mut self,
        number: u64,
        frame: &[u8],
        cost: FrameCost,
    ) -> io::Result<SendAttempt> {
        match &mut self.lane {
            Some(lane) => {
                lane.push(number, frame, cost);
                Ok(SendAttempt::Sent)
            }
            None => self.try_send(frame, cost),
        }
    }

    /// Lets all frames that were handed over go on their way; some may wait for more of them until
    /// then.
    pub fn hand_over(&mut self) {
        if let Some(lane) = &mut self.lane {
            lane.hand_over();
        }
    }

    /// Waits until all frames that were handed over have left, or failed.
    pub fn finish(&mut self) {
        if let Some(lane) = &mut self.lane {
            lane.finish();
        }
    }

    /// Where failures of frames that were handed over are reported.
    pub fn failures(&self) -> Failures {
        self.lane
            .as_ref()
            .map(SendQueue::failures)
            .unwrap_or_default()
    }

    /// Frames that have left the sending socket.
    pub fn sent(&self) -> u64 {
        self.sent + self.lane.as_ref().map_or(0, SendQueue::left)
    }

    /// Hands each captured frame to `take`: all that are there, or the first that come before
    /// `deadline` (on the clock of [`now`](crate::now)). What the kernel had captured by then is
    /// never left behind. Answers how many there were.
    pub fn receive_each(
        &mut self,
        deadline: Time,
        mut take: impl FnMut(Captured<'_>),
    ) -> io::Result<usize> {
        loop {
            let left = deadline.since(clock::now()).0;
            let taken = self.capture.drain(&mut take)?;
            if taken > 0 || left <= 0 {
                return Ok(taken);
            }
            self.wait(left)?;
        }
    }

    /// As [`Port::receive_each`], into `frames`, after what is in it.
    pub fn receive(&mut self, frames: &mut Vec<Received>, deadline: Time) -> io::Result<usize> {
        self.receive_each(deadline, |captured| frames.push(captured.into()))
    }

    /// The capturing socket, to wait for with others.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.capture.fd()
    }

    /// The sending socket.
    #[cfg(feature = "jail")]
    pub(crate) fn sender_fd(&self) -> BorrowedFd<'_> {
        self.sender.as_fd()
    }

    /// Gives up sending many frames with one call: its addresses cannot be watched over.
    #[cfg(feature = "jail")]
    pub(crate) fn send_one_by_one(&mut self) {
        self.batches = false;
    }

    /// Frames that passed the filter and found no room, since the port was opened.
    pub fn drops(&mut self) -> u64 {
        self.capture.drops()
    }

    /// The driver's stamps that have come since the last call, if the port was opened with
    /// `tx_stamps` and the driver has them. They tell when the driver took the frame, a little
    /// after the recapture.
    pub fn tx_stamps(&mut self, into: &mut Vec<TxStamp>) -> io::Result<usize> {
        let before = into.len();
        while let Some((id, time)) = txstamp::read(self.sender.as_fd())? {
            let nth = self.stamped.widen(id);
            into.push(TxStamp {
                nth,
                stamp: WireTime {
                    time: time.after(Duration(-clock::was_set_by().0)),
                    source: WireTimeSource::Software,
                },
            });
        }
        Ok(into.len() - before)
    }

    fn count(&mut self, frames: usize) {
        self.sent += frames as u64;
    }

    fn wait(&self, nanoseconds: i64) -> io::Result<()> {
        let mut fds = [sys::pollfd(self.fd(), libc::POLLIN)];
        sys::poll(&mut fds, Some(nanoseconds))?;
        if fds[0].revents & libc::POLLERR == 0 {
            return Ok(());
        }
        match sys::option::<i32>(self.fd(), libc::SOL_SOCKET, libc::SO_ERROR)? {
            0 => Ok(()),
            number => Err(io::Error::from_raw_os_error(number)),
        }
    }
}

/// A packet socket that hears nothing: protocol 0.
fn sender(index: u32, tx_stamps: bool) -> Result<OwnedFd, NetError> {
    let fd = sys::socket(libc::AF_PACKET, libc::SOCK_RAW, 0)
        .map_err(NetError::needing("CAP_NET_RAW", "opening a packet socket"))?;
    let doing = "setting up the sending socket";
    let patience = libc::timeval {
        tv_sec: 1,
        tv_usec: 0,
    };
    sys::set_option(fd.as_fd(), libc::SOL_SOCKET, libc::SO_SNDTIMEO, &patience)
        .map_err(NetError::doing(doing))?;
    if tx_stamps {
        txstamp::ask(fd.as_fd()).map_err(NetError::doing(doing))?;
    }
    sys::bind(fd.as_fd(), &link_address(index, 0)).map_err(NetError::doing(doing))?;
    Ok(fd)
}

/// The address of an interface, for frames of `protocol` (0: none).
pub(crate) fn link_address(index: u32, protocol: u16) -> libc::sockaddr_ll {
    let mut address = <libc::sockaddr_ll as sys::Plain>::zeroed();
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = protocol.to_be();
    address.sll_ifindex = index as i32;
    address
}
