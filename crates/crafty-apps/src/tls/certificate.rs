//! What a certificate says (RFC 5280). Reads; judges nothing. What cannot be read is left out.

use super::der::{
    self, BIT_STRING, DerElement, DerElements, INTEGER, OCTET_STRING, OID, SEQUENCE, SET,
};
use super::names;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Names that are read of one certificate.
const MAX_NAMES: usize = 1000;
/// The extension with the other names (RFC 5280 §4.2.1.6).
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 29, 17];
/// Context tags: version, extensions; names of DNS, addresses.
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

/// A certificate in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Most telling part first, as RFC 4514 has it.
    pub subject: String,
    pub issuer: String,
    /// Whether subject and issuer are the same bytes.
    pub self_issued: bool,
    /// DNS names and addresses that it is for.
    pub names: Vec<String>,
    /// Seconds since the Unix epoch.
    pub not_before: Option<i64>,
    pub not_after: Option<i64>,
    /// Hex.
    pub serial: String,
    /// Kind, and bits or curve.
    pub key: String,
    pub signature: String,
}

impl Certificate {
    /// The certificate in these bytes; none if it does not even have the parts that every one has.
    pub fn read(octets: &[u8]) -> Option<Certificate> {
        let mut whole = DerElements(octets).tagged(SEQUENCE)?.inside();
        let mut signed = whole.tagged(SEQUENCE)?.inside();
        let _ = signed.tagged(VERSION);
        let serial = signed.tagged(INTEGER)?;
        let signature = signed.tagged(SEQUENCE)?;
        let issuer = signed.tagged(SEQUENCE)?;
        let mut validity = signed.tagged(SEQUENCE)?.inside();
        let (from, to) = (validity.next(), validity.next());
        let subject = signed.tagged(SEQUENCE)?;
        let key = signed.tagged(SEQUENCE)?;
        Some(Certificate {
            subject: name(subject),
            issuer: name(issuer),
            self_issued: subject.whole == issuer.whole,
            names: alternative_names(signed).unwrap_or_default(),
            not_before: from.and_then(der::time),
            not_after: to.and_then(der::time),
            serial: serial
                .body
                .iter()
                .map(|octet| format!("{octet:02x}"))
                .collect(),
            key: key_words(key).unwrap_or_default(),
            signature: algorithm(signature)
                .map(names::signature)
                .unwrap_or_default(),
        })
    }
}

fn algorithm(identifier: DerElement<'_>) -> Option<String> {
    identifier.inside().tagged(OID).map(|e| der::oid(e.body))
}

/// `CN=example.org, O=Example, C=US`.
fn name(name: DerElement<'_>) -> String {
    let sets = name.inside().take_while(|e| e.tag == SET).take(MAX_NAMES);
    let mut parts: Vec<String> = sets
        .map(|set| set.inside().filter_map(part).collect::<Vec<_>>().join("+"))
        .collect();
    parts.reverse();
    parts.join(", ")
}

fn part(pair: DerElement<'_>) -> Option<String> {
    let mut pair = pair.inside();
    let kind = names::part(der::oid(pair.tagged(OID)?.body));
    Some(format!("{kind}={}", escaped(&text(pair.next()?))))
}

/// Signs that would end a part (RFC 4514 §2.4).
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            ",+\"\\<>;"
                .contains(c)
                .then_some('\\')
                .into_iter()
                .chain([c])
        })
        .collect()
}

/// Strings of all kinds that names have: Latin, UTF-16 and UTF-8.
fn text(string: DerElement<'_>) -> String {
    match string.tag {
        0x14 => string.body.iter().map(|octet| char::from(*octet)).collect(),
        0x1e => {
            let units = string
                .body
                .chunks_exact(2)
                .map(|two| u16::from_be_bytes([two[0], two[1]]));
            char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        }
        _ => String::from_utf8_lossy(string.body).into_owned(),
    }
}

/// `rsa 2048`, `ec p256`, `ed25519`.
fn key_words(key: DerElement<'_>) -> Option<String> {
    let mut key = key.inside();
    let mut identifier = key.tagged(SEQUENCE)?.inside();
    let kind = names::key(der::oid(identifier.tagged(OID)?.body));
    let bits = key.tagged(BIT_STRING)?.body;
    Some(match kind.as_str() {
        "rsa" | "rsa-pss" => {
            let modulus = DerElements(bits.get(1..)?)
                .tagged(SEQUENCE)?
                .inside()
                .tagged(INTEGER)?
                .body;
            let zeros = modulus.iter().take_while(|octet| **octet == 0).count();
            let first = modulus
                .get(zeros)
                .map_or(0, |octet| octet.leading_zeros() as usize);
            format!(
                "{kind} {}",
                ((modulus.len() - zeros) * 8).saturating_sub(first)
            )
        }
        "ec" => format!(
            "{kind} {}",
            names::curve(der::oid(identifier.tagged(OID)?.body))
        ),
        _ => kind,
    })
}

fn alternative_names(rest: DerElements<'_>) -> Option<Vec<String>> {
    let list = rest
        .into_iter()
        .find(|e| e.tag == EXTENSIONS)?
        .inside()
        .tagged(SEQUENCE)?;
    let names = list.inside().find_map(|extension| {
        let mut parts = extension.inside();
        parts.tagged(OID).filter(|e| e.body == SUBJECT_ALT_NAME)?;
        parts.find(|e| e.tag == OCTET_STRING)
    })?;
    let names = DerElements(names.body).tagged(SEQUENCE)?.inside();
    Some(names.filter_map(general_name).take(MAX_NAMES).collect())
}

fn general_name(name: DerElement<'_>) -> Option<String> {
    match name.tag {
        DNS_NAME => Some(String::from_utf8_lossy(name.body).into_owned()),
        IP_ADDRESS => match name.body.len() {
            4 => <[u8; 4]>::try_from(name.body)
                .ok()
                .map(|a| IpAddr::from(Ipv4Addr::from(a)).to_string()),
            _ => <[u8; 16]>::try_from(name.body)
                .ok()
                .map(|a| IpAddr::from(Ipv6Addr::from(a)).to_string()),
        },
        _ => None,
    }
}
