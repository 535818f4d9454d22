//! Transport Layer Security: records, hellos, the names in certificates, alerts. Records that follow in the same segment are
//! the next layers.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::ber;
use crate::lines;
use crate::stream::behind_length;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "TLS",
    title: "Transport Layer Security",
    spec: "RFC 8446, RFC 5246, RFC 6066, RFC 7301",
    about: "A record of a secured stream. Setting one of the fields of a hello builds that; `fragment` sets what the record holds as octets.",
    example: "/IP(dst=192.0.2.1)/TCP(src=50000, dst=443)/TLS(sni=\"example.com\", alpn=\"h2 http/1.1\", versions=\"tls1_3 tls1_2\")",
    fields: &layout([
        named("type", 8, TYPES).default(22).doc("What the record holds."),
        named("version", 16, VERSIONS).default(0x0301).doc("Version of the record; always an old one."),
        uint("len", 16).computed(Auto::Length { of: Of::Field, unit: 1, add: 0 }).doc("Length of what it holds, in octets."),
        custom("fragment", &CODEC).extent(Extent::Counted("len")).doc("What it holds, as octets."),
        named("handshake", 8, HANDSHAKES).view().doc("First message of the handshake in the record; unset: `client_hello`."),
        named("hello_version", 16, VERSIONS).view().doc("Version that a hello names; the real one is in `versions`."),
        bytes("random").extent(Extent::Bits).view().doc("Random octets of a hello."),
        bytes("session_id").extent(Extent::Bits).view().doc("Session of a hello."),
        uint("cipher", 16).view().doc("Cipher suite that a server chose."),
        text("ciphers").extent(Extent::Bits).view().doc("Cipher suites that a client offers, in hex, with spaces between."),
        text("sni").extent(Extent::Bits).view().doc("Server that a client wants."),
        text("alpn").extent(Extent::Bits).view().doc("Protocols offered or chosen, with spaces between."),
        text("versions").extent(Extent::Bits).view().doc("Versions offered or chosen, with spaces between."),
        text("cert_names").extent(Extent::Bits).view().doc("Names in the first certificate, with spaces between; read only."),
        named("alert_level", 8, &[(1, "warning"), (2, "fatal")]).view().doc("How bad an alert is."),
        named("alert", 8, ALERTS).view().doc("What went wrong."),
    ]),
    under: &[
        under("TCP", "dst", 443),
        under("TCP", "dst", 465),
        under("TCP", "dst", 636),
        under("TCP", "dst", 853),
        under("TCP", "dst", 990),
        under("TCP", "dst", 993),
        under("TCP", "dst", 995),
        under("TCP", "dst", 5061),
        under("TCP", "dst", 8443),
    ],
    next: Next::Peek(|_, _| Some(&LAYER)),
    accepts: Some(|octets| matches!(octets, [20..=24, 3, 0..=4, 0..=0x48, ..])),
    message: Some(message),
    ..Layer::BLANK
}
.seal();

const TYPES: Names = &[(20, "change_cipher_spec"), (21, "alert"), (22, "handshake"), (23, "data"), (24, "heartbeat")];
const VERSIONS: Names = &[(0x0300, "ssl3"), (0x0301, "tls1_0"), (0x0302, "tls1_1"), (0x0303, "tls1_2"), (0x0304, "tls1_3")];
const HANDSHAKES: Names = &[
    (0, "hello_request"),
    (1, "client_hello"),
    (2, "server_hello"),
    (4, "session_ticket"),
    (8, "encrypted_extensions"),
    (11, "certificate"),
    (12, "server_key_exchange"),
    (13, "certificate_request"),
    (14, "server_hello_done"),
    (15, "certificate_verify"),
    (16, "client_key_exchange"),
    (20, "finished"),
    (22, "certificate_status"),
    (24, "key_update"),
];
const ALERTS: Names = &[
    (0, "close_notify"),
    (10, "unexpected_message"),
    (20, "bad_record_mac"),
    (40, "handshake_failure"),
    (42, "bad_certificate"),
    (43, "unsupported_certificate"),
    (44, "certificate_revoked"),
    (45, "certificate_expired"),
    (46, "certificate_unknown"),
    (47, "illegal_parameter"),
    (48, "unknown_ca"),
    (49, "access_denied"),
    (50, "decode_error"),
    (51, "decrypt_error"),
    (70, "protocol_version"),
    (71, "insufficient_security"),
    (80, "internal_error"),
    (86, "inappropriate_fallback"),
    (90, "user_canceled"),
    (109, "missing_extension"),
    (110, "unsupported_extension"),
    (112, "unrecognized_name"),
    (116, "certificate_required"),
    (120, "no_application_protocol"),
];
const TYPE: Slot = LAYER.slot("type");
const LEN: Slot = LAYER.slot("len");
const FIXED: usize = 5;
/// Octets that a record holds at most, enciphered (RFC 5246 §6.2.3).
const MAX_FRAGMENT: usize = (1 << 14) + 2048;
const CHANGE: u64 = 20;
const ALERT: u64 = 21;
const HANDSHAKE: u64 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const CERTIFICATE: u8 = 11;
const SNI: u16 = 0;
const ALPN: u16 = 16;
const SUPPORTED_VERSIONS: u16 = 43;

/// A record (RFC 8446 §5.1).
fn message(_: &mut Scan, octets: &[u8]) -> Framing {
    if !matches!(octets, [] | [20..=24] | [20..=24, 3] | [20..=24, 3, 0..=4, ..]) {
        return Framing::Foreign;
    }
    behind_length(octets, FIXED, |head| Some(FIXED + LEN.get(head)? as usize).filter(|takes| *takes <= FIXED + MAX_FRAGMENT))
}

static CODEC: Codec = Codec { about: "Hellos, certificates and alerts of TLS.", read, write };

fn read(record: &[u8], view: &str) -> Option<FieldValue> {
    let fragment = record.get(FIXED..)?;
    match (TYPE.get(record)?, view, fragment) {
        (ALERT, "alert_level", &[level, _]) => Some(FieldValue::Uint(level.into())),
        (ALERT, "alert", &[_, alert]) => Some(FieldValue::Uint(alert.into())),
        (HANDSHAKE, "handshake", _) => Some(FieldValue::Uint(messages(fragment).next()?.0.into())),
        (HANDSHAKE, "cert_names", _) => messages(fragment).find(|message| message.0 == CERTIFICATE).and_then(|message| names(message.1)),
        (HANDSHAKE, ..) => read_hello(&messages(fragment).find_map(|(kind, body)| hello(kind, body))?, view),
        _ => None,
    }
}

/// The messages of a handshake in a record. The last one may be cut off: it goes on in the next record or segment. What has
/// no known kind is enciphered, and none.
fn messages(mut fragment: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    core::iter::from_fn(move || {
        let (&[kind, a, b, c], rest) = fragment.split_first_chunk()?;
        let len = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        let known = HANDSHAKES.iter().any(|row| row.0 == u64::from(kind));
        let long = matches!(kind, CLIENT_HELLO | SERVER_HELLO | CERTIFICATE) && a == 0;
        let (body, behind) = rest.split_at_checked(len).or_else(|| long.then_some((rest, &rest[..0]))).filter(|_| known)?;
        fragment = behind;
        Some((kind, body))
    })
}

/// A hello, as far as it is there.
struct Hello<'a> {
    client: bool,
    version: u16,
    random: &'a [u8],
    session: &'a [u8],
    ciphers: &'a [u8],
    extensions: &'a [u8],
}

fn hello(kind: u8, body: &[u8]) -> Option<Hello<'_>> {
    let client = kind == CLIENT_HELLO;
    let (version, rest) = word(body).filter(|_| client || kind == SERVER_HELLO)?;
    let (random, rest) = rest.split_at_checked(32)?;
    let (session, rest) = counted(rest, 1)?;
    let (ciphers, rest) = if client { counted(rest, 2)? } else { rest.split_at_checked(2)? };
    let rest = if client { counted(rest, 1)?.1 } else { rest.get(1..)? };
    let extensions = rest.get(2..).unwrap_or(&[]);
    Some(Hello { client, version, random, session, ciphers, extensions })
}

fn word(octets: &[u8]) -> Option<(u16, &[u8])> {
    octets.split_first_chunk().map(|(word, rest)| (u16::from_be_bytes(*word), rest))
}

/// Octets behind a length of `size` octets, and the rest.
fn counted(octets: &[u8], size: usize) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.split_at_checked(size)?;
    rest.split_at_checked(len.iter().fold(0, |len, octet| len << 8 | usize::from(*octet)))
}

impl Hello<'_> {
    fn extension(&self, wanted: u16) -> Option<&[u8]> {
        let mut rest = self.extensions;
        loop {
            let (kind, behind) = word(rest)?;
            let (value, behind) = counted(behind, 2)?;
            if kind == wanted {
                return Some(value);
            }
            rest = behind;
        }
    }

    fn versions(&self) -> Option<String> {
        let value = self.extension(SUPPORTED_VERSIONS)?;
        Some(words(if self.client { counted(value, 1)?.0 } else { value }, version_name))
    }

    /// The first name of kind 0 (RFC 6066 §3).
    fn server(&self) -> Option<&str> {
        let (list, _) = counted(self.extension(SNI)?, 2)?;
        let (name, _) = list.split_first().filter(|(kind, _)| **kind == 0).and_then(|(_, rest)| counted(rest, 2))?;
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

fn read_hello(hello: &Hello, view: &str) -> Option<FieldValue> {
    match view {
        "hello_version" => Some(FieldValue::Uint(hello.version.into())),
        "random" => Some(FieldValue::Bytes(hello.random.to_vec())),
        "session_id" => Some(FieldValue::Bytes(hello.session.to_vec())),
        "cipher" if !hello.client => word(hello.ciphers).map(|(cipher, _)| FieldValue::Uint(cipher.into())),
        "ciphers" if hello.client => Some(FieldValue::Text(words(hello.ciphers, hex_name))),
        "sni" => lines::text(hello.server()?),
        "alpn" => hello.protocols().map(FieldValue::Text),
        "versions" => hello.versions().map(FieldValue::Text),
        _ => None,
    }
}

fn words(octets: &[u8], show: fn(u16, &mut String)) -> String {
    let mut text = String::new();
    for word in octets.as_chunks::<2>().0 {
        if !text.is_empty() {
            text.push(' ');
        }
        show(u16::from_be_bytes(*word), &mut text);
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

const SEQUENCE: u8 = 0x30;
const EXPLICIT_VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const OBJECT: u8 = 6;
const OCTETS: u8 = 4;
const DNS_NAME: u8 = 0x82;
/// Place of the subject: behind number, algorithm, issuer and validity.
const SUBJECT: usize = 4;
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// Common name and DNS names of the first certificate of a message (RFC 5280), as far as it is there in full.
fn names(message: &[u8]) -> Option<FieldValue> {
    let certificate = counted(message.get(3..)?, 3)?.0;
    let body = ber::value(ber::value(certificate, SEQUENCE)?.0, SEQUENCE)?.0;
    let mut all: Vec<&str> = Vec::new();
    if let Some((SEQUENCE, subject)) = ber::elements(body).filter(|element| element.0 != EXPLICIT_VERSION).nth(SUBJECT) {
        all.extend(common_name(subject));
    }
    if let Some((_, extensions)) = ber::elements(body).find(|element| element.0 == EXTENSIONS) {
        all.extend(dns_names(extensions));
    }
    let first = all.first().copied();
    all = all.iter().enumerate().filter(|(i, name)| *i == 0 || Some(**name) != first).map(|(_, name)| *name).collect();
    Some(FieldValue::Text(all.join(" ")))
}

fn common_name(subject: &[u8]) -> Option<&str> {
    let mut pairs = ber::elements(subject).flat_map(|(_, set)| ber::elements(set));
    pairs.find_map(|(_, pair)| {
        let (kind, rest) = ber::value(pair, OBJECT)?;
        core::str::from_utf8(ber::element(rest)?.1).ok().filter(|_| kind == COMMON_NAME)
    })
}

fn dns_names(extensions: &[u8]) -> impl Iterator<Item = &str> {
    let list = ber::value(extensions, SEQUENCE).map_or(&extensions[..0], |(list, _)| list);
    let found = ber::elements(list).find_map(|(_, extension)| {
        let (kind, _) = ber::value(extension, OBJECT)?;
        let (_, held) = ber::elements(extension).find(|element| element.0 == OCTETS).filter(|_| kind == ALTERNATIVE_NAMES)?;
        ber::value(held, SEQUENCE)
    });
    let names = ber::elements(found.map_or(&extensions[..0], |(names, _)| names));
    names.filter(|element| element.0 == DNS_NAME).filter_map(|element| core::str::from_utf8(element.1).ok())
}

const HELLO_VIEWS: [&str; 9] = ["handshake", "hello_version", "random", "session_id", "cipher", "ciphers", "sni", "alpn", "versions"];
const DEFAULT_CIPHERS: &str = "1301 1302 1303 c02b c02f c02c c030";

fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| lines::number(header, name).unwrap_or(otherwise);
    match TYPE.get(&out[start..]) {
        Some(CHANGE) => out.push(1),
        Some(ALERT) => out.extend([number("alert_level", 2) as u8, number("alert", 0) as u8]),
        Some(HANDSHAKE) if HELLO_VIEWS.iter().any(|name| header.value(name).is_some()) => {
            let kind = number("handshake", CLIENT_HELLO.into()) as u8;
            let body = if matches!(kind, CLIENT_HELLO | SERVER_HELLO) { hello_from(header, kind == CLIENT_HELLO) } else { Vec::new() };
            out.push(kind);
            put(&body, 3, out);
        }
        _ => {}
    }
}

/// Appends octets behind their length of `size` octets.
fn put(octets: &[u8], size: usize, out: &mut Vec<u8>) {
    let len = octets.len().to_be_bytes();
    out.extend(&len[len.len() - size..]);
    out.extend(octets);
}

fn hello_from(header: &Header, client: bool) -> Vec<u8> {
    let octets = |name: &str| match header.value(name) {
        Some(FieldValue::Bytes(octets)) => octets.clone(),
        _ => Vec::new(),
    };
    let mut out = (lines::number(header, "hello_version").unwrap_or(0x0303) as u16).to_be_bytes().to_vec();
    let mut random = octets("random");
    random.resize(32, 0);
    out.extend(random);
    let session = octets("session_id");
    put(&session[..session.len().min(32)], 1, &mut out);
    if client {
        let ciphers = lines::set(header, "ciphers").unwrap_or(DEFAULT_CIPHERS);
        put(&ciphers.split_whitespace().filter_map(hex_number).flatten().collect::<Vec<u8>>(), 2, &mut out);
        out.extend([1, 0]);
    } else {
        out.extend((lines::number(header, "cipher").unwrap_or(0x1301) as u16).to_be_bytes());
        out.push(0);
    }
    put(&extensions_from(header, client), 2, &mut out);
    out
}

fn hex_number(word: &str) -> Option<[u8; 2]> {
    u16::from_str_radix(word, 16).ok().map(u16::to_be_bytes)
}

fn extensions_from(header: &Header, client: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut extension = |kind: u16, value: Vec<u8>| {
        out.extend(kind.to_be_bytes());
        put(&value, 2, &mut out);
    };
    if let Some(name) = lines::set(header, "sni") {
        let mut entry = Vec::from([0]);
        put(name.as_bytes(), 2, &mut entry);
        extension(SNI, list(&entry, 2));
    }
    if let Some(names) = lines::set(header, "alpn") {
        let all = names.split_whitespace().flat_map(|name| list(name.as_bytes(), 1)).collect::<Vec<u8>>();
        extension(ALPN, list(&all, 2));
    }
    if let Some(versions) = lines::set(header, "versions") {
        let all = versions.split_whitespace().filter_map(version_from).flatten().collect::<Vec<u8>>();
        extension(SUPPORTED_VERSIONS, if client { list(&all, 1) } else { all });
    }
    out
}

fn list(octets: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    put(octets, size, &mut out);
    out
}

fn version_from(word: &str) -> Option<[u8; 2]> {
    let known = VERSIONS.iter().find(|row| row.1 == word).map(|row| (row.0 as u16).to_be_bytes());
    known.or_else(|| hex_number(word))
}
