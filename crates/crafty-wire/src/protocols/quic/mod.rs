//! QUIC: the long header, version negotiation, retry, and the first packet of a client, whose keys
//! everybody can compute. All else is encrypted and stays bytes. Packets after the first one in the
//! same datagram are the next layers.

mod aes;
mod frames;
mod initial;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::tls::hello;
use crate::table::*;
use frames::{counted, handshake, listed, put_varint, varint};
use initial::InitialKeys;
pub use initial::{OpenedInitial, QuicEnd};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "QUIC",
    title: "QUIC",
    spec: "RFC 9000 section 17, RFC 8999, RFC 9001 section 5, RFC 9369",
    about: "A secure transport over UDP. The first packet of a client is decrypted and encrypted, and `crafty decode` decrypts those of both sides; `sni`, `alpn`, `crypto` or `frames` build a complete one of 1200 bytes. Of a short header only the first byte is decoded: only the two ends know the length of the connection ID.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/QUIC(dcid=#0011223344556677, sni=\"example.com\", alpn=\"h3\")",
    fields: &layout([
        custom("packet", &CODEC).extent(Extent::Found(size)).doc("The whole packet, as bytes; for a short header, its first byte."),
        uint("long", 1).default(1).view().doc("1: a long header."),
        uint("fixed", 1).default(1).view().doc("1, except in version negotiation."),
        uint("spin", 1).view().doc("In a short header: flips once per round trip, or is random (RFC 9000 §17.4)."),
        named("type", 2, TYPES).view().doc("Type of packet, in a long header; version 2 uses other numbers on the wire."),
        uint("low", 4).view().doc("Last bits of the first byte, as they are on the wire."),
        named("version", 32, VERSIONS).default(1).view().doc("Version; 0 is version negotiation."),
        bytes("dcid").extent(Extent::Bits).view().doc("Identifier of the receiver."),
        bytes("scid").extent(Extent::Bits).view().doc("Identifier of the sender."),
        bytes("token").extent(Extent::Bits).view().doc("Token of an initial packet or of a retry."),
        bytes("tag").extent(Extent::Bits).view().doc("Integrity tag of a retry; not verified, because the identifier that it covers is not in the packet."),
        uint("length", 62).view().doc("Length of packet number and payload, in bytes; read only."),
        text("versions").extent(Extent::Bits).view().doc("Versions offered in version negotiation, in hex, separated by spaces."),
        bytes("payload").extent(Extent::Bits).view().doc("Packet number and payload, as they are on the wire."),
        uint("number", 32).view().doc("Packet number, in the first packet of a client."),
        bytes("frames").extent(Extent::Bits).view().doc("Frames in it, decrypted; when set, they are encrypted."),
        text("listed").extent(Extent::Bits).view().doc("Frames in it as text, separated by spaces; read only."),
        bytes("crypto").extent(Extent::Bits).view().doc("Handshake data in it, from its start to the first gap."),
        text("sni").extent(Extent::Bits).view().doc("Server that the client wants."),
        text("alpn").extent(Extent::Bits).view().doc("Protocols that the client offers, separated by spaces."),
        text("ciphers").extent(Extent::Bits).view().doc("Cipher suites that the client offers, in hex, separated by spaces."),
        text("extensions").extent(Extent::Bits).view().doc("Numbers of the extensions of the hello in their order, in hex; read only."),
        bytes("origin").extent(Extent::Bits).view().doc("Connection ID that the client chose first: with it, a packet with `frames` becomes one of the server; write only."),
    ]),
    under: &[under("UDP", "dst", 443)],
    begins: Some(begins),
    next: NextLayer::Peek(next),
    accepts: Some(|octets| octets.first().is_some_and(|first| first & 0x40 != 0 || (first & 0x80 != 0 && octets.get(1..5) == Some(&[0; 4])))),
    ..Layer::BLANK
}
.seal();

/// Whether a packet begins a connection: an Initial of version 1 or 2, as long as a datagram of a
/// client must be, with identifiers of a length that can be (RFC 9000 §14.1, §17.2, RFC 9369 §3.2).
fn begins(octets: &[u8]) -> bool {
    let &[first, a, b, c, d, length, ..] = octets else {
        return false;
    };
    let kind = first >> 4 & 3;
    let initial = match u32::from_be_bytes([a, b, c, d]) {
        1 => kind == 0,
        0x6b33_43cf => kind == 1,
        _ => false,
    };
    first >> 6 == 3 && initial && octets.len() >= 1200 && (8..=20).contains(&length)
}

const TYPES: NameTable = &[
    (0, "initial"),
    (1, "zero_rtt"),
    (2, "handshake"),
    (3, "retry"),
];
const V1: u32 = 1;
const V2: u32 = 0x6b33_43cf;
const VERSIONS: NameTable = &[(0, "negotiation"), (V1 as u64, "v1"), (V2 as u64, "v2")];
const INITIAL: u64 = 0;
const RETRY: u64 = 3;
const TAG: usize = 16;
const LONG: u8 = 0x80;
/// Bytes of a datagram with a client's first packet (RFC 9000 §14.1), and of its packet number
/// here.
const LEAST: usize = 1200;
const DIGITS: usize = 4;

static CODEC: Codec = Codec {
    about: "A packet of QUIC.",
    read,
    write,
};

/// A long header, as far as its version tells it.
struct Long<'a> {
    first: u8,
    version: u32,
    dcid: &'a [u8],
    scid: &'a [u8],
    rest: &'a [u8],
}

/// The part that all versions share (RFC 8999 §5.1).
fn long(packet: &[u8]) -> Option<Long<'_>> {
    let (&first, rest) = packet
        .split_first()
        .filter(|(first, _)| **first & LONG != 0)?;
    let (version, rest) = rest.split_first_chunk()?;
    let (dcid, rest) = identifier(rest)?;
    let (scid, rest) = identifier(rest)?;
    Some(Long {
        first,
        version: u32::from_be_bytes(*version),
        dcid,
        scid,
        rest,
    })
}

fn identifier(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.split_first()?;
    rest.split_at_checked((*len).into())
}

/// What is behind the identifiers of a packet of a known version, but a retry.
struct LongHeaderBody<'a> {
    token: &'a [u8],
    length: u64,
    rest: &'a [u8],
}

impl<'a> Long<'a> {
    /// The kind of packet by the numbers of version 1; those of version 2 are one higher (RFC 9369
    /// §3.2).
    fn kind(&self) -> Option<u64> {
        let number = u64::from(self.first >> 4 & 3);
        match self.version {
            V1 => Some(number),
            V2 => Some((number + 3) % 4),
            _ => None,
        }
    }

    fn body(&self) -> Option<LongHeaderBody<'a>> {
        let (token, rest) = match self.kind()? {
            RETRY => return None,
            INITIAL => counted(self.rest)?,
            _ => (&self.rest[..0], self.rest),
        };
        let (length, rest) = varint(rest)?;
        Some(LongHeaderBody {
            token,
            length,
            rest,
        })
    }
}

impl<'a> LongHeaderBody<'a> {
    fn payload(&self) -> Option<&'a [u8]> {
        self.rest.get(..usize::try_from(self.length).ok()?)
    }
}

/// Bytes of the packet: of a long header as its length says, of a short one, which has none, the
/// first byte.
fn size(octets: &[u8]) -> Option<usize> {
    let Some(long) = long(octets) else {
        return if octets.first()? & LONG == 0 {
            Some(1)
        } else {
            Some(octets.len())
        };
    };
    match long.body() {
        None => Some(octets.len()),
        Some(body) => {
            (octets.len() - body.rest.len()).checked_add(usize::try_from(body.length).ok()?)
        }
    }
}

/// Another packet for the same end (RFC 9000 §12.2); padding is not a packet.
fn next(packet: &[u8], behind: &[u8]) -> Option<&'static Layer> {
    let dcid = long(packet)?.dcid;
    let same = match long(behind) {
        Some(second) => second.dcid == dcid,
        None => behind.get(1..).is_some_and(|rest| rest.starts_with(dcid)),
    };
    same.then_some(&LAYER)
}

fn read(packet: &[u8], view: &str) -> Option<FieldValue> {
    let first = *packet.first()?;
    let short = first & LONG == 0;
    match view {
        "long" => Some(FieldValue::Uint((first >> 7).into())),
        "fixed" => Some(FieldValue::Uint((first >> 6 & 1).into())),
        "low" => Some(FieldValue::Uint((first & 15).into())),
        "spin" if short => Some(FieldValue::Uint((first >> 5 & 1).into())),
        _ => read_long(packet, &long(packet)?, view),
    }
}

fn read_long(packet: &[u8], long: &Long, view: &str) -> Option<FieldValue> {
    let octets = |octets: &[u8]| Some(FieldValue::Bytes(octets.to_vec()));
    let retry = || {
        long.rest
            .split_last_chunk::<TAG>()
            .filter(|_| long.kind() == Some(RETRY))
    };
    match view {
        "type" => long.kind().map(FieldValue::Uint),
        "version" => Some(FieldValue::Uint(long.version.into())),
        "dcid" => octets(long.dcid),
        "scid" => octets(long.scid),
        "versions" if long.version == 0 => text_value(&versions(long.rest)),
        "token" if long.kind() == Some(INITIAL) => octets(long.body()?.token),
        "token" => octets(retry()?.0),
        "tag" => octets(retry()?.1),
        "length" => Some(FieldValue::Uint(long.body()?.length)),
        "payload" => octets(long.body()?.payload()?),
        _ => read_opened(&open(packet, long.dcid, QuicEnd::Client)?, view),
    }
}

fn read_opened(opened: &OpenedInitial, view: &str) -> Option<FieldValue> {
    match view {
        "number" => Some(FieldValue::Uint(opened.number)),
        "frames" => Some(FieldValue::Bytes(opened.frames.clone())),
        "listed" => Some(FieldValue::Text(listed(&opened.frames))),
        "crypto" => Some(handshake(&opened.frames))
            .filter(|octets| !octets.is_empty())
            .map(FieldValue::Bytes),
        "sni" | "alpn" | "ciphers" | "extensions" => {
            let message = handshake(&opened.frames);
            let (&[kind, a, b, c], body) = message.split_first_chunk()?;
            let len = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
            hello::read(&hello::hello(kind, body.get(..len).unwrap_or(body))?, view)
        }
        _ => None,
    }
}

/// A first packet of either side, in clear. `destination` is the identifier that the client's very
/// first packet was sent to: for one of the server only who saw that can tell. `None` where it is
/// no such packet.
pub fn open(packet: &[u8], destination: &[u8], side: QuicEnd) -> Option<OpenedInitial> {
    let long = long(packet).filter(|long| long.kind() == Some(INITIAL))?;
    let body = long.body()?;
    let at = packet.len() - body.rest.len();
    let end = at.checked_add(usize::try_from(body.length).ok()?)?;
    InitialKeys::new(long.version, destination, side)?.open(packet.get(..end)?, at)
}

/// The identifier that a packet with a long header is sent to.
pub fn destination(packet: &[u8]) -> Option<&[u8]> {
    long(packet).map(|long| long.dcid)
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

fn octets<'a>(header: &'a Header, name: &str) -> &'a [u8] {
    match header.value(name) {
        Some(FieldValue::Bytes(octets)) => octets,
        _ => &[],
    }
}

fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| header.uint(name).unwrap_or(otherwise);
    let version = number("version", 1) as u32;
    let (long, kind) = (number("long", 1) != 0, number("type", INITIAL));
    let fixed = number("fixed", u64::from(version != 0)) << 6;
    if !long {
        return out.push((fixed | number("spin", 0) << 5 | number("low", 0)) as u8);
    }
    let wire = if version == V2 { (kind + 1) % 4 } else { kind };
    out.push((u64::from(LONG) | fixed | wire << 4 | number("low", 0)) as u8);
    out.extend(version.to_be_bytes());
    for name in ["dcid", "scid"] {
        let identifier = &octets(header, name)[..octets(header, name).len().min(255)];
        out.push(identifier.len() as u8);
        out.extend(identifier);
    }
    match (version, kind) {
        (0, _) => out.extend(offered(header)),
        (_, RETRY) => out.extend([octets(header, "token"), octets(header, "tag")].concat()),
        _ => write_body(header, kind, start, out),
    }
}

fn offered(header: &Header) -> Vec<u8> {
    let words = header.text("versions").unwrap_or("").split_whitespace();
    words
        .filter_map(|word| u32::from_str_radix(word, 16).ok())
        .flat_map(u32::to_be_bytes)
        .collect()
}

fn write_body(header: &Header, kind: u64, start: usize, out: &mut Vec<u8>) {
    if kind == INITIAL {
        put_varint(octets(header, "token").len() as u64, out);
        out.extend(octets(header, "token"));
    }
    match frames_from(header, out.len() - start)
        .filter(|_| kind == INITIAL && header.value("payload").is_none())
    {
        Some(frames) => protect(header, &frames, start, out),
        None => {
            put_varint(octets(header, "payload").len() as u64, out);
            out.extend(octets(header, "payload"));
        }
    }
}

/// The frames that the views ask for; those of a hello are filled up to a whole datagram behind
/// `before` bytes of header.
fn frames_from(header: &Header, before: usize) -> Option<Vec<u8>> {
    if header.value("frames").is_some() {
        return Some(octets(header, "frames").to_vec());
    }
    let asked = ["crypto", "sni", "alpn", "ciphers"]
        .iter()
        .any(|name| header.value(name).is_some());
    let message = match asked.then(|| header.value("crypto"))? {
        Some(FieldValue::Bytes(octets)) => octets.clone(),
        _ => hello_message(header),
    };
    let mut frames = Vec::from([6, 0]);
    put_varint(message.len() as u64, &mut frames);
    frames.extend(message);
    frames.resize(
        frames
            .len()
            .max(LEAST.saturating_sub(before + 2 + DIGITS + TAG)),
        0,
    );
    Some(frames)
}

/// A hello that a server of HTTP/3 can answer: keys of X25519 (the base point, a key of nobody),
/// and where answers go to.
fn hello_message(header: &Header) -> Vec<u8> {
    let mut key = [0; 32];
    key[0] = 9;
    let source = octets(header, "scid");
    let beside = [
        (hello::GROUPS, hello::list(&hello::X25519.to_be_bytes(), 2)),
        (hello::SIGNATURES, hello::list(&[4, 3, 8, 4, 4, 1, 8, 7], 2)),
        (hello::SUPPORTED_VERSIONS, hello::list(&[3, 4], 1)),
        (hello::KEY_SHARE, hello::list(&hello::share(&key), 2)),
        (57, [&[15, source.len() as u8], source].concat()),
    ];
    let mut message = Vec::from([hello::CLIENT_HELLO]);
    hello::put(
        &hello::from_header(header, hello::HelloSender::Client, &beside),
        3,
        &mut message,
    );
    message
}

/// Completes the packet that begins at `start` with length, packet number and frames, and protects
/// it.
fn protect(header: &Header, frames: &[u8], start: usize, out: &mut Vec<u8>) {
    let version = header.uint("version").unwrap_or(1) as u32;
    let (destination, side) = match header.value("origin") {
        Some(FieldValue::Bytes(origin)) => (origin.as_slice(), QuicEnd::Server),
        _ => (octets(header, "dcid"), QuicEnd::Client),
    };
    let length = DIGITS + frames.len() + TAG;
    match u16::try_from(length) {
        Ok(short @ 0..=0x3fff) => out.extend((0x4000 | short).to_be_bytes()),
        _ => put_varint(length as u64, out),
    }
    out[start] = out[start] & 0xf0 | (DIGITS - 1) as u8;
    out.extend((header.uint("number").unwrap_or(0) as u32).to_be_bytes());
    if let Some(packet) = InitialKeys::new(version, destination, side)
        .and_then(|keys| keys.seal(&out[start..], DIGITS, frames))
    {
        out.truncate(start);
        out.extend(packet);
    }
}
