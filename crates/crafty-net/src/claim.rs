//! Holds what a program owns, so that neither another program nor another run gets it: each port is
//! bound by a socket that is never read. The kernel releases everything when the process ends.

use crate::firewall::{Owned, Transport};
use crate::interface::interfaces;
use crate::{NetError, sockets, sys};
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixDatagram};

/// Everything held; dropping it lets go.
#[derive(Default)]
pub(crate) struct Claims {
    _ports: Vec<OwnedFd>,
    _names: Vec<UnixDatagram>,
}

/// Most ports that one run may hold.
const MOST_PORTS: usize = 8192;
/// Descriptors left for everything else.
const SPARE: u64 = 128;

/// Claims all of `owned`, or says who has it. Link-local addresses are those of `interface`.
pub(crate) fn take(interface: u32, owned: &[Owned]) -> Result<Claims, NetError> {
    let mut claims = Claims::default();
    let ports = all_ports(owned)?;
    raise_limit(ports.len()).map_err(NetError::doing("raising the limit of open files"))?;
    for (transport, address, port) in ports {
        claims
            ._ports
            .extend(hold(interface, transport, address, port)?);
    }
    for name in owned.iter().filter_map(claim_name).collect::<BTreeSet<_>>() {
        claims._names.push(hold_name(&name)?);
    }
    owned.iter().try_for_each(refuse_used_address)?;
    Ok(claims)
}

/// A free port of an address, as the kernel chooses it. It is free only until somebody takes it:
/// install a [`Firewall`](crate::Firewall) for it next, and choose again if that says it is in use.
pub fn free_port(interface: u32, transport: Transport, address: IpAddr) -> Result<u16, NetError> {
    let doing = || NetError::doing("choosing a port");
    let fd = bind_port(interface, transport, address, 0).map_err(doing())?;
    let chosen = match transport {
        Transport::Udp => std::net::UdpSocket::from(fd).local_addr(),
        Transport::Tcp => std::net::TcpListener::from(fd).local_addr(),
    };
    chosen.map(|a| a.port()).map_err(doing())
}

/// Each port once, however the ranges overlap.
fn all_ports(owned: &[Owned]) -> Result<BTreeSet<(Transport, IpAddr, u16)>, NetError> {
    let mut ports = BTreeSet::new();
    for owned in owned {
        if let Owned::Ports {
            transport,
            address,
            first,
            last,
        } = *owned
        {
            ports.extend(
                (first..=last)
                    .take(MOST_PORTS + 1)
                    .map(|port| (transport, address, port)),
            );
        }
        if ports.len() > MOST_PORTS {
            return Err(NetError::TooManyPorts {
                wanted: ports.len(),
                most: MOST_PORTS,
            });
        }
    }
    Ok(ports)
}

/// Makes room for this many descriptors, within what the administrator set.
fn raise_limit(wanted: usize) -> io::Result<()> {
    let mut limit = sys::open_files()?;
    limit.rlim_cur = limit
        .rlim_cur
        .max(wanted as u64 + SPARE)
        .min(limit.rlim_max);
    sys::set_open_files(&limit)
}

/// Binds a port, or says who has it. A port that only the administrator may bind is not held, but
/// looked up.
fn hold(
    interface: u32,
    transport: Transport,
    address: IpAddr,
    port: u16,
) -> Result<Option<OwnedFd>, NetError> {
    let in_use = |holder| NetError::PortInUse {
        protocol: transport.name(),
        port,
        holder,
    };
    match bind_port(interface, transport, address, port) {
        Ok(fd) => Ok(Some(fd)),
        Err(error) => match (error.raw_os_error(), user_of(transport, address, port)) {
            (Some(libc::EADDRINUSE), found) => {
                Err(in_use(found.unwrap_or_else(|| "another program".into())))
            }
            (Some(libc::EACCES), Some(found)) => Err(in_use(found)),
            (Some(libc::EACCES), None) => Ok(None),
            (other, _) => Err(NetError::System {
                doing: "claiming a port",
                errno: other.unwrap_or(0),
            }),
        },
    }
}

fn user_of(transport: Transport, address: IpAddr, port: u16) -> Option<String> {
    let has =
        |b: &&sockets::BoundSocket| b.transport == transport && b.port == port && b.hears(address);
    sockets::bound()
        .iter()
        .find(has)
        .map(sockets::BoundSocket::holder)
}

/// A socket bound to a port of an address, which this host need not have (a declared source).
fn bind_port(
    interface: u32,
    transport: Transport,
    address: IpAddr,
    port: u16,
) -> io::Result<OwnedFd> {
    let kind = match transport {
        Transport::Tcp => libc::SOCK_STREAM,
        Transport::Udp => libc::SOCK_DGRAM,
    };
    match address {
        IpAddr::V4(a) => {
            let fd = sys::socket(libc::AF_INET, kind, 0)?;
            sys::set_option(fd.as_fd(), libc::IPPROTO_IP, libc::IP_FREEBIND, &1i32)?;
            sys::bind_to(fd.as_fd(), &SocketAddr::V4(SocketAddrV4::new(a, port)))?;
            Ok(fd)
        }
        IpAddr::V6(a) => {
            let fd = sys::socket(libc::AF_INET6, kind, 0)?;
            sys::set_option(fd.as_fd(), libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, &1i32)?;
            sys::set_option(fd.as_fd(), libc::IPPROTO_IPV6, libc::IPV6_FREEBIND, &1i32)?;
            let scope = if a.is_unicast_link_local() {
                interface
            } else {
                0
            };
            sys::bind_to(
                fd.as_fd(),
                &SocketAddr::V6(SocketAddrV6::new(a, port, 0, scope)),
            )?;
            Ok(fd)
        }
    }
}

/// What has no port is claimed by a name that only one socket of a network namespace can have.
fn claim_name(owned: &Owned) -> Option<String> {
    match owned {
        Owned::Ports { .. } => None,
        Owned::Echo { address, id } => Some(format!("echo identifier {id} of {address}")),
        Owned::Address(address) => Some(format!("address {address}")),
    }
}

fn hold_name(what: &str) -> Result<UnixDatagram, NetError> {
    let name = format!("crafty/{what}");
    let bound =
        UnixAddress::from_abstract_name(name).and_then(|name| UnixDatagram::bind_addr(&name));
    bound.map_err(|error| match error.raw_os_error() {
        Some(libc::EADDRINUSE) => NetError::Claimed { what: what.into() },
        other => NetError::System {
            doing: "claiming an address",
            errno: other.unwrap_or(0),
        },
    })
}

/// Silencing a whole address of this host would cut off those who use it.
fn refuse_used_address(owned: &Owned) -> Result<(), NetError> {
    let Owned::Address(address) = *owned else {
        return Ok(());
    };
    let known = interfaces().map_err(NetError::doing("reading the interfaces"))?;
    if !known
        .iter()
        .any(|i| i.addresses.iter().any(|(a, _)| *a == address))
    {
        return Ok(());
    }
    match sockets::bound().iter().find(|b| b.hears(address)) {
        Some(user) => Err(NetError::AddressInUse {
            address,
            holder: user.holder(),
        }),
        None => Ok(()),
    }
}
