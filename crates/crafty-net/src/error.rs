//! What can go wrong between a program and the wire: a sentence and a fix for each.

use std::fmt;
use std::io;
use std::net::IpAddr;

/// A failure of the machine or its set-up. Never one of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetError {
    /// The process may not do `what` without `capability`.
    MissingPrivilege {
        /// What was tried.
        what: &'static str,
        /// The Linux capability that allows it.
        capability: &'static str,
    },
    /// No interface has this name.
    NoSuchInterface {
        /// The name as given.
        name: String,
    },
    /// The interface is not up, or has no carrier.
    InterfaceDown {
        /// Its name.
        name: String,
    },
    /// The kernel knows no way to `destination`.
    NoRoute {
        /// Where to.
        destination: IpAddr,
        /// The interface that was asked for, if one was.
        interface: Option<String>,
    },
    /// The source address is not one of this host's.
    NotOurAddress {
        /// The address.
        source: IpAddr,
    },
    /// No link address is known for a next hop.
    NoNeighbour {
        /// The next hop.
        address: IpAddr,
        /// The interface it should be on.
        interface: String,
    },
    /// A live socket has the port.
    PortInUse {
        /// `tcp` or `udp`.
        protocol: &'static str,
        /// The port.
        port: u16,
        /// Who holds it, as far as can be told.
        holder: String,
    },
    /// A whole address was to be silenced, but sockets of this host use it.
    AddressInUse {
        /// The address.
        address: IpAddr,
        /// Who uses it, as far as can be told.
        holder: String,
    },
    /// Another run holds an echo identifier or an address.
    Claimed {
        /// What it holds.
        what: String,
    },
    /// More ports than this process may hold.
    TooManyPorts {
        /// Ports asked for.
        wanted: usize,
        /// Ports that can be held.
        most: usize,
    },
    /// The kernel lacks something.
    Unsupported {
        /// What is lacking.
        what: &'static str,
        /// What to do about it.
        fix: &'static str,
    },
    /// The system refused a call.
    System {
        /// What was being done, as in "while …".
        doing: &'static str,
        /// The error number.
        errno: i32,
    },
}

impl NetError {
    /// A closure for `map_err`: the system refused while `doing`; a lack of privilege is reported
    /// as such.
    pub(crate) fn doing(doing: &'static str) -> impl FnOnce(io::Error) -> NetError {
        move |error| NetError::System {
            doing,
            errno: error.raw_os_error().unwrap_or(0),
        }
    }

    /// As [`NetError::doing`], for calls that need `capability`.
    pub(crate) fn needing(
        capability: &'static str,
        what: &'static str,
    ) -> impl FnOnce(io::Error) -> NetError {
        move |error| match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => NetError::MissingPrivilege { what, capability },
            other => NetError::System {
                doing: what,
                errno: other.unwrap_or(0),
            },
        }
    }

    /// What the user can do about it.
    pub fn fix(&self) -> String {
        match self {
            NetError::MissingPrivilege { .. } => {
                "run it as root, or once: `sudo setcap cap_net_raw,cap_net_admin+ep $(command -v crafty)`; `--lab` needs neither".into()
            }
            NetError::NoSuchInterface { .. } => "see `ip link` for the names".into(),
            NetError::InterfaceDown { name } => format!("`ip link set {name} up`, and see that its other end is up too"),
            NetError::NoRoute { destination, interface: None } => {
                format!("see `ip route get {destination}`, or name an interface with `--iface`")
            }
            NetError::NoRoute { destination, interface: Some(name) } => {
                format!("`ip route add {destination} dev {name}`, or leave `--iface` out")
            }
            NetError::NotOurAddress { source } => format!("declare it: PERMISSIONS = {{ sources: [{source}] }}"),
            NetError::NoNeighbour { interface, .. } => format!("see `ip neigh show dev {interface}`; is the next hop alive?"),
            NetError::PortInUse { .. } => "choose another port, leave the port out, or stop that program".into(),
            NetError::AddressInUse { .. } => "use ports of this address, or an address that this host does not have".into(),
            NetError::Claimed { .. } => "wait for that run to end, or choose another".into(),
            NetError::TooManyPorts { .. } => "use fewer ports, or raise `ulimit -n`".into(),
            NetError::Unsupported { fix, .. } => (*fix).into(),
            NetError::System { .. } => "`crafty doctor` tells what this machine lacks".into(),
        }
    }
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::MissingPrivilege { what, capability } => {
                write!(f, "{what} needs {capability}")
            }
            NetError::NoSuchInterface { name } => write!(f, "there is no interface `{name}`"),
            NetError::InterfaceDown { name } => write!(f, "interface `{name}` is down"),
            NetError::NoRoute {
                destination,
                interface: None,
            } => write!(f, "there is no route to {destination}"),
            NetError::NoRoute {
                destination,
                interface: Some(name),
            } => {
                write!(f, "there is no route to {destination} through `{name}`")
            }
            NetError::NotOurAddress { source } => {
                write!(f, "{source} is not an address of this host")
            }
            NetError::NoNeighbour { address, interface } => {
                write!(f, "no answer for {address} on `{interface}`")
            }
            NetError::PortInUse {
                protocol,
                port,
                holder,
            } => write!(f, "{protocol} port {port} is in use by {holder}"),
            NetError::AddressInUse { address, holder } => {
                write!(f, "{address} is in use by {holder}")
            }
            NetError::Claimed { what } => write!(f, "another run holds {what}"),
            NetError::TooManyPorts { wanted, most } => {
                write!(
                    f,
                    "{wanted} ports requested, but at most {most} can be reserved"
                )
            }
            NetError::Unsupported { what, .. } => write!(f, "this machine has no {what}"),
            NetError::System { doing, errno } => {
                write!(f, "{doing}: {}", io::Error::from_raw_os_error(*errno))
            }
        }
    }
}

impl std::error::Error for NetError {}

impl From<NetError> for io::Error {
    fn from(error: NetError) -> io::Error {
        match error {
            NetError::System { errno, .. } => io::Error::from_raw_os_error(errno),
            other => io::Error::other(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_a_sentence_and_a_way_out() {
        let (address, name) = (IpAddr::from([10, 9, 0, 1]), String::from("a0"));
        let rows = [
            (
                NetError::MissingPrivilege {
                    what: "opening a packet socket",
                    capability: "CAP_NET_RAW",
                },
                "opening a packet socket needs CAP_NET_RAW",
            ),
            (
                NetError::NoSuchInterface { name: name.clone() },
                "there is no interface `a0`",
            ),
            (
                NetError::InterfaceDown { name: name.clone() },
                "interface `a0` is down",
            ),
            (
                NetError::NoRoute {
                    destination: address,
                    interface: None,
                },
                "there is no route to 10.9.0.1",
            ),
            (
                NetError::NoRoute {
                    destination: address,
                    interface: Some(name.clone()),
                },
                "there is no route to 10.9.0.1 through `a0`",
            ),
            (
                NetError::NotOurAddress { source: address },
                "10.9.0.1 is not an address of this host",
            ),
            (
                NetError::NoNeighbour {
                    address,
                    interface: name,
                },
                "no answer for 10.9.0.1 on `a0`",
            ),
            (
                NetError::Claimed {
                    what: "address 10.9.0.1".into(),
                },
                "another run holds address 10.9.0.1",
            ),
            (
                NetError::TooManyPorts { wanted: 9, most: 8 },
                "9 ports requested, but at most 8 can be reserved",
            ),
            (
                NetError::System {
                    doing: "starting the capture",
                    errno: libc::ENETDOWN,
                },
                "starting the capture: Network is down (os error 100)",
            ),
        ];
        for (error, sentence) in rows {
            assert_eq!(error.to_string(), sentence);
            let fix = error.fix();
            assert!(
                !fix.is_empty() && !fix.ends_with('.') && !sentence.ends_with('.'),
                "{fix}"
            );
        }
    }
}
