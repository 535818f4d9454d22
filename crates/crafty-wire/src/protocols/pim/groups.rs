//! Groups and sources in messages of PIM, as text (RFC 7761 §4.9). Nothing here knows the rest of a
//! message.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::field::Spelling;

/// To whom, for how long, then the groups, each with what is joined and what is pruned.
pub(crate) static JOINS: Spelling = Spelling {
    example: "192.0.2.1 hold=210; 239.1.1.1/32 join=10.0.0.1/32,s join=192.0.2.9/32,swr prune=10.0.0.2/32,sr",
    read: read_joins,
    write: write_joins,
};
/// A group and a source.
pub(crate) static STOP: Spelling = Spelling {
    example: "239.1.1.1/32 10.0.0.1",
    read: read_stop,
    write: write_stop,
};
/// A group, a source, and how far it is.
pub(crate) static ASSERT: Spelling = Spelling {
    example: "239.1.1.1/32 10.0.0.1 rpt preference=110 metric=20",
    read: read_assert,
    write: write_assert,
};

const TREE: u32 = 0x8000_0000;
/// Marks of a source, the highest first (RFC 7761 §4.9.1); those of a group.
const SOURCE_MARKS: [(u8, char); 3] = [(4, 's'), (2, 'w'), (1, 'r')];
const GROUP_MARKS: [(u8, char); 2] = [(0x80, 'b'), (1, 'z')];

/// Family and native encoding, then an address.
fn unicast(octets: &[u8]) -> Option<(IpAddr, &[u8])> {
    let (&[family, 0], rest) = octets.split_first_chunk()? else {
        return None;
    };
    address(family, rest)
}

fn address(family: u8, octets: &[u8]) -> Option<(IpAddr, &[u8])> {
    match family {
        1 => octets
            .split_first_chunk::<4>()
            .map(|(address, rest)| (Ipv4Addr::from(*address).into(), rest)),
        2 => octets
            .split_first_chunk::<16>()
            .map(|(address, rest)| (Ipv6Addr::from(*address).into(), rest)),
        _ => None,
    }
}

/// A group or a source with its prefix and marks; `None` where a bit has no mark.
fn prefix<'a>(octets: &'a [u8], marks: &[(u8, char)]) -> Option<(String, &'a [u8])> {
    let (&[family, 0, bits, mask], rest) = octets.split_first_chunk()? else {
        return None;
    };
    let (address, rest) = address(family, rest)?;
    let set: String = marks
        .iter()
        .filter(|mark| bits & mark.0 != 0)
        .map(|mark| mark.1)
        .collect();
    let known = marks.iter().fold(0, |all, mark| all | mark.0);
    let comma = if set.is_empty() { "" } else { "," };
    (bits & !known == 0).then(|| (format!("{address}/{mask}{comma}{set}"), rest))
}

fn put_unicast(text: &str, out: &mut Vec<u8>) {
    match text.parse() {
        Ok(IpAddr::V4(address)) => out.extend([&[1, 0], &address.octets()[..]].concat()),
        Ok(IpAddr::V6(address)) => out.extend([&[2, 0], &address.octets()[..]].concat()),
        Err(_) => {}
    }
}

/// Whether it was a prefix, and is written.
fn put_prefix(text: &str, marks: &[(u8, char)], out: &mut Vec<u8>) -> bool {
    let (prefix, set) = text.split_once(',').unwrap_or((text, ""));
    let bits = marks
        .iter()
        .filter(|mark| set.contains(mark.1))
        .fold(0, |all, mark| all | mark.0);
    let Some((address, Ok(mask))) = prefix
        .split_once('/')
        .map(|(address, mask)| (address, mask.parse::<u8>()))
    else {
        return false;
    };
    match address.parse() {
        Ok(IpAddr::V4(address)) => {
            out.extend([&[1, 0, bits, mask], &address.octets()[..]].concat())
        }
        Ok(IpAddr::V6(address)) => {
            out.extend([&[2, 0, bits, mask], &address.octets()[..]].concat())
        }
        Err(_) => return false,
    }
    true
}

fn read_joins(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let (neighbour, rest) = unicast(octets.get(at..)?)?;
    let (&[0, groups, high, low], mut rest) = rest.split_first_chunk()? else {
        return None;
    };
    let mut text = format!("{neighbour} hold={}", u16::from_be_bytes([high, low]));
    for _ in 0..groups {
        let (group, behind) = prefix(rest, &GROUP_MARKS)?;
        let (&[a, b, c, d], behind) = behind.split_first_chunk()?;
        text.push_str(&format!("; {group}"));
        rest = behind;
        for (count, name) in [([a, b], "join"), ([c, d], "prune")] {
            for _ in 0..u16::from_be_bytes(count) {
                let (source, behind) = prefix(rest, &SOURCE_MARKS)?;
                text.push_str(&format!(" {name}={source}"));
                rest = behind;
            }
        }
    }
    Some((text, octets.len() - at - rest.len()))
}

fn write_joins(text: &str, _: usize, out: &mut Vec<u8>) {
    let mut parts = text.split(';').map(str::trim);
    let mut words = parts.next().unwrap_or("").split_whitespace();
    put_unicast(words.next().unwrap_or(""), out);
    let hold = words
        .find_map(|word| word.strip_prefix("hold=")?.parse().ok())
        .unwrap_or(0u16);
    let groups: Vec<Vec<u8>> = parts.filter_map(group).collect();
    out.extend([0, groups.len() as u8]);
    out.extend(hold.to_be_bytes());
    out.extend(groups.concat());
}

fn group(text: &str) -> Option<Vec<u8>> {
    let (name, _) = text.split_once(' ').unwrap_or((text, ""));
    let mut out = Vec::new();
    put_prefix(name, &GROUP_MARKS, &mut out).then_some(())?;
    let sources = ["join=", "prune="].map(|kind| {
        let (mut octets, mut count) = (Vec::new(), 0u16);
        for source in text
            .split_whitespace()
            .filter_map(|word| word.strip_prefix(kind))
        {
            count += u16::from(put_prefix(source, &SOURCE_MARKS, &mut octets));
        }
        (count, octets)
    });
    sources
        .iter()
        .for_each(|(count, _)| out.extend(count.to_be_bytes()));
    sources.iter().for_each(|(_, octets)| out.extend(octets));
    Some(out)
}

fn read_stop(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let (group, rest) = prefix(octets.get(at..)?, &GROUP_MARKS)?;
    let (source, rest) = unicast(rest)?;
    Some((format!("{group} {source}"), octets.len() - at - rest.len()))
}

fn write_stop(text: &str, _: usize, out: &mut Vec<u8>) {
    let (group, source) = text.split_once(' ').unwrap_or((text, ""));
    put_prefix(group, &GROUP_MARKS, out);
    put_unicast(source.trim(), out);
}

fn read_assert(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let (text, len) = read_stop(octets, at)?;
    let (&[a, b, c, d, e, f, g, h], _) = octets.get(at + len..)?.split_first_chunk()?;
    let (preference, metric) = (
        u32::from_be_bytes([a, b, c, d]),
        u32::from_be_bytes([e, f, g, h]),
    );
    let tree = if preference & TREE == 0 { "" } else { " rpt" };
    Some((
        format!(
            "{text}{tree} preference={} metric={metric}",
            preference & !TREE
        ),
        len + 8,
    ))
}

fn write_assert(text: &str, start: usize, out: &mut Vec<u8>) {
    let mut words = text.split_whitespace();
    let pair = [words.next().unwrap_or(""), words.next().unwrap_or("")].join(" ");
    write_stop(&pair, start, out);
    let number = |name: &str| {
        text.split_whitespace()
            .find_map(|word| word.strip_prefix(name)?.parse::<u32>().ok())
            .unwrap_or(0)
    };
    let tree = if text.split_whitespace().any(|word| word == "rpt") {
        TREE
    } else {
        0
    };
    out.extend((number("preference=") & !TREE | tree).to_be_bytes());
    out.extend(number("metric=").to_be_bytes());
}
