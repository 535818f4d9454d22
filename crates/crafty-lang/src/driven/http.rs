//! `HTTP!`: one request and its response, on a connection or on TLS.

use super::Unset::{Int, Says, Time};
use super::counter::{LayerCounter, counter, many};
use super::option::{DrivenOption, list, local_option, sent_option};
use super::{DrivenAct, DrivenLayer, OptionRule, Request};
use crate::ir::DrivenKind::{Http, Tcp, Tls};
use crate::ir::Label::{Content, Event};
use crate::ir::{Holds, Type};
use crafty_value::Duration;

/// The row.
pub static LAYER: DrivenLayer = DrivenLayer {
    kind: Http,
    name: "HTTP",
    doc: "One request and its response, on a connection or on TLS.",
    runs_on: &[Tcp, Tls],
    example_below: "/TCP!(dst=80)",
    is_stream: false,
    echo: None,
    misnomers: &[("path", "get")],
    elsewhere: &[(
        &["url", "uri"],
        "the address is that of the block; name the path and the host: `HTTP!(get=\"/\", host=\"www.example.com\")`",
    )],
    request: Some(&Request {
        one_of: &["get", "head", "post"],
        missing: (
            "`HTTP!` needs a path to request",
            "write `HTTP!(get=\"/\")`",
        ),
        several: (
            "`HTTP!` makes one request: give only one of `get`, `head`, `post`",
            "open a block for each request",
        ),
    }),
    act: Some(&DrivenAct {
        over_connection: "an HTTP request over a connection",
        served: None,
        in_datagrams: None,
    }),
    repeats: None,
    rules: &[
        OptionRule::AsksForPath("the address goes into `IP!(dst=…)`, the name into `host=`"),
        OptionRule::Needs(
            "body",
            "post",
            (
                "a `body` needs `post`",
                "write `HTTP!(post=\"/path\", body=\"…\")`",
            ),
        ),
    ],
    options: OPTIONS,
    counters: COUNTERS,
};

static OPTIONS: &[DrivenOption] = &[
    sent_option(
        Http,
        "get",
        Type::Str,
        Says("one of the three is needed"),
        "Path to request (GET).",
    ),
    sent_option(
        Http,
        "head",
        Type::Str,
        Says("one of the three is needed"),
        "Path to request without its body (HEAD).",
    ),
    sent_option(
        Http,
        "post",
        Type::Str,
        Says("one of the three is needed"),
        "Path to send `body` to (POST).",
    ),
    sent_option(
        Http,
        "body",
        Type::Bytes,
        Says("empty"),
        "What `post` sends.",
    ),
    sent_option(
        Http,
        "host",
        Type::Str,
        Says("`sni`, or the address"),
        "Header `Host`.",
    ),
    list(
        Http,
        "headers",
        Type::Str,
        Says("none"),
        "More headers, \"Name: value\" each.",
    ),
    local_option(
        Http,
        "timeout",
        Type::Duration,
        Time(Duration::seconds(10)),
        "How long the response may take.",
    ),
    local_option(
        Http,
        "max",
        Type::Int,
        Int(100_000),
        "Bytes of the body that are kept; the rest is cut off.",
    ),
];

static COUNTERS: &[LayerCounter] = &[
    counter(
        Http,
        "status",
        Type::Int,
        Content,
        "Status of the response.",
    ),
    counter(Http, "reason", Type::Str, Content, "Its words."),
    counter(
        Http,
        "version",
        Type::Str,
        Content,
        "Version in the server's status line.",
    ),
    many(
        Http,
        "headers",
        Holds::Map,
        Type::Str,
        Content,
        "Headers by lower-case name; repeated ones are joined with commas.",
    ),
    counter(
        Http,
        "body",
        Type::Bytes,
        Content,
        "The body, up to `max=` bytes.",
    ),
    counter(Http, "body_length", Type::Int, Content, "Bytes of it."),
    counter(Http, "cut", Type::Bool, Content, "Whether it was longer."),
    counter(
        Http,
        "connect",
        Type::Duration,
        Event,
        "From the opening to the request.",
    ),
    counter(
        Http,
        "first_byte",
        Type::Duration,
        Event,
        "From the request to the first byte of the response.",
    ),
    counter(
        Http,
        "last_byte",
        Type::Duration,
        Event,
        "From the request to the last byte of the response.",
    ),
];
