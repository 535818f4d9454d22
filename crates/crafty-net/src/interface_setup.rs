//! Gives an interface of this process its addresses and its MTU, and takes it up, over rtnetlink. For
//! interfaces that the process has made itself: those of the host are never changed.

use crate::NetError;
use crate::interface::interface;
use crate::netlink::{Message, Netlink};
use std::io;
use std::net::IpAddr;

/// An address with the length of its prefix.
pub type NewAddress = (IpAddr, u8);

/// Sets the MTU in bytes, takes the interface up and gives it addresses; none of them is tested for
/// duplicates first, so all can be used at once.
///
/// # Errors
/// When there is no such interface, or the kernel refuses: an address it has already, an MTU that the
/// device cannot have.
pub fn set_up_interface(name: &str, mtu: u32, addresses: &[NewAddress]) -> Result<(), NetError> {
    let index = interface(name)?.index;
    let mut kernel =
        Netlink::open(libc::NETLINK_ROUTE).map_err(NetError::doing("opening rtnetlink"))?;
    change(&mut kernel, link_up(index, mtu), "taking the interface up")?;
    addresses.iter().try_for_each(|address| {
        change(
            &mut kernel,
            new_address(index, *address),
            "giving the interface an address",
        )
    })
}

fn change(kernel: &mut Netlink, message: Message, what: &'static str) -> Result<(), NetError> {
    let answered: io::Result<_> = kernel.request(message);
    answered
        .map(drop)
        .map_err(NetError::needing("CAP_NET_ADMIN", what))
}

/// `struct ifinfomsg` that sets `IFF_UP`, with the MTU.
fn link_up(index: u32, mtu: u32) -> Message {
    let mut fixed = [0; 16];
    fixed[4..8].copy_from_slice(&index.to_ne_bytes());
    let up = (libc::IFF_UP as u32).to_ne_bytes();
    fixed[8..12].copy_from_slice(&up);
    fixed[12..16].copy_from_slice(&up);
    Message::new(libc::RTM_NEWLINK, asked(0), &fixed).attribute(libc::IFLA_MTU, &mtu.to_ne_bytes())
}

/// `struct ifaddrmsg`, with the address as local and as peer.
fn new_address(index: u32, (address, prefix): NewAddress) -> Message {
    let (family, octets) = match address {
        IpAddr::V4(a) => (libc::AF_INET, a.octets().to_vec()),
        IpAddr::V6(a) => (libc::AF_INET6, a.octets().to_vec()),
    };
    let mut fixed = [0; 8];
    fixed[0] = family as u8;
    fixed[1] = prefix;
    fixed[2] = libc::IFA_F_NODAD as u8;
    fixed[4..8].copy_from_slice(&index.to_ne_bytes());
    Message::new(
        libc::RTM_NEWADDR,
        asked(libc::NLM_F_CREATE | libc::NLM_F_EXCL),
        &fixed,
    )
    .attribute(libc::IFA_LOCAL, &octets)
    .attribute(libc::IFA_ADDRESS, &octets)
}

fn asked(more: i32) -> u16 {
    (libc::NLM_F_REQUEST | libc::NLM_F_ACK | more) as u16
}
