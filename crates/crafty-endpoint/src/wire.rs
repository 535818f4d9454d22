//! What packets come from and go to: the interface, or in tests something that plays it.

use crate::prefix::{PacketInformation, PrefixError, PrefixedKind};
use crafty_net::{Tun, wait_any};
use crafty_value::Time;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// The near side, as packets behind their prefix.
pub trait Wire {
    /// The next packet of those that wait, in `into`: where it begins and ends.
    fn receive(&mut self, into: &mut [u8]) -> io::Result<Option<FoundPacket>>;

    /// Lets the host receive a packet.
    fn send(&mut self, packet: &[u8]) -> io::Result<()>;

    /// Waits until a packet can be received, something can be read from `other`, or a time.
    fn wait(&mut self, other: Option<BorrowedFd<'_>>, until: Time) -> io::Result<()>;

    /// What time it is.
    fn now(&self) -> Time;
}

/// A packet that was received: its place in the buffer, or what is wrong with its prefix.
pub type FoundPacket = Result<std::ops::Range<usize>, PrefixError>;

/// The interface.
pub struct TunWire {
    tun: Tun,
    information: PacketInformation,
    kind: PrefixedKind,
    out: Vec<u8>,
}

impl TunWire {
    /// An interface that was opened with this prefix.
    pub fn new(tun: Tun, information: PacketInformation, kind: PrefixedKind) -> TunWire {
        TunWire {
            tun,
            information,
            kind,
            out: Vec::new(),
        }
    }
}

impl Wire for TunWire {
    fn receive(&mut self, into: &mut [u8]) -> io::Result<Option<FoundPacket>> {
        let Some(len) = self.tun.receive(into, Time(i64::MIN))? else {
            return Ok(None);
        };
        let packet = self.information.strip(self.kind, &into[..len]);
        Ok(Some(packet.map(|packet| len - packet.len()..len)))
    }

    fn send(&mut self, packet: &[u8]) -> io::Result<()> {
        match self.information.add(self.kind, packet, &mut self.out) {
            true => self.tun.send(&self.out),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn wait(&mut self, other: Option<BorrowedFd<'_>>, until: Time) -> io::Result<()> {
        let both = [Some(self.tun.as_fd()), other];
        let fds: Vec<BorrowedFd<'_>> = both.into_iter().flatten().collect();
        wait_any(&fds, until).map(drop)
    }

    fn now(&self) -> Time {
        crafty_net::now()
    }
}
