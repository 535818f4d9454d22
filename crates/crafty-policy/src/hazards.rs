//! Addresses that no program may reach, and services that answer with more than they get: one row
//! each, with where it is written down.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses that are never destinations unless an operator opens them.
#[derive(Debug)]
pub struct Forbidden {
    /// The first address.
    pub address: IpAddr,
    /// Length of the prefix in bits.
    pub prefix: u8,
    /// Whose they are, and what for.
    pub what: &'static str,
    /// Where this is written down.
    pub source: &'static str,
}

/// A UDP service that answers with more bytes than it gets.
#[derive(Debug)]
pub struct Amplifier {
    /// Its port.
    pub port: u16,
    /// Its protocol.
    pub service: &'static str,
    /// Most bytes that one byte brings, rounded up.
    pub factor: u64,
    /// Where this is written down.
    pub source: &'static str,
}

/// Every forbidden net. The host's own addresses are forbidden too, and so is each of these inside
/// an IPv6 address.
pub static FORBIDDEN: &[Forbidden] = &[
    v4([127, 0, 0, 0], 8, "loopback", "RFC 6890 §2.2.2"),
    v4([0, 0, 0, 0], 8, "this network", "RFC 6890 §2.2.2"),
    v4(
        [169, 254, 169, 254],
        32,
        "metadata of Amazon, Azure, Google, Oracle, IBM, DigitalOcean, OpenStack and others",
        "cloud-init, list of datasources",
    ),
    v4(
        [169, 254, 170, 2],
        32,
        "credentials of Amazon's containers",
        "Amazon ECS, task IAM roles",
    ),
    v4(
        [169, 254, 170, 23],
        32,
        "credentials of Amazon's pods",
        "Amazon EKS, Pod Identity agent",
    ),
    v4(
        [168, 63, 129, 16],
        32,
        "Azure's wire server",
        "Azure, what is IP address 168.63.129.16",
    ),
    v4(
        [192, 0, 0, 192],
        32,
        "metadata of Oracle's older cloud",
        "Oracle Cloud Classic, instance metadata",
    ),
    v4(
        [100, 100, 100, 200],
        32,
        "metadata of Alibaba",
        "Alibaba ECS, instance metadata",
    ),
    v4(
        [169, 254, 42, 42],
        32,
        "metadata of Scaleway",
        "cloud-init, datasource Scaleway",
    ),
    v4(
        [169, 254, 0, 23],
        32,
        "metadata of Tencent",
        "Tencent CVM, instance metadata",
    ),
    v4(
        [169, 254, 10, 10],
        32,
        "metadata of Tencent",
        "Tencent CVM, instance metadata",
    ),
    v4(
        [192, 80, 8, 124],
        32,
        "metadata of Equinix Metal",
        "Equinix Metal, metadata",
    ),
    v6(
        [0, 0, 0, 0, 0, 0, 0, 0],
        128,
        "no address",
        "RFC 4291 §2.5.2",
    ),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback", "RFC 4291 §2.5.3"),
    v6(
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0],
        32,
        "metadata and credentials of Amazon",
        "Amazon EC2, use of IMDS over IPv6; Amazon EKS, Pod Identity agent",
    ),
    v6(
        [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254],
        128,
        "metadata of Google",
        "Google Compute Engine, metadata server over IPv6",
    ),
    v6(
        [0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe],
        128,
        "metadata of Oracle",
        "Oracle's SDK, federation client",
    ),
    v6(
        [0xfd00, 0x100, 0, 0, 0, 0, 0x100, 0x200],
        128,
        "metadata of Alibaba",
        "Alibaba ECS, instance metadata over IPv6",
    ),
    v6(
        [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42],
        128,
        "metadata of Scaleway",
        "cloud-init, datasource Scaleway",
    ),
    v6(
        [0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1],
        128,
        "metadata of Akamai",
        "cloud-init, datasource Akamai",
    ),
    v6(
        [0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe],
        128,
        "metadata of OpenStack and Akamai",
        "OpenStack Nova, metadata service over IPv6",
    ),
];

const TA14: &str = "US-CERT alert TA14-017A";

/// Every amplifier, by port.
pub static AMPLIFIERS: &[Amplifier] = &[
    amplifier(17, "QOTD", 141, TA14),
    amplifier(19, "chargen", 359, TA14),
    amplifier(53, "DNS", 54, TA14),
    amplifier(69, "TFTP", 60, TA14),
    amplifier(111, "portmap", 28, TA14),
    amplifier(123, "NTP", 557, TA14),
    amplifier(137, "NetBIOS", 4, TA14),
    amplifier(138, "NetBIOS", 4, TA14),
    amplifier(161, "SNMP", 7, TA14),
    amplifier(177, "XDMCP", 8, "Shadowserver, accessible XDMCP"),
    amplifier(389, "CLDAP", 70, TA14),
    amplifier(427, "SLP", 2_200, "CVE-2023-29552"),
    amplifier(
        443,
        "QUIC",
        4,
        "RFC 9000 §8.1: three bytes for one, and a retry",
    ),
    amplifier(500, "IKE", 10, "Shadowserver, accessible ISAKMP"),
    amplifier(520, "RIP", 132, TA14),
    amplifier(623, "IPMI", 2, "Shadowserver, accessible IPMI"),
    amplifier(
        1194,
        "OpenVPN",
        61,
        "Shadowserver, accessible OpenVPN: retransmissions",
    ),
    amplifier(
        1434,
        "SQL Server browser",
        26,
        "Shadowserver, accessible MS-SQL browser",
    ),
    amplifier(
        1604,
        "Citrix ICA browser",
        11,
        "Shadowserver, accessible Citrix",
    ),
    amplifier(1701, "L2TP", 5, "Shadowserver, accessible L2TP"),
    amplifier(1900, "SSDP", 31, TA14),
    amplifier(2362, "Digiever", 60, "Akamai, reflection reports"),
    amplifier(3074, "game consoles", 4, "NETSCOUT, threat reports"),
    amplifier(3283, "Apple Remote Desktop", 36, "NETSCOUT, ARMS attacks"),
    amplifier(3389, "RDP over UDP", 86, "NETSCOUT, RDP attacks"),
    amplifier(3478, "STUN and TURN", 4, "NETSCOUT, STUN attacks"),
    amplifier(3702, "WS-Discovery", 500, "Akamai, WS-Discovery attacks"),
    amplifier(4672, "Kad", 17, TA14),
    amplifier(5060, "SIP", 10, "NETSCOUT, threat reports"),
    amplifier(5093, "Sentinel licences", 43, "Akamai, Sentinel attacks"),
    amplifier(5351, "NAT-PMP", 6, "RFC 6886 §3.2: twelve bytes for two"),
    amplifier(5353, "multicast DNS", 10, TA14),
    amplifier(5683, "CoAP", 34, "NETSCOUT, CoAP attacks"),
    amplifier(6881, "BitTorrent", 4, TA14),
    amplifier(
        10001,
        "Ubiquiti discovery",
        36,
        "Shadowserver, accessible Ubiquiti",
    ),
    amplifier(10074, "Mitel MiCollab", 4_294_967_294, "CVE-2022-26143"),
    amplifier(
        11211,
        "memcached",
        51_000,
        "US-CERT alert TA14-017A, revision of 2018",
    ),
    amplifier(17185, "VxWorks debugger", 4, "CVE-2010-2965"),
    amplifier(26000, "Quake", 64, TA14),
    amplifier(27015, "Steam", 6, TA14),
    amplifier(27960, "Quake", 64, TA14),
    amplifier(30718, "Lantronix", 4, "Shadowserver, accessible Lantronix"),
    amplifier(32410, "Plex", 5, "NETSCOUT, PMSSDP attacks"),
    amplifier(32414, "Plex", 5, "NETSCOUT, PMSSDP attacks"),
    amplifier(33848, "Jenkins", 100, "CVE-2020-2100"),
    amplifier(37810, "Dahua DVR", 30, "NETSCOUT, DHCPDiscover attacks"),
    amplifier(47808, "BACnet", 20, "Shadowserver, accessible BACnet"),
];

const fn v4(address: [u8; 4], prefix: u8, what: &'static str, source: &'static str) -> Forbidden {
    Forbidden {
        address: IpAddr::V4(Ipv4Addr::from_octets(address)),
        prefix,
        what,
        source,
    }
}

const fn v6(address: [u16; 8], prefix: u8, what: &'static str, source: &'static str) -> Forbidden {
    Forbidden {
        address: IpAddr::V6(Ipv6Addr::from_segments(address)),
        prefix,
        what,
        source,
    }
}

const fn amplifier(
    port: u16,
    service: &'static str,
    factor: u64,
    source: &'static str,
) -> Amplifier {
    Amplifier {
        port,
        service,
        factor,
        source,
    }
}

/// The row that forbids an address, if one does.
pub(crate) fn forbidden(address: IpAddr) -> Option<&'static Forbidden> {
    FORBIDDEN.iter().find(|row| row.holds(address))
}

/// The amplifier of a UDP port, if there is one.
pub(crate) fn amplifying(port: u16) -> Option<&'static Amplifier> {
    AMPLIFIERS.iter().find(|row| row.port == port)
}

impl Forbidden {
    fn holds(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                (a.to_bits() ^ b.to_bits()) >> (32 - u32::from(self.prefix)) == 0
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => {
                (a.to_bits() ^ b.to_bits())
                    .checked_shr(128 - u32::from(self.prefix))
                    .unwrap_or(0)
                    == 0
            }
            _ => false,
        }
    }
}
