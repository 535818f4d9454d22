//! Which way the kernel would send: its routing decision and its neighbour table. Asks, never
//! changes.

use crate::NetError;
use crate::interface::{Interface, interfaces, ip};
use crate::netlink::{Message, Netlink, attribute, u16_at, u32_at};
use crafty_value::Mac;
use std::io;
use std::net::IpAddr;

/// The way to a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationRoute {
    /// The interface to send on.
    pub interface: u32,
    /// The router to send to; `None` if the destination is on the link.
    pub gateway: Option<IpAddr>,
    /// The source address that the kernel would use.
    pub source: Option<IpAddr>,
    /// Most bytes of an IP packet on this path, as far as the kernel knows.
    pub mtu: u32,
    /// Whether the destination is an address of this host.
    pub local: bool,
}

/// The kernel's route to `destination`, from `source` and through `iface` where given.
pub fn route_to(
    destination: IpAddr,
    source: Option<IpAddr>,
    iface: Option<&str>,
) -> Result<DestinationRoute, NetError> {
    let known = interfaces().map_err(NetError::doing("reading the interfaces"))?;
    let through = match iface {
        None => None,
        Some(name) => {
            let found = known.iter().find(|i| i.name == name);
            Some(found.ok_or_else(|| NetError::NoSuchInterface { name: name.into() })?)
        }
    };
    if let Some(down) = through.filter(|i| !i.up) {
        return Err(NetError::InterfaceDown {
            name: down.name.clone(),
        });
    }
    let answer = ask(destination, source, through.map(|i| i.index));
    let route =
        answer.map_err(|error| refused(&error, destination, stranger(source, &known), iface))?;
    let mut route = route.ok_or_else(|| NetError::NoRoute {
        destination,
        interface: iface.map(Into::into),
    })?;
    if route.mtu == 0 {
        route.mtu = known
            .iter()
            .find(|i| i.index == route.interface)
            .map_or(1500, |i| i.mtu);
    }
    Ok(route)
}

/// The source, if no interface has it.
fn stranger(source: Option<IpAddr>, known: &[Interface]) -> Option<IpAddr> {
    source.filter(|source| {
        !known
            .iter()
            .any(|i| i.addresses.iter().any(|(address, _)| address == source))
    })
}

fn refused(
    error: &io::Error,
    destination: IpAddr,
    stranger: Option<IpAddr>,
    iface: Option<&str>,
) -> NetError {
    match (error.raw_os_error(), stranger) {
        (_, Some(source)) => NetError::NotOurAddress { source },
        (
            Some(
                libc::ENETUNREACH | libc::EHOSTUNREACH | libc::EACCES | libc::EINVAL | libc::ENODEV,
            ),
            _,
        ) => NetError::NoRoute {
            destination,
            interface: iface.map(Into::into),
        },
        (other, _) => NetError::System {
            doing: "asking for the route",
            errno: other.unwrap_or(0),
        },
    }
}

fn ask(
    destination: IpAddr,
    source: Option<IpAddr>,
    through: Option<u32>,
) -> io::Result<Option<DestinationRoute>> {
    let bits = if destination.is_ipv4() { 32 } else { 128 };
    let source_bits = if source.is_some() { bits } else { 0 };
    let fixed = [
        family(destination),
        bits,
        source_bits,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    let mut message = Message::new(
        libc::RTM_GETROUTE,
        (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16,
        &fixed,
    )
    .attribute(libc::RTA_DST, &octets(destination));
    if let Some(source) = source {
        message = message.attribute(libc::RTA_SRC, &octets(source));
    }
    if let Some(index) = through {
        message = message.attribute(libc::RTA_OIF, &index.to_ne_bytes());
    }
    let answers = Netlink::open(libc::NETLINK_ROUTE)?.request(message)?;
    Ok(answers.first().and_then(|(_, body)| route(body)))
}

/// Reads `struct rtmsg` and its attributes; blackholes and their like are not a route.
fn route(body: &[u8]) -> Option<DestinationRoute> {
    let kind = *body.get(7)?;
    let tail = body.get(12..)?;
    let known = [
        libc::RTN_UNICAST,
        libc::RTN_LOCAL,
        libc::RTN_BROADCAST,
        libc::RTN_ANYCAST,
        libc::RTN_MULTICAST,
    ];
    let metrics = attribute(tail, libc::RTA_METRICS).unwrap_or_default();
    let address = |kind| attribute(tail, kind).and_then(ip);
    known.contains(&kind).then_some(DestinationRoute {
        interface: attribute(tail, libc::RTA_OIF).and_then(|v| u32_at(v, 0))?,
        gateway: address(libc::RTA_GATEWAY).or_else(|| via(tail)),
        source: address(libc::RTA_PREFSRC),
        mtu: attribute(metrics, RTAX_MTU)
            .and_then(|v| u32_at(v, 0))
            .unwrap_or(0),
        local: kind == libc::RTN_LOCAL,
    })
}

/// A next hop of the other family (RFC 5549): family, then address.
fn via(tail: &[u8]) -> Option<IpAddr> {
    ip(attribute(tail, RTA_VIA)?.get(2..)?)
}

const RTAX_MTU: u16 = 2;
const RTA_VIA: u16 = 18;

/// The link address of a neighbour, if the kernel's table has one that it believes.
pub fn neighbour(index: u32, address: IpAddr) -> Option<Mac> {
    let mut fixed = [0; 12];
    fixed[0] = family(address);
    fixed[4..8].copy_from_slice(&index.to_ne_bytes());
    let message = Message::new(
        libc::RTM_GETNEIGH,
        (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16,
        &fixed,
    )
    .attribute(libc::NDA_DST, &octets(address));
    let answers = Netlink::open(libc::NETLINK_ROUTE)
        .ok()?
        .request(message)
        .ok()?;
    answers.iter().find_map(|(_, body)| believed(body))
}

/// Reads `struct ndmsg`: entries that failed or are still being asked for have no address to give.
fn believed(body: &[u8]) -> Option<Mac> {
    let unsure = libc::NUD_FAILED | libc::NUD_INCOMPLETE | libc::NUD_NONE;
    if u16_at(body, 8)? & unsure != 0 {
        return None;
    }
    Some(Mac(attribute(body.get(12..)?, libc::NDA_LLADDR)?
        .try_into()
        .ok()?))
}

fn family(address: IpAddr) -> u8 {
    if address.is_ipv4() {
        libc::AF_INET as u8
    } else {
        libc::AF_INET6 as u8
    }
}

/// The address as the kernel wants it.
pub(crate) fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(a) => a.octets().to_vec(),
        IpAddr::V6(a) => a.octets().to_vec(),
    }
}
