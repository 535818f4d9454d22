//! Hardware addresses and nets.

use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A 48-bit link address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// All stations.
    pub const BROADCAST: Mac = Mac([0xff; 6]);

    /// Whether the group bit is set (broadcast included).
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 != 0
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// An address prefix; the host bits of `address` are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Net {
    address: IpAddr,
    prefix: u8,
}

impl Net {
    /// The net of `prefix` bits that holds `address`; `None` if the family has fewer bits.
    pub fn new(address: IpAddr, prefix: u8) -> Option<Net> {
        let address = match address {
            IpAddr::V4(a) if prefix <= 32 => {
                IpAddr::V4(Ipv4Addr::from_bits(a.to_bits() & mask32(prefix)))
            }
            IpAddr::V6(a) if prefix <= 128 => {
                IpAddr::V6(Ipv6Addr::from_bits(a.to_bits() & mask128(prefix)))
            }
            _ => return None,
        };
        Some(Net { address, prefix })
    }

    /// The net that holds just this address.
    pub fn host(address: IpAddr) -> Net {
        Net {
            address,
            prefix: if address.is_ipv4() { 32 } else { 128 },
        }
    }

    /// The lowest address.
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// Length of the prefix in bits.
    pub const fn prefix(&self) -> u8 {
        self.prefix
    }

    /// Whether `address` lies in this net; never across families.
    pub fn contains(&self, address: IpAddr) -> bool {
        Net::new(address, self.prefix).is_some_and(|net| net == *self)
    }

    /// The highest address.
    pub fn last(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(a) => IpAddr::V4(Ipv4Addr::from_bits(a.to_bits() | !mask32(self.prefix))),
            IpAddr::V6(a) => IpAddr::V6(Ipv6Addr::from_bits(a.to_bits() | !mask128(self.prefix))),
        }
    }
}

impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

const fn mask32(prefix: u8) -> u32 {
    if prefix == 0 {
        0
    } else {
        u32::MAX << (32 - prefix)
    }
}

const fn mask128(prefix: u8) -> u128 {
    if prefix == 0 {
        0
    } else {
        u128::MAX << (128 - prefix)
    }
}

/// The IPv4 address that an IPv6 address carries by a well-known form: mapped and compatible (RFC
/// 4291 §2.5.5), translated (RFC 2765 §2.1), NAT64 (RFC 6052 §2.1), 6to4 (RFC 3056 §2), Teredo (RFC 4380 §4), ISATAP (RFC 5214
/// §6.1).
pub fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = address.to_bits();
    let low = Ipv4Addr::from_bits(bits as u32);
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(low),
        [0x2002, a, b, ..] => Some(Ipv4Addr::from_bits(u32::from(a) << 16 | u32::from(b))),
        [0x2001, 0, ..] => Some(Ipv4Addr::from_bits(!(bits as u32))),
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => Some(low),
        [_, _, _, _, 0 | 0x0200, 0x5efe, ..] => Some(low),
        _ if bits >> 32 == 0 && bits as u32 > 1 => Some(low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_net_holds_its_ends_and_nothing_beyond() {
        let net = Net::new("10.1.2.3".parse().unwrap(), 30).unwrap();
        assert_eq!(net.to_string(), "10.1.2.0/30");
        assert_eq!(net.last().to_string(), "10.1.2.3");
        assert!(
            net.contains("10.1.2.3".parse().unwrap()) && !net.contains("10.1.2.4".parse().unwrap())
        );
        assert!(!net.contains("::".parse().unwrap()));
        assert!(Net::new("10.0.0.0".parse().unwrap(), 33).is_none());
    }

    #[test]
    fn ipv4_hidden_in_ipv6_is_found() {
        let rows = [
            ("::ffff:169.254.169.254", Some("169.254.169.254")),
            ("::ffff:0:169.254.169.254", Some("169.254.169.254")),
            ("::127.0.0.1", Some("127.0.0.1")),
            ("64:ff9b::10.0.0.1", Some("10.0.0.1")),
            ("2002:0a00:0001::1", Some("10.0.0.1")),
            ("2001:0:1::f5ff:fffe", Some("10.0.0.1")),
            ("fe80::5efe:10.0.0.1", Some("10.0.0.1")),
            ("2001:db8::1", None),
            ("::1", None),
            ("::", None),
        ];
        for (v6, v4) in rows {
            assert_eq!(
                embedded_ipv4(v6.parse().unwrap())
                    .map(|a| a.to_string())
                    .as_deref(),
                v4,
                "{v6}"
            );
        }
    }
}
