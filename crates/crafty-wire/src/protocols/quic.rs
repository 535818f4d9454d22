//! QUIC: the long header, version negotiation and retry. What is enciphered stays octets, packets behind the first one in
//! the same datagram too.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::lines;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "QUIC",
    title: "QUIC",
    spec: "RFC 9000 section 17, RFC 8999",
    about: "A secure transport over UDP. Of a short header only the first octet is read: the length of an identifier is known to its ends alone.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/QUIC(type=initial, dcid=#0011223344556677, payload=#00)",
    fields: &layout([
        uint("long", 1).default(1).doc("1: a long header."),
        uint("fixed", 1).default(1).doc("1, but in version negotiation."),
        named("type", 2, TYPES).doc("Kind of packet, of a long header."),
        uint("low", 4).doc("Protected: size of the packet number and more."),
        custom("head", &CODEC).when(When::In("long", &[1])).extent(Extent::Layer).doc("Version, identifiers and what follows, as octets."),
        named("version", 32, VERSIONS).view().doc("Version; unset: 1; 0 is version negotiation."),
        bytes("dcid").extent(Extent::Bits).view().doc("Identifier of the receiver."),
        bytes("scid").extent(Extent::Bits).view().doc("Identifier of the sender."),
        bytes("token").extent(Extent::Bits).view().doc("Token of an initial packet."),
        uint("length", 62).view().doc("Octets of packet number and payload; read only."),
        text("versions").extent(Extent::Bits).view().doc("Versions offered in version negotiation, in hex, with spaces between; read only."),
        bytes("payload").extent(Extent::Bits).view().doc("Packet number and payload, enciphered."),
    ]),
    under: &[under("UDP", "dst", 443)],
    accepts: Some(|octets| octets.first().is_some_and(|first| first & 0x40 != 0 || (first & 0x80 != 0 && octets.get(1..5) == Some(&[0; 4])))),
    ..Layer::BLANK
}
.seal();

const TYPES: Names = &[(0, "initial"), (1, "zero_rtt"), (2, "handshake"), (3, "retry")];
const VERSIONS: Names = &[(0, "negotiation"), (1, "v1"), (0x6b33_43cf, "v2")];
const TYPE: Slot = LAYER.slot("type");
const INITIAL: u64 = 0;
const RETRY: u64 = 3;

static CODEC: Codec = Codec { about: "Behind the first octet of a long header of QUIC.", read, write };

/// A long header, as far as its version tells it.
struct Long<'a> {
    version: u32,
    dcid: &'a [u8],
    scid: &'a [u8],
    rest: &'a [u8],
}

/// The part that all versions share (RFC 8999 §5.1).
fn long(header: &[u8]) -> Option<Long<'_>> {
    let (version, rest) = header.get(1..)?.split_first_chunk()?;
    let (dcid, rest) = identifier(rest)?;
    let (scid, rest) = identifier(rest)?;
    Some(Long { version: u32::from_be_bytes(*version), dcid, scid, rest })
}

fn identifier(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.split_first()?;
    rest.split_at_checked((*len).into())
}

/// A number that gives its own size (RFC 9000 §16).
fn varint(octets: &[u8]) -> Option<(u64, &[u8])> {
    let size = 1 << (octets.first()? >> 6);
    let (number, rest) = octets.split_at_checked(size)?;
    let all = number.iter().fold(0, |all, octet| all << 8 | u64::from(*octet));
    Some((all & (u64::MAX >> (66 - 8 * size as u32)), rest))
}

fn put_varint(number: u64, out: &mut Vec<u8>) {
    match number {
        0..=0x3f => out.push(number as u8),
        0x40..=0x3fff => out.extend((0x4000 | number as u16).to_be_bytes()),
        0x4000..=0x3fff_ffff => out.extend((0x8000_0000 | number as u32).to_be_bytes()),
        _ => out.extend((0xc000_0000_0000_0000 | number).to_be_bytes()),
    }
}

fn read(header: &[u8], view: &str) -> Option<FieldValue> {
    let long = long(header)?;
    match view {
        "version" => Some(FieldValue::Uint(long.version.into())),
        "dcid" => Some(FieldValue::Bytes(long.dcid.to_vec())),
        "scid" => Some(FieldValue::Bytes(long.scid.to_vec())),
        "versions" if long.version == 0 => lines::text(&versions(long.rest)),
        _ if VERSIONS[1].0 != u64::from(long.version) => None,
        _ => read_first(TYPE.get(header)?, long.rest, view),
    }
}

/// Token, length and payload of version 1; the numbers of kinds differ in version 2 (RFC 9369).
fn read_first(kind: u64, rest: &[u8], view: &str) -> Option<FieldValue> {
    if kind == RETRY {
        return rest.len().checked_sub(16).filter(|_| view == "token").map(|end| FieldValue::Bytes(rest[..end].to_vec()));
    }
    let (token, rest) = match kind {
        INITIAL => varint(rest).and_then(|(len, rest)| rest.split_at_checked(usize::try_from(len).ok()?))?,
        _ => (&rest[..0], rest),
    };
    let (length, rest) = varint(rest)?;
    match view {
        "token" if kind == INITIAL => Some(FieldValue::Bytes(token.to_vec())),
        "length" => Some(FieldValue::Uint(length)),
        "payload" => rest.get(..usize::try_from(length).ok()?).map(|payload| FieldValue::Bytes(payload.to_vec())),
        _ => None,
    }
}

fn versions(rest: &[u8]) -> String {
    let mut text = String::new();
    for version in rest.as_chunks::<4>().0 {
        let space = if text.is_empty() { "" } else { " " };
        let written = write!(text, "{space}{:08x}", u32::from_be_bytes(*version));
        debug_assert!(written.is_ok());
    }
    text
}

fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    let octets = |name: &str| match header.value(name) {
        Some(FieldValue::Bytes(octets)) => octets.as_slice(),
        _ => &[],
    };
    let version = lines::number(header, "version").unwrap_or(1);
    let kind = TYPE.get(&out[start..]);
    out.extend((version as u32).to_be_bytes());
    for name in ["dcid", "scid"] {
        let identifier = &octets(name)[..octets(name).len().min(255)];
        out.push(identifier.len() as u8);
        out.extend(identifier);
    }
    if version == 0 || kind == Some(RETRY) {
        return out.extend(octets("token"));
    }
    if kind == Some(INITIAL) {
        put_varint(octets("token").len() as u64, out);
        out.extend(octets("token"));
    }
    put_varint(octets("payload").len() as u64, out);
    out.extend(octets("payload"));
}
