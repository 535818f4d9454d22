//! Sets up an interface that this process made: link address, MTU, addresses, routes. Works in the
//! calling thread's network namespace.

use crate::netlink::{Message, Netlink};
use crate::{NetError, interface};
use crafty_value::Mac;
use std::net::IpAddr;

/// How an interface is set up.
#[derive(Clone, Debug, Default)]
pub struct InterfaceSetup {
    /// Its link address; the kernel's choice if none is given.
    pub mac: Option<Mac>,
    /// Most bytes after the link header; the kernel's choice if none is given.
    pub mtu: Option<u32>,
    /// Its addresses with the lengths of their prefixes.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Next hops for everything that is not on the link, at most one of each family.
    pub gateways: Vec<IpAddr>,
}

/// Creates what is not there, and fails where it is there.
const CREATE: i32 = libc::NLM_F_CREATE | libc::NLM_F_EXCL;

/// Sets up the interface called `name` and takes it up. Addresses of IPv6 are usable at once:
/// nobody is asked whether they are taken (RFC 4862 section 5.4 is skipped). The kernel makes up no
/// address of its own and listens to no router.
///
/// # Errors
/// There is no such interface, or CAP_NET_ADMIN is missing, or the kernel takes no such setting.
pub fn set_up_interface(name: &str, setup: &InterfaceSetup) -> Result<(), NetError> {
    let index = interface(name)?.index;
    keep_ipv6_quiet(name);
    let refused = NetError::needing("CAP_NET_ADMIN", "setting up the interface");
    let mut kernel = Netlink::open(libc::NETLINK_ROUTE)
        .map_err(NetError::doing("asking the kernel for routes"))?;
    let requests = [link(index, setup)]
        .into_iter()
        .chain(setup.addresses.iter().map(|it| address(index, *it)))
        .chain(setup.gateways.iter().map(|it| default_route(index, *it)));
    let done: Result<Vec<_>, _> = requests.map(|it| kernel.request(it)).collect();
    done.map(drop).map_err(refused)
}

/// A host without IPv6 has none of these files, and needs none of them.
fn keep_ipv6_quiet(name: &str) {
    for (key, value) in [
        ("addr_gen_mode", "1"),
        ("accept_ra", "0"),
        ("accept_dad", "0"),
    ] {
        let _ = std::fs::write(format!("/proc/sys/net/ipv6/conf/{name}/{key}"), value);
    }
}

/// Takes up the loopback interface of the calling thread's namespace.
///
/// # Errors
/// As [`set_up_interface`].
pub fn set_up_loopback() -> Result<(), NetError> {
    set_up_interface("lo", &InterfaceSetup::default())
}

fn request(kind: u16, flags: i32, fixed: &[u8]) -> Message {
    let flags = libc::NLM_F_REQUEST | libc::NLM_F_ACK | flags;
    Message::new(kind, flags as u16, fixed)
}

/// `struct ifinfomsg`, and what is asked for.
fn link(index: u32, setup: &InterfaceSetup) -> Message {
    let up = (libc::IFF_UP as u32).to_ne_bytes();
    let fixed = [&[0; 4][..], &index.to_ne_bytes(), &up, &up].concat();
    let mut message = request(libc::RTM_NEWLINK, 0, &fixed);
    if let Some(mac) = setup.mac {
        message = message.attribute(libc::IFLA_ADDRESS, &mac.0);
    }
    if let Some(mtu) = setup.mtu {
        message = message.attribute(libc::IFLA_MTU, &mtu.to_ne_bytes());
    }
    message
}

/// `struct ifaddrmsg`.
fn address(index: u32, (address, prefix): (IpAddr, u8)) -> Message {
    let (family, bytes) = parts(address);
    let flags = if address.is_ipv6() {
        libc::IFA_F_NODAD as u8
    } else {
        0
    };
    let scope = if is_link_local(address) {
        libc::RT_SCOPE_LINK
    } else {
        libc::RT_SCOPE_UNIVERSE
    };
    let fixed = [&[family, prefix, flags, scope][..], &index.to_ne_bytes()].concat();
    request(libc::RTM_NEWADDR, CREATE, &fixed)
        .attribute(libc::IFA_LOCAL, &bytes)
        .attribute(libc::IFA_ADDRESS, &bytes)
}

/// `struct rtmsg`.
fn default_route(index: u32, gateway: IpAddr) -> Message {
    let (family, bytes) = parts(gateway);
    let (table, protocol) = (libc::RT_TABLE_MAIN, libc::RTPROT_STATIC);
    let kind = libc::RTN_UNICAST;
    let fixed = [
        family,
        0,
        0,
        0,
        table,
        protocol,
        libc::RT_SCOPE_UNIVERSE,
        kind,
        0,
        0,
        0,
        0,
    ];
    request(libc::RTM_NEWROUTE, CREATE, &fixed)
        .attribute(libc::RTA_GATEWAY, &bytes)
        .attribute(libc::RTA_OIF, &index.to_ne_bytes())
}

fn is_link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(it) if it.is_unicast_link_local())
}

fn parts(address: IpAddr) -> (u8, Vec<u8>) {
    match address {
        IpAddr::V4(it) => (libc::AF_INET as u8, it.octets().to_vec()),
        IpAddr::V6(it) => (libc::AF_INET6 as u8, it.octets().to_vec()),
    }
}
