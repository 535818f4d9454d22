//! Data of resource records as text, in the presentation form of their RFCs; in hex where it is not
//! known or broken.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::{Ipv4Addr, Ipv6Addr};

use super::domain_name::{name_at, word};
use crate::spell::hex;

/// Bytes of unknown data that are shown at most.
const MAX_SHOWN: usize = 255;

/// The data of a record of type `kind` in `span` of a message; `type_name` gives the name of a
/// type.
pub(crate) fn data(
    message: &[u8],
    kind: u16,
    span: core::ops::Range<usize>,
    type_name: fn(u16) -> String,
) -> String {
    let octets = message.get(span.clone()).unwrap_or(&[]);
    let record = RecordText {
        message: message.get(..span.end).unwrap_or(message),
        start: span.start,
        octets,
        type_name,
    };
    record
        .text(kind)
        .unwrap_or_else(|| format!("#{}", hex(&octets[..octets.len().min(MAX_SHOWN)])))
}

struct RecordText<'a> {
    message: &'a [u8],
    start: usize,
    octets: &'a [u8],
    type_name: fn(u16) -> String,
}

/// Gives the data of a record as text; `None` where they are broken.
type RecordForm = fn(&RecordText) -> Option<String>;

/// The form of each type.
static FORMS: &[(&[u16], RecordForm)] = &[
    (&[1], |record| record.address4()),
    (&[28], |record| record.address6()),
    (&[2, 5, 12, 39], |record| record.names(0, 1)),
    (&[6], |record| record.authority()),
    (&[13, 16], |record| strings(record.octets)),
    (&[15, 18, 36], |record| {
        Some(format!("{} {}", record.number16(0)?, record.names(2, 1)?))
    }),
    (&[17], |record| record.names(0, 2)),
    (&[33], |record| record.server()),
    (&[35], |record| record.pointer()),
    (&[43, 59], |record| record.keyed(hex)),
    (&[44], |record| record.digest(2)),
    (&[46], |record| record.signature()),
    (&[47], |record| record.next_name()),
    (&[48, 60], |record| record.keyed(base64)),
    (&[50], |record| record.hashed()),
    (&[51], |record| Some(record.salted()?.0)),
    (&[52], |record| record.digest(3)),
    (&[64, 65], |record| record.service()),
    (&[256], |record| record.uri()),
    (&[257], |record| record.issuer()),
];

impl RecordText<'_> {
    fn text(&self, kind: u16) -> Option<String> {
        let (_, form) = FORMS.iter().find(|(kinds, _)| kinds.contains(&kind))?;
        form(self)
    }

    fn address4(&self) -> Option<String> {
        let octets: [u8; 4] = self.octets.try_into().ok()?;
        Some(Ipv4Addr::from(octets).to_string())
    }

    fn address6(&self) -> Option<String> {
        let octets: [u8; 16] = self.octets.try_into().ok()?;
        Some(Ipv6Addr::from(octets).to_string())
    }

    /// RFC 1035 §3.3.13.
    fn authority(&self) -> Option<String> {
        let numbers = self.numbers(self.behind(2)?, 5)?;
        Some(format!("{} {numbers}", self.names(0, 2)?))
    }

    /// RFC 2782.
    fn server(&self) -> Option<String> {
        let [priority, weight, port] = [self.number16(0)?, self.number16(2)?, self.number16(4)?];
        let target = self.names(6, 1)?;
        Some(format!("{priority} {weight} {port} {target}"))
    }

    /// A number of 16 bits and two of 8, then bytes in a notation (RFC 4034 §2.2, §5.3).
    fn keyed(&self, notation: fn(&[u8]) -> String) -> Option<String> {
        let [number, one, two] = [
            self.number16(0)?,
            self.octet(2)?.into(),
            self.octet(3)?.into(),
        ];
        Some(format!(
            "{number} {one} {two} {}",
            notation(self.octets.get(4..)?)
        ))
    }

    /// So many numbers of 8 bits, then bytes in hex (RFC 4255 §3.2, RFC 6698 §2.2).
    fn digest(&self, count: usize) -> Option<String> {
        let (numbers, rest) = self.octets.split_at_checked(count)?;
        let numbers: String = numbers.iter().map(|number| format!("{number} ")).collect();
        Some(numbers + &hex(rest))
    }

    /// RFC 4034 §4.2.
    fn next_name(&self) -> Option<String> {
        Some(format!(
            "{} {}",
            self.names(0, 1)?,
            self.types(self.behind(1)?)?
        ))
    }

    /// RFC 7553 §4.5.
    fn uri(&self) -> Option<String> {
        let target = quoted(self.octets.get(4..)?);
        Some(format!(
            "{} {} {target}",
            self.number16(0)?,
            self.number16(2)?
        ))
    }

    /// RFC 8659 §4.1.1.
    fn issuer(&self) -> Option<String> {
        let (tag, value) = counted(self.octets.get(1..)?)?;
        let tag = core::str::from_utf8(tag).ok()?;
        Some(format!("{} {tag} {}", self.octet(0)?, quoted(value)))
    }

    fn octet(&self, at: usize) -> Option<u8> {
        self.octets.get(at).copied()
    }

    fn number16(&self, at: usize) -> Option<u16> {
        word(self.octets, at)
    }

    fn number32(&self, at: usize) -> Option<u32> {
        self.octets
            .get(at..)?
            .first_chunk()
            .map(|octets| u32::from_be_bytes(*octets))
    }

    fn numbers(&self, at: usize, count: usize) -> Option<String> {
        let all: Option<Vec<String>> = (0..count)
            .map(|i| Some(self.number32(at + 4 * i)?.to_string()))
            .collect();
        Some(all?.join(" "))
    }

    /// So many names one after the other.
    fn names(&self, at: usize, count: usize) -> Option<String> {
        let (mut all, mut at) = (Vec::new(), self.start + at);
        for _ in 0..count {
            let (name, end) = name_at(self.message, at)?;
            all.push(name);
            at = end;
        }
        Some(all.join(" "))
    }

    /// First byte of the data behind so many names at its beginning.
    fn behind(&self, count: usize) -> Option<usize> {
        (0..count)
            .try_fold(self.start, |at, _| Some(name_at(self.message, at)?.1))
            .map(|end| end - self.start)
    }

    /// RFC 3403 §4.1.
    fn pointer(&self) -> Option<String> {
        let rest = self.octets.get(4..)?;
        let (flags, rest) = counted(rest)?;
        let (services, rest) = counted(rest)?;
        let (rule, rest) = counted(rest)?;
        let name = self.names(self.octets.len() - rest.len(), 1)?;
        let parts = [quoted(flags), quoted(services), quoted(rule)].join(" ");
        Some(format!(
            "{} {} {parts} {name}",
            self.number16(0)?,
            self.number16(2)?
        ))
    }

    /// RFC 4034 §3.1.
    fn signature(&self) -> Option<String> {
        let (signer, end) = name_at(self.message, self.start + 18)?;
        let kind = (self.type_name)(self.number16(0)?);
        let head = format!(
            "{kind} {} {} {}",
            self.octet(2)?,
            self.octet(3)?,
            self.numbers(4, 3)?
        );
        Some(format!(
            "{head} {} {signer} {}",
            self.number16(16)?,
            base64(self.octets.get(end - self.start..)?)
        ))
    }

    /// Algorithm, flags, iterations and salt (RFC 5155 §4.2), and the first byte after.
    fn salted(&self) -> Option<(String, usize)> {
        let (salt, rest) = counted(self.octets.get(4..)?)?;
        let salt = if salt.is_empty() {
            "-".to_string()
        } else {
            hex(salt)
        };
        Some((
            format!(
                "{} {} {} {salt}",
                self.octet(0)?,
                self.octet(1)?,
                self.number16(2)?
            ),
            self.octets.len() - rest.len(),
        ))
    }

    /// RFC 5155 §3.2.
    fn hashed(&self) -> Option<String> {
        let (head, at) = self.salted()?;
        let (next, rest) = counted(self.octets.get(at..)?)?;
        Some(format!(
            "{head} {} {}",
            base32(next),
            self.types(self.octets.len() - rest.len())?
        ))
    }

    /// Windows of bits, one for each type (RFC 4034 §4.1.2).
    fn types(&self, at: usize) -> Option<String> {
        let (mut rest, mut all) = (self.octets.get(at..)?, Vec::new());
        while let Some((&window, behind)) = rest.split_first() {
            let (bits, behind) = counted(behind)?;
            let set = |i: &usize| bits[i / 8] & (0x80 >> (i % 8)) != 0;
            all.extend(
                (0..bits.len() * 8)
                    .filter(set)
                    .map(|i| (self.type_name)(u16::from(window) << 8 | i as u16)),
            );
            rest = behind;
        }
        Some(all.join(" "))
    }

    /// Priority, target and parameters (RFC 9460 §2.2).
    fn service(&self) -> Option<String> {
        let (target, end) = name_at(self.message, self.start + 2)?;
        let (mut text, mut rest) = (
            format!("{} {target}", self.number16(0)?),
            self.octets.get(end - self.start..)?,
        );
        while !rest.is_empty() {
            let len = usize::from(word(rest, 2)?);
            let value = rest.get(4..4 + len)?;
            text.push(' ');
            text.push_str(&parameter(word(rest, 0)?, value)?);
            rest = &rest[4 + len..];
        }
        Some(text)
    }
}

/// Keys of services by name (RFC 9460 §14.3.2, RFC 9461).
const KEYS: [&str; 8] = [
    "mandatory",
    "alpn",
    "no-default-alpn",
    "port",
    "ipv4hint",
    "ech",
    "ipv6hint",
    "dohpath",
];

fn key_name(key: u16) -> String {
    KEYS.get(usize::from(key))
        .map_or_else(|| format!("key{key}"), |name| (*name).to_string())
}

fn parameter(key: u16, value: &[u8]) -> Option<String> {
    let name = key_name(key);
    let listed = |words: Vec<String>| Some(format!("{name}={}", words.join(",")));
    match key {
        0 => listed(
            value
                .as_chunks::<2>()
                .0
                .iter()
                .map(|key| key_name(u16::from_be_bytes(*key)))
                .collect(),
        ),
        1 => {
            let (mut rest, mut all) = (value, Vec::new());
            while !rest.is_empty() {
                let (protocol, behind) = counted(rest)?;
                all.push(protocol.escape_ascii().to_string());
                rest = behind;
            }
            listed(all)
        }
        2 => Some(name),
        3 => Some(format!(
            "{name}={}",
            u16::from_be_bytes(value.try_into().ok()?)
        )),
        4 => listed(
            value
                .as_chunks::<4>()
                .0
                .iter()
                .map(|address| Ipv4Addr::from(*address).to_string())
                .collect(),
        ),
        5 => Some(format!("{name}={}", base64(value))),
        6 => listed(
            value
                .as_chunks::<16>()
                .0
                .iter()
                .map(|address| Ipv6Addr::from(*address).to_string())
                .collect(),
        ),
        7 => Some(format!("{name}={}", value.escape_ascii())),
        _ => Some(format!("{name}=#{}", hex(value))),
    }
}

/// Options of EDNS, each as `name=value` (RFC 6891 §6.1.2 and IANA).
pub(crate) fn edns(octets: &[u8]) -> Option<String> {
    let (mut rest, mut all) = (octets, Vec::new());
    while !rest.is_empty() {
        let len = usize::from(word(rest, 2)?);
        let value = rest.get(4..4 + len)?;
        all.push(option(word(rest, 0)?, value));
        rest = &rest[4 + len..];
    }
    Some(all.join(" "))
}

fn option(code: u16, value: &[u8]) -> String {
    let told = match (code, value) {
        (3, _) => Some(format!("nsid={}", value.escape_ascii())),
        (8, _) => subnet(value),
        (9, [a, b, c, d]) => Some(format!("expire={}", u32::from_be_bytes([*a, *b, *c, *d]))),
        (10, _) => Some(format!("cookie=#{}", hex(value))),
        (11, []) => Some("keepalive".to_string()),
        (11, [a, b]) => Some(format!("keepalive={}", u16::from_be_bytes([*a, *b]))),
        (12, _) => Some(format!("padding={}", value.len())),
        (15, [a, b, reason @ ..]) => Some(format!(
            "error={},{}",
            u16::from_be_bytes([*a, *b]),
            reason.escape_ascii()
        )),
        _ => None,
    };
    told.unwrap_or_else(|| format!("option{code}=#{}", hex(value)))
}

/// RFC 7871 §6: family, bits of the question's prefix, bits of the answer's.
fn subnet(value: &[u8]) -> Option<String> {
    let (&[0, family, source, scope], prefix) = value.split_first_chunk()? else {
        return None;
    };
    let mut address = [0; 16];
    address.get_mut(..prefix.len())?.copy_from_slice(prefix);
    let [a, b, c, d, ..] = address;
    match family {
        1 if prefix.len() <= 4 => Some(format!(
            "subnet={}/{source}/{scope}",
            Ipv4Addr::new(a, b, c, d)
        )),
        2 => Some(format!(
            "subnet={}/{source}/{scope}",
            Ipv6Addr::from(address)
        )),
        _ => None,
    }
}

/// Bytes behind a length of one byte, and the rest.
fn counted(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.split_first()?;
    rest.split_at_checked((*len).into())
}

fn quoted(octets: &[u8]) -> String {
    format!("\"{}\"", octets.escape_ascii())
}

/// RFC 4648 §4.
fn base64(octets: &[u8]) -> String {
    let digits = |group: u32| (0..4).map(move |i| (group >> (18 - 6 * i) & 63) as usize);
    let mut text = String::new();
    for piece in octets.chunks(3) {
        let group = piece
            .iter()
            .fold(0, |all, octet| all << 8 | u32::from(*octet))
            << (8 * (3 - piece.len()));
        text.extend(
            digits(group)
                .take(piece.len() + 1)
                .map(|digit| char::from(BASE64[digit])),
        );
        text.extend(core::iter::repeat_n('=', 3 - piece.len()));
    }
    text
}

static BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// RFC 4648 §7, without filling, in lower case as zone files have it.
fn base32(octets: &[u8]) -> String {
    let bits = octets.len() * 8;
    let bit = |i: usize| {
        if i < bits {
            usize::from(octets[i / 8] >> (7 - i % 8) & 1)
        } else {
            0
        }
    };
    let digit = |i: usize| (0..5).fold(0, |all, k| all << 1 | bit(5 * i + k));
    (0..bits.div_ceil(5))
        .map(|i| char::from(b"0123456789abcdefghijklmnopqrstuv"[digit(i)]))
        .collect()
}

fn strings(mut octets: &[u8]) -> Option<String> {
    let mut text = String::new();
    while let Some((&length, rest)) = octets.split_first() {
        let (string, behind) = rest.split_at_checked(length.into())?;
        let shown: String = string
            .iter()
            .flat_map(|octet| octet.escape_ascii())
            .map(char::from)
            .collect();
        text.push_str(&format!("\"{shown}\""));
        octets = behind;
    }
    Some(text)
}
