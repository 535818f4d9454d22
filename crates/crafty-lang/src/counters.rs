//! What `STACK[…]` can be asked: one row each, read by the checker, the label pass, the machine and the manual.

use crate::ir::{DrivenKind, Holds, Label, Type};

/// One counter or piece of live state.
#[derive(Debug)]
pub struct Counter {
    /// The layer asked.
    pub of: DrivenKind,
    /// As written.
    pub name: &'static str,
    /// Its type, or that of what it holds.
    ty: Type,
    /// Whether it is one or several.
    holds: Holds,
    /// What it may reveal.
    pub label: Label,
    /// One sentence, with its unit.
    pub doc: &'static str,
}

const fn row(of: DrivenKind, name: &'static str, ty: Type, label: Label, doc: &'static str) -> Counter {
    Counter { of, name, ty, holds: Holds::One, label, doc }
}

/// The newest values, oldest first.
const fn samples(of: DrivenKind, name: &'static str, ty: Type, label: Label, doc: &'static str) -> Counter {
    Counter { of, name, ty, holds: Holds::Array, label, doc }
}

/// Several values.
const fn many(of: DrivenKind, name: &'static str, holds: Holds, ty: Type, label: Label, doc: &'static str) -> Counter {
    Counter { of, name, ty, holds, label, doc }
}

impl Counter {
    /// Its type.
    pub fn ty(&self) -> Type {
        self.holds.of(&self.ty)
    }
}

use DrivenKind::{Dns, Http, Ip, Tcp, Tls, Udp};
use Label::{Clean, Content, Event};

/// All rows.
pub static COUNTERS: &[Counter] = &[
    row(Ip, "src", Type::Ip, Clean, "Own address."),
    row(Ip, "dst", Type::Ip, Clean, "Peer's address."),
    row(Ip, "mtu", Type::Int, Content, "Path MTU in octets, as known now."),
    row(Ip, "packets_in", Type::Int, Event, "Datagrams received for this stack."),
    row(Ip, "packets_out", Type::Int, Clean, "Datagrams sent by this stack."),
    row(Ip, "fragments_in", Type::Int, Event, "Fragments received."),
    row(Ip, "reassembled", Type::Int, Event, "Datagrams put together from fragments."),
    row(Ip, "icmp_errors", Type::Int, Event, "ICMP errors that quote this stack's packets."),
    row(Udp, "src", Type::Int, Clean, "Own port."),
    row(Udp, "dst", Type::Int, Clean, "Peer's port."),
    row(Udp, "packets_in", Type::Int, Event, "Datagrams received on this port."),
    row(Udp, "packets_out", Type::Int, Clean, "Datagrams sent from this port."),
    row(Udp, "bytes_in", Type::Int, Event, "Octets of payload received."),
    row(Udp, "bytes_out", Type::Int, Clean, "Octets of payload sent."),
    row(Udp, "icmp_errors", Type::Int, Event, "ICMP errors that quote this port's datagrams."),
    row(Tcp, "src", Type::Int, Clean, "Own port."),
    row(Tcp, "dst", Type::Int, Clean, "Peer's port."),
    row(Tcp, "state", Type::Str, Event, "State of the connection (RFC 9293 §3.3.2), in lower case."),
    row(Tcp, "snd_una", Type::Int, Content, "Oldest sequence number not acknowledged."),
    row(Tcp, "snd_nxt", Type::Int, Content, "Next sequence number to send."),
    row(Tcp, "rcv_nxt", Type::Int, Content, "Next sequence number expected."),
    row(Tcp, "cwnd", Type::Int, Content, "Congestion window in octets."),
    samples(Tcp, "cwnd_samples", Type::Int, Content, "The newest 256 values of `cwnd`, oldest first: one more each time it changes."),
    row(Tcp, "ssthresh", Type::Int, Content, "Slow start threshold in octets."),
    row(Tcp, "srtt", Type::Duration, Event, "Smoothed round-trip time (RFC 6298)."),
    row(Tcp, "rttvar", Type::Duration, Event, "Variation of the round-trip time."),
    row(Tcp, "min_rtt", Type::Duration, Event, "Smallest round-trip time seen."),
    samples(Tcp, "rtt_samples", Type::Duration, Event, "The newest 256 round-trip times measured, oldest first."),
    row(Tcp, "rto", Type::Duration, Event, "Retransmission time-out."),
    row(Tcp, "mss", Type::Int, Content, "Largest segment we send, in octets."),
    row(Tcp, "peer_mss", Type::Int, Content, "Largest segment the peer accepts, as it said."),
    row(Tcp, "peer_window", Type::Int, Content, "Window the peer offers, scaled, in octets."),
    row(Tcp, "peer_wscale", Type::Int, Content, "Window scale of the peer; 0 if it offered none."),
    row(Tcp, "sack_ok", Type::Bool, Content, "Whether both ends use selective acknowledgement."),
    row(Tcp, "timestamps", Type::Bool, Content, "Whether both ends use time stamps."),
    row(Tcp, "ecn", Type::Bool, Content, "Whether both ends use ECN."),
    row(Tcp, "handshake", Type::Duration, Event, "From the first SYN to the SYN and ACK that answered."),
    row(Tcp, "segments_in", Type::Int, Event, "Segments received."),
    row(Tcp, "segments_out", Type::Int, Content, "Segments sent."),
    row(Tcp, "withheld", Type::Int, Content, "Segments among them that an `on out` dropped, held or delayed."),
    row(Tcp, "bytes_in", Type::Int, Event, "Octets of data received in order."),
    row(Tcp, "bytes_out", Type::Int, Content, "Octets of data sent, first transmissions."),
    row(Tcp, "bytes_acked", Type::Int, Content, "Octets of data that the peer acknowledged."),
    row(Tcp, "retransmits", Type::Int, Event, "Segments sent again."),
    row(Tcp, "timeouts", Type::Int, Event, "Times the retransmission timer fired."),
    row(Tcp, "dup_acks", Type::Int, Event, "Duplicate acknowledgements received."),
    row(Tcp, "out_of_order", Type::Int, Event, "Segments received out of order."),
    row(Tcp, "duplicates", Type::Int, Event, "Segments received that brought nothing new."),
    row(Tcp, "reordering", Type::Int, Event, "Largest reordering seen, in segments."),
    row(Tcp, "zero_windows", Type::Int, Event, "Times the peer's window closed."),
    row(Tcp, "checksum_errors", Type::Int, Event, "Segments received with a wrong checksum."),
    row(Tcp, "resets_in", Type::Int, Event, "Resets received, valid or not."),
    row(Tcp, "challenge_acks", Type::Int, Event, "Challenge acknowledgements sent (RFC 5961)."),
    row(Tcp, "ecn_marks", Type::Int, Event, "Segments received with Congestion Experienced."),
    row(Tcp, "icmp_errors", Type::Int, Event, "ICMP errors that quote this connection's segments."),
    row(Tls, "version", Type::Str, Content, "Version agreed on: \"1.2\" or \"1.3\"."),
    row(Tls, "cipher", Type::Str, Content, "Cipher suite agreed on, as IANA names it."),
    row(Tls, "group", Type::Str, Content, "Group of the key exchange."),
    row(Tls, "alpn", Type::Str, Content, "Protocol agreed on; empty if none."),
    row(Tls, "subject", Type::Str, Content, "Whom the certificate is for (RFC 4514)."),
    row(Tls, "issuer", Type::Str, Content, "Who signed it."),
    many(Tls, "names", Holds::Array, Type::Str, Content, "Names and addresses that it is for."),
    row(Tls, "not_before", Type::Time, Content, "Its first moment."),
    row(Tls, "not_after", Type::Time, Content, "Its last moment."),
    row(Tls, "days_left", Type::Int, Content, "Whole days until then; negative once it is over."),
    row(Tls, "serial", Type::Str, Content, "Its serial number, in hex."),
    row(Tls, "key", Type::Str, Content, "Kind of its key, with bits or curve."),
    row(Tls, "signature", Type::Str, Content, "How it is signed."),
    row(Tls, "sha256", Type::Bytes, Content, "Its fingerprint."),
    row(Tls, "self_signed", Type::Bool, Content, "Whether subject and issuer are the same."),
    many(Tls, "chain", Holds::Array, Type::Str, Content, "Subjects of the certificates sent, the server's own first."),
    row(Tls, "chain_length", Type::Int, Content, "How many were sent."),
    row(Tls, "verified", Type::Bool, Content, "Whether the chain leads to a root that browsers trust, for this name, now."),
    row(Tls, "verify_error", Type::Str, Content, "Why not; empty if it does."),
    row(Tls, "resumed", Type::Bool, Content, "Whether an earlier session was taken up; its certificate is told again."),
    row(Tls, "server_hello", Type::Duration, Event, "From our first octet to the server's first."),
    row(Tls, "certificate", Type::Duration, Event, "From our first octet to the certificate."),
    row(Tls, "handshake", Type::Duration, Event, "From our first octet to the end of the handshake."),
    row(Http, "status", Type::Int, Content, "Status of the response."),
    row(Http, "reason", Type::Str, Content, "Its words."),
    row(Http, "version", Type::Str, Content, "Version that the server says."),
    many(Http, "headers", Holds::Map, Type::Str, Content, "Headers by name in lower case; of several, the values with commas."),
    row(Http, "body", Type::Bytes, Content, "The body, up to `max=` octets."),
    row(Http, "body_length", Type::Int, Content, "Octets of it."),
    row(Http, "cut", Type::Bool, Content, "Whether it was longer."),
    row(Http, "connect", Type::Duration, Event, "From the opening to the request."),
    row(Http, "first_byte", Type::Duration, Event, "From the request to the first octet of the response."),
    row(Http, "last_byte", Type::Duration, Event, "From the request to the last."),
    row(Dns, "rcode", Type::Int, Content, "Outcome: `DNS.no_error`, `DNS.name_error` ..."),
    row(Dns, "authoritative", Type::Bool, Content, "Whether the server speaks for the zone."),
    row(Dns, "truncated", Type::Bool, Content, "Whether the answer was cut; in a datagram that is an error."),
    row(Dns, "recursion", Type::Bool, Content, "Whether the server asks others."),
    row(Dns, "authenticated", Type::Bool, Content, "Whether it says that signatures were checked."),
    many(Dns, "answers", Holds::Array, Type::Str, Content, "Answers as text: name, ttl, type, data."),
    many(Dns, "addresses", Holds::Array, Type::Ip, Content, "Addresses among them."),
    row(Dns, "ttl", Type::Int, Content, "Seconds that all of them may be kept; 0 if there are none."),
    row(Dns, "size", Type::Int, Content, "Octets of the message."),
    row(Dns, "rtt", Type::Duration, Event, "From the question that was answered to the answer."),
    row(Dns, "tries", Type::Int, Event, "How often it was asked."),
];

/// The row of a counter.
pub fn counter(of: DrivenKind, name: &str) -> Option<&'static Counter> {
    COUNTERS.iter().find(|c| c.of == of && c.name == name)
}
