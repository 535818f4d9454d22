//! Options of driven layers (`TCP!(dst=80, mss=536)`): one row each, read by the checker, the
//! machine and the manual.

use crate::ir::{DrivenKind, Holds, Type};
use crafty_value::Duration;

/// One option of a driven layer.
#[derive(Debug)]
pub struct DrivenOption {
    /// The layer.
    pub of: DrivenKind,
    /// As written.
    pub name: &'static str,
    /// Its type, or that of what it holds.
    ty: Type,
    /// Whether it is one or several.
    holds: Holds,
    /// The layer and field whose named values may be written bare; its own layer's field of the
    /// same name, unless told.
    pub names: Option<(&'static str, &'static str)>,
    /// What leaving it out means, in words.
    pub unset: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Whether it appears in what is sent (then its label counts as content of a send).
    pub on_wire: bool,
}

const fn row(
    of: DrivenKind,
    name: &'static str,
    ty: Type,
    unset: &'static str,
    doc: &'static str,
    on_wire: bool,
) -> DrivenOption {
    DrivenOption {
        of,
        name,
        ty,
        holds: Holds::One,
        names: None,
        unset,
        doc,
        on_wire,
    }
}

/// A list; it always appears in what is sent.
const fn list(
    of: DrivenKind,
    name: &'static str,
    ty: Type,
    unset: &'static str,
    doc: &'static str,
) -> DrivenOption {
    DrivenOption {
        of,
        name,
        ty,
        holds: Holds::Array,
        names: None,
        unset,
        doc,
        on_wire: true,
    }
}

/// A number whose values have the names of a field.
const fn named(
    of: DrivenKind,
    name: &'static str,
    field: (&'static str, &'static str),
    unset: &'static str,
    doc: &'static str,
) -> DrivenOption {
    DrivenOption {
        of,
        name,
        ty: Type::Int,
        holds: Holds::One,
        names: Some(field),
        unset,
        doc,
        on_wire: true,
    }
}

impl DrivenOption {
    /// Its type.
    pub fn ty(&self) -> Type {
        self.holds.of(&self.ty)
    }
}

use DrivenKind::{Dns, Http, Tls};

/// All rows.
pub static OPTIONS: &[DrivenOption] = &[
    row(
        DrivenKind::Ip,
        "dst",
        Type::Ip,
        "serves whoever asks",
        "Whom to send to; its family is the stack's.",
        true,
    ),
    row(
        DrivenKind::Ip,
        "src",
        Type::Ip,
        "the address the route gives",
        "Source; another host's address needs `PERMISSIONS.sources`.",
        true,
    ),
    row(
        DrivenKind::Ip,
        "ttl",
        Type::Int,
        "64",
        "Hops a datagram may take (hop limit in IPv6).",
        true,
    ),
    row(
        DrivenKind::Ip,
        "dscp",
        Type::Int,
        "0",
        "Service class (RFC 2474).",
        true,
    ),
    row(
        DrivenKind::Ip,
        "df",
        Type::Bool,
        "false for UDP and ICMP, true for TCP",
        "Never fragment on the way (IPv4).",
        true,
    ),
    row(
        DrivenKind::Ip,
        "interface",
        Type::Str,
        "the interface of the route",
        "Name of the interface to use.",
        false,
    ),
    row(
        DrivenKind::Udp,
        "dst",
        Type::Int,
        "serves whoever asks",
        "Port to send to.",
        true,
    ),
    row(
        DrivenKind::Udp,
        "src",
        Type::Int,
        "lowest free port of `PORTS`",
        "Own port.",
        true,
    ),
    row(
        DrivenKind::Udp,
        "peers",
        Type::Int,
        "16",
        "Where it serves: how many at a time, 4096 at most; others get no answer.",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "dst",
        Type::Int,
        "needed unless `listen=true`",
        "Port to connect to.",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "src",
        Type::Int,
        "a port of `PORTS` that was not used to this peer, or longest ago",
        "Own port.",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "listen",
        Type::Bool,
        "false",
        "Wait for peers on `src` instead of connecting.",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "peers",
        Type::Int,
        "16",
        "With `listen=true`: how many at a time, 4096 at most; others get no answer. More than 64 share 64 MiB.",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "timeout",
        Type::Duration,
        "5s",
        "How long the opening may take.",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "close",
        Type::Duration,
        "1s",
        "How long the closing may take before a reset.",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "mss",
        Type::Int,
        "what the link's MTU allows",
        "Largest segment we say we accept.",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "window",
        Type::Int,
        "1 MiB",
        "Bytes of receive buffer.",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "stall",
        Type::Duration,
        "0s",
        "How long, once up, nothing is read: what the peer sends fills `window`, which closes.",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "wscale",
        Type::Int,
        "what the window needs",
        "Window scale to offer; -1 offers none (RFC 7323).",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "sack",
        Type::Bool,
        "true",
        "Offer selective acknowledgement (RFC 2018).",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "timestamps",
        Type::Bool,
        "true",
        "Offer time stamps (RFC 7323).",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "ecn",
        Type::Bool,
        "false",
        "Offer explicit congestion notification (RFC 3168).",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "cc",
        Type::Str,
        "\"cubic\"",
        "Congestion control: \"cubic\" or \"newreno\".",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "nagle",
        Type::Bool,
        "true",
        "Hold small segments while data is in flight (RFC 9293 §3.7.4).",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "delayed_ack",
        Type::Duration,
        "40ms",
        "Longest delay of an acknowledgement; 0s acknowledges at once.",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "initial_window",
        Type::Int,
        "10",
        "Segments that may leave before the first acknowledgement (RFC 6928).",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "hystart",
        Type::Bool,
        "true",
        "Leave slow start when round trips grow (RFC 9406).",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "keep_alive",
        Type::Duration,
        "never",
        "Silence after which the peer is probed (RFC 9293 §3.8.4).",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "give_up",
        Type::Duration,
        "100s",
        "How long what is not acknowledged is sent again (RFC 9293 §3.8.3).",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "probing",
        Type::Bool,
        "true",
        "Look for segment sizes that get through where large segments vanish (RFC 4821).",
        false,
    ),
    row(
        DrivenKind::Tcp,
        "options",
        Type::Bytes,
        "made from `mss`, `sack`, `timestamps`, `wscale`",
        "Options of our SYN as they stand, 40 bytes at most: `options=[mss(1460), nop, raw(#fd04_1234)]`.",
        true,
    ),
    row(
        DrivenKind::Tcp,
        "isn",
        Type::Int,
        "drawn from the run's seed",
        "Initial sequence number.",
        true,
    ),
    row(
        Tls,
        "sni",
        Type::Str,
        "the address, which is not sent",
        "The server's name: sent, and what the certificate is judged by.",
        true,
    ),
    list(
        Tls,
        "alpn",
        Type::Str,
        "none",
        "Protocols offered, best first (RFC 7301).",
    ),
    row(
        Tls,
        "min",
        Type::Str,
        "\"1.2\"",
        "Oldest version offered: \"1.2\" or \"1.3\".",
        true,
    ),
    row(
        Tls,
        "max",
        Type::Str,
        "\"1.3\"",
        "Newest version offered.",
        true,
    ),
    row(
        Tls,
        "verify",
        Type::Bool,
        "false",
        "A certificate that is not to be trusted is an error; it is judged in any case.",
        false,
    ),
    row(
        Tls,
        "resume",
        Type::Bool,
        "false",
        "Take up an earlier session of this run that allowed it too (RFC 8446 §2.2).",
        true,
    ),
    row(
        Tls,
        "timeout",
        Type::Duration,
        "5s",
        "How long the handshake may take.",
        false,
    ),
    row(
        Http,
        "get",
        Type::Str,
        "one of the three is needed",
        "Path to ask for.",
        true,
    ),
    row(
        Http,
        "head",
        Type::Str,
        "one of the three is needed",
        "Path to ask for without its body.",
        true,
    ),
    row(
        Http,
        "post",
        Type::Str,
        "one of the three is needed",
        "Path to send `body` to.",
        true,
    ),
    row(
        Http,
        "body",
        Type::Bytes,
        "empty",
        "What `post` sends.",
        true,
    ),
    row(
        Http,
        "host",
        Type::Str,
        "`sni`, or the address",
        "Header `Host`.",
        true,
    ),
    list(
        Http,
        "headers",
        Type::Str,
        "none",
        "More headers, \"Name: value\" each.",
    ),
    row(
        Http,
        "timeout",
        Type::Duration,
        "10s",
        "How long the response may take.",
        false,
    ),
    row(
        Http,
        "max",
        Type::Int,
        "100000",
        "Bytes of the body that are kept; a longer one is cut off there.",
        false,
    ),
    row(
        Dns,
        "name",
        Type::Str,
        "needed",
        "Name to ask for; with `type=ptr` also an address as text.",
        true,
    ),
    named(Dns, "type", ("DNS", "qtype"), "a", "Type of the records."),
    row(
        Dns,
        "timeout",
        Type::Duration,
        "2s",
        "How long one try waits.",
        false,
    ),
    row(
        Dns,
        "tries",
        Type::Int,
        "3",
        "How often it is asked at most; over `TCP!` once.",
        false,
    ),
    row(
        Dns,
        "recursion",
        Type::Bool,
        "true",
        "The server is to ask others.",
        true,
    ),
    row(
        Dns,
        "edns",
        Type::Int,
        "1232",
        "Bytes of an answer that may come in a datagram (RFC 6891); 0 leaves it out.",
        true,
    ),
    row(
        Dns,
        "id",
        Type::Int,
        "drawn from the run's seed",
        "Identification of the first try.",
        true,
    ),
];

/// How long `DNS!` waits for an answer, unless told.
pub const DNS_TIMEOUT: Duration = Duration::seconds(2);
/// How often it asks, unless told.
pub const DNS_TRIES: i64 = 3;

/// The row of an option.
pub fn option(of: DrivenKind, name: &str) -> Option<&'static DrivenOption> {
    OPTIONS.iter().find(|o| o.of == of && o.name == name)
}
