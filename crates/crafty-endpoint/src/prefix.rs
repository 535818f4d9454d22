//! The four bytes that a platform puts before each packet of a TUN: read, checked against the packet,
//! and never skipped.

use crafty_net::TunPrefix;
use std::fmt;

/// Which prefix is before packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacketInformation {
    /// What this platform does: on Linux the interface is opened without a prefix.
    #[default]
    Auto,
    /// No prefix.
    None,
    /// Two bytes of flags and a big-endian EtherType (`struct tun_pi`).
    LinuxPi,
    /// A big-endian address family (`AF_INET` 2, `AF_INET6` 30).
    MacosUtun,
}

/// Its values with their names.
pub const PACKET_INFORMATION: &[(PacketInformation, &str)] = &[
    (PacketInformation::Auto, "auto"),
    (PacketInformation::None, "none"),
    (PacketInformation::LinuxPi, "linux_pi"),
    (PacketInformation::MacosUtun, "macos_utun"),
];

/// A prefix that does not fit its packet: reading on would be off by some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixError {
    /// There are fewer bytes than the prefix has.
    Short,
    /// The kernel says that it cut the packet off.
    Stripped,
    /// Flags that nobody has defined.
    UnknownFlags(u16),
    /// It names another protocol than the packet is.
    OtherProtocol {
        /// What it names.
        says: u32,
        /// What the packet begins with; 0 if nothing that is known.
        is: u32,
    },
}

impl fmt::Display for PrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrefixError::Short => f.write_str("it is shorter than the prefix of 4 bytes"),
            PrefixError::Stripped => f.write_str("the kernel cut it off"),
            PrefixError::UnknownFlags(flags) => {
                write!(f, "its prefix has the unknown flags {flags:#06x}")
            }
            PrefixError::OtherProtocol { says, is } => {
                write!(f, "its prefix says {says:#06x}, and it begins as {is:#06x}")
            }
        }
    }
}

impl std::error::Error for PrefixError {}

/// `TUN_PKT_STRIP`: the packet did not fit what it was read into.
const STRIPPED: u16 = 1;

/// Where a packet begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixedKind {
    /// With the IP header.
    Packets,
    /// With an Ethernet header.
    Frames,
}

impl PacketInformation {
    /// What the interface is asked to put before packets; nothing where this platform cannot do it.
    pub fn asked(self) -> Option<TunPrefix> {
        match self {
            PacketInformation::Auto | PacketInformation::None => Some(TunPrefix::None),
            PacketInformation::LinuxPi => Some(TunPrefix::PacketInformation),
            PacketInformation::MacosUtun => None,
        }
    }

    /// Bytes of the prefix.
    pub fn width(self) -> usize {
        match self {
            PacketInformation::Auto | PacketInformation::None => 0,
            PacketInformation::LinuxPi | PacketInformation::MacosUtun => 4,
        }
    }

    /// The packet behind the prefix.
    ///
    /// # Errors
    /// When the prefix is not that of this packet.
    pub fn strip(self, kind: PrefixedKind, bytes: &[u8]) -> Result<&[u8], PrefixError> {
        if self.width() == 0 {
            return Ok(bytes);
        }
        let (prefix, packet) = bytes.split_first_chunk::<4>().ok_or(PrefixError::Short)?;
        let says = match self {
            PacketInformation::MacosUtun => u32::from_be_bytes(*prefix),
            _ => linux_protocol(*prefix)?.into(),
        };
        match self.protocol(kind, packet) {
            Some(is) if is == says => Ok(packet),
            is => Err(PrefixError::OtherProtocol {
                says,
                is: is.unwrap_or(0),
            }),
        }
    }

    /// Puts the prefix of a packet before it, in place of what `out` held. False if there is no prefix
    /// for such a packet.
    pub fn add(self, kind: PrefixedKind, packet: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        if self.width() > 0 {
            let Some(protocol) = self.protocol(kind, packet) else {
                return false;
            };
            // The flags are the upper half: none.
            out.extend_from_slice(&protocol.to_be_bytes());
        }
        out.extend_from_slice(packet);
        true
    }

    /// How the prefix names what a packet is.
    fn protocol(self, kind: PrefixedKind, packet: &[u8]) -> Option<u32> {
        let version = || Some(packet.first()? >> 4);
        match (self, kind) {
            (PacketInformation::MacosUtun, PrefixedKind::Packets) => match version()? {
                4 => Some(2),
                6 => Some(30),
                _ => None,
            },
            (PacketInformation::MacosUtun, PrefixedKind::Frames) => None,
            (_, PrefixedKind::Packets) => match version()? {
                4 => Some(0x0800),
                6 => Some(0x86dd),
                _ => None,
            },
            (_, PrefixedKind::Frames) => {
                let ether_type = u16::from_be_bytes(*packet.get(12..)?.first_chunk()?);
                Some(ether_type.into())
            }
        }
    }
}

fn linux_protocol([f0, f1, p0, p1]: [u8; 4]) -> Result<u16, PrefixError> {
    // The flags are in the machine's order (`__u16`), the protocol in network order (`__be16`).
    match u16::from_ne_bytes([f0, f1]) {
        0 => Ok(u16::from_be_bytes([p0, p1])),
        STRIPPED => Err(PrefixError::Stripped),
        flags => Err(PrefixError::UnknownFlags(flags)),
    }
}

#[cfg(test)]
mod tests {
    use super::PacketInformation::{LinuxPi, MacosUtun, None as Bare};
    use super::*;

    fn check(
        how: PacketInformation,
        kind: PrefixedKind,
        bytes: &[u8],
        wanted: Result<usize, PrefixError>,
    ) {
        let stripped = how.strip(kind, bytes);
        assert_eq!(stripped.map(<[u8]>::len), wanted, "{how:?} {bytes:x?}");
        if let Ok(packet) = stripped {
            let mut out = vec![9];
            assert!(how.add(kind, packet, &mut out));
            assert_eq!(out, bytes, "what is taken off is put on again");
        }
    }

    #[test]
    fn a_prefix_is_checked_against_its_packet() {
        use PrefixedKind::{Frames, Packets};
        let other = |says, is| Err(PrefixError::OtherProtocol { says, is });
        check(Bare, Packets, &[0x45, 0], Ok(2));
        check(LinuxPi, Packets, &[0, 0, 8, 0, 0x45], Ok(1));
        check(LinuxPi, Packets, &[0, 0, 0x86, 0xdd, 0x60], Ok(1));
        check(
            LinuxPi,
            Packets,
            &[0, 0, 0x86, 0xdd, 0x45],
            other(0x86dd, 0x0800),
        );
        check(
            LinuxPi,
            Packets,
            &[0x45, 0, 0, 84],
            Err(PrefixError::UnknownFlags(0x45)),
        );
        check(
            LinuxPi,
            Packets,
            &[1, 0, 8, 0, 0x45],
            Err(PrefixError::Stripped),
        );
        check(LinuxPi, Packets, &[0, 0, 8], Err(PrefixError::Short));
        check(LinuxPi, Packets, &[0, 0, 8, 0], other(0x0800, 0));
        check(MacosUtun, Packets, &[0, 0, 0, 2, 0x45], Ok(1));
        check(MacosUtun, Packets, &[0, 0, 0, 30, 0x60], Ok(1));
        check(MacosUtun, Packets, &[0, 0, 0, 10, 0x60], other(10, 30));
        check(
            MacosUtun,
            Packets,
            &[0x45, 0, 0, 84, 0x45],
            other(0x4500_0054, 2),
        );
        let arp = [&[0, 0, 8, 6][..], &[0xff; 12], &[8, 6, 1]].concat();
        check(LinuxPi, Frames, &arp, Ok(15));
        let lie = [&[0, 0, 8, 0][..], &[0xff; 12], &[8, 6, 1]].concat();
        check(LinuxPi, Frames, &lie, other(0x0800, 0x0806));
    }
}
