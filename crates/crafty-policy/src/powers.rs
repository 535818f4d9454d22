//! Named abilities that ordinary probing does not need.

use core::fmt;

/// One ability; `POWERS` says what each is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Power {
    /// Lengths or checksums that lie.
    Malformed,
    /// Hand-made fragments.
    Fragments,
    /// Ethernet headers, VLAN tags and MAC addresses that the program sets.
    Link,
    /// ARP, ND, DHCP, routing and spanning-tree protocols.
    Infrastructure,
    /// Packets inside packets.
    Tunnels,
    /// IPv4 options and IPv6 extension headers.
    IpOptions,
    /// ICMP errors and redirects.
    Control,
    /// Segments into flows that the program does not own.
    Inject,
    /// Spoofed source towards an amplifier.
    Reflection,
    /// Groups and broadcast addresses.
    Broadcast,
    /// Traffic that is not the program's own.
    Observe,
    /// Frames for whoever hears them on the link.
    AnyNeighbour,
    /// Carriers that the gate cannot look into.
    Opaque,
}

/// What is known of a power.
#[derive(Debug)]
pub struct PowerRow {
    /// The power.
    pub power: Power,
    /// Its name in `powers: […]`.
    pub name: &'static str,
    /// What it allows, in one line.
    pub doc: &'static str,
    /// By field, what needs it.
    pub needed_by: &'static str,
}

/// Every power, in the order of the manual.
pub static POWERS: &[PowerRow] = &[
    row(
        Power::Malformed,
        "malformed",
        "wrong lengths or checksums",
        "a `length`, `ihl`, `offset` or `checksum` that does not fit the bytes; IP version 0 to 15; bytes after the datagram's end",
    ),
    row(
        Power::Fragments,
        "fragments",
        "hand-made fragments",
        "IP `offset`, IP `flags has mf`, an IPv6 fragment header; the first fragment goes first and holds the whole transport header",
    ),
    row(
        Power::Link,
        "link",
        "Ethernet headers, VLAN tags and MAC addresses that the program sets",
        "an Eth `src` that is not the host's, an Eth `dst` that is not the next hop's, VLAN, LLC and unknown `type` values",
    ),
    row(
        Power::Infrastructure,
        "infrastructure",
        "ARP, ND, DHCP, routing and spanning-tree protocols",
        "ARP, ICMP6 types of ND and MLD, IGMP, OSPF, PIM, VRRP, HSRP, RIP, BGP, DHCP, LLDP, STP; the sender's address must be own or declared",
    ),
    row(
        Power::Tunnels,
        "tunnels",
        "packets inside packets",
        "IP in IP, GRE, VXLAN, GTP, L2TP, MPLS and others; every inner address must be permitted too",
    ),
    row(
        Power::IpOptions,
        "ip_options",
        "IPv4 options and IPv6 extension headers; IPv4 source routes are never sent",
        "IP `options`, IPv6 hop-by-hop, destination and routing headers; each address of a routing header must be permitted",
    ),
    row(
        Power::Control,
        "control",
        "ICMP errors and redirects about the program's own flows",
        "ICMP types 3, 4, 5, 11, 12; ICMP6 types 1 to 4 and 137; the quoted packet must belong to one of the program's flows",
    ),
    row(
        Power::Inject,
        "inject",
        "segments and datagrams of flows that the program does not own",
        "TCP other than a SYN, and UDP, from a port not in `PORTS`; from another host's address, all TCP except a first SYN, and UDP from service ports",
    ),
    row(
        Power::Reflection,
        "reflection",
        "a spoofed source towards an amplifier, whose answer counts against the budget",
        "UDP to DNS, NTP, memcached and the like from an address that is not the host's",
    ),
    row(
        Power::Broadcast,
        "broadcast",
        "multicast and broadcast addresses that `destinations` lists individually",
        "an IP `dst` that is multicast, 255.255.255.255 or the broadcast address of a local net",
    ),
    row(
        Power::Observe,
        "observe",
        "receive other hosts' traffic",
        "receiving frames that are neither from a destination to the program's addresses nor about its own packets",
    ),
    row(
        Power::AnyNeighbour,
        "any_neighbour",
        "frames without an IP destination",
        "LLDP, STP, LLC, unknown types; ARP and ND not about a destination, or to everybody",
    ),
    row(
        Power::Opaque,
        "opaque",
        "payloads that the gate cannot inspect",
        "ESP, WireGuard, MACsec, unknown IP protocols",
    ),
];

const fn row(
    power: Power,
    name: &'static str,
    doc: &'static str,
    needed_by: &'static str,
) -> PowerRow {
    PowerRow {
        power,
        name,
        doc,
        needed_by,
    }
}

impl Power {
    /// Its row.
    pub fn row(self) -> &'static PowerRow {
        &POWERS[self as usize]
    }

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The power of that name.
    pub fn named(name: &str) -> Option<Power> {
        POWERS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.power)
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of powers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PowerSet(u16);

impl PowerSet {
    /// No power.
    pub const NONE: PowerSet = PowerSet(0);

    /// Every power.
    pub const fn all() -> PowerSet {
        PowerSet((1 << (Power::Opaque as u16 + 1)) - 1)
    }

    /// Adds a power.
    pub fn insert(&mut self, power: Power) {
        self.0 |= 1 << power as u16;
    }

    /// This set and `power`.
    pub const fn with(self, power: Power) -> PowerSet {
        PowerSet(self.0 | 1 << power as u16)
    }

    /// This set but `power`.
    pub const fn without(self, power: Power) -> PowerSet {
        PowerSet(self.0 & !(1 << power as u16))
    }

    /// Whether `power` is in it.
    pub const fn has(self, power: Power) -> bool {
        self.0 & 1 << power as u16 != 0
    }

    /// The powers of both.
    pub const fn meet(self, other: PowerSet) -> PowerSet {
        PowerSet(self.0 & other.0)
    }

    /// The powers, in the order of the manual.
    pub fn iter(self) -> impl Iterator<Item = Power> {
        POWERS
            .iter()
            .map(|row| row.power)
            .filter(move |&power| self.has(power))
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Power> for PowerSet {
    fn from_iter<I: IntoIterator<Item = Power>>(powers: I) -> PowerSet {
        powers.into_iter().fold(PowerSet::NONE, PowerSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// Putting in and taking out do nothing to the others, and nothing twice.
    #[test]
    fn powers_are_put_in_and_taken_out_one_by_one() {
        for row in POWERS {
            let with = PowerSet::default().with(row.power);
            assert!(with.has(row.power) && with.with(row.power).has(row.power));
            let others = POWERS.iter().filter(|other| other.power != row.power);
            for other in others {
                assert!(!with.has(other.power), "{}", other.name);
                let both = with.with(other.power);
                assert!(both.without(row.power).has(other.power));
            }
            assert!(!with.without(row.power).has(row.power));
            assert!(!PowerSet::default().without(row.power).has(row.power));
            assert_eq!(row.power.to_string(), row.name);
        }
    }
}
