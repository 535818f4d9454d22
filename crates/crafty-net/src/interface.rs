//! The interfaces of this network namespace, read from the kernel over rtnetlink. Changes none of
//! them.

use crate::netlink::{Message, Netlink, attribute, u16_at, u32_at};
use crate::{NetError, sys};
use crafty_value::Mac;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, BorrowedFd};

/// What a frame of an interface starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// An Ethernet header.
    Ethernet,
    /// The IP header: a TUN or a tunnel.
    RawIp,
    /// An Ethernet header with addresses of zero; each frame is captured twice.
    Loopback,
    /// Something else: the kernel's ARPHRD number.
    Other(u16),
}

/// An interface as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// The kernel's number for it.
    pub index: u32,
    /// Its link address, if it has one of 48 bits.
    pub mac: Option<Mac>,
    /// Most bytes after the link header.
    pub mtu: u32,
    /// Addresses with the lengths of their prefixes.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Whether what is sent comes back.
    pub is_loopback: bool,
    /// What its frames start with.
    pub link: LinkType,
    /// Whether it is up and has a carrier.
    pub up: bool,
    /// Offloads that are on, by ethtool's names.
    pub offloads: Vec<&'static str>,
}

impl Interface {
    /// Bytes of the link header.
    pub fn header_len(&self) -> usize {
        match self.link {
            LinkType::Ethernet | LinkType::Loopback => 14,
            LinkType::RawIp | LinkType::Other(_) => 0,
        }
    }
}

/// All interfaces, by index.
pub fn interfaces() -> io::Result<Vec<Interface>> {
    let mut kernel = Netlink::open(libc::NETLINK_ROUTE)?;
    let links = kernel.request(dump(libc::RTM_GETLINK, 16))?;
    let addresses = kernel.request(dump(libc::RTM_GETADDR, 8))?;
    let control = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
    let mut all: Vec<Interface> = links.iter().filter_map(|(_, body)| link(body)).collect();
    all.sort_by_key(|i| i.index);
    for interface in &mut all {
        interface.addresses = addresses
            .iter()
            .filter_map(|(_, body)| address(body, interface.index))
            .collect();
        interface.offloads = offloads(control.as_fd(), &interface.name);
    }
    Ok(all)
}

/// The interface of this name.
pub fn interface(name: &str) -> Result<Interface, NetError> {
    let all = interfaces().map_err(NetError::doing("reading the interfaces"))?;
    all.into_iter()
        .find(|i| i.name == name)
        .ok_or_else(|| NetError::NoSuchInterface { name: name.into() })
}

/// A request for all objects of a sort, with a fixed header of zeroes.
pub(crate) fn dump(kind: u16, fixed_len: usize) -> Message {
    Message::new(
        kind,
        (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16,
        &[0; 16][..fixed_len],
    )
}

/// Reads `struct ifinfomsg` and its attributes.
fn link(body: &[u8]) -> Option<Interface> {
    let (hardware, index, flags) = (u16_at(body, 2)?, u32_at(body, 4)?, u32_at(body, 8)?);
    let tail = body.get(16..)?;
    let name = attribute(tail, libc::IFLA_IFNAME)?;
    let wanted = (libc::IFF_UP | libc::IFF_LOWER_UP) as u32;
    Some(Interface {
        name: String::from_utf8_lossy(name.strip_suffix(&[0]).unwrap_or(name)).into_owned(),
        index,
        mac: mac(hardware, attribute(tail, libc::IFLA_ADDRESS)),
        mtu: attribute(tail, libc::IFLA_MTU).and_then(|v| u32_at(v, 0))?,
        addresses: Vec::new(),
        is_loopback: flags & libc::IFF_LOOPBACK as u32 != 0,
        link: link_type(hardware),
        up: flags & wanted == wanted,
        offloads: Vec::new(),
    })
}

fn mac(hardware: u16, value: Option<&[u8]>) -> Option<Mac> {
    match link_type(hardware) {
        LinkType::Ethernet | LinkType::Loopback => Some(Mac(value?.try_into().ok()?)),
        _ => None,
    }
}

const ARPHRD_RAWIP: u16 = 519;

fn link_type(hardware: u16) -> LinkType {
    match hardware {
        libc::ARPHRD_ETHER => LinkType::Ethernet,
        libc::ARPHRD_LOOPBACK => LinkType::Loopback,
        libc::ARPHRD_NONE
        | ARPHRD_RAWIP
        | libc::ARPHRD_TUNNEL
        | libc::ARPHRD_TUNNEL6
        | libc::ARPHRD_SIT => LinkType::RawIp,
        other => LinkType::Other(other),
    }
}

/// Reads `struct ifaddrmsg`; `IFA_LOCAL` is ours where both ends of a link are reported.
fn address(body: &[u8], of: u32) -> Option<(IpAddr, u8)> {
    let prefix = *body.get(1)?;
    let index = u32_at(body, 4)?;
    let tail = body.get(8..)?;
    let value = attribute(tail, libc::IFA_LOCAL).or_else(|| attribute(tail, libc::IFA_ADDRESS))?;
    (index == of).then_some((ip(value)?, prefix))
}

/// Four or sixteen bytes as an address.
pub(crate) fn ip(value: &[u8]) -> Option<IpAddr> {
    match value.len() {
        4 => Some(IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(value).ok()?))),
        16 => Some(IpAddr::V6(Ipv6Addr::from(
            <[u8; 16]>::try_from(value).ok()?,
        ))),
        _ => None,
    }
}

/// Offloads by ethtool's names: command, and the bits of its answer that mean "on".
const OFFLOADS: &[(&str, u32, u32)] = &[
    ("rx-checksumming", 0x14, !0),
    ("tx-checksumming", 0x16, !0),
    ("tcp-segmentation-offload", 0x1e, !0),
    ("generic-segmentation-offload", 0x23, !0),
    ("generic-receive-offload", 0x2b, !0),
    ("tx-vlan-offload", 0x25, 1 << 7),
    ("rx-vlan-offload", 0x25, 1 << 8),
    ("large-receive-offload", 0x25, 1 << 15),
];

fn offloads(control: BorrowedFd<'_>, name: &str) -> Vec<&'static str> {
    let on = |&&(_, command, mask): &&(&str, u32, u32)| {
        let mut value = [command, 0];
        ethtool(control, name, &mut value).is_ok() && value[1] & mask != 0
    };
    OFFLOADS.iter().filter(on).map(|row| row.0).collect()
}

/// One ethtool command: `value` starts with its number and receives the answer.
pub(crate) fn ethtool<const N: usize>(
    control: BorrowedFd<'_>,
    name: &str,
    value: &mut [u32; N],
) -> io::Result<()> {
    let mut request = IfreqPointer {
        name: [0; 16],
        data: value.as_mut_ptr(),
        rest: [0; 2],
    };
    let octets = name
        .as_bytes()
        .get(..15.min(name.len()))
        .unwrap_or_default();
    request.name[..octets.len()].copy_from_slice(octets);
    const SIOCETHTOOL: libc::Ioctl = 0x8946;
    // SAFETY: SIOCETHTOOL takes a `struct ifreq` whose pointer leads to the command's structure;
    // callers give arrays as long as the command that they name says.
    unsafe { sys::ioctl(control, SIOCETHTOOL, &mut request) }.map(drop)
}

/// `struct ifreq` with its pointer member.
#[repr(C)]
struct IfreqPointer {
    name: [u8; 16],
    data: *mut u32,
    rest: [u64; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_loopback() {
        let all = interfaces().unwrap();
        let lo = all.iter().find(|i| i.is_loopback).unwrap();
        assert_eq!(
            (lo.link, lo.name.as_str(), lo.header_len()),
            (LinkType::Loopback, "lo", 14)
        );
        assert!(lo.mtu >= 1500 && lo.index > 0);
        assert!(matches!(
            interface("no such one"),
            Err(NetError::NoSuchInterface { .. })
        ));
    }

    #[test]
    fn short_answers_are_no_interface() {
        for len in 0..24 {
            assert_eq!(link(&vec![0; len]), None);
            assert_eq!(address(&vec![0; len], 0), None);
        }
    }
}
