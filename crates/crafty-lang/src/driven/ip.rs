//! `IP!`: datagrams of either family to and from a destination.

use super::DrivenLayer;
use super::Unset::{Int, Says};
use super::counter::{LayerCounter, counter};
use super::option::{DrivenOption, local_option, sent_option};
use crate::ir::DrivenKind::Ip;
use crate::ir::Label::{Clean, Content, Event};
use crate::ir::Type;

/// The row.
pub static LAYER: DrivenLayer = DrivenLayer {
    kind: Ip,
    name: "IP",
    doc: "Datagrams of either family to and from a destination.",
    runs_on: &[],
    example_below: "",
    is_stream: false,
    echo: None,
    misnomers: &[
        ("host", "dst"),
        ("to", "dst"),
        ("from", "src"),
        ("hlim", "ttl"),
    ],
    elsewhere: &[],
    request: None,
    act: None,
    repeats: None,
    rules: &[],
    options: OPTIONS,
    counters: COUNTERS,
};

static OPTIONS: &[DrivenOption] = &[
    sent_option(
        Ip,
        "dst",
        Type::Ip,
        Says("serves any peer"),
        "Destination address; its family decides the stack's.",
    ),
    sent_option(
        Ip,
        "src",
        Type::Ip,
        Says("the address the route gives"),
        "Source; another host's address needs `PERMISSIONS.sources`.",
    ),
    sent_option(
        Ip,
        "ttl",
        Type::Int,
        Int(64),
        "Time to live (hop limit in IPv6).",
    ),
    sent_option(Ip, "dscp", Type::Int, Int(0), "Service class (RFC 2474)."),
    sent_option(
        Ip,
        "df",
        Type::Bool,
        Says("false for UDP and ICMP, true for TCP"),
        "Set don't-fragment (IPv4).",
    ),
    local_option(
        Ip,
        "interface",
        Type::Str,
        Says("the interface of the route"),
        "Name of the interface to use.",
    ),
];

static COUNTERS: &[LayerCounter] = &[
    counter(Ip, "src", Type::Ip, Clean, "Own address."),
    counter(Ip, "dst", Type::Ip, Clean, "Peer's address."),
    counter(
        Ip,
        "mtu",
        Type::Int,
        Content,
        "Path MTU in bytes, as known now.",
    ),
    counter(
        Ip,
        "packets_in",
        Type::Int,
        Event,
        "Datagrams received for this stack.",
    ),
    counter(
        Ip,
        "packets_out",
        Type::Int,
        Clean,
        "Datagrams sent by this stack.",
    ),
    counter(Ip, "fragments_in", Type::Int, Event, "Fragments received."),
    counter(
        Ip,
        "reassembled",
        Type::Int,
        Event,
        "Datagrams reassembled from fragments.",
    ),
    counter(
        Ip,
        "icmp_errors",
        Type::Int,
        Event,
        "ICMP errors that quote this stack's packets.",
    ),
];
