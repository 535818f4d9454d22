//! Variables of SNMP as text: `1.3.6.1.2.1.1.5.0=string:"r1"`, with `; ` between them (RFC 3416 §3,
//! RFC 2578 §7.1). Nothing here knows the message around them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::Ipv4Addr;

use crate::ber::{element, value};
use crate::spell::hex;

/// Types of elements.
pub(crate) const INTEGER: u8 = 2;
pub(crate) const BYTES: u8 = 4;
pub(crate) const NAME: u8 = 6;
pub(crate) const SEQUENCE: u8 = 0x30;
const NULL: u8 = 5;
const ADDRESS: u8 = 0x40;

/// Types of values that are numbers without a sign.
const NUMBERS: [(u8, &str); 4] = [
    (0x41, "counter"),
    (0x42, "gauge"),
    (0x43, "ticks"),
    (0x46, "counter64"),
];
/// Values that say that there is none.
const NONE: [(u8, &str); 4] = [
    (NULL, "null"),
    (0x80, "no_such_object"),
    (0x81, "no_such_instance"),
    (0x82, "end_of_view"),
];

/// A variable and its value.
pub(crate) struct VariableBinding<'a> {
    /// Its name, with dots.
    pub name: String,
    /// Type of its value.
    pub kind: u8,
    /// Its value.
    pub value: &'a [u8],
}

/// The variables of a list; `None` where one is broken.
pub(crate) fn variables(mut list: &[u8]) -> Option<Vec<VariableBinding<'_>>> {
    let mut all = Vec::new();
    while let Some((variable, behind)) = value(list, SEQUENCE) {
        let (name, held) = value(variable, NAME)?;
        let (kind, held, _) = element(held)?;
        all.push(VariableBinding {
            name: dotted(name)?,
            kind,
            value: held,
        });
        list = behind;
    }
    Some(all)
}

/// A name as text. The first number holds two (X.690 §8.19).
pub(crate) fn dotted(octets: &[u8]) -> Option<String> {
    let (mut text, mut number) = (String::new(), 0u64);
    for octet in octets {
        number = number.checked_mul(128)? | u64::from(octet & 0x7f);
        if octet & 0x80 == 0 {
            text.push_str(&match text.is_empty() {
                true => format!(
                    "{}.{}",
                    (number / 40).min(2),
                    number - (number / 40).min(2) * 40
                ),
                false => format!(".{number}"),
            });
            number = 0;
        }
    }
    (octets.last()? & 0x80 == 0).then_some(text)
}

/// Variables as text.
pub(crate) fn listed(variables: &[VariableBinding]) -> String {
    variables
        .iter()
        .map(|variable| format!("{}={}", variable.name, shown(variable)))
        .collect::<Vec<_>>()
        .join("; ")
}

fn shown(variable: &VariableBinding) -> String {
    let (kind, octets) = (variable.kind, variable.value);
    let known = match kind {
        INTEGER => signed(octets).map(|number| format!("integer:{number}")),
        BYTES => Some(format!(
            "string:\"{}\"",
            octets.escape_ascii().to_string().replace(';', "\\x3b")
        )),
        NAME => dotted(octets).map(|name| format!("name:{name}")),
        ADDRESS => <[u8; 4]>::try_from(octets)
            .ok()
            .map(|octets| format!("address:{}", Ipv4Addr::from(octets))),
        _ => None,
    };
    let number = || {
        NUMBERS
            .iter()
            .find(|row| row.0 == kind)
            .and_then(|row| Some(format!("{}:{}", row.1, unsigned(octets)?)))
    };
    let none = || {
        NONE.iter()
            .find(|row| row.0 == kind && octets.is_empty())
            .map(|row| row.1.to_string())
    };
    known
        .or_else(number)
        .or_else(none)
        .unwrap_or_else(|| format!("{kind:#04x}:#{}", hex(octets)))
}

fn signed(octets: &[u8]) -> Option<i64> {
    let start = if octets.first()? & 0x80 != 0 { -1 } else { 0 };
    (octets.len() <= 8).then(|| {
        octets
            .iter()
            .fold(start, |all, octet| all << 8 | i64::from(*octet))
    })
}

fn unsigned(octets: &[u8]) -> Option<u64> {
    let octets = octets
        .strip_prefix(&[0])
        .filter(|rest| !rest.is_empty())
        .unwrap_or(octets);
    (1..=8).contains(&octets.len()).then(|| {
        octets
            .iter()
            .fold(0, |all, octet| all << 8 | u64::from(*octet))
    })
}

/// The bytes of a list of variables as text; what has no name is left out, what has no value is
/// null.
pub(crate) fn from_text(text: &str) -> Vec<u8> {
    text.split(';')
        .filter_map(|word| variable_from(word.trim()))
        .flatten()
        .collect()
}

fn variable_from(word: &str) -> Option<Vec<u8>> {
    let (name, held) = word.split_once('=').unwrap_or((word, ""));
    let name = name_from(name);
    let value = value_from(held).unwrap_or_else(|| wrap(NULL, &[]));
    (!name.is_empty()).then(|| wrap(SEQUENCE, &[wrap(NAME, &name), value].concat()))
}

fn value_from(held: &str) -> Option<Vec<u8>> {
    let (kind, text) = held.split_once(':').unwrap_or((held, ""));
    if let Some(row) = NONE.iter().find(|row| row.1 == held) {
        return Some(wrap(row.0, &[]));
    }
    if let Some(row) = NUMBERS.iter().find(|row| row.1 == kind) {
        return Some(wrap(
            row.0,
            &shortest(&[&[0], &text.parse::<u64>().ok()?.to_be_bytes()[..]].concat()),
        ));
    }
    match kind {
        "integer" => Some(wrap(
            INTEGER,
            &shortest(&text.parse::<i64>().ok()?.to_be_bytes()),
        )),
        "string" => Some(wrap(
            BYTES,
            &unescaped(text.strip_prefix('"')?.strip_suffix('"')?),
        )),
        "name" => Some(wrap(NAME, &name_from(text))),
        "address" => Some(wrap(ADDRESS, &text.parse::<Ipv4Addr>().ok()?.octets())),
        _ => {
            let kind = u8::from_str_radix(kind.strip_prefix("0x")?, 16).ok()?;
            let digits = text.strip_prefix('#')?.as_bytes().as_chunks::<2>().0;
            let octets: Option<Vec<u8>> = digits
                .iter()
                .map(|pair| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok())
                .collect();
            Some(wrap(kind, &octets?))
        }
    }
}

/// Text in which `\xDD` is a byte, and `\n`, `\"` and the like are what they are.
fn unescaped(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, behind)) = rest.split_first() {
        let (octet, skip) = match (first, behind) {
            (b'\\', [b'x', a, b, ..]) => (
                core::str::from_utf8(&[*a, *b])
                    .ok()
                    .and_then(|pair| u8::from_str_radix(pair, 16).ok()),
                3,
            ),
            (b'\\', [b'n', ..]) => (Some(b'\n'), 1),
            (b'\\', [b'r', ..]) => (Some(b'\r'), 1),
            (b'\\', [b't', ..]) => (Some(b'\t'), 1),
            (b'\\', [other, ..]) => (Some(*other), 1),
            _ => (Some(first), 0),
        };
        out.extend(octet);
        rest = &behind[skip..];
    }
    out
}

/// An element of this type.
pub(crate) fn wrap(kind: u8, value: &[u8]) -> Vec<u8> {
    let len = value.len().to_be_bytes();
    let skip = len
        .iter()
        .position(|octet| *octet != 0)
        .unwrap_or(len.len() - 1);
    let mut out = Vec::from([kind]);
    if value.len() >= 0x80 {
        out.push(0x80 | (len.len() - skip) as u8);
    }
    out.extend(&len[skip..]);
    out.extend(value);
    out
}

/// The bytes of a number with a sign without those that only repeat it (X.690 §8.3.2).
fn shortest(octets: &[u8]) -> Vec<u8> {
    let spare = |pair: &[u8]| matches!((pair[0], pair[1] >> 7), (0, 0) | (0xff, 1));
    let skip = octets.windows(2).take_while(|pair| spare(pair)).count();
    octets[skip..].to_vec()
}

/// An integer of 32 bits, signed, in as few bytes as hold it.
pub(crate) fn integer(value: u64) -> Vec<u8> {
    wrap(INTEGER, &shortest(&(value as u32).to_be_bytes()))
}

/// A name from text; nothing where a part is not a number.
pub(crate) fn name_from(text: &str) -> Vec<u8> {
    let numbers: Option<Vec<u32>> = text
        .trim_start_matches('.')
        .split('.')
        .map(|number| number.parse().ok())
        .collect();
    let Some([first, second, rest @ ..]) = numbers.as_deref() else {
        return Vec::new();
    };
    let joined = u64::from(*first) * 40 + u64::from(*second);
    let mut out = Vec::new();
    for number in core::iter::once(joined).chain(rest.iter().map(|number| u64::from(*number))) {
        let sevens = (64 - number.leading_zeros()).div_ceil(7).max(1);
        out.extend(
            (0..sevens)
                .rev()
                .map(|i| (number >> (7 * i)) as u8 & 0x7f | if i == 0 { 0 } else { 0x80 }),
        );
    }
    out
}
