//! The capturing socket: filtered before it is bound, so that nothing is received that the filter
//! does not accept, and locked afterwards. Frames come from a ring shared with the kernel or,
//! without one, from the socket's queue.

use crate::bpf::BpfInsn;
use crate::port::{CaptureDirection, Captured, PortOptions, VlanTag, link_address};
use crate::queue::SocketQueue;
use crate::ring::Ring;
use crate::{Interface, NetError, clock, sys};
use crafty_value::{Duration, Time};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

pub(crate) struct Capture {
    frames: FrameSource,
    fd: OwnedFd,
    /// Bytes kept of what comes in, and of what goes out.
    snaps: (usize, usize),
    drops: u64,
}

enum FrameSource {
    Ring(Ring),
    Queue(Box<SocketQueue>),
}

/// What the kernel tells of a frame, whichever way it comes.
pub(crate) struct CaptureMetadata<'a> {
    pub frame: &'a [u8],
    pub wire_len: usize,
    pub time: Time,
    /// `TP_STATUS_*` bits.
    pub status: u32,
    pub kind: u8,
    pub tci: u16,
    pub tpid: u16,
}

impl Capture {
    pub(crate) fn open(
        interface: &Interface,
        options: &PortOptions,
        filter: &[BpfInsn],
    ) -> Result<Capture, NetError> {
        let needing = || NetError::needing("CAP_NET_RAW", "opening a packet socket");
        let fd = sys::socket(libc::AF_PACKET, libc::SOCK_RAW, 0).map_err(needing())?;
        prepare(fd.as_fd(), options, filter).map_err(NetError::doing("preparing the capture"))?;
        let ring = (options.ring_bytes > 0)
            .then(|| Ring::new(fd.as_fd(), options.ring_bytes, interface.mtu, options.snap));
        let frames = match ring
            .transpose()
            .map_err(NetError::doing("mapping the capture ring"))?
        {
            Some(ring) => FrameSource::Ring(ring),
            None => FrameSource::Queue(queue(fd.as_fd(), options.snap)?),
        };
        start(fd.as_fd(), interface.index, options)
            .map_err(NetError::doing("starting the capture"))?;
        Ok(Capture {
            frames,
            fd,
            snaps: (options.snap as usize, options.own() as usize),
            drops: 0,
        })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Hands over all frames that are there.
    pub(crate) fn drain(&mut self, take: &mut dyn FnMut(Captured<'_>)) -> io::Result<usize> {
        let (mut tagged, snaps) = (Vec::new(), self.snaps);
        let set_by = clock::was_set_by();
        let mut take = |seen: CaptureMetadata<'_>| {
            let time = seen.time.after(Duration(-set_by.0));
            take(CaptureMetadata { time, ..seen }.restored(&mut tagged, snaps))
        };
        match &mut self.frames {
            FrameSource::Ring(ring) => ring.drain(self.fd.as_fd(), &mut take),
            FrameSource::Queue(queue) => queue.drain(self.fd.as_fd(), &mut take),
        }
    }

    /// The kernel's count starts again each time that it is read.
    pub(crate) fn drops(&mut self) -> u64 {
        if let Ok(stats) =
            sys::option::<libc::tpacket_stats>(self.fd(), libc::SOL_PACKET, libc::PACKET_STATISTICS)
        {
            self.drops += u64::from(stats.tp_drops);
        }
        self.drops
    }
}

fn prepare(fd: BorrowedFd<'_>, options: &PortOptions, filter: &[BpfInsn]) -> io::Result<()> {
    attach(fd, filter)?;
    // With this the kernel stamps a frame once, for all who capture it; a ring alone would stamp it
    // for itself.
    sys::set_option(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &1i32)?;
    let buffer = options.ring_bytes.clamp(4 << 20, 64 << 20) as i32;
    // Beyond the usual limit only with CAP_NET_ADMIN; with less, less fits.
    sys::set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &buffer)
        .or_else(|_| sys::set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, &buffer))
}

/// `linux/if_packet.h`.
const PACKET_IGNORE_OUTGOING: i32 = 23;

fn start(fd: BorrowedFd<'_>, index: u32, options: &PortOptions) -> io::Result<()> {
    if !options.recapture {
        // An older kernel hands over what nobody needs.
        let _ = sys::set_option(fd, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, &1i32);
    }
    sys::bind(fd, &link_address(index, libc::ETH_P_ALL as u16))?;
    sys::set_option(fd, libc::SOL_SOCKET, libc::SO_LOCK_FILTER, &1i32)?;
    if options.promiscuous {
        let mut membership = <libc::packet_mreq as sys::Plain>::zeroed();
        membership.mr_ifindex = index as i32;
        membership.mr_type = libc::PACKET_MR_PROMISC as u16;
        sys::set_option(
            fd,
            libc::SOL_PACKET,
            libc::PACKET_ADD_MEMBERSHIP,
            &membership,
        )?;
    }
    Ok(())
}

fn attach(fd: BorrowedFd<'_>, filter: &[BpfInsn]) -> io::Result<()> {
    // The kernel copies the program; it does not write to it.
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_ptr().cast_mut().cast(),
    };
    sys::set_option(fd, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)
}

fn queue(fd: BorrowedFd<'_>, snap: u32) -> Result<Box<SocketQueue>, NetError> {
    SocketQueue::new(fd, snap)
        .map(Box::new)
        .map_err(NetError::doing("preparing the capture"))
}

impl CaptureMetadata<'_> {
    /// The frame as it was on the wire, its first bytes: its outer tag goes back between the
    /// addresses and the type (IEEE 802.1Q §9).
    fn restored<'t>(&'t self, tagged: &'t mut Vec<u8>, snaps: (usize, usize)) -> Captured<'t> {
        let vlan = self.vlan();
        let frame = match (vlan, self.frame.split_at_checked(12)) {
            (Some(tag), Some((addresses, rest))) => {
                tagged.clear();
                tagged.extend_from_slice(addresses);
                tagged.extend_from_slice(&tag.tpid.to_be_bytes());
                tagged.extend_from_slice(&tag.tci.to_be_bytes());
                tagged.extend_from_slice(rest);
                tagged.as_slice()
            }
            _ => self.frame,
        };
        let outgoing = self.kind == libc::PACKET_OUTGOING;
        let snap = if outgoing { snaps.1 } else { snaps.0 };
        Captured {
            frame: &frame[..frame.len().min(snap)],
            wire_len: self.wire_len + if vlan.is_some() { 4 } else { 0 },
            time: self.time,
            direction: if outgoing {
                CaptureDirection::Outgoing
            } else {
                CaptureDirection::Incoming
            },
            kind: self.kind,
            vlan,
            checksum_not_ready: self.status & libc::TP_STATUS_CSUMNOTREADY != 0,
            merged: self.status & TP_STATUS_GSO_TCP != 0,
        }
    }

    fn vlan(&self) -> Option<VlanTag> {
        let has_type = self.status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
        let tpid = if has_type {
            self.tpid
        } else {
            libc::ETH_P_8021Q as u16
        };
        (self.status & libc::TP_STATUS_VLAN_VALID != 0).then_some(VlanTag {
            tpid,
            tci: self.tci,
        })
    }
}

const TP_STATUS_GSO_TCP: u32 = 1 << 8;
