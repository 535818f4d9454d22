//! Notations that several protocols share: prefixes, names as DNS has them, pairs of texts. Nothing
//! here knows a protocol.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::{Ipv4Addr, Ipv6Addr};

use crate::field::Spelling;

/// An IPv4 prefix: bits in a byte, then as many bytes as they need.
pub(crate) static PREFIX: Spelling = Spelling {
    example: "10.1.0.0/16",
    read: read_prefix,
    write: |text, _, out| out.extend(prefix(text)),
};
/// An IPv6 prefix in the same form.
pub(crate) static PREFIX6: Spelling = Spelling {
    example: "2001:db8::/32",
    read: read_prefix6,
    write: |text, _, out| out.extend(prefix6(text)),
};
/// Names as in DNS, not compressed, with spaces between.
pub(crate) static NAMES: Spelling = Spelling {
    example: "example.com www.example.org",
    read: read_names,
    write: write_names,
};
/// Names as in DNS, with zeros behind that fill an option up.
pub(crate) static PADDED_NAMES: Spelling = Spelling {
    example: "example.com www.example.org",
    read: read_padded_names,
    write: write_names,
};
/// Names and values, each with a zero behind.
pub(crate) static PAIRS: Spelling = Spelling {
    example: "blksize=1024 tsize=0",
    read: read_pairs,
    write: write_pairs,
};

fn read_prefix(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let (bits, address, len) = padded::<4>(octets.get(at..)?)?;
    Some((format!("{}/{bits}", Ipv4Addr::from(address)), len))
}

fn read_prefix6(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let (bits, address, len) = padded::<16>(octets.get(at..)?)?;
    Some((format!("{}/{bits}", Ipv6Addr::from(address)), len))
}

/// Bits and address of a prefix, and the bytes that it takes.
fn padded<const N: usize>(octets: &[u8]) -> Option<(u8, [u8; N], usize)> {
    let (&bits, rest) = octets.split_first()?;
    let len = usize::from(bits).div_ceil(8);
    let mut address = [0; N];
    address.get_mut(..len)?.copy_from_slice(rest.get(..len)?);
    Some((bits, address, 1 + len))
}

/// The bytes of a prefix as text; none if the text is invalid.
pub(crate) fn prefix(text: &str) -> Vec<u8> {
    cut(text, 32, |address| {
        address
            .parse::<Ipv4Addr>()
            .ok()
            .map(|address| address.octets().to_vec())
    })
}

/// The bytes of an IPv6 prefix as text; none if the text is invalid.
pub(crate) fn prefix6(text: &str) -> Vec<u8> {
    cut(text, 128, |address| {
        address
            .parse::<Ipv6Addr>()
            .ok()
            .map(|address| address.octets().to_vec())
    })
}

fn cut(text: &str, most: u8, address: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<u8> {
    let parts = text.split_once('/').and_then(|(prefix, bits)| {
        Some((
            address(prefix)?,
            bits.parse().ok().filter(|bits| *bits <= most)?,
        ))
    });
    parts
        .map(|(octets, bits): (Vec<u8>, u8)| {
            [&[bits], &octets[..usize::from(bits).div_ceil(8)]].concat()
        })
        .unwrap_or_default()
}

/// Prefixes to the end of the bytes, with spaces between; `None` where one is cut off or longer
/// than an address.
pub(crate) fn prefixes(octets: &[u8], one: &Spelling) -> Option<String> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < octets.len() {
        let (text, len) = (one.read)(octets, at)?;
        all.push(text);
        at += len.max(1);
    }
    Some(all.join(" "))
}

fn read_padded_names(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let filled = octets.get(at..)?;
    let padding = filled.iter().rev().take_while(|octet| **octet == 0).count();
    // The first zero ends the last name.
    let end = octets.len() - padding.saturating_sub(1);
    let (names, _) = read_names(octets.get(..end)?, at)?;
    Some((names, filled.len()))
}

fn read_names(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let (mut names, mut rest) = (Vec::new(), octets.get(at..)?);
    while !rest.is_empty() {
        let (name, behind) = name(rest)?;
        names.push(name);
        rest = behind;
    }
    Some((names.join(" "), octets.len() - at))
}

/// Bytes as digits, two each.
pub(crate) fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// A name of labels that are plain; others have no text here.
fn name(mut octets: &[u8]) -> Option<(String, &[u8])> {
    let mut labels: Vec<&str> = Vec::new();
    loop {
        let (&len, rest) = octets.split_first()?;
        let (label, behind) = rest.split_at_checked(len.into()).filter(|_| len < 64)?;
        if len == 0 {
            return Some((
                if labels.is_empty() {
                    ".".to_string()
                } else {
                    labels.join(".")
                },
                behind,
            ));
        }
        let plain = label
            .iter()
            .all(|octet| octet.is_ascii_graphic() && !b".\\".contains(octet));
        labels.push(core::str::from_utf8(label).ok().filter(|_| plain)?);
        octets = behind;
    }
}

fn write_names(text: &str, _: usize, out: &mut Vec<u8>) {
    for name in text.split_whitespace() {
        for label in name.split('.').filter(|label| matches!(label.len(), 1..64)) {
            out.push(label.len() as u8);
            out.extend(label.as_bytes());
        }
        out.push(0);
    }
}

fn read_pairs(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let text = core::str::from_utf8(octets.get(at..)?).ok()?;
    let mut words = text.split_terminator('\0');
    let mut pairs = Vec::new();
    while let Some(name) = words.next() {
        pairs.push(format!("{name}={}", words.next()?));
    }
    Some((pairs.join(" "), text.len()))
}

fn write_pairs(text: &str, _: usize, out: &mut Vec<u8>) {
    for (name, value) in text
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='))
    {
        for word in [name, value] {
            out.extend(word.as_bytes());
            out.push(0);
        }
    }
}
