//! The deterministic filter: which packets become events at all. `all`, `none`, or alternatives
//! separated by commas, each of terms joined by `+` that must all hold.

use crate::heard::{HeardPacket, TCP, UDP, protocol_name, protocol_names, protocol_number};
use crafty_value::Net;
use std::fmt;
use std::net::IpAddr;

/// Terms that a filter may have: more are a mistake, and a test of all of them would cost each packet.
const MAX_TERMS: usize = 1_024;

/// A filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketFilter {
    text: String,
    /// A packet passes if all terms of one of these hold; with none, nothing passes.
    alternatives: Vec<Vec<Term>>,
}

/// One test of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    Version(u8),
    Protocol(u8),
    /// A port of a protocol, at either end.
    Port(Option<u8>, u16),
    From(Net),
    To(Net),
    Host(Net),
    TcpSyn,
}

/// A term that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The term as it was written.
    pub term: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl FilterError {
    /// What is allowed.
    pub fn fix() -> String {
        let names: Vec<&str> = protocol_names().collect();
        format!(
            "write `all`, `none`, or terms joined by `+` (and) and `,` (or): v4, v6, {}, ip-proto-N (0 to 255), tcp:PORT, udp:PORT, port:PORT, from:ADDR, to:ADDR, host:ADDR (an address or a net as 10.0.0.0/8), tcp-syn",
            names.join(", ")
        )
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FilterError { term, why } = self;
        write!(f, "the filter term `{}` {why}", term.escape_debug())
    }
}

impl std::error::Error for FilterError {}

impl PacketFilter {
    /// Reads a filter.
    ///
    /// # Errors
    /// When a term is none; it is named.
    pub fn parse(text: &str) -> Result<PacketFilter, FilterError> {
        let alternatives = match text.trim() {
            "all" => vec![Vec::new()],
            "none" => Vec::new(),
            terms => terms
                .split(',')
                .map(alternative)
                .collect::<Result<_, _>>()?,
        };
        let count: usize = alternatives.iter().map(Vec::len).sum();
        if count > MAX_TERMS {
            let term = text.chars().take(40).collect();
            let why = "is followed by more than 1024 terms";
            return Err(FilterError { term, why });
        }
        let text = text.trim().into();
        Ok(PacketFilter { text, alternatives })
    }

    /// One that lets nothing pass.
    pub fn none() -> PacketFilter {
        PacketFilter {
            text: "none".into(),
            alternatives: Vec::new(),
        }
    }

    /// Whether a packet becomes an event.
    pub fn passes(&self, packet: &HeardPacket) -> bool {
        let holds = |terms: &Vec<Term>| terms.iter().all(|term| term.holds(packet));
        self.alternatives.iter().any(holds)
    }
}

/// As it was written.
impl fmt::Display for PacketFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn alternative(text: &str) -> Result<Vec<Term>, FilterError> {
    text.split('+').map(|text| term(text.trim())).collect()
}

fn term(text: &str) -> Result<Term, FilterError> {
    let wrong = |why| FilterError {
        term: text.into(),
        why,
    };
    let port = |digits: &str| {
        let number = digits.parse::<u16>();
        number.map_err(|_| wrong("has no port from 0 to 65535"))
    };
    let net =
        |address: &str| net(address).ok_or(wrong("has no address, or a prefix that is too long"));
    if let Some(number) = text.strip_prefix("ip-proto-") {
        let number = number.parse::<u8>();
        return Ok(Term::Protocol(
            number.map_err(|_| wrong("has no protocol from 0 to 255"))?,
        ));
    }
    match text.split_once(':') {
        Some(("tcp", digits)) => Ok(Term::Port(Some(TCP), port(digits)?)),
        Some(("udp", digits)) => Ok(Term::Port(Some(UDP), port(digits)?)),
        Some(("port", digits)) => Ok(Term::Port(None, port(digits)?)),
        Some(("from", address)) => Ok(Term::From(net(address)?)),
        Some(("to", address)) => Ok(Term::To(net(address)?)),
        Some(("host", address)) => Ok(Term::Host(net(address)?)),
        _ => word(text).ok_or(wrong(match text {
            "" => "is empty",
            "all" | "none" => "stands alone, not among others",
            _ => "is unknown",
        })),
    }
}

fn word(text: &str) -> Option<Term> {
    match text {
        "v4" => Some(Term::Version(4)),
        "v6" => Some(Term::Version(6)),
        "tcp-syn" => Some(Term::TcpSyn),
        name => protocol_number(name).map(Term::Protocol),
    }
}

/// An address, or a net with the length of its prefix.
fn net(text: &str) -> Option<Net> {
    match text.split_once('/') {
        Some((address, bits)) => Net::new(address.parse().ok()?, bits.parse().ok()?),
        None => Some(Net::host(text.parse::<IpAddr>().ok()?)),
    }
}

impl Term {
    fn holds(self, packet: &HeardPacket) -> bool {
        match self {
            Term::Version(version) => packet.version == version,
            Term::Protocol(number) => packet.protocol == number,
            Term::Port(protocol, port) => {
                protocol.is_none_or(|protocol| protocol == packet.protocol)
                    && packet
                        .ports
                        .is_some_and(|(from, to)| from == port || to == port)
            }
            Term::From(net) => net.contains(packet.source),
            Term::To(net) => net.contains(packet.destination),
            Term::Host(net) => net.contains(packet.source) || net.contains(packet.destination),
            Term::TcpSyn => packet.opens(),
        }
    }
}

/// What a packet is, as the narrowest filter that lets it pass; for the operator.
pub fn filter_for(packet: &HeardPacket) -> String {
    let port = |name: &str| packet.ports.map(|(_, to)| format!("{name}:{to}"));
    match protocol_name(packet.protocol) {
        Some(name @ ("tcp" | "udp")) => port(name).unwrap_or_else(|| name.into()),
        Some(name) => name.into(),
        None => format!("ip-proto-{}", packet.protocol),
    }
}
