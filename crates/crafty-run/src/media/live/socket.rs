//! One interface's socket: what it captures, and which captured frame is which that was sent.

use super::not_sent;
use crate::medium::Arrival;
use crafty_net::{
    CaptureDirection, Captured, Failures, Interface, NetError, Port, PortOptions, StampMatcher,
};
use crafty_value::Time;
use crafty_vm::{FrameId, Packet, Stamp, StampSource};
use std::io;

/// Bytes of a frame of ours by which its recapture is known: all headers, checksums among them.
/// What is equal so far is distinguished by its length and the order of sends.
pub const OWN_SNAP: u32 = 256;
/// Frames that may wait for their recapture.
const MAX_WAITING: usize = 65_536;

/// An interface's socket.
pub struct Socket {
    /// The socket.
    pub port: Port,
    /// What was handed over to its thread and was not sent.
    pub failures: Failures,
    /// None where nobody asks when a frame was on the wire.
    matcher: Option<StampMatcher>,
    loopback: bool,
    lost: u64,
}

/// What a capture says.
pub struct CaptureEvent {
    /// When it was.
    pub time: Time,
    /// What it says.
    pub what: Arrival,
}

impl Socket {
    /// Opens it.
    pub fn open(interface: &Interface, options: &PortOptions) -> Result<Socket, NetError> {
        let matcher = options
            .recapture
            .then(|| StampMatcher::new(options.own_snap as usize, MAX_WAITING));
        Ok(Socket {
            port: Port::open(interface, options.clone())?,
            failures: Failures::default(),
            matcher,
            loopback: interface.is_loopback,
            lost: 0,
        })
    }

    /// This frame is about to be sent.
    pub fn register(&mut self, frame: u64, bytes: &[u8]) {
        if let Some(matcher) = &mut self.matcher {
            matcher.register(frame, bytes);
        }
    }

    /// This frame was not sent.
    pub fn forget(&mut self, frame: u64) {
        if let Some(matcher) = &mut self.matcher {
            matcher.forget(frame);
        }
    }

    /// Frames lost since this was last asked.
    pub fn newly_lost(&mut self) -> u64 {
        let before = self.lost;
        self.lost = self.port.drops().max(before);
        self.lost - before
    }

    /// Appends what was captured up to a time; `interface` is its number.
    pub fn read(
        &mut self,
        interface: usize,
        up_to: Time,
        news: &mut Vec<CaptureEvent>,
    ) -> io::Result<()> {
        let Socket {
            port,
            failures,
            matcher,
            loopback,
            ..
        } = self;
        port.receive_each(up_to, |captured| {
            let time = captured.time;
            if captured.direction == CaptureDirection::Outgoing {
                // What was handed over before this one and was not sent must not be taken for it.
                for failure in failures.take() {
                    if let Some(matcher) = matcher {
                        matcher.forget(failure.number);
                    }
                    let what = not_sent(failure);
                    news.push(CaptureEvent { time, what });
                }
            }
            let what = match captured.direction {
                CaptureDirection::Outgoing => matcher.as_mut().and_then(|m| departed(&captured, m)),
                _ => Some(arrived(&captured, interface, *loopback)),
            };
            news.extend(what.map(|what| CaptureEvent { time, what }));
        })
        .map(drop)
    }
}

/// Frames that left and are not ours are nothing new.
fn departed(captured: &Captured<'_>, matcher: &mut StampMatcher) -> Option<Arrival> {
    let (frame, _) = matcher.captured(captured.frame, captured.wire_len, captured.time)?;
    let stamp = Stamp {
        time: captured.time,
        source: StampSource::Recapture,
    };
    Some(Arrival::Sent(FrameId(frame), stamp))
}

fn arrived(captured: &Captured<'_>, interface: usize, loopback: bool) -> Arrival {
    Arrival::Packet(Packet {
        interface,
        time: captured.time,
        octets: captured.frame.to_vec(),
        wire_len: captured.wire_len,
        checksum_ready: !captured.checksum_not_ready && !loopback,
    })
}
