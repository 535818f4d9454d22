//! Path attributes of BGP as values (RFC 4271 §4.3, RFC 1997, RFC 4360, RFC 4456, RFC 4760, RFC
//! 8092): a row each. Nothing here knows the message that they are in.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::{Ipv4Addr, Ipv6Addr};

use crate::spell::{self, PREFIX, PREFIX6, prefixes};
use crate::value::FieldValue;

/// One attribute, or one part of it.
pub(crate) struct Attribute {
    /// Number.
    pub kind: u8,
    /// Flags that it is written with.
    pub flags: u8,
    /// View that shows it.
    pub view: &'static str,
    /// The value that it shows.
    pub read: fn(&[u8]) -> Option<FieldValue>,
    /// The bytes of the value; `None` where it cannot be set.
    pub write: fn(&FieldValue) -> Option<Vec<u8>>,
}

const KNOWN: u8 = 0x40;
const OPTIONAL: u8 = 0x80;
const TRANSITIVE: u8 = 0xc0;
/// Numbers of what tells and takes back routes of other families.
pub(crate) const MP_REACH: u8 = 14;
pub(crate) const MP_UNREACH: u8 = 15;
/// Address families 2 and 1, both for unicast.
pub(crate) const IP6_UNICAST: [u8; 3] = [0, 2, 1];

/// The attributes in the order of their numbers.
pub(crate) const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        kind: 1,
        flags: KNOWN,
        view: "origin",
        read: small,
        write: |value| Some(Vec::from([value.as_uint()? as u8])),
    },
    Attribute {
        kind: 2,
        flags: KNOWN,
        view: "as_path",
        read: path,
        write: |value| Some(path_from(text(value)?)),
    },
    Attribute {
        kind: 3,
        flags: KNOWN,
        view: "next_hop",
        read: number,
        write: wide,
    },
    Attribute {
        kind: 4,
        flags: OPTIONAL,
        view: "med",
        read: number,
        write: wide,
    },
    Attribute {
        kind: 5,
        flags: KNOWN,
        view: "local_pref",
        read: number,
        write: wide,
    },
    Attribute {
        kind: 6,
        flags: KNOWN,
        view: "atomic",
        read: present,
        write: |value| (value.as_uint()? != 0).then(Vec::new),
    },
    Attribute {
        kind: 7,
        flags: TRANSITIVE,
        view: "aggregator",
        read: aggregator,
        write: |value| aggregator_from(text(value)?),
    },
    Attribute {
        kind: 8,
        flags: TRANSITIVE,
        view: "communities",
        read: communities,
        write: |value| Some(communities_from(text(value)?)),
    },
    Attribute {
        kind: 9,
        flags: OPTIONAL,
        view: "originator",
        read: number,
        write: wide,
    },
    Attribute {
        kind: 10,
        flags: OPTIONAL,
        view: "clusters",
        read: clusters,
        write: |value| Some(clusters_from(text(value)?)),
    },
    Attribute {
        kind: MP_REACH,
        flags: OPTIONAL,
        view: "family",
        read: family,
        write: |_| None,
    },
    Attribute {
        kind: MP_REACH,
        flags: OPTIONAL,
        view: "next_hop6",
        read: next_hop6,
        write: |_| None,
    },
    Attribute {
        kind: MP_REACH,
        flags: OPTIONAL,
        view: "nlri6",
        read: nlri6,
        write: |_| None,
    },
    Attribute {
        kind: MP_UNREACH,
        flags: OPTIONAL,
        view: "withdrawn6",
        read: withdrawn6,
        write: |value| withdrawn6_from(text(value)?),
    },
    Attribute {
        kind: 16,
        flags: TRANSITIVE,
        view: "ext_communities",
        read: extended,
        write: |value| Some(extended_from(text(value)?)),
    },
    Attribute {
        kind: 17,
        flags: TRANSITIVE,
        view: "as4_path",
        read: |octets| path_of(octets, 4).map(FieldValue::Text),
        write: |_| None,
    },
    Attribute {
        kind: 32,
        flags: TRANSITIVE,
        view: "large_communities",
        read: large,
        write: |value| Some(large_from(text(value)?)),
    },
];

fn text(value: &FieldValue) -> Option<&str> {
    match value {
        FieldValue::Text(text) => Some(text),
        _ => None,
    }
}

fn small(octets: &[u8]) -> Option<FieldValue> {
    Some(FieldValue::Uint((*octets.first()?).into()))
}

pub(crate) fn number(octets: &[u8]) -> Option<FieldValue> {
    Some(FieldValue::Uint(
        u32::from_be_bytes(octets.try_into().ok()?).into(),
    ))
}

fn wide(value: &FieldValue) -> Option<Vec<u8>> {
    Some((value.as_uint()? as u32).to_be_bytes().to_vec())
}

fn present(_: &[u8]) -> Option<FieldValue> {
    Some(FieldValue::Uint(1))
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// A path. Nothing in a message tells whether its numbers have 32 bits or 16: it is read as what
/// its lengths fit, the wide form first.
fn path(octets: &[u8]) -> Option<FieldValue> {
    path_of(octets, 4)
        .or_else(|| path_of(octets, 2))
        .map(FieldValue::Text)
}

fn path_of(mut octets: &[u8], size: usize) -> Option<String> {
    let mut segments = Vec::new();
    while let Some((&[kind, count], rest)) = octets.split_first_chunk() {
        let (numbers, behind) = rest
            .split_at_checked(usize::from(count) * size)
            .filter(|_| matches!(kind, 1..=4))?;
        let numbers = numbers.chunks(size).map(|number| {
            number
                .iter()
                .fold(0u32, |all, octet| all << 8 | u32::from(*octet))
        });
        let text = joined(numbers.map(|number| number.to_string()));
        segments.push(match kind {
            1 => format!("{{{text}}}"),
            2 => text,
            3 => format!("({text})"),
            _ => format!("({{{text}}})"),
        });
        octets = behind;
    }
    octets.is_empty().then(|| segments.join(" "))
}

/// One ordered segment of 32-bit numbers; none for an empty path.
fn path_from(text: &str) -> Vec<u8> {
    let numbers: Vec<u32> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .take(255)
        .collect();
    let head: &[u8] = if numbers.is_empty() {
        &[]
    } else {
        &[2, numbers.len() as u8]
    };
    head.iter()
        .copied()
        .chain(numbers.iter().flat_map(|number| number.to_be_bytes()))
        .collect()
}

/// Network, then router; the network has 16 bits or 32.
fn aggregator(octets: &[u8]) -> Option<FieldValue> {
    let (network, router) = octets.split_last_chunk::<4>()?;
    let network = matches!(network.len(), 2 | 4).then(|| {
        network
            .iter()
            .fold(0u32, |all, octet| all << 8 | u32::from(*octet))
    })?;
    Some(FieldValue::Text(format!(
        "{network} {}",
        Ipv4Addr::from(*router)
    )))
}

fn aggregator_from(text: &str) -> Option<Vec<u8>> {
    let (network, router) = text.split_once(' ')?;
    Some(
        [
            network.parse::<u32>().ok()?.to_be_bytes(),
            router.trim().parse::<Ipv4Addr>().ok()?.octets(),
        ]
        .concat(),
    )
}

fn communities(octets: &[u8]) -> Option<FieldValue> {
    let (all, []) = octets.as_chunks::<4>() else {
        return None;
    };
    let show = |[a, b, c, d]: &[u8; 4]| {
        format!(
            "{}:{}",
            u16::from_be_bytes([*a, *b]),
            u16::from_be_bytes([*c, *d])
        )
    };
    Some(FieldValue::Text(joined(all.iter().map(show))))
}

fn communities_from(text: &str) -> Vec<u8> {
    let pair = |word: &str| {
        let (network, mark) = word.split_once(':')?;
        Some(
            [
                network.parse::<u16>().ok()?.to_be_bytes(),
                mark.parse::<u16>().ok()?.to_be_bytes(),
            ]
            .concat(),
        )
    };
    text.split_whitespace().filter_map(pair).flatten().collect()
}

fn clusters(octets: &[u8]) -> Option<FieldValue> {
    let (all, []) = octets.as_chunks::<4>() else {
        return None;
    };
    Some(FieldValue::Text(joined(
        all.iter().map(|router| Ipv4Addr::from(*router).to_string()),
    )))
}

fn clusters_from(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .filter_map(|word| word.parse::<Ipv4Addr>().ok())
        .flat_map(|router| router.octets())
        .collect()
}

fn large(octets: &[u8]) -> Option<FieldValue> {
    let (all, []) = octets.as_chunks::<12>() else {
        return None;
    };
    let show = |community: &[u8; 12]| {
        community
            .as_chunks::<4>()
            .0
            .iter()
            .map(|part| u32::from_be_bytes(*part).to_string())
            .collect::<Vec<_>>()
            .join(":")
    };
    Some(FieldValue::Text(joined(all.iter().map(show))))
}

fn large_from(text: &str) -> Vec<u8> {
    let triple = |word: &str| {
        let parts: Vec<u32> = word
            .split(':')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        (parts.len() == 3).then(|| {
            parts
                .iter()
                .flat_map(|part| part.to_be_bytes())
                .collect::<Vec<u8>>()
        })
    };
    text.split_whitespace()
        .filter_map(triple)
        .flatten()
        .collect()
}

/// Targets and origins of routes by name, all others in hex (RFC 4360, RFC 5668).
const EXTENDED: [(u8, &str); 2] = [(2, "rt"), (3, "soo")];

fn extended(octets: &[u8]) -> Option<FieldValue> {
    let (all, []) = octets.as_chunks::<8>() else {
        return None;
    };
    Some(FieldValue::Text(joined(all.iter().map(one_extended))))
}

fn one_extended(community: &[u8; 8]) -> String {
    let [kind, sub, a, b, c, d, e, f] = *community;
    let name = EXTENDED.iter().find(|row| row.0 == sub).map(|row| row.1);
    match (kind, name) {
        (0, Some(name)) => format!(
            "{name}:{}:{}",
            u16::from_be_bytes([a, b]),
            u32::from_be_bytes([c, d, e, f])
        ),
        (1, Some(name)) => format!(
            "{name}:{}:{}",
            Ipv4Addr::new(a, b, c, d),
            u16::from_be_bytes([e, f])
        ),
        (2, Some(name)) => format!(
            "{name}:{}L:{}",
            u32::from_be_bytes([a, b, c, d]),
            u16::from_be_bytes([e, f])
        ),
        _ => spell::hex(community),
    }
}

fn extended_from(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .filter_map(one_extended_from)
        .flatten()
        .collect()
}

fn one_extended_from(word: &str) -> Option<[u8; 8]> {
    let mut parts = word.split(':');
    let name = parts.next()?;
    let Some(sub) = EXTENDED.iter().find(|row| row.1 == name).map(|row| row.0) else {
        return u64::from_str_radix(word, 16)
            .ok()
            .filter(|_| word.len() == 16)
            .map(u64::to_be_bytes);
    };
    let (who, mark) = (parts.next()?, parts.next()?);
    let (kind, octets) = if let Ok(router) = who.parse::<Ipv4Addr>() {
        (
            1,
            [
                &router.octets()[..],
                &mark.parse::<u16>().ok()?.to_be_bytes(),
            ]
            .concat(),
        )
    } else if let Some(network) = who.strip_suffix('L') {
        (
            2,
            [
                &network.parse::<u32>().ok()?.to_be_bytes()[..],
                &mark.parse::<u16>().ok()?.to_be_bytes(),
            ]
            .concat(),
        )
    } else {
        (
            0,
            [
                &who.parse::<u16>().ok()?.to_be_bytes()[..],
                &mark.parse::<u32>().ok()?.to_be_bytes(),
            ]
            .concat(),
        )
    };
    [&[kind, sub], octets.as_slice()].concat().try_into().ok()
}

fn family(octets: &[u8]) -> Option<FieldValue> {
    let &[high, low, safi] = octets.first_chunk()?;
    Some(FieldValue::Text(format!(
        "{}/{safi}",
        u16::from_be_bytes([high, low])
    )))
}

/// Next hop and prefixes of what is reached by IPv6 (RFC 2545 §3).
fn reach6(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.strip_prefix(&IP6_UNICAST)?.split_first()?;
    let (hop, rest) = rest.split_at_checked((*len).into())?;
    Some((hop, rest.get(1..)?))
}

fn next_hop6(octets: &[u8]) -> Option<FieldValue> {
    reach6(octets)?
        .0
        .first_chunk::<16>()
        .map(|hop| FieldValue::Wide(u128::from_be_bytes(*hop)))
}

fn nlri6(octets: &[u8]) -> Option<FieldValue> {
    prefixes(reach6(octets)?.1, &PREFIX6).map(FieldValue::Text)
}

fn withdrawn6(octets: &[u8]) -> Option<FieldValue> {
    prefixes(octets.strip_prefix(&IP6_UNICAST)?, &PREFIX6).map(FieldValue::Text)
}

fn withdrawn6_from(text: &str) -> Option<Vec<u8>> {
    Some(
        [
            &IP6_UNICAST[..],
            &text
                .split_whitespace()
                .flat_map(spell::prefix6)
                .collect::<Vec<u8>>(),
        ]
        .concat(),
    )
}

/// What tells of prefixes reached by IPv6 through a next hop.
pub(crate) fn reach6_from(hop: Option<&FieldValue>, nlri: Option<&str>) -> Option<Vec<u8>> {
    let hop = match (hop, nlri) {
        (None, None) => return None,
        (Some(FieldValue::Wide(hop)), _) => Ipv6Addr::from_bits(*hop),
        _ => Ipv6Addr::UNSPECIFIED,
    };
    let prefixes = nlri
        .unwrap_or("")
        .split_whitespace()
        .flat_map(spell::prefix6)
        .collect::<Vec<u8>>();
    Some([&IP6_UNICAST[..], &[16], &hop.octets(), &[0], &prefixes].concat())
}

/// IPv4 prefixes as text.
pub(crate) fn prefixes4(octets: &[u8]) -> Option<FieldValue> {
    prefixes(octets, &PREFIX).map(FieldValue::Text)
}

/// The bytes of IPv4 prefixes; invalid prefixes are left out.
pub(crate) fn prefixes4_from(text: &str) -> Vec<u8> {
    text.split_whitespace().flat_map(spell::prefix).collect()
}
