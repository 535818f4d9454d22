//! What is at the ends of links.

use crate::frame::Frame;
use crate::host::Host;
use crate::router::Router;
use crafty_value::Time;
use std::collections::VecDeque;

/// Number of a node in its lab.
pub(crate) type NodeId = usize;

/// Most bytes that wait unread at a port of ours.
const INBOX_BYTES: usize = 64 << 20;

/// A node: one kind of thing each.
pub(crate) enum Node {
    /// A shared segment: every port hears what any other says.
    Hub,
    /// A host of ours: frames wait here until they are received.
    Port(Inbox),
    /// A host of the lab's own.
    Host(Box<Host>),
    /// A router.
    Router(Box<Router>),
    /// Anything else: a switch, a source of traffic, a station that a fault brings along.
    Station(Box<dyn Station>),
}

/// A node that learns of frames and of the time.
pub(crate) trait Station {
    /// Hears the last byte of a frame at one of its ports.
    fn on_frame(&mut self, now: Time, port: usize, frame: Frame, out: &mut Outbox);
    /// Its time has come.
    fn on_wake(&mut self, _now: Time, _out: &mut Outbox) {}
    /// When it wants to be woken.
    fn wake_at(&self) -> Option<Time> {
        None
    }
    /// It is connected once more.
    fn on_connect(&mut self, _port: usize, _role: PortRole) {}
    /// The settings of a switch, if it is one.
    fn as_switch(&mut self) -> Option<&mut crate::switch::Switch> {
        None
    }
}

/// What a port of a switch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortRole {
    /// Frames without a tag, of one VLAN.
    Access(u16),
    /// Frames of all VLANs, tagged except for those of the native one.
    Trunk,
}

/// What a node does: frames it says, at which of its ports, and frames it gives up, with the
/// reason.
#[derive(Default)]
pub(crate) struct Outbox {
    pub frames: Vec<(usize, Frame)>,
    pub drops: Vec<&'static str>,
}

impl Outbox {
    /// Says a frame that is sound.
    pub fn say(&mut self, port: usize, bytes: Vec<u8>) {
        self.frames.push((port, bytes.into()));
    }
}

impl Node {
    /// Hears the last byte of a frame at one of its ports, of which it has `ports`.
    pub fn on_frame(
        &mut self,
        now: Time,
        port: usize,
        ports: usize,
        frame: Frame,
        out: &mut Outbox,
    ) {
        // A shared wire does not look at frames; everything else does.
        if !frame.fcs_ok && !matches!(self, Node::Hub) {
            return out.drops.push("a wrong frame check sequence");
        }
        match self {
            Node::Hub => repeat(port, ports, frame, out),
            Node::Port(inbox) => inbox.put(now, frame.bytes, out),
            Node::Host(host) => host.on_frame(now, frame.bytes, out),
            Node::Router(router) => router.on_frame(now, port, frame.bytes, out),
            Node::Station(station) => station.on_frame(now, port, frame, out),
        }
    }

    /// Its time has come.
    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        match self {
            Node::Hub | Node::Port(_) => {}
            Node::Host(host) => host.on_wake(now, out),
            Node::Router(router) => router.on_wake(now, out),
            Node::Station(station) => station.on_wake(now, out),
        }
    }

    /// When it wants to be woken.
    pub fn wake_at(&self) -> Option<Time> {
        match self {
            Node::Hub | Node::Port(_) => None,
            Node::Host(host) => host.wake_at(),
            Node::Router(router) => router.wake_at(),
            Node::Station(station) => station.wake_at(),
        }
    }

    /// A cable was put into one of its ports.
    pub fn on_connect(&mut self, port: usize, role: PortRole) {
        if let Node::Station(station) = self {
            station.on_connect(port, role);
        }
    }
}

fn repeat(port: usize, ports: usize, frame: Frame, out: &mut Outbox) {
    let mut others = (0..ports).filter(|other| *other != port).peekable();
    while let Some(other) = others.next() {
        if others.peek().is_none() {
            return out.frames.push((other, frame));
        }
        out.frames.push((other, frame.clone()));
    }
}

/// Frames that reached a host of ours and wait to be received.
#[derive(Default)]
pub(crate) struct Inbox {
    frames: VecDeque<(Time, Vec<u8>)>,
    bytes: usize,
}

impl Inbox {
    fn put(&mut self, now: Time, frame: Vec<u8>, out: &mut Outbox) {
        if self.bytes + frame.len() > INBOX_BYTES {
            return out.drops.push("the inbox is full");
        }
        self.bytes += frame.len();
        self.frames.push_back((now, frame));
    }

    /// The longest-waiting frame, with the time of its arrival.
    pub fn take(&mut self) -> Option<(Time, Vec<u8>)> {
        let (at, frame) = self.frames.pop_front()?;
        self.bytes -= frame.len();
        Some((at, frame))
    }

    /// Whether a frame waits.
    pub fn waits(&self) -> bool {
        !self.frames.is_empty()
    }
}
