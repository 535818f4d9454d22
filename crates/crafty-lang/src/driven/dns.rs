//! `DNS!`: one question and its answer, in datagrams, on a connection or on TLS.

use super::Unset::{Bool, Int, Named, Says, Time};
use super::counter::{LayerCounter, counter, many};
use super::option::{DrivenOption, local_option, named, sent_option};
use super::{DatagramRepeats, DrivenAct, DrivenLayer, Request};
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
    elsewhere: &[],
    request: Some(&Request {
        one_of: &["name"],
        missing: (
            "`DNS!` needs a name to ask for",
            "write `DNS!(name=\"www.example.com\")`",
        ),
        several: ("`DNS!` asks for one name", "open a block for each request"),
    }),
    act: Some(&DrivenAct {
        over_connection: "a DNS question over a connection",
        served: None,
        in_datagrams: Some("a DNS question"),
    }),
    repeats: Some(&DatagramRepeats {
        tries: "tries",
        each: "timeout",
        // Headers of link, IPv6 and UDP; header of DNS, the longest name, type and class, EDNS.
        longest: 14 + 40 + 8 + 12 + 255 + 4 + 11,
    }),
    rules: &[],
    options: OPTIONS,
    counters: COUNTERS,
};

static OPTIONS: &[DrivenOption] = &[
    sent_option(
        Dns,
        "name",
        Type::Str,
        Says("needed"),
        "Name to look up; with `type=ptr` an address as text works too.",
    ),
    named(Dns, "type", ("DNS", "qtype"), Named("a"), "Record type."),
    local_option(
        Dns,
        "timeout",
        Type::Duration,
        Time(Duration::seconds(2)),
        "How long each try waits.",
    ),
    local_option(
        Dns,
        "tries",
        Type::Int,
        Int(3),
        "Tries at most; over `TCP!` only one.",
    ),
    sent_option(
        Dns,
        "recursion",
        Type::Bool,
        Bool(true),
        "Ask the server to recurse.",
    ),
    sent_option(
        Dns,
        "edns",
        Type::Int,
        Int(1232),
        "Largest answer in a datagram, in bytes (RFC 6891); 0 leaves EDNS out.",
    ),
    sent_option(
        Dns,
        "id",
        Type::Int,
        Says("drawn from the run's seed"),
        "ID of the first query.",
    ),
];

static COUNTERS: &[LayerCounter] = &[
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
        "Whether the server is authoritative for the zone.",
    ),
    counter(
        Dns,
        "truncated",
        Type::Bool,
        Content,
        "Whether the answer was truncated; in a datagram that is an error.",
    ),
    counter(
        Dns,
        "recursion",
        Type::Bool,
        Content,
        "Whether the server offers recursion.",
    ),
    counter(
        Dns,
        "authenticated",
        Type::Bool,
        Content,
        "Whether the server says that it validated the signatures.",
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
        "Addresses in the answers.",
    ),
    counter(
        Dns,
        "ttl",
        Type::Int,
        Content,
        "Smallest time to live of the answers in seconds; 0 if there are none.",
    ),
    counter(Dns, "size", Type::Int, Content, "Bytes of the message."),
    counter(
        Dns,
        "rtt",
        Type::Duration,
        Event,
        "From the query to its answer.",
    ),
    counter(Dns, "tries", Type::Int, Event, "Number of queries sent."),
];
