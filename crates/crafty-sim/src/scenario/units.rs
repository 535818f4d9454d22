//! Numbers with their units, as scenario files and fault notations write them.

use crafty_value::{Duration, Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A unit's suffixes with their size; the first is meant when there is none.
type Suffixes = &'static [(&'static str, i64)];

const RATES: Suffixes = &[
    ("bit", 1),
    ("kbit", 1_000),
    ("Mbit", 1_000_000),
    ("Gbit", 1_000_000_000),
];
const SIZES: Suffixes = &[
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("KB", 1_000),
    ("MB", 1_000_000),
];
const TIMES: Suffixes = &[
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
];

/// Bits a second.
pub(crate) fn rate(text: &str) -> Option<i64> {
    scaled(text, RATES).filter(|rate| *rate > 0)
}

/// Bytes.
pub(crate) fn size(text: &str) -> Option<i64> {
    scaled(text, SIZES)
}

/// A span of time; a bare number is milliseconds.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    scaled(text, TIMES).map(Duration)
}

/// A span of time that must have its unit: `90s`, `1.5min`.
pub fn span(text: &str) -> Option<Duration> {
    let has_unit = text.ends_with(|c: char| c.is_ascii_alphabetic());
    duration(text).filter(|_| has_unit)
}

/// A decimal number with a suffix or without; nothing smaller than the unit's smallest part.
pub(crate) fn scaled(text: &str, suffixes: &[(&str, i64)]) -> Option<i64> {
    let digits_end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits_end);
    let scale = match suffix.trim_start() {
        "" => suffixes.first()?.1,
        suffix => suffixes.iter().find(|it| it.0 == suffix)?.1,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| {
        (text.len() <= 9 && text.bytes().all(|c| c.is_ascii_digit()))
            .then(|| text.parse::<i64>().ok())
            .flatten()
    };
    let parts = digits(part)?.checked_mul(scale)?;
    let tenth = 10_i64.pow(part.len() as u32);
    (parts % tenth == 0).then(|| {
        digits(whole)?
            .checked_mul(scale)?
            .checked_add(parts / tenth)
    })?
}

/// A net whose address is the lowest of it.
pub(crate) fn net(text: &str) -> Option<Net> {
    let (address, prefix) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let net = Net::new(address, prefix.parse().ok()?)?;
    (net.address() == address).then_some(net)
}

/// A net of IPv4.
pub(crate) fn net4(text: &str) -> Option<(Ipv4Addr, u8)> {
    match net(text)?.address() {
        IpAddr::V4(address) => Some((address, net(text)?.prefix())),
        IpAddr::V6(_) => None,
    }
}

/// A net of IPv6.
pub(crate) fn net6(text: &str) -> Option<(Ipv6Addr, u8)> {
    match net(text)?.address() {
        IpAddr::V6(address) => Some((address, net(text)?.prefix())),
        IpAddr::V4(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_units_and_nothing_else_is() {
        assert_eq!(rate("100Mbit"), Some(100_000_000));
        assert_eq!(rate("1.5 Mbit"), Some(1_500_000));
        assert_eq!(rate("0bit"), None);
        assert_eq!(rate("5 parsecs"), None);
        assert_eq!(size("512KiB"), Some(512 << 10));
        assert_eq!(duration("5us"), Some(Duration::micros(5)));
        assert_eq!(duration("5"), Some(Duration::millis(5)));
        assert_eq!(duration("-5ms"), None);
        assert_eq!(duration(""), None);
        assert_eq!(duration("1.0000000001s"), None);
        assert_eq!(net4("10.0.0.1/24"), None);
        assert_eq!(net4("10.0.0.0/24"), Some(([10, 0, 0, 0].into(), 24)));
        assert_eq!(net4("::/0"), None);
    }
}
