//! Keeps the kernel from answering for what a program owns: inbound packets to it are dropped
//! before the kernel's own stack, while captures still see them. None of this outlives the process,
//! however it ends.

use crate::claim::Claims;
use crate::netlink::Netlink;
use crate::nft::{self, Base, NftHook, NftRule, NftTable, NftTest, NftVerdict};
use crate::route::octets;
use crate::{NetError, claim};
use std::io;
use std::net::IpAddr;

/// Something that packets come in for, and that the program answers instead of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owned {
    /// Ports of one of our addresses.
    Ports {
        /// Whose ports.
        transport: Transport,
        /// The address that the packets come to.
        address: IpAddr,
        /// The first port.
        first: u16,
        /// The last port.
        last: u16,
    },
    /// Echo requests and replies with this identifier.
    Echo {
        /// The address that the packets come to.
        address: IpAddr,
        /// The identifier.
        id: u16,
    },
    /// All that comes to an address which is not this host's, or which nothing on it uses.
    /// Neighbour discovery still reaches the kernel.
    Address(IpAddr),
}

/// A transport with ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    /// RFC 9293.
    Tcp,
    /// RFC 768.
    Udp,
}

impl Transport {
    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
        }
    }

    fn number(self) -> u8 {
        match self {
            Transport::Tcp => libc::IPPROTO_TCP as u8,
            Transport::Udp => libc::IPPROTO_UDP as u8,
        }
    }
}

/// What a program owns on this host, for as long as this value lives.
pub struct Firewall {
    kernel: Netlink,
    table: String,
    _claims: Claims,
}

impl Firewall {
    /// Claims all of `owned` and drops what comes in for it. Refuses what a live socket or another
    /// run has. `interface` is the scope of link-local addresses. Needs CAP_NET_ADMIN.
    pub fn install(interface: u32, owned: &[Owned]) -> Result<Firewall, NetError> {
        let claims = claim::take(interface, owned)?;
        let rules = owned.iter().flat_map(rules).map(|tests| NftRule {
            tests,
            verdict: NftVerdict::Drop,
        });
        let table = NftTable {
            sets: Vec::new(),
            chains: vec![(NftHook::Prerouting, rules.collect())],
        };
        let mut kernel = Netlink::open(libc::NETLINK_NETFILTER).map_err(refused)?;
        let (table, _) = create(&mut kernel, |_| table.clone())?;
        Ok(Firewall {
            kernel,
            table,
            _claims: claims,
        })
    }

    /// The name of the nftables table (family `inet`).
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Packets kept from the kernel so far.
    pub fn dropped(&mut self) -> io::Result<u64> {
        Ok(nft::counts(&mut self.kernel, &self.table)?
            .iter()
            .fold(0, |sum, n| sum.saturating_add(*n)))
    }
}

/// Makes a table under the first name that is free, and gives that with the number of the attempt:
/// a process may own several, and process numbers may meet in a shared network namespace. A name
/// that is taken is reported as "exists" or, its owner being another, as "not permitted".
pub(crate) fn create(
    kernel: &mut Netlink,
    table: impl Fn(u32) -> NftTable,
) -> Result<(String, u32), NetError> {
    let pid = std::process::id();
    let mut last = io::Error::from_raw_os_error(libc::EEXIST);
    for attempt in 0..MOST_TABLES {
        let name = if attempt == 0 {
            format!("crafty_{pid}")
        } else {
            format!("crafty_{pid}_{attempt}")
        };
        match nft::create(kernel, &name, &table(attempt)) {
            Ok(()) => return Ok((name, attempt)),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EEXIST | libc::EPERM)) => {
                last = error
            }
            Err(error) => return Err(refused(error)),
        }
    }
    Err(refused(last))
}

/// Most tables of one process.
pub(crate) const MOST_TABLES: u32 = 16;

pub(crate) fn refused(error: io::Error) -> NetError {
    match error.raw_os_error() {
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::EPROTONOSUPPORT | libc::ENOENT) => {
            NetError::Unsupported {
                what: "nftables with owned tables",
                fix: "use Linux 5.12 or later with nf_tables",
            }
        }
        _ => NetError::needing("CAP_NET_ADMIN", "keeping the kernel from answering")(error),
    }
}

/// What the kernel shall not see, one rule per line.
fn rules(owned: &Owned) -> Vec<Vec<NftTest>> {
    match *owned {
        Owned::Ports {
            transport,
            address,
            first,
            last,
        } => vec![to(
            address,
            [
                NftTest::Protocol(transport.number()),
                NftTest::Between(
                    Base::Transport,
                    2,
                    first.to_be_bytes().into(),
                    last.to_be_bytes().into(),
                ),
            ],
        )],
        Owned::Echo { address, id } => echo_types(address)
            .map(|kind| {
                to(
                    address,
                    [
                        NftTest::Protocol(icmp(address)),
                        NftTest::Equal(Base::Transport, 0, vec![kind]),
                        NftTest::Equal(Base::Transport, 4, id.to_be_bytes().into()),
                    ],
                )
            })
            .into(),
        Owned::Address(address) => all_but_neighbour_discovery(address),
    }
}

/// RFC 792 and RFC 4443: request and reply.
fn echo_types(address: IpAddr) -> [u8; 2] {
    if address.is_ipv4() {
        [8, 0]
    } else {
        [128, 129]
    }
}

fn icmp(address: IpAddr) -> u8 {
    if address.is_ipv4() {
        libc::IPPROTO_ICMP as u8
    } else {
        libc::IPPROTO_ICMPV6 as u8
    }
}

/// RFC 4861: solicitations and advertisements (types 133 to 137) pass, or the address could not be
/// resolved. All other protocols and types are ranges on both sides.
fn all_but_neighbour_discovery(address: IpAddr) -> Vec<Vec<NftTest>> {
    if address.is_ipv4() {
        return vec![to(address, [])];
    }
    let of_type =
        |first: u8, last: u8| NftTest::Between(Base::Transport, 0, vec![first], vec![last]);
    let own = icmp(address);
    vec![
        to(address, [NftTest::ProtocolBetween(0, own - 1)]),
        to(address, [NftTest::ProtocolBetween(own + 1, 255)]),
        to(address, [NftTest::Protocol(own), of_type(0, 132)]),
        to(address, [NftTest::Protocol(own), of_type(138, 255)]),
    ]
}

/// Tests for packets to an address, then others.
fn to(address: IpAddr, more: impl IntoIterator<Item = NftTest>) -> Vec<NftTest> {
    let (family, at) = match address {
        IpAddr::V4(_) => (libc::NFPROTO_IPV4, 16),
        IpAddr::V6(_) => (libc::NFPROTO_IPV6, 24),
    };
    let mut tests = vec![
        NftTest::Family(family as u8),
        NftTest::Equal(Base::Network, at, octets(address)),
    ];
    tests.extend(more);
    tests
}
