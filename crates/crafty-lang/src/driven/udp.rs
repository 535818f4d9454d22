//! `UDP!`: datagrams between ports.

use super::DrivenLayer;
use super::Unset::{Int, Says};
use super::counter::{LayerCounter, counter};
use super::option::{DrivenOption, local_option, sent_option};
use crate::ir::DrivenKind::{Ip, Udp};
use crate::ir::Label::{Clean, Event};
use crate::ir::Type;

/// The row.
pub static LAYER: DrivenLayer = DrivenLayer {
    kind: Udp,
    name: "UDP",
    doc: "Datagrams between ports.",
    runs_on: &[Ip],
    example_below: "/IP!(dst=…)",
    is_stream: false,
    echo: None,
    misnomers: &[
        ("port", "dst"),
        ("sport", "src"),
        ("dport", "dst"),
        ("to", "dst"),
        ("from", "src"),
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
        Udp,
        "dst",
        Type::Int,
        Says("serves any peer"),
        "Port to send to.",
    ),
    sent_option(
        Udp,
        "src",
        Type::Int,
        Says("lowest free port of `PORTS`"),
        "Own port.",
    ),
    local_option(
        Udp,
        "peers",
        Type::Int,
        Int(16),
        "When it serves: how many peers at a time, at most 4096; others get no answer.",
    ),
];

static COUNTERS: &[LayerCounter] = &[
    counter(Udp, "src", Type::Int, Clean, "Own port."),
    counter(Udp, "dst", Type::Int, Clean, "Peer's port."),
    counter(
        Udp,
        "packets_in",
        Type::Int,
        Event,
        "Datagrams received on this port.",
    ),
    counter(
        Udp,
        "packets_out",
        Type::Int,
        Clean,
        "Datagrams sent from this port.",
    ),
    counter(
        Udp,
        "bytes_in",
        Type::Int,
        Event,
        "Bytes of payload received.",
    ),
    counter(Udp, "bytes_out", Type::Int, Clean, "Bytes of payload sent."),
    counter(
        Udp,
        "icmp_errors",
        Type::Int,
        Event,
        "ICMP errors that quote this port's datagrams.",
    ),
];
