//! Networks that IS-IS tells of, as text (RFC 5305 §4, RFC 5308 §2, RFC 5120 §7): a prefix, then
//! its metric and marks.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::{Ipv4Addr, Ipv6Addr};

use crate::field::Spelling;
use crate::spell::hex;

/// IPv4 networks with wide metrics.
pub(crate) static REACH: Spelling = Spelling {
    example: "10.1.0.0/16,metric=10 10.2.0.0/24,metric=20,down,sub=#0101ff",
    read: read4,
    write: write4,
};
/// IPv6 networks.
pub(crate) static REACH6: Spelling = Spelling {
    example: "2001:db8::/32,metric=10,external",
    read: read6,
    write: write6,
};

/// Where the marks of a family are in its byte of marks.
struct Marks {
    down: u8,
    external: u8,
    sub: u8,
}

const MARKS: Marks = Marks {
    down: 0x80,
    external: 0,
    sub: 0x40,
};
const MARKS6: Marks = Marks {
    down: 0x80,
    external: 0x40,
    sub: 0x20,
};

fn read4(octets: &[u8], at: usize) -> Option<(String, usize)> {
    all(octets.get(at..)?, |rest| {
        let (&[a, b, c, d, marks], behind) = rest.split_first_chunk()?;
        let (address, behind) = padded::<4>(behind, marks & 0x3f)?;
        entry(
            format!("{}/{}", Ipv4Addr::from(address), marks & 0x3f),
            u32::from_be_bytes([a, b, c, d]),
            marks,
            &MARKS,
            behind,
        )
    })
}

fn read6(octets: &[u8], at: usize) -> Option<(String, usize)> {
    all(octets.get(at..)?, |rest| {
        let (&[a, b, c, d, marks, bits], behind) = rest.split_first_chunk()?;
        let (address, behind) = padded::<16>(behind, bits)?;
        entry(
            format!("{}/{bits}", Ipv6Addr::from(address)),
            u32::from_be_bytes([a, b, c, d]),
            marks,
            &MARKS6,
            behind,
        )
    })
}

fn all<'a>(
    octets: &'a [u8],
    one: impl Fn(&'a [u8]) -> Option<(String, &'a [u8])>,
) -> Option<(String, usize)> {
    let (mut words, mut rest) = (Vec::new(), octets);
    while !rest.is_empty() {
        let (word, behind) = one(rest)?;
        words.push(word);
        rest = behind;
    }
    Some((words.join(" "), octets.len()))
}

fn padded<const N: usize>(octets: &[u8], bits: u8) -> Option<([u8; N], &[u8])> {
    let (prefix, behind) = octets.split_at_checked(usize::from(bits).div_ceil(8))?;
    let mut address = [0; N];
    address.get_mut(..prefix.len())?.copy_from_slice(prefix);
    Some((address, behind))
}

fn entry<'a>(
    prefix: String,
    metric: u32,
    marks: u8,
    of: &Marks,
    behind: &'a [u8],
) -> Option<(String, &'a [u8])> {
    let mut word = prefix + &format!(",metric={metric}");
    for (mark, name) in [(of.down, ",down"), (of.external, ",external")] {
        word.push_str(if marks & mark != 0 { name } else { "" });
    }
    if marks & of.sub == 0 {
        return Some((word, behind));
    }
    let (len, rest) = behind.split_first()?;
    let (sub, behind) = rest.split_at_checked((*len).into())?;
    Some((word + ",sub=#" + &hex(sub), behind))
}

fn write4(text: &str, _: usize, out: &mut Vec<u8>) {
    for entry in text.split_whitespace().map(ReachabilityEntry::of) {
        if let (Ok(address), bits @ 0..=32) = (entry.address.parse::<Ipv4Addr>(), entry.bits) {
            out.extend(entry.metric.to_be_bytes());
            out.push(entry.marks(&MARKS) | bits);
            out.extend(&address.octets()[..usize::from(bits).div_ceil(8)]);
            entry.put_sub(out);
        }
    }
}

fn write6(text: &str, _: usize, out: &mut Vec<u8>) {
    for entry in text.split_whitespace().map(ReachabilityEntry::of) {
        if let (Ok(address), bits @ 0..=128) = (entry.address.parse::<Ipv6Addr>(), entry.bits) {
            out.extend(entry.metric.to_be_bytes());
            out.extend([entry.marks(&MARKS6), bits]);
            out.extend(&address.octets()[..usize::from(bits).div_ceil(8)]);
            entry.put_sub(out);
        }
    }
}

/// An entry as text; what is not a prefix has 255 bits.
struct ReachabilityEntry<'a> {
    address: &'a str,
    bits: u8,
    metric: u32,
    down: bool,
    external: bool,
    sub: Option<Vec<u8>>,
}

impl ReachabilityEntry<'_> {
    fn of(word: &str) -> ReachabilityEntry<'_> {
        let mut parts = word.split(',');
        let (address, bits) = parts
            .next()
            .and_then(|prefix| prefix.split_once('/'))
            .unwrap_or(("", ""));
        let mut entry = ReachabilityEntry {
            address,
            bits: bits.parse().unwrap_or(u8::MAX),
            metric: 0,
            down: false,
            external: false,
            sub: None,
        };
        for part in parts {
            match part.split_once('=') {
                Some(("metric", value)) => entry.metric = value.parse().unwrap_or(0),
                Some(("sub", digits)) => entry.sub = Some(octets(digits.trim_start_matches('#'))),
                _ => {
                    entry.down |= part == "down";
                    entry.external |= part == "external";
                }
            }
        }
        entry
    }

    fn marks(&self, of: &Marks) -> u8 {
        let mark = |set: bool, mark: u8| if set { mark } else { 0 };
        mark(self.down, of.down)
            | mark(self.external, of.external)
            | mark(self.sub.is_some(), of.sub)
    }

    fn put_sub(&self, out: &mut Vec<u8>) {
        if let Some(sub) = &self.sub {
            out.push(sub.len() as u8);
            out.extend(sub);
        }
    }
}

/// Bytes of hex digits, at most as many as a length of one byte counts.
fn octets(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().as_chunks::<2>().0.iter().take(255);
    pairs
        .filter_map(|pair| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
