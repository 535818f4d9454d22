//! What a router tells of its interfaces in errors of ICMP, as text (RFC 5837).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;

use crate::field::Spelling;

/// The role, then what is reported: number, address, name, MTU. The byte before says which of them.
pub(crate) static INTERFACE: Spelling = Spelling {
    example: "incoming index=3 address=192.0.2.1 name=eth0 mtu=1500",
    read: read_after,
    write,
};

const ROLES: [&str; 4] = ["incoming", "below", "outgoing", "next"];
const INDEX: u8 = 8;
const ADDRESS: u8 = 4;
const NAME: u8 = 2;
const MTU: u8 = 1;
/// Place in an object of the byte that says what is reported.
const TYPE: usize = 3;
/// Bytes of a name, with its length, at most.
const MAX_NAME: usize = 64;

fn read_after(object: &[u8], at: usize) -> Option<(String, usize)> {
    let (kind, mut rest) = (*object.get(TYPE)?, object.get(at..)?);
    let mut text = String::from(ROLES[usize::from(kind >> 6)]);
    let mut tell = |name: &str, value: &str| text.push_str(&format!(" {name}={value}"));
    if kind & INDEX != 0 {
        tell("index", &format!("{}", number(&mut rest)?));
    }
    if kind & ADDRESS != 0 {
        tell("address", &format!("{}", address(&mut rest)?));
    }
    if kind & NAME != 0 {
        tell("name", name(&mut rest)?);
    }
    if kind & MTU != 0 {
        tell("mtu", &format!("{}", number(&mut rest)?));
    }
    Some((text, object.len() - at - rest.len()))
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    take(rest, 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, behind) = rest.split_at_checked(count)?;
    *rest = behind;
    Some(taken)
}

/// Family and reserved bytes, then the address (RFC 5837 §4.2).
fn address(rest: &mut &[u8]) -> Option<IpAddr> {
    match take(rest, 4)? {
        [0, 1, 0, 0] => <[u8; 4]>::try_from(take(rest, 4)?).ok().map(IpAddr::from),
        [0, 2, 0, 0] => <[u8; 16]>::try_from(take(rest, 16)?).ok().map(IpAddr::from),
        _ => None,
    }
}

/// A length that counts itself, text, and zeros (RFC 5837 §4.3).
fn name<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let field = take(rest, usize::from(*rest.first()?))?;
    let text = core::str::from_utf8(field.get(1..)?)
        .ok()?
        .trim_end_matches('\0');
    Some(text).filter(|text| !text.is_empty() && !text.contains(char::is_whitespace))
}

fn write(text: &str, start: usize, out: &mut Vec<u8>) {
    let mut words = text.split_whitespace();
    let role = words
        .next()
        .and_then(|word| ROLES.iter().position(|role| *role == word))
        .unwrap_or(0);
    let told: Vec<(&str, &str)> = words.filter_map(|word| word.split_once('=')).collect();
    let find = |wanted: &str| {
        told.iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| *value)
    };
    let numbered = |name: &str| find(name).and_then(|value| value.parse::<u32>().ok());
    let mut kind = (role as u8) << 6;
    if let Some(index) = numbered("index") {
        kind |= INDEX;
        out.extend(index.to_be_bytes());
    }
    match find("address").and_then(|value| value.parse().ok()) {
        Some(IpAddr::V4(address)) => out.extend([&[0, 1, 0, 0], &address.octets()[..]].concat()),
        Some(IpAddr::V6(address)) => out.extend([&[0, 2, 0, 0], &address.octets()[..]].concat()),
        None => {}
    }
    kind |= if find("address").is_some_and(|value| value.parse::<IpAddr>().is_ok()) {
        ADDRESS
    } else {
        0
    };
    if let Some(name) = find("name") {
        kind |= NAME;
        put_name(name, out);
    }
    if let Some(mtu) = numbered("mtu") {
        kind |= MTU;
        out.extend(mtu.to_be_bytes());
    }
    if let Some(octet) = out.get_mut(start + TYPE) {
        *octet = kind;
    }
}

fn put_name(name: &str, out: &mut Vec<u8>) {
    let name = &name.as_bytes()[..name.len().min(MAX_NAME - 1)];
    let size = (1 + name.len()).next_multiple_of(4);
    let start = out.len();
    out.push(size as u8);
    out.extend(name);
    out.resize(start + size, 0);
}
