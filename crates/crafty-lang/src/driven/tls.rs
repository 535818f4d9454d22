//! `TLS!`: a client of TLS on a connection.

use super::Unset::{Bool, Says, Text, Time};
use super::counter::{LayerCounter, counter, many};
use super::option::{DrivenOption, list, local_option, sent_option};
use super::{DrivenAct, DrivenLayer, OptionRule};
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
    echo: Some("`TLS!` continues with what the server chose, and proves that it has read it"),
    misnomers: &[("host", "sni"), ("name", "sni"), ("server_name", "sni")],
    elsewhere: &[],
    request: None,
    act: Some(&DrivenAct {
        over_connection: "a TCP connection with TLS",
        served: None,
        in_datagrams: None,
    }),
    repeats: None,
    rules: &[OptionRule::Words {
        options: &[("min", "\"1.2\""), ("max", "\"1.3\"")],
        words: &["1.2", "1.3"],
        what: "TLS version",
        known: "1.2 and 1.3 are",
    }],
    options: OPTIONS,
    counters: COUNTERS,
};

static OPTIONS: &[DrivenOption] = &[
    sent_option(
        Tls,
        "sni",
        Type::Str,
        Says("the address, which is not sent"),
        "The server's name: sent, and the name that the certificate is checked against.",
    ),
    list(
        Tls,
        "alpn",
        Type::Str,
        Says("none"),
        "Protocols offered, best first (RFC 7301).",
    ),
    sent_option(
        Tls,
        "min",
        Type::Str,
        Text("1.2"),
        "Oldest version offered: \"1.2\" or \"1.3\".",
    ),
    sent_option(
        Tls,
        "max",
        Type::Str,
        Text("1.3"),
        "Newest version offered.",
    ),
    local_option(
        Tls,
        "verify",
        Type::Bool,
        Bool(false),
        "An untrusted certificate is an error; it is checked in any case.",
    ),
    sent_option(
        Tls,
        "resume",
        Type::Bool,
        Bool(false),
        "Resume an earlier session of this run that set it too (RFC 8446 §2.2).",
    ),
    local_option(
        Tls,
        "timeout",
        Type::Duration,
        Time(Duration::seconds(5)),
        "How long the handshake may take.",
    ),
];

static COUNTERS: &[LayerCounter] = &[
    counter(
        Tls,
        "version",
        Type::Str,
        Content,
        "Negotiated version: \"1.2\" or \"1.3\".",
    ),
    counter(
        Tls,
        "cipher",
        Type::Str,
        Content,
        "Negotiated cipher suite, with its IANA name.",
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
        "Negotiated protocol; empty if none.",
    ),
    counter(
        Tls,
        "subject",
        Type::Str,
        Content,
        "Subject of the certificate (RFC 4514).",
    ),
    counter(
        Tls,
        "issuer",
        Type::Str,
        Content,
        "Issuer of the certificate.",
    ),
    many(
        Tls,
        "names",
        Holds::Array,
        Type::Str,
        Content,
        "Names and addresses that it is valid for.",
    ),
    counter(
        Tls,
        "not_before",
        Type::Time,
        Content,
        "Start of its validity.",
    ),
    counter(
        Tls,
        "not_after",
        Type::Time,
        Content,
        "End of its validity.",
    ),
    counter(
        Tls,
        "days_left",
        Type::Int,
        Content,
        "Whole days until it expires; negative once it has expired.",
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
    counter(
        Tls,
        "signature",
        Type::Str,
        Content,
        "Its signature algorithm.",
    ),
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
        "Number of certificates sent.",
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
        "Why it does not; empty if it does.",
    ),
    counter(
        Tls,
        "resumed",
        Type::Bool,
        Content,
        "Whether an earlier session was resumed; its certificate is reported again.",
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
