//! Sets of addresses, with exclusions that win in any order.

use crate::Ranges;
use alloc::vec::Vec;
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::str::FromStr;
use crafty_value::Net;

/// One entry of a list of addresses: a net (or one address), or with `!` its exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressListEntry {
    /// The addresses meant.
    pub net: Net,
    /// Whether they are taken out.
    pub excluded: bool,
}

/// Addresses allowed and denied. Both families may be in one set; denial wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressSet {
    allow: Families,
    deny: Families,
    /// Those allowed by an entry of just one address: what groups and broadcast addresses need.
    exact: Families,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Families {
    v4: Ranges,
    v6: Ranges,
}

impl AddressSet {
    /// No address.
    pub fn none() -> AddressSet {
        AddressSet::default()
    }

    /// Every address of both families, each as if listed on its own.
    pub fn all() -> AddressSet {
        AddressSet {
            allow: Families::all(),
            deny: Families::default(),
            exact: Families::all(),
        }
    }

    /// Adds an entry.
    pub fn add(&mut self, entry: AddressListEntry) {
        if entry.excluded {
            self.deny(entry.net)
        } else {
            self.allow(entry.net)
        }
    }

    /// Allows a net (`Net::host(a)` for one address).
    pub fn allow(&mut self, net: Net) {
        self.allow.insert(net);
        if net.address() == net.last() {
            self.exact.insert(net);
        }
    }

    /// Denies a net, whatever allows it.
    pub fn deny(&mut self, net: Net) {
        self.deny.insert(net);
    }

    /// Whether the address is allowed and not denied.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.allow.contains(address) && !self.deny.contains(address)
    }

    /// Whether the address is allowed by an entry of its own and not denied.
    pub fn lists(&self, address: IpAddr) -> bool {
        self.exact.contains(address) && self.contains(address)
    }

    /// The addresses that entries of their own allow, see `AddressSet::lists`.
    pub(crate) fn listed(&self) -> AddressSet {
        AddressSet {
            allow: self.exact.clone(),
            ..self.clone()
        }
    }

    /// Allowed by both, denied by either.
    pub fn meet(&self, other: &AddressSet) -> AddressSet {
        AddressSet {
            allow: self.allow.zip(&other.allow, Ranges::intersection),
            deny: self.deny.zip(&other.deny, Ranges::union),
            exact: self.exact.zip(&other.exact, Ranges::intersection),
        }
    }

    /// What this allows and `other` does not.
    pub fn without(&self, other: &AddressSet) -> AddressSet {
        let allowed = other.allow.zip(&other.deny, Ranges::difference);
        AddressSet {
            allow: self.allow.clone(),
            deny: self.deny.zip(&allowed, Ranges::union),
            exact: self.exact.clone(),
        }
    }

    /// Whether no address is allowed.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many addresses are allowed and not denied; `u128::MAX` stands for that many or more.
    pub fn count(&self) -> u128 {
        let left = self.allow.zip(&self.deny, Ranges::difference);
        left.v4.count().saturating_add(left.v6.count())
    }

    /// What is allowed and not denied: first and last address of each range, IPv4 first, ascending.
    pub fn ranges(&self) -> Vec<(IpAddr, IpAddr)> {
        let left = self.allow.zip(&self.deny, Ranges::difference);
        let v4 = left.v4.iter().map(|(a, b)| (v4(a), v4(b)));
        v4.chain(left.v6.iter().map(|(a, b)| (v6(a), v6(b))))
            .collect()
    }
}

impl Families {
    fn all() -> Families {
        Families {
            v4: Ranges::of(0, u128::from(u32::MAX)),
            v6: Ranges::of(0, u128::MAX),
        }
    }

    fn insert(&mut self, net: Net) {
        let (low, high) = (number(net.address()), number(net.last()));
        if net.address().is_ipv4() {
            self.v4.insert(low, high)
        } else {
            self.v6.insert(low, high)
        }
    }

    fn contains(&self, address: IpAddr) -> bool {
        let family = if address.is_ipv4() {
            &self.v4
        } else {
            &self.v6
        };
        family.contains(number(address))
    }

    fn zip(&self, other: &Families, join: fn(&Ranges, &Ranges) -> Ranges) -> Families {
        Families {
            v4: join(&self.v4, &other.v4),
            v6: join(&self.v6, &other.v6),
        }
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(a) => u128::from(a.to_bits()),
        IpAddr::V6(a) => a.to_bits(),
    }
}

fn v4(number: u128) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from_bits(number as u32))
}

fn v6(number: u128) -> IpAddr {
    IpAddr::V6(Ipv6Addr::from_bits(number))
}

impl FromIterator<AddressListEntry> for AddressSet {
    fn from_iter<I: IntoIterator<Item = AddressListEntry>>(entries: I) -> AddressSet {
        let mut set = AddressSet::none();
        entries.into_iter().for_each(|entry| set.add(entry));
        set
    }
}

/// The form of policy files and flags: `192.0.2.0/24`, `2001:db8::1`, `!192.0.2.1`.
impl FromStr for AddressListEntry {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<AddressListEntry, &'static str> {
        let (excluded, rest) = text
            .strip_prefix('!')
            .map_or((false, text), |rest| (true, rest));
        let (address, length) = rest
            .split_once('/')
            .map_or((rest, None), |(a, l)| (a, Some(l)));
        let address: IpAddr = address
            .parse()
            .map_err(|_| "neither an address nor a net such as `192.0.2.0/24`")?;
        let Some(length) = length else {
            return Ok(AddressListEntry {
                net: Net::host(address),
                excluded,
            });
        };
        let net = length
            .parse()
            .ok()
            .and_then(|bits| Net::new(address, bits))
            .ok_or("the prefix length does not fit the address")?;
        if net.address() != address {
            return Err("host bits are set: write the first address of the net");
        }
        Ok(AddressListEntry { net, excluded })
    }
}

impl fmt::Display for AddressListEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.excluded { "!" } else { "" })?;
        if self.net.address() == self.net.last() {
            write!(f, "{}", self.net.address())
        } else {
            write!(f, "{}", self.net)
        }
    }
}

/// What is allowed, as addresses and `first-last` ranges.
impl fmt::Display for AddressSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, (low, high)) in self.ranges().into_iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            if low == high {
                write!(f, "{low}")?
            } else {
                write!(f, "{low}-{high}")?
            }
        }
        f.write_str("]")
    }
}
