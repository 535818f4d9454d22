//! What a session reports of itself: one row per name.

use super::client::TlsClient;
use crafty_value::{Time, Value};
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::{ProtocolVersion, SupportedCipherSuite};

const NANOSECONDS: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// A value told of a session.
#[derive(Debug)]
pub struct TlsCounter {
    /// As written after `STACK[TLS].`.
    pub name: &'static str,
    pub(super) read: fn(&TlsClient) -> Option<Value>,
}

const fn row(name: &'static str, read: fn(&TlsClient) -> Option<Value>) -> TlsCounter {
    TlsCounter { name, read }
}

/// All of them.
pub static COUNTERS: &[TlsCounter] = &[
    row("version", |c| c.connection.protocol_version().map(version)),
    row("cipher", |c| {
        c.connection
            .negotiated_cipher_suite()
            .map(|s| text(&cipher(s)))
    }),
    row("group", |c| {
        c.connection
            .negotiated_key_exchange_group()
            .map(|g| text(&format!("{:?}", g.name()).to_lowercase()))
    }),
    row("alpn", |c| {
        c.is_up().then(|| {
            text(&String::from_utf8_lossy(
                c.connection.alpn_protocol().unwrap_or_default(),
            ))
        })
    }),
    row("subject", |c| Some(text(&c.chain.first()?.subject))),
    row("issuer", |c| Some(text(&c.chain.first()?.issuer))),
    row("names", |c| {
        Some(Value::array(
            c.chain
                .first()?
                .names
                .iter()
                .map(|name| text(name))
                .collect(),
        ))
    }),
    row("not_before", |c| c.chain.first()?.not_before.map(moment)),
    row("not_after", |c| c.chain.first()?.not_after.map(moment)),
    row("days_left", days_left),
    row("serial", |c| Some(text(&c.chain.first()?.serial))),
    row("key", |c| Some(text(&c.chain.first()?.key))),
    row("signature", |c| Some(text(&c.chain.first()?.signature))),
    row("sha256", |c| {
        c.look()
            .chain
            .first()
            .map(|octets| Value::bytes(sha256(octets)))
    }),
    row("self_signed", |c| {
        Some(Value::Bool(c.chain.first()?.self_issued))
    }),
    row("chain", |c| {
        Some(Value::array(
            c.chain.iter().map(|cert| text(&cert.subject)).collect(),
        ))
    }),
    row("chain_length", |c| Some(Value::Int(c.chain.len() as i64))),
    row("verified", |c| {
        (!c.chain.is_empty()).then(|| Value::Bool(c.look().objection.is_none()))
    }),
    row("verify_error", |c| {
        (!c.chain.is_empty()).then(|| text(c.look().objection.as_deref().unwrap_or_default()))
    }),
    row("resumed", |c| {
        c.is_up().then(|| Value::Bool(c.is_resumed()))
    }),
    row("server_hello", |c| since(c, c.answered)),
    row("certificate", |c| since(c, c.look().at.map(Time))),
    row("handshake", |c| since(c, c.ended)),
];

fn text(text: &str) -> Value {
    Value::text(text)
}

fn since(client: &TlsClient, at: Option<Time>) -> Option<Value> {
    Some(Value::Duration(at?.since(client.began?)))
}

/// A moment given in seconds; what 64 bits of nanoseconds do not hold is the last that they do.
fn moment(seconds: i64) -> Value {
    Value::Time(Time(seconds.saturating_mul(NANOSECONDS)))
}

/// Whole days from the end of the handshake; negative once it is over.
fn days_left(client: &TlsClient) -> Option<Value> {
    let (end, now) = (
        client.chain.first()?.not_after?,
        client.look().at?.div_euclid(NANOSECONDS),
    );
    Some(Value::Int((end - now).div_euclid(DAY)))
}

fn version(version: ProtocolVersion) -> Value {
    match version {
        ProtocolVersion::TLSv1_3 => text("1.3"),
        ProtocolVersion::TLSv1_2 => text("1.2"),
        other => text(&format!("{other:?}")),
    }
}

/// As IANA has it, without the version that `rustls` puts into the names of 1.3.
fn cipher(suite: SupportedCipherSuite) -> String {
    format!("{:?}", suite.suite()).replacen("TLS13_", "TLS_", 1)
}

fn sha256(octets: &[u8]) -> Vec<u8> {
    match TLS13_AES_128_GCM_SHA256 {
        SupportedCipherSuite::Tls13(suite) => {
            suite.common.hash_provider.hash(octets).as_ref().to_vec()
        }
        SupportedCipherSuite::Tls12(_) => Vec::new(),
    }
}
