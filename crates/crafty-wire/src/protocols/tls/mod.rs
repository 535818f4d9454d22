//! Transport Layer Security: records, hellos, the names in certificates, alerts. Records that
//! follow in the same segment are the next layers.

pub(crate) mod hello;
pub(crate) mod hello_views;

use alloc::vec::Vec;

use crate::ber;
use crate::stream::behind_length;
use crate::table::*;
use hello::{CLIENT_HELLO, SERVER_HELLO, VERSIONS};
use hello_views::with_hello_views;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "TLS",
    title: "Transport Layer Security",
    spec: "RFC 8446, RFC 5246, RFC 6066, RFC 7301",
    about: "A record of an encrypted stream. Setting any field of a hello builds a hello; `fragment` sets the record's contents as bytes.",
    example: "/IP(dst=192.0.2.1)/TCP(src=50000, dst=443)/TLS(sni=\"example.com\", alpn=\"h2 http/1.1\", versions=\"tls1_3 tls1_2\")",
    fields: &with_hello_views!([
        named("type", 8, TYPES).default(22).doc("Type of the contents."),
        named("version", 16, VERSIONS).default(0x0301).doc("Version of the record, for compatibility always an old one."),
        uint("len", 16).computed(Auto::Length { of: Of::Field, unit: 1, add: 0 }).doc("Length of the contents, in bytes."),
        custom("fragment", &CODEC).extent(Extent::Counted("len")).doc("Contents, as bytes."),
        named("handshake", 8, HANDSHAKES).view().doc("First message of the handshake in the record; unset: `client_hello`."),
    ], [
        named("alert_level", 8, &[(1, "warning"), (2, "fatal")]).view().doc("Severity of an alert."),
        named("alert", 8, ALERTS).view().doc("Error message."),
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
    next: NextLayer::Peek(|_, _| Some(&LAYER)),
    accepts: Some(|octets| matches!(octets, [20..=24, 3, 0..=4, 0..=0x48, ..])),
    begins: Some(begins),
    whole: Some(fault),
    message: Some(message),
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (20, "change_cipher_spec"),
    (21, "alert"),
    (22, "handshake"),
    (23, "data"),
    (24, "heartbeat"),
];
pub(super) const HANDSHAKES: NameTable = &[
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
const ALERTS: NameTable = &[
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
/// Bytes that a record holds at most, encrypted (RFC 5246 §6.2.3).
const MAX_FRAGMENT: usize = (1 << 14) + 2048;
const CHANGE: u64 = 20;
const ALERT: u64 = 21;
const HANDSHAKE: u64 = 22;
const DATA: u64 = 23;
pub(super) const CERTIFICATE: u8 = 11;

/// A record (RFC 8446 §5.1).
fn message(_: &mut Scan, octets: &[u8]) -> Framing {
    if !matches!(
        octets,
        [] | [20..=24] | [20..=24, 3] | [20..=24, 3, 0..=4, ..]
    ) {
        return Framing::Foreign;
    }
    behind_length(octets, FIXED, |head| {
        Some(FIXED + LEN.get(head)? as usize).filter(|takes| *takes <= FIXED + MAX_FRAGMENT)
    })
}

/// What a record is to the messages of a handshake, which may begin in one record and end in
/// another (RFC 8446 §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordContent<'a> {
    /// These bytes of them.
    Handshake(&'a [u8]),
    /// None, and what follows is encrypted.
    Change,
    /// None.
    Other,
}

/// What this record holds.
pub fn holds(record: &[u8]) -> RecordContent<'_> {
    match (TYPE.get(record), record.get(FIXED..)) {
        (Some(HANDSHAKE), Some(fragment)) => RecordContent::Handshake(fragment),
        (Some(CHANGE | DATA), _) => RecordContent::Change,
        _ => RecordContent::Other,
    }
}

static CODEC: Codec = Codec {
    about: "Hellos, certificates and alerts of TLS.",
    read,
    write,
};

fn read(record: &[u8], view: &str) -> Option<FieldValue> {
    let fragment = record.get(FIXED..)?;
    match (TYPE.get(record)?, view, fragment) {
        (ALERT, "alert_level", &[level, _]) => Some(FieldValue::Uint(level.into())),
        (ALERT, "alert", &[_, alert]) => Some(FieldValue::Uint(alert.into())),
        (HANDSHAKE, "handshake", _) => Some(FieldValue::Uint(messages(fragment).next()?.0.into())),
        (HANDSHAKE, "cert_names", _) => messages(fragment)
            .find(|message| message.0 == CERTIFICATE)
            .and_then(|message| names(message.1)),
        (HANDSHAKE, ..) => hello::read(
            &messages(fragment).find_map(|(kind, body)| hello::hello(kind, body))?,
            view,
        ),
        _ => None,
    }
}

/// The messages of a handshake in a record. The last one may be cut off: it goes on in the next
/// record or segment. What has no known kind is encrypted, and none.
fn messages(mut fragment: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    core::iter::from_fn(move || {
        let (&[kind, a, b, c], rest) = fragment.split_first_chunk()?;
        let len = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        let known = HANDSHAKES.iter().any(|row| row.0 == u64::from(kind));
        let long = matches!(kind, CLIENT_HELLO | SERVER_HELLO | CERTIFICATE) && a == 0;
        let (body, behind) = rest
            .split_at_checked(len)
            .or_else(|| long.then_some((rest, &rest[..0])))
            .filter(|_| known)?;
        fragment = behind;
        Some((kind, body))
    })
}

/// Whether a record begins a handshake: with a hello whose length fits the record (RFC 8446 §4).
fn begins(record: &[u8]) -> bool {
    let &[
        22,
        3,
        0..=4,
        high,
        low,
        CLIENT_HELLO | SERVER_HELLO,
        0,
        a,
        b,
        3,
        0..=3,
        ..,
    ] = record
    else {
        return false;
    };
    let [fragment, body] =
        [[high, low], [a, b]].map(|length| usize::from(u16::from_be_bytes(length)));
    // A hello has a version, random bytes, and a session at least.
    (38..=MAX_FRAGMENT).contains(&fragment) && (34..=1 << 14).contains(&body)
}

/// What cannot be read of the messages that end in this record.
fn fault(record: &[u8]) -> Option<(usize, &'static str)> {
    let fragment = record
        .get(FIXED..)
        .filter(|_| TYPE.get(record) == Some(HANDSHAKE))?;
    let (&[kind, a, b, c], rest) = fragment.split_first_chunk()?;
    let body = rest.get(..usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c))?;
    hello::fault(kind, body).map(|why| (FIXED, why))
}

const SEQUENCE: u8 = 0x30;
const EXPLICIT_VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const OBJECT: u8 = 6;
const BYTES: u8 = 4;
const DNS_NAME: u8 = 0x82;
/// Place of the subject: behind number, algorithm, issuer and validity.
const SUBJECT: usize = 4;
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// Common name and DNS names of the first certificate of a message (RFC 5280), as far as it is
/// there in full.
pub(super) fn names(message: &[u8]) -> Option<FieldValue> {
    let certificate = hello::counted(message.get(3..)?, 3)?.0;
    let body = ber::value(ber::value(certificate, SEQUENCE)?.0, SEQUENCE)?.0;
    let mut all: Vec<&str> = Vec::new();
    if let Some((SEQUENCE, subject)) = ber::elements(body)
        .filter(|element| element.0 != EXPLICIT_VERSION)
        .nth(SUBJECT)
    {
        all.extend(common_name(subject));
    }
    if let Some((_, extensions)) = ber::elements(body).find(|element| element.0 == EXTENSIONS) {
        all.extend(dns_names(extensions));
    }
    let first = all.first().copied();
    all = all
        .iter()
        .enumerate()
        .filter(|(i, name)| *i == 0 || Some(**name) != first)
        .map(|(_, name)| *name)
        .collect();
    Some(FieldValue::Text(all.join(" ")))
}

fn common_name(subject: &[u8]) -> Option<&str> {
    let mut pairs = ber::elements(subject).flat_map(|(_, set)| ber::elements(set));
    pairs.find_map(|(_, pair)| {
        let (kind, rest) = ber::value(pair, OBJECT)?;
        core::str::from_utf8(ber::element(rest)?.1)
            .ok()
            .filter(|_| kind == COMMON_NAME)
    })
}

fn dns_names(extensions: &[u8]) -> impl Iterator<Item = &str> {
    let list = ber::value(extensions, SEQUENCE).map_or(&extensions[..0], |(list, _)| list);
    let found = ber::elements(list).find_map(|(_, extension)| {
        let (kind, _) = ber::value(extension, OBJECT)?;
        let (_, held) = ber::elements(extension)
            .find(|element| element.0 == BYTES)
            .filter(|_| kind == ALTERNATIVE_NAMES)?;
        ber::value(held, SEQUENCE)
    });
    let names = ber::elements(found.map_or(&extensions[..0], |(names, _)| names));
    names
        .filter(|element| element.0 == DNS_NAME)
        .filter_map(|element| core::str::from_utf8(element.1).ok())
}

const HELLO_VIEWS: [&str; 13] = [
    "handshake",
    "hello_version",
    "random",
    "retry",
    "session_id",
    "cipher",
    "ciphers",
    "sni",
    "alpn",
    "versions",
    "groups",
    "signatures",
    "x25519",
];

fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| header.uint(name).unwrap_or(otherwise);
    match TYPE.get(&out[start..]) {
        Some(CHANGE) => out.push(1),
        Some(ALERT) => out.extend([number("alert_level", 2) as u8, number("alert", 0) as u8]),
        Some(HANDSHAKE) if HELLO_VIEWS.iter().any(|name| header.value(name).is_some()) => {
            let kind = number("handshake", CLIENT_HELLO.into()) as u8;
            let body = match kind {
                CLIENT_HELLO => hello::from_header(header, hello::HelloSender::Client, &[]),
                SERVER_HELLO => hello::from_header(header, hello::HelloSender::Server, &[]),
                _ => Vec::new(),
            };
            out.push(kind);
            hello::put(&body, 3, out);
        }
        _ => {}
    }
}
