//! Hellos of TLS (RFC 8446 §4.1): what client and server offer and choose. TLS has them in records,
//! QUIC in its own frames. Nothing here knows which of them it is.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::codec::Header;
use crate::names::NameTable;
use crate::value::{FieldValue, text_value};

/// Versions of TLS (RFC 8446 §4.2.1 and before).
pub(crate) const VERSIONS: NameTable = &[
    (0x0300, "ssl3"),
    (0x0301, "tls1_0"),
    (0x0302, "tls1_1"),
    (0x0303, "tls1_2"),
    (0x0304, "tls1_3"),
];
/// Kinds of messages.
pub(crate) const CLIENT_HELLO: u8 = 1;
pub(crate) const SERVER_HELLO: u8 = 2;
/// Kinds of extensions (IANA, TLS ExtensionType Values).
pub(crate) const SNI: u16 = 0;
pub(crate) const GROUPS: u16 = 10;
pub(crate) const SIGNATURES: u16 = 13;
pub(crate) const ALPN: u16 = 16;
pub(crate) const SUPPORTED_VERSIONS: u16 = 43;
pub(crate) const KEY_SHARE: u16 = 51;
/// The group of X25519 (RFC 8446 §4.2.7).
pub(crate) const X25519: u16 = 0x1d;
const DEFAULT_CIPHERS: &str = "1301 1302 1303 c02b c02f c02c c030";
/// What stands for the random bytes of a server that asks for another hello (RFC 8446 §4.1.3).
const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// A hello, as far as it is there.
pub(crate) struct Hello<'a> {
    client: bool,
    version: u16,
    random: &'a [u8],
    session: &'a [u8],
    ciphers: &'a [u8],
    extensions: &'a [u8],
}

/// The hello of a message of this kind.
pub(crate) fn hello(kind: u8, body: &[u8]) -> Option<Hello<'_>> {
    let client = kind == CLIENT_HELLO;
    let (version, rest) = word(body).filter(|_| client || kind == SERVER_HELLO)?;
    let (random, rest) = rest.split_at_checked(32)?;
    let (session, rest) = counted(rest, 1)?;
    let (ciphers, rest) = if client {
        counted(rest, 2)?
    } else {
        rest.split_at_checked(2)?
    };
    let rest = if client {
        counted(rest, 1)?.1
    } else {
        rest.get(1..)?
    };
    let extensions = rest.get(2..).unwrap_or(&[]);
    Some(Hello {
        client,
        version,
        random,
        session,
        ciphers,
        extensions,
    })
}

fn word(octets: &[u8]) -> Option<(u16, &[u8])> {
    octets
        .split_first_chunk()
        .map(|(word, rest)| (u16::from_be_bytes(*word), rest))
}

/// Bytes behind a length of `size` bytes, and the rest.
pub(crate) fn counted(octets: &[u8], size: usize) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.split_at_checked(size)?;
    rest.split_at_checked(
        len.iter()
            .fold(0, |len, octet| len << 8 | usize::from(*octet)),
    )
}

impl Hello<'_> {
    fn extension(&self, wanted: u16) -> Option<&[u8]> {
        all_extensions(self.extensions)
            .find(|(kind, _)| *kind == wanted)
            .map(|(_, value)| value)
    }

    /// Numbers in a list behind its length, in hex.
    fn numbers(&self, wanted: u16) -> Option<String> {
        Some(words(counted(self.extension(wanted)?, 2)?.0, hex_name))
    }

    /// The keys offered, or the one chosen, each with its group; a server that asks for another
    /// hello gives the group alone.
    fn keys(&self) -> Option<Vec<(u16, &[u8])>> {
        let value = self.extension(KEY_SHARE)?;
        let mut rest = if self.client {
            counted(value, 2)?.0
        } else {
            value
        };
        let mut all = Vec::new();
        while let Some((group, behind)) = word(rest) {
            let (key, behind) = counted(behind, 2).unwrap_or((&behind[..0], &behind[..0]));
            all.push((group, key));
            rest = behind;
        }
        Some(all)
    }

    fn versions(&self) -> Option<String> {
        let value = self.extension(SUPPORTED_VERSIONS)?;
        Some(words(
            if self.client {
                counted(value, 1)?.0
            } else {
                value
            },
            version_name,
        ))
    }

    /// Why the list in an extension does not end where the extension does.
    fn list_fault(&self, kind: u16, value: &[u8]) -> Option<&'static str> {
        let size = match kind {
            SNI if value.is_empty() && !self.client => return None,
            SNI | ALPN | GROUPS | SIGNATURES => 2,
            SUPPORTED_VERSIONS if self.client => 1,
            _ => return None,
        };
        let exact = counted(value, size).is_some_and(|(_, behind)| behind.is_empty());
        let why = match kind {
            SNI => "the length of the list of server names does not match its extension",
            ALPN => "the length of the list of protocols does not match its extension",
            _ => "the length of a list does not match its extension",
        };
        (!exact).then_some(why)
    }

    /// The first name of kind 0 (RFC 6066 §3).
    fn server(&self) -> Option<&str> {
        let (list, _) = counted(self.extension(SNI)?, 2)?;
        let (name, _) = list
            .split_first()
            .filter(|(kind, _)| **kind == 0)
            .and_then(|(_, rest)| counted(rest, 2))?;
        core::str::from_utf8(name).ok()
    }

    fn protocols(&self) -> Option<String> {
        let (mut list, _) = counted(self.extension(ALPN)?, 2)?;
        let mut all = Vec::new();
        while let Some((name, behind)) = counted(list, 1) {
            all.push(core::str::from_utf8(name).ok()?);
            list = behind;
        }
        Some(all.join(" "))
    }
}

/// The extensions one after the other, as far as they are there.
fn all_extensions(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    core::iter::from_fn(move || {
        let (kind, behind) = word(rest)?;
        let (value, behind) = counted(behind, 2)?;
        rest = behind;
        Some((kind, value))
    })
}

/// Why the lists of a hello cannot be read to their ends, if they cannot: lengths that do not fit
/// what holds them (RFC 8446 §4.2, RFC 6066 §3).
pub(crate) fn fault(kind: u8, body: &[u8]) -> Option<&'static str> {
    let Some(hello) = hello(kind, body) else {
        return matches!(kind, CLIENT_HELLO | SERVER_HELLO)
            .then_some("this hello cannot be decoded");
    };
    let (mut rest, mut faults) = (hello.extensions, None);
    while let Some((kind, behind)) = word(rest) {
        let Some((value, behind)) = counted(behind, 2) else {
            return Some("an extension of a hello is longer than the list");
        };
        faults = faults.or_else(|| hello.list_fault(kind, value));
        rest = behind;
    }
    faults.or_else(|| (!rest.is_empty()).then_some("an incomplete extension at the end of a hello"))
}

/// What the view called so shows of a hello.
pub(crate) fn read(hello: &Hello, view: &str) -> Option<FieldValue> {
    let text = FieldValue::Text;
    match view {
        "hello_version" => Some(FieldValue::Uint(hello.version.into())),
        "random" => Some(FieldValue::Bytes(hello.random.to_vec())),
        "retry" if !hello.client => Some(FieldValue::Uint((hello.random == RETRY).into())),
        "session_id" => Some(FieldValue::Bytes(hello.session.to_vec())),
        "cipher" if !hello.client => {
            word(hello.ciphers).map(|(cipher, _)| FieldValue::Uint(cipher.into()))
        }
        "ciphers" if hello.client => Some(text(words(hello.ciphers, hex_name))),
        "extensions" => Some(text(joined(
            all_extensions(hello.extensions).map(|(kind, _)| kind),
            hex_name,
        ))),
        "sni" => text_value(hello.server()?),
        "alpn" => hello.protocols().map(text),
        "versions" => hello.versions().map(text),
        "groups" => hello.numbers(GROUPS).map(text),
        "signatures" => hello.numbers(SIGNATURES).map(text),
        "key_share" => Some(text(joined(
            hello.keys()?.into_iter().map(|(group, _)| group),
            hex_name,
        ))),
        "x25519" => hello
            .keys()?
            .into_iter()
            .find(|(group, _)| *group == X25519)
            .map(|(_, key)| FieldValue::Bytes(key.to_vec())),
        _ => None,
    }
}

fn words(octets: &[u8], show: fn(u16, &mut String)) -> String {
    joined(
        octets
            .as_chunks::<2>()
            .0
            .iter()
            .map(|word| u16::from_be_bytes(*word)),
        show,
    )
}

fn joined(numbers: impl Iterator<Item = u16>, show: fn(u16, &mut String)) -> String {
    let mut text = String::new();
    for number in numbers {
        if !text.is_empty() {
            text.push(' ');
        }
        show(number, &mut text);
    }
    text
}

fn hex_name(number: u16, text: &mut String) {
    let written = write!(text, "{number:04x}");
    debug_assert!(written.is_ok());
}

fn version_name(version: u16, text: &mut String) {
    match VERSIONS.iter().find(|row| row.0 == u64::from(version)) {
        Some(row) => text.push_str(row.1),
        None => hex_name(version, text),
    }
}

/// Appends bytes after their length of `size` bytes.
pub(crate) fn put(octets: &[u8], size: usize, out: &mut Vec<u8>) {
    let len = octets.len().to_be_bytes();
    out.extend(&len[len.len() - size..]);
    out.extend(octets);
}

/// Who says a hello.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HelloSender {
    Client,
    Server,
}

/// The hello that the views set in a header ask for, with these extensions behind those.
pub(crate) fn from_header(header: &Header, by: HelloSender, beside: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let octets = |name: &str| match header.value(name) {
        Some(FieldValue::Bytes(octets)) => octets.clone(),
        _ => Vec::new(),
    };
    let mut out = (header.uint("hello_version").unwrap_or(0x0303) as u16)
        .to_be_bytes()
        .to_vec();
    let mut random = octets("random");
    if header.uint("retry") == Some(1) {
        random = RETRY.to_vec();
    }
    random.resize(32, 0);
    out.extend(random);
    let session = octets("session_id");
    put(&session[..session.len().min(32)], 1, &mut out);
    if by == HelloSender::Client {
        put(
            &hex_numbers(header.text("ciphers").unwrap_or(DEFAULT_CIPHERS)),
            2,
            &mut out,
        );
        out.extend([1, 0]);
    } else {
        out.extend((header.uint("cipher").unwrap_or(0x1301) as u16).to_be_bytes());
        out.push(0);
    }
    let mut extensions = extensions_from(header, by);
    beside
        .iter()
        .for_each(|(kind, value)| extension(*kind, value, &mut extensions));
    put(&extensions, 2, &mut out);
    out
}

fn extension(kind: u16, value: &[u8], out: &mut Vec<u8>) {
    out.extend(kind.to_be_bytes());
    put(value, 2, out);
}

fn extensions_from(header: &Header, by: HelloSender) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(name) = header.text("sni") {
        let mut entry = Vec::from([0]);
        put(name.as_bytes(), 2, &mut entry);
        extension(SNI, &list(&entry, 2), &mut out);
    }
    for (name, kind) in [("groups", GROUPS), ("signatures", SIGNATURES)] {
        if let Some(numbers) = header.text(name) {
            extension(kind, &list(&hex_numbers(numbers), 2), &mut out);
        }
    }
    if let Some(names) = header.text("alpn") {
        let all = names
            .split_whitespace()
            .flat_map(|name| list(name.as_bytes(), 1))
            .collect::<Vec<u8>>();
        extension(ALPN, &list(&all, 2), &mut out);
    }
    if let Some(versions) = header.text("versions") {
        let all = versions
            .split_whitespace()
            .filter_map(version_from)
            .flatten()
            .collect::<Vec<u8>>();
        extension(
            SUPPORTED_VERSIONS,
            &if by == HelloSender::Client {
                list(&all, 1)
            } else {
                all
            },
            &mut out,
        );
    }
    if let Some(FieldValue::Bytes(key)) = header.value("x25519") {
        let entry = share(key);
        extension(
            KEY_SHARE,
            &if by == HelloSender::Client {
                list(&entry, 2)
            } else {
                entry
            },
            &mut out,
        );
    }
    out
}

/// A key of X25519 behind its group and its length.
pub(crate) fn share(key: &[u8]) -> Vec<u8> {
    let mut entry = X25519.to_be_bytes().to_vec();
    put(key, 2, &mut entry);
    entry
}

/// Bytes behind their length.
pub(crate) fn list(octets: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    put(octets, size, &mut out);
    out
}

fn hex_numbers(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .filter_map(hex_number)
        .flatten()
        .collect()
}

fn hex_number(word: &str) -> Option<[u8; 2]> {
    u16::from_str_radix(word, 16).ok().map(u16::to_be_bytes)
}

fn version_from(word: &str) -> Option<[u8; 2]> {
    let known = VERSIONS
        .iter()
        .find(|row| row.1 == word)
        .map(|row| (row.0 as u16).to_be_bytes());
    known.or_else(|| hex_number(word))
}
