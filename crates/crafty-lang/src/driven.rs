//! Options of driven layers (`TCP!(dst=80, mss=536)`): one row each, read by the checker, the machine and the manual.

use crate::ir::{DrivenKind, Type};

/// One option of a driven layer.
#[derive(Debug)]
pub struct DrivenOption {
    /// The layer.
    pub of: DrivenKind,
    /// As written.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// What leaving it out means, in words.
    pub unset: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Whether it appears in what is sent (then its label counts as content of a send).
    pub on_wire: bool,
}

const fn row(of: DrivenKind, name: &'static str, ty: Type, unset: &'static str, doc: &'static str, on_wire: bool) -> DrivenOption {
    DrivenOption { of, name, ty, unset, doc, on_wire }
}

/// All rows.
pub static OPTIONS: &[DrivenOption] = &[
    row(DrivenKind::Ip, "dst", Type::Ip, "serves whoever asks", "Whom to send to; its family is the stack's.", true),
    row(
        DrivenKind::Ip,
        "src",
        Type::Ip,
        "the address the route gives",
        "Source; another host's address needs `PERMISSIONS.sources`.",
        true,
    ),
    row(DrivenKind::Ip, "ttl", Type::Int, "64", "Hops a datagram may take (hop limit in IPv6).", true),
    row(DrivenKind::Ip, "dscp", Type::Int, "0", "Service class (RFC 2474).", true),
    row(DrivenKind::Ip, "df", Type::Bool, "false for UDP and ICMP, true for TCP", "Never fragment on the way (IPv4).", true),
    row(DrivenKind::Ip, "interface", Type::Str, "the interface of the route", "Name of the interface to use.", false),
    row(DrivenKind::Udp, "dst", Type::Int, "serves whoever asks", "Port to send to.", true),
    row(DrivenKind::Udp, "src", Type::Int, "lowest free port of `PORTS`", "Own port.", true),
    row(DrivenKind::Tcp, "dst", Type::Int, "needed unless `listen=true`", "Port to connect to.", true),
    row(DrivenKind::Tcp, "src", Type::Int, "lowest free port of `PORTS`", "Own port.", true),
    row(DrivenKind::Tcp, "listen", Type::Bool, "false", "Wait for peers on `src` instead of connecting.", false),
    row(DrivenKind::Tcp, "timeout", Type::Duration, "5s", "How long the opening may take.", false),
    row(DrivenKind::Tcp, "close", Type::Duration, "1s", "How long the closing may take before a reset.", false),
    row(DrivenKind::Tcp, "mss", Type::Int, "what the link's MTU allows", "Largest segment we say we accept.", true),
    row(DrivenKind::Tcp, "window", Type::Int, "1 MiB", "Octets of receive buffer.", true),
    row(
        DrivenKind::Tcp,
        "stall",
        Type::Duration,
        "0s",
        "How long, once up, nothing is read: what the peer sends fills `window`, which closes.",
        true,
    ),
    row(DrivenKind::Tcp, "wscale", Type::Int, "what the window needs", "Window scale to offer; -1 offers none (RFC 7323).", true),
    row(DrivenKind::Tcp, "sack", Type::Bool, "true", "Offer selective acknowledgement (RFC 2018).", true),
    row(DrivenKind::Tcp, "timestamps", Type::Bool, "true", "Offer time stamps (RFC 7323).", true),
    row(DrivenKind::Tcp, "ecn", Type::Bool, "false", "Offer explicit congestion notification (RFC 3168).", true),
    row(DrivenKind::Tcp, "cc", Type::Str, "\"cubic\"", "Congestion control: \"cubic\" or \"newreno\".", false),
    row(DrivenKind::Tcp, "nagle", Type::Bool, "true", "Hold small segments while data is in flight (RFC 9293 §3.7.4).", false),
    row(DrivenKind::Tcp, "delayed_ack", Type::Duration, "40ms", "Longest delay of an acknowledgement; 0s acknowledges at once.", false),
    row(DrivenKind::Tcp, "initial_window", Type::Int, "10", "Segments that may leave before the first acknowledgement (RFC 6928).", false),
    row(DrivenKind::Tcp, "isn", Type::Int, "drawn from the run's seed", "Initial sequence number.", true),
];

/// The row of an option.
pub fn option(of: DrivenKind, name: &str) -> Option<&'static DrivenOption> {
    OPTIONS.iter().find(|o| o.of == of && o.name == name)
}
