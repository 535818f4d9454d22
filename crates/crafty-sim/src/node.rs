//! What stands at the ends of links.

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
}

/// What a node does: frames it says, at which of its ports, and frames it gives up, with the
/// reason.
#[derive(Default)]
pub(crate) struct Outbox {
    pub frames: Vec<(usize, Vec<u8>)>,
    pub drops: Vec<&'static str>,
}

impl Node {
    /// Hears the last byte of a frame at one of its ports, of which it has `ports`.
    pub fn on_frame(
        &mut self,
        now: Time,
        port: usize,
        ports: usize,
        frame: Vec<u8>,
        out: &mut Outbox,
    ) {
        match self {
            Node::Hub => repeat(port, ports, frame, out),
            Node::Port(inbox) => inbox.put(now, frame, out),
            Node::Host(host) => host.on_frame(now, frame, out),
            Node::Router(router) => router.on_frame(now, port, frame, out),
        }
    }

    /// Its time has come.
    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        match self {
            Node::Hub | Node::Port(_) => {}
            Node::Host(host) => host.on_wake(now, out),
            Node::Router(router) => router.on_wake(now, out),
        }
    }

    /// When it wants to be woken.
    pub fn wake_at(&self) -> Option<Time> {
        match self {
            Node::Hub | Node::Port(_) => None,
            Node::Host(host) => host.wake_at(),
            Node::Router(router) => router.wake_at(),
        }
    }
}

fn repeat(port: usize, ports: usize, frame: Vec<u8>, out: &mut Outbox) {
    let mut others: Vec<usize> = (0..ports).filter(|other| *other != port).collect();
    let Some(last) = others.pop() else { return };
    out.frames
        .extend(others.into_iter().map(|other| (other, frame.clone())));
    out.frames.push((last, frame));
}

/// Frames that reached a host of ours and wait to be received.
#[derive(Default)]
pub(crate) struct Inbox {
    frames: VecDeque<(Time, Vec<u8>)>,
    octets: usize,
}

impl Inbox {
    fn put(&mut self, now: Time, frame: Vec<u8>, out: &mut Outbox) {
        if self.octets + frame.len() > INBOX_BYTES {
            return out.drops.push("the inbox is full");
        }
        self.octets += frame.len();
        self.frames.push_back((now, frame));
    }

    /// The longest-waiting frame, with the time of its arrival.
    pub fn take(&mut self) -> Option<(Time, Vec<u8>)> {
        let (at, frame) = self.frames.pop_front()?;
        self.octets -= frame.len();
        Some((at, frame))
    }

    /// Whether a frame waits.
    pub fn waits(&self) -> bool {
        !self.frames.is_empty()
    }
}
