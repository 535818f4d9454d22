//! `DNS!`: one question and its answer, in datagrams, on a connection or on TLS.

use super::Unset::{Bool, Int, Named, Says, Time};
use super::counter::{Counter, counter, many};
use super::option::{DrivenOption, named, option};
use super::{DrivenLayer, Request};
use crate::ir::DrivenKind::{Dns, Tcp, Tls, Udp};
use crate::ir::Label::{Content, Event};
use crate::ir::{Holds, Type};
use crafty_value::Duration;

/// The row.
pub static LAYER: DrivenLayer = DrivenLayer {
    kind: Dns,
    name: "DNS",
    doc: "One question and its answer, in datagrams, on a connection or on TLS.",
    runs_on: &[Udp, Tcp, Tls],
    example_below: "/UDP!(dst=53)",
    is_stream: false,
    echo: Some("`DNS!` asks again unless it has an answer"),
    misnomers: &[("qname", "name"), ("qtype", "type")],
    request: Some(&Request {
        one_of: &["name"],
        missing: (
            "`DNS!` needs a name to ask for",
            "write `DNS!(name=\"www.example.com\")`",
        ),
        several: ("`DNS!` asks for one name", "open a block for each request"),
    }),
    options: OPTIONS,
    counters: COUNTERS,
};

static OPTIONS: &[DrivenOption] = &[
    option(
        Dns,
        "name",
        Type::Str,
        Says("needed"),
        "Name to ask for; with `type=ptr` also an address as text.",
        true,
    ),
    named(
        Dns,
        "type",
        ("DNS", "qtype"),
        Named("a"),
        "Type of the records.",
    ),
    option(
        Dns,
        "timeout",
        Type::Duration,
        Time(Duration::seconds(2)),
        "How long one try waits.",
        false,
    ),
    option(
        Dns,
        "tries",
        Type::Int,
        Int(3),
        "How often it is asked at most; over `TCP!` once.",
        false,
    ),
    option(
        Dns,
        "recursion",
        Type::Bool,
        Bool(true),
        "The server is to ask others.",
        true,
    ),
    option(
        Dns,
        "edns",
        Type::Int,
        Int(1232),
        "Bytes of an answer that may come in a datagram (RFC 6891); 0 leaves it out.",
        true,
    ),
    option(
        Dns,
        "id",
        Type::Int,
        Says("drawn from the run's seed"),
        "Identification of the first try.",
        true,
    ),
];

static COUNTERS: &[Counter] = &[
    counter(
        Dns,
        "rcode",
        Type::Int,
        Content,
        "Outcome: `DNS.no_error`, `DNS.name_error` ...",
    ),
    counter(
        Dns,
        "authoritative",
        Type::Bool,
        Content,
        "Whether the server speaks for the zone.",
    ),
    counter(
        Dns,
        "truncated",
        Type::Bool,
        Content,
        "Whether the answer was cut; in a datagram that is an error.",
    ),
    counter(
        Dns,
        "recursion",
        Type::Bool,
        Content,
        "Whether the server asks others.",
    ),
    counter(
        Dns,
        "authenticated",
        Type::Bool,
        Content,
        "Whether it says that signatures were checked.",
    ),
    many(
        Dns,
        "answers",
        Holds::Array,
        Type::Str,
        Content,
        "Answers as text: name, ttl, type, data.",
    ),
    many(
        Dns,
        "addresses",
        Holds::Array,
        Type::Ip,
        Content,
        "Addresses among them.",
    ),
    counter(
        Dns,
        "ttl",
        Type::Int,
        Content,
        "Seconds that all of them may be kept; 0 if there are none.",
    ),
    counter(Dns, "size", Type::Int, Content, "Bytes of the message."),
    counter(
        Dns,
        "rtt",
        Type::Duration,
        Event,
        "From the question that was answered to the answer.",
    ),
    counter(Dns, "tries", Type::Int, Event, "How often it was asked."),
];
