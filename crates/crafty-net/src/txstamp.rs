//! Time stamps that the driver takes of what is sent, from the socket's error queue. Not every
//! driver has them.

use crate::control::{self, ControlMessages};
use crate::sys;
use crafty_value::Time;
use std::io;
use std::os::fd::BorrowedFd;

/// Asks for a software stamp of each frame, numbered, without the frame itself. Hardware stamps are
/// not asked for: their clock is the card's own.
pub(crate) fn ask(fd: BorrowedFd<'_>) -> io::Result<()> {
    let flags = libc::SOF_TIMESTAMPING_TX_SOFTWARE
        | libc::SOF_TIMESTAMPING_SOFTWARE
        | libc::SOF_TIMESTAMPING_OPT_ID
        | libc::SOF_TIMESTAMPING_OPT_TSONLY;
    sys::set_option(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, &flags)
}

/// The next stamp: the frame's number, modulo 2^32, and the time.
pub(crate) fn read(fd: BorrowedFd<'_>) -> io::Result<Option<(u32, Time)>> {
    let mut control = ControlMessages::default();
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    match sys::retry(|| sys::receive_message(fd, &mut [0; 64], None, &mut control, flags)) {
        Ok(_) => Ok(stamp(&control)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

fn stamp(control: &ControlMessages) -> Option<(u32, Time)> {
    let (mut id, mut time) = (None, None);
    for (level, kind, value) in control.messages() {
        match (level, kind) {
            (libc::SOL_SOCKET, libc::SCM_TIMESTAMPING) => time = control::timespec(value, 0),
            (libc::SOL_PACKET, PACKET_TX_TIMESTAMP) => id = number(value),
            _ => {}
        }
    }
    Some((id?, time?))
}

/// `struct sock_extended_err`: its last word is the frame's number, if its origin is time stamping.
fn number(value: &[u8]) -> Option<u32> {
    let words = control::words::<4>(value)?;
    (value.get(4) == Some(&libc::SO_EE_ORIGIN_TIMESTAMPING)).then_some(words[3])
}

const PACKET_TX_TIMESTAMP: i32 = 16;

/// Makes 64-bit numbers of the kernel's 32-bit ones, which come nearly in order.
#[derive(Default)]
pub(crate) struct Sequence {
    last: u64,
}

impl Sequence {
    pub(crate) fn widen(&mut self, id: u32) -> u64 {
        let step = id.wrapping_sub(self.last as u32) as i32;
        self.last = self.last.saturating_add_signed(step.into());
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_beyond_32_bits() {
        let mut sequence = Sequence { last: 0xffff_fff0 };
        assert_eq!(sequence.widen(0xffff_fffe), 0xffff_fffe);
        assert_eq!(sequence.widen(3), 0x1_0000_0003);
        assert_eq!(sequence.widen(0xffff_ffff), 0xffff_ffff);
        assert_eq!(sequence.widen(4), 0x1_0000_0004);
    }
}
