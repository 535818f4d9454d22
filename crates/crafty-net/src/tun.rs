//! A network interface whose other end is this process: frames that the kernel sends are read here,
//! frames written here the kernel receives. It goes when the value is dropped. No offload is asked
//! for: one read is one packet.

use crate::{NetError, clock, sys};
use crafty_value::Time;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// What the interface carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunKind {
    /// IP packets (TUN).
    Packets,
    /// Ethernet frames (TAP).
    Frames,
}

/// What is before each packet on its way between kernel and process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TunPrefix {
    /// Nothing.
    #[default]
    None,
    /// `struct tun_pi`: two bytes of flags, and the EtherType in network order.
    PacketInformation,
}

/// The process's end of a TUN or TAP interface.
pub struct Tun {
    file: File,
    name: String,
}

impl Tun {
    /// Makes an interface. `%d` in its name stands for the first free number. Needs CAP_NET_ADMIN.
    pub fn open(name: &str, kind: TunKind) -> Result<Tun, NetError> {
        Tun::open_with(name, kind, TunPrefix::None)
    }

    /// The same, with a prefix before each packet that is sent or received.
    pub fn open_with(name: &str, kind: TunKind, prefix: TunPrefix) -> Result<Tun, NetError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/net/tun");
        let file = file.map_err(|error| match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENODEV | libc::ENXIO) => NetError::Unsupported {
                what: "/dev/net/tun",
                fix: "`modprobe tun`",
            },
            Some(libc::EACCES | libc::EPERM) => NetError::Unsupported {
                what: "`/dev/net/tun` that this user may open",
                fix: "`chmod 666 /dev/net/tun` as root, as most systems do",
            },
            _ => NetError::needing("CAP_NET_ADMIN", "opening /dev/net/tun")(error),
        })?;
        let name = attach(file.as_fd(), name, kind, prefix)
            .map_err(NetError::needing("CAP_NET_ADMIN", "making an interface"))?;
        Ok(Tun { file, name })
    }

    /// The interface's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lets the kernel receive a packet or frame.
    pub fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        match sys::retry(|| self.file.write(frame))? {
            len if len == frame.len() => Ok(()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    /// The next packet or frame that the kernel sends: its length in `into`, or `None` at the
    /// deadline (on the clock of [`now`](crate::now)). What does not fit is cut off.
    pub fn receive(&mut self, into: &mut [u8], deadline: Time) -> io::Result<Option<usize>> {
        loop {
            match sys::retry(|| self.file.read(into)) {
                Ok(len) => return Ok(Some(len)),
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(_) => {}
            }
            let left = deadline.since(clock::now()).0;
            if left <= 0 {
                return Ok(None);
            }
            sys::poll(
                &mut [sys::pollfd(self.file.as_fd(), libc::POLLIN)],
                Some(left),
            )?;
        }
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// `struct ifreq` with its flags member.
#[repr(C)]
struct IfreqFlags {
    name: [u8; 16],
    flags: i16,
    rest: [u8; 22],
}

fn attach(fd: BorrowedFd<'_>, name: &str, kind: TunKind, prefix: TunPrefix) -> io::Result<String> {
    let kind = match kind {
        TunKind::Packets => libc::IFF_TUN,
        TunKind::Frames => libc::IFF_TAP,
    };
    let prefix = match prefix {
        TunPrefix::None => libc::IFF_NO_PI,
        TunPrefix::PacketInformation => 0,
    };
    let mut request = IfreqFlags {
        name: [0; 16],
        flags: (kind | prefix) as i16,
        rest: [0; 22],
    };
    let room = request
        .name
        .get_mut(..name.len())
        .filter(|room| room.len() < 16)
        .ok_or(io::ErrorKind::InvalidInput)?;
    room.copy_from_slice(name.as_bytes());
    // SAFETY: TUNSETIFF takes a `struct ifreq` and writes the name back into it; there is no
    // pointer in it.
    unsafe { sys::ioctl(fd, libc::TUNSETIFF, &mut request) }?;
    let len = request
        .name
        .iter()
        .position(|octet| *octet == 0)
        .unwrap_or(16);
    Ok(String::from_utf8_lossy(&request.name[..len]).into_owned())
}
