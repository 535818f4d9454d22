//! `TLS!`: a client of TLS on a connection.

use super::DrivenLayer;
use super::Unset::{Bool, Says, Text, Time};
use super::counter::{Counter, counter, many};
use super::option::{DrivenOption, list, option};
use crate::ir::DrivenKind::{Tcp, Tls};
use crate::ir::Label::{Content, Event};
use crate::ir::{Holds, Type};
use crafty_value::Duration;

/// The row.
pub static LAYER: DrivenLayer = DrivenLayer {
    kind: Tls,
    name: "TLS",
    doc: "A client of TLS on a connection.",
    runs_on: &[Tcp],
    example_below: "/TCP!(dst=443)",
    is_stream: true,
    echo: Some("`TLS!` goes on with what the server chose, and proves that it has read it"),
    misnomers: &[("host", "sni"), ("name", "sni"), ("server_name", "sni")],
    request: None,
    options: OPTIONS,
    counters: COUNTERS,
};

static OPTIONS: &[DrivenOption] = &[
    option(
        Tls,
        "sni",
        Type::Str,
        Says("the address, which is not sent"),
        "The server's name: sent, and what the certificate is judged by.",
        true,
    ),
    list(
        Tls,
        "alpn",
        Type::Str,
        Says("none"),
        "Protocols offered, best first (RFC 7301).",
    ),
    option(
        Tls,
        "min",
        Type::Str,
        Text("1.2"),
        "Oldest version offered: \"1.2\" or \"1.3\".",
        true,
    ),
    option(
        Tls,
        "max",
        Type::Str,
        Text("1.3"),
        "Newest version offered.",
        true,
    ),
    option(
        Tls,
        "verify",
        Type::Bool,
        Bool(false),
        "A certificate that is not to be trusted is an error; it is judged in any case.",
        false,
    ),
    option(
        Tls,
        "resume",
        Type::Bool,
        Bool(false),
        "Take up an earlier session of this run that allowed it too (RFC 8446 §2.2).",
        true,
    ),
    option(
        Tls,
        "timeout",
        Type::Duration,
        Time(Duration::seconds(5)),
        "How long the handshake may take.",
        false,
    ),
];

static COUNTERS: &[Counter] = &[
    counter(
        Tls,
        "version",
        Type::Str,
        Content,
        "Version agreed on: \"1.2\" or \"1.3\".",
    ),
    counter(
        Tls,
        "cipher",
        Type::Str,
        Content,
        "Cipher suite agreed on, as IANA names it.",
    ),
    counter(
        Tls,
        "group",
        Type::Str,
        Content,
        "Group of the key exchange.",
    ),
    counter(
        Tls,
        "alpn",
        Type::Str,
        Content,
        "Protocol agreed on; empty if none.",
    ),
    counter(
        Tls,
        "subject",
        Type::Str,
        Content,
        "Whom the certificate is for (RFC 4514).",
    ),
    counter(Tls, "issuer", Type::Str, Content, "Who signed it."),
    many(
        Tls,
        "names",
        Holds::Array,
        Type::Str,
        Content,
        "Names and addresses that it is for.",
    ),
    counter(Tls, "not_before", Type::Time, Content, "Its first moment."),
    counter(Tls, "not_after", Type::Time, Content, "Its last moment."),
    counter(
        Tls,
        "days_left",
        Type::Int,
        Content,
        "Whole days until then; negative once it is over.",
    ),
    counter(
        Tls,
        "serial",
        Type::Str,
        Content,
        "Its serial number, in hex.",
    ),
    counter(
        Tls,
        "key",
        Type::Str,
        Content,
        "Kind of its key, with bits or curve.",
    ),
    counter(Tls, "signature", Type::Str, Content, "How it is signed."),
    counter(Tls, "sha256", Type::Bytes, Content, "Its fingerprint."),
    counter(
        Tls,
        "self_signed",
        Type::Bool,
        Content,
        "Whether subject and issuer are the same.",
    ),
    many(
        Tls,
        "chain",
        Holds::Array,
        Type::Str,
        Content,
        "Subjects of the certificates sent, the server's own first.",
    ),
    counter(
        Tls,
        "chain_length",
        Type::Int,
        Content,
        "How many were sent.",
    ),
    counter(
        Tls,
        "verified",
        Type::Bool,
        Content,
        "Whether the chain leads to a root that browsers trust, for this name, now.",
    ),
    counter(
        Tls,
        "verify_error",
        Type::Str,
        Content,
        "Why not; empty if it does.",
    ),
    counter(
        Tls,
        "resumed",
        Type::Bool,
        Content,
        "Whether an earlier session was taken up; its certificate is told again.",
    ),
    counter(
        Tls,
        "server_hello",
        Type::Duration,
        Event,
        "From our first byte to the server's first.",
    ),
    counter(
        Tls,
        "certificate",
        Type::Duration,
        Event,
        "From our first byte to the certificate.",
    ),
    counter(
        Tls,
        "handshake",
        Type::Duration,
        Event,
        "From our first byte to the end of the handshake.",
    ),
];
