//! Frames from the socket's queue, one call each: opens at once, carries less than a ring.

use crate::capture::CaptureMetadata;
use crate::control::{self, ControlMessages};
use crate::{clock, sys};
use crafty_value::Time;
use std::io;
use std::os::fd::BorrowedFd;

pub(crate) struct SocketQueue {
    buffer: Vec<u8>,
    control: ControlMessages,
}

/// Most frames that one call hands over.
const ROUND: usize = 4096;

impl SocketQueue {
    pub(crate) fn new(fd: BorrowedFd<'_>, snap: u32) -> io::Result<SocketQueue> {
        sys::set_option(fd, libc::SOL_PACKET, libc::PACKET_AUXDATA, &1i32)?;
        Ok(SocketQueue {
            buffer: vec![0; (snap as usize).clamp(64, 1 << 18)],
            control: ControlMessages::default(),
        })
    }

    /// Hands over what is queued, in order.
    pub(crate) fn drain(
        &mut self,
        fd: BorrowedFd<'_>,
        take: &mut dyn FnMut(CaptureMetadata<'_>),
    ) -> io::Result<usize> {
        for taken in 0..ROUND {
            let mut link = <libc::sockaddr_ll as sys::Plain>::zeroed();
            let received = sys::retry(|| {
                sys::receive_message(
                    fd,
                    &mut self.buffer,
                    Some(&mut link),
                    &mut self.control,
                    libc::MSG_DONTWAIT,
                )
            });
            match received {
                Ok(len) => take(seen(&self.buffer[..len], link.sll_pkttype, &self.control)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(taken),
                Err(error) => return Err(error),
            }
        }
        Ok(ROUND)
    }
}

fn seen<'a>(frame: &'a [u8], kind: u8, control: &ControlMessages) -> CaptureMetadata<'a> {
    let mut time = Time(0);
    // Without its message, nothing is known but the length.
    let mut aux = [0, frame.len() as u32, 0, 0, 0];
    for (level, kind, value) in control.messages() {
        match (level, kind) {
            (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                time = control::timespec(value, 0).unwrap_or(time)
            }
            (libc::SOL_PACKET, libc::PACKET_AUXDATA) => aux = control::words(value).unwrap_or(aux),
            _ => {}
        }
    }
    // `struct tpacket_auxdata`: status, length, captured length, two offsets, tag and its type.
    let [status, wire_len, _, _, tag] = aux;
    let [tci, tpid] = [
        tag.to_ne_bytes()[..2].try_into(),
        tag.to_ne_bytes()[2..].try_into(),
    ]
    .map(|half| u16::from_ne_bytes(half.unwrap_or_default()));
    let time = if time == Time(0) {
        clock::now().after(clock::was_set_by())
    } else {
        time
    };
    CaptureMetadata {
        frame,
        wire_len: wire_len as usize,
        time,
        status,
        kind,
        tci,
        tpid,
    }
}
