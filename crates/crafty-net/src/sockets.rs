//! Who on this host uses a port or an address: the kernel's own lists under `/proc`. Reads only.

use crate::firewall::Transport;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A socket that is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundSocket {
    pub transport: Transport,
    pub address: IpAddr,
    pub port: u16,
    /// Its number among the files, or zero if no program has it open any more.
    pub inode: u64,
}

const LISTS: [(&str, Transport); 4] = [
    ("tcp", Transport::Tcp),
    ("tcp6", Transport::Tcp),
    ("udp", Transport::Udp),
    ("udp6", Transport::Udp),
];

/// All TCP and UDP sockets of this network namespace.
pub(crate) fn bound() -> Vec<BoundSocket> {
    let mut all = Vec::new();
    for (list, transport) in LISTS {
        // A family that is switched off has no list.
        let text = fs::read_to_string(format!("/proc/thread-self/net/{list}")).unwrap_or_default();
        all.extend(
            text.lines()
                .skip(1)
                .filter_map(|line| parse(line, transport)),
        );
    }
    all
}

/// A line of `/proc/net/tcp`: number, local address and port in hexadecimal, …, inode as the tenth
/// word.
fn parse(line: &str, transport: Transport) -> Option<BoundSocket> {
    let mut words = line.split_whitespace();
    let (address, port) = words.nth(1)?.split_once(':')?;
    let inode = words.nth(7)?.parse().ok()?;
    Some(BoundSocket {
        transport,
        address: parse_address(address)?,
        port: u16::from_str_radix(port, 16).ok()?,
        inode,
    })
}

/// Words of 32 bits in the machine's order, as the kernel prints them; mapped IPv4 addresses as
/// such.
fn parse_address(hex: &str) -> Option<IpAddr> {
    let word = |n: usize| {
        Some(
            u32::from_str_radix(hex.get(n * 8..n * 8 + 8)?, 16)
                .ok()?
                .to_ne_bytes(),
        )
    };
    match hex.len() {
        8 => Some(IpAddr::V4(Ipv4Addr::from(word(0)?))),
        32 => {
            let octets = [word(0)?, word(1)?, word(2)?, word(3)?].concat();
            Some(IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(octets).ok()?)).to_canonical())
        }
        _ => None,
    }
}

impl BoundSocket {
    /// Whether packets to `address` may come to this socket.
    pub(crate) fn hears(&self, address: IpAddr) -> bool {
        self.address == address
            || self.address == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
            || self.is_any_of_family(address)
    }

    fn is_any_of_family(&self, address: IpAddr) -> bool {
        self.address.is_unspecified() && self.address.is_ipv4() == address.is_ipv4()
    }

    /// The program that holds it, for a message.
    pub(crate) fn holder(&self) -> String {
        if self.inode == 0 {
            return "a connection that is closing".into();
        }
        holder_of(self.inode).unwrap_or_else(|| "a program of another user".into())
    }
}

/// Looks through the open files of all processes that we may see.
fn holder_of(inode: u64) -> Option<String> {
    let wanted = format!("socket:[{inode}]");
    // Names of processes are numbers; the others are links to the same ones.
    let is_process =
        |entry: &fs::DirEntry| entry.file_name().to_string_lossy().parse::<u32>().is_ok();
    for process in fs::read_dir("/proc").ok()?.flatten().filter(is_process) {
        let path = process.path();
        let Ok(files) = fs::read_dir(path.join("fd")) else {
            continue;
        };
        let has = files
            .flatten()
            .any(|f| fs::read_link(f.path()).is_ok_and(|to| to.as_os_str() == wanted.as_str()));
        if has {
            let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
            return Some(format!(
                "`{}` (process {})",
                name.trim(),
                process.file_name().display()
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_read() {
        let rows = [
            (
                "0: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0 0 99 1",
                Some(("127.0.0.1", 22, 99)),
            ),
            (
                "1: 0000000000000000FFFF00000100007F:0050 00000000:0000 0A 0:0 00:0 0 0 0 7 1",
                Some(("127.0.0.1", 80, 7)),
            ),
            (
                "2: B80D0120000000000000000001000000:FFFF 0:0 06 0:0 00:0 0 0 0 0 1",
                Some(("2001:db8::1", 65535, 0)),
            ),
            ("3: 0100007F", None),
            ("4: 0100007:0016 0 0 0 0 0 0 0 0", None),
            ("", None),
        ];
        for (line, expected) in rows {
            let found = parse(line, Transport::Tcp);
            let expected = expected.map(|(a, port, inode)| (a.parse().unwrap(), port, inode));
            assert_eq!(
                found.map(|b| (b.address, b.port, b.inode)),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn any_address_hears_its_family() {
        let rows = [
            ("0.0.0.0", "10.0.0.1", true),
            ("0.0.0.0", "::1", false),
            ("::", "10.0.0.1", true),
            ("::", "::1", true),
        ];
        for (bound, to, hears) in rows {
            let socket = BoundSocket {
                transport: Transport::Udp,
                address: bound.parse().unwrap(),
                port: 1,
                inode: 0,
            };
            assert_eq!(socket.hears(to.parse().unwrap()), hears, "{bound} {to}");
        }
    }
}
