//! A capture ring shared with the kernel: slots that are filled one by one and can be read at once.
//!
//! Version 2 of the ring, not 3: the latter hands frames over by the block, up to a millisecond or
//! more late. Frames longer than a slot come through the socket's queue as well and are read whole
//! from there.

use crate::capture::CaptureMetadata;
use crate::{clock, sys};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Ring {
    memory: NonNull<u8>,
    len: usize,
    slot_len: usize,
    slots: usize,
    next: usize,
    snap: usize,
    long: Vec<u8>,
}

// SAFETY: the mapping belongs to this value alone and is shared with no other thread, only with the
// kernel.
unsafe impl Send for Ring {}

/// Bytes of a block: slots lie in blocks, blocks are contiguous memory of the kernel.
const BLOCK: usize = 128 << 10;
/// What comes before a frame in its slot: two headers and the kernel's alignment, with room to
/// spare.
const BEFORE_FRAME: usize = 128;
/// Bytes of the longest frame that a merge can make, with its headers.
const LONGEST: usize = 1 << 18;

impl Ring {
    /// Sets up a ring of about `bytes` bytes, with slots that fit frames of an interface with this
    /// MTU.
    pub(crate) fn new(fd: BorrowedFd<'_>, bytes: usize, mtu: u32, snap: u32) -> io::Result<Ring> {
        let slot_len = slot_len(mtu);
        let blocks = (bytes / BLOCK).clamp(1, 8192);
        let slots = blocks * (BLOCK / slot_len);
        let request = libc::tpacket_req {
            tp_block_size: BLOCK as u32,
            tp_block_nr: blocks as u32,
            tp_frame_size: slot_len as u32,
            tp_frame_nr: slots as u32,
        };
        sys::set_option(
            fd,
            libc::SOL_PACKET,
            libc::PACKET_VERSION,
            &(libc::tpacket_versions::TPACKET_V2 as i32),
        )?;
        sys::set_option(fd, libc::SOL_PACKET, libc::PACKET_COPY_THRESH, &1i32)?;
        sys::set_option(fd, libc::SOL_PACKET, libc::PACKET_RX_RING, &request)?;
        let len = blocks * BLOCK;
        Ok(Ring {
            memory: map(fd, len)?,
            len,
            slot_len,
            slots,
            next: 0,
            snap: snap as usize,
            long: Vec::new(),
        })
    }

    /// Hands over the filled slots in order, one round of the ring at most, and gives each back.
    pub(crate) fn drain(
        &mut self,
        fd: BorrowedFd<'_>,
        take: &mut dyn FnMut(CaptureMetadata<'_>),
    ) -> io::Result<usize> {
        for taken in 0..self.slots {
            let status = self.status().load(Ordering::Acquire);
            if status & libc::TP_STATUS_USER == 0 {
                return Ok(taken);
            }
            let whole = if status & libc::TP_STATUS_COPY != 0 {
                self.read_long(fd)
            } else {
                None
            };
            take(self.seen(status, whole));
            self.status()
                .store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % self.slots;
        }
        Ok(self.slots)
    }

    /// The frame in the current slot, or its whole copy.
    fn seen(&self, status: u32, whole: Option<usize>) -> CaptureMetadata<'_> {
        let (header, link) = self.headers();
        let whole = whole.and_then(|len| self.long.get(..len.min(self.snap)));
        CaptureMetadata {
            frame: whole
                .unwrap_or_else(|| self.octets(header.tp_mac.into(), header.tp_snaplen as usize)),
            wire_len: header.tp_len as usize,
            time: clock::from_timespec(header.tp_sec.into(), header.tp_nsec.into()),
            status,
            kind: link.sll_pkttype,
            tci: header.tp_vlan_tci,
            tpid: header.tp_vlan_tpid,
        }
    }

    fn headers(&self) -> (libc::tpacket2_hdr, libc::sockaddr_ll) {
        let link = align(size_of::<libc::tpacket2_hdr>());
        // SAFETY: a slot is at least 2 KiB inside the mapping and aligned to 16 bytes; the kernel
        // put both structures of integers there and leaves them alone until the slot is given back.
        unsafe {
            (
                self.slot().cast::<libc::tpacket2_hdr>().read(),
                self.slot().add(link).cast::<libc::sockaddr_ll>().read(),
            )
        }
    }

    /// Bytes of the current slot, never beyond its end.
    fn octets(&self, start: usize, len: usize) -> &[u8] {
        let start = start.min(self.slot_len);
        let len = len.min(self.slot_len - start);
        // SAFETY: inside the current slot, which the kernel does not write to until it is given
        // back; that happens through `&mut self`, after the borrow has ended.
        unsafe { std::slice::from_raw_parts(self.slot().add(start), len) }
    }

    /// Who owns the current slot, and what is odd about its frame.
    fn status(&self) -> &AtomicU32 {
        // SAFETY: the first word of a slot, aligned, inside the mapping for as long as `self`
        // lives; it is only ever used as an atomic.
        unsafe { AtomicU32::from_ptr(self.slot().cast()) }
    }

    fn slot(&self) -> *mut u8 {
        // SAFETY: `next` is below `slots`, and all slots lie inside the mapping: they fill their
        // blocks wholly.
        unsafe { self.memory.as_ptr().add(self.next * self.slot_len) }
    }

    /// Reads the whole of a frame that was too long for its slot.
    fn read_long(&mut self, fd: BorrowedFd<'_>) -> Option<usize> {
        self.long.resize(LONGEST, 0);
        sys::retry(|| sys::receive(fd, &mut self.long, libc::MSG_DONTWAIT)).ok()
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: this is the mapping that `map` made, and nothing borrows from it any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.len) };
    }
}

/// The kernel aligns the parts of a slot to this (`TPACKET_ALIGN`).
const fn align(len: usize) -> usize {
    len.next_multiple_of(16)
}

/// A power of two that fits a whole frame, if that is no more than 16 KiB: blocks are then filled
/// wholly.
fn slot_len(mtu: u32) -> usize {
    match (mtu as usize + BEFORE_FRAME).next_power_of_two() {
        len @ 2048..=16384 => len,
        _ => 2048,
    }
}

fn map(fd: BorrowedFd<'_>, len: usize) -> io::Result<NonNull<u8>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping of a ring that the kernel has just made with this length; no memory of
    // ours is touched.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            access,
            libc::MAP_SHARED,
            fd.as_raw_fd(),
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(memory.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_fit_the_frames_and_fill_the_blocks() {
        for (mtu, len) in [
            (68, 2048),
            (1500, 2048),
            (1920, 2048),
            (1921, 4096),
            (9000, 16384),
            (65_536, 2048),
            (u32::MAX, 2048),
        ] {
            assert_eq!(slot_len(mtu), len, "{mtu}");
            assert_eq!(BLOCK % slot_len(mtu), 0);
        }
    }
}
