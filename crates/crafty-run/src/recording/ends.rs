//! Between which two ends a packet goes.

use super::RecordedPacketView;
use std::net::IpAddr;

/// What a conversation speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proto {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// Echo requests and replies; the identifier stands for both ports.
    Echo,
    /// ARP.
    Arp,
    /// IPv6 neighbour and router discovery.
    Discovery,
    /// Any other number of the IP header's next protocol.
    Other(u8),
}

impl Proto {
    /// As a person reads it.
    pub fn name(self) -> String {
        match self {
            Proto::Tcp => "TCP".into(),
            Proto::Udp => "UDP".into(),
            Proto::Echo => "ICMP echo".into(),
            Proto::Arp => "ARP".into(),
            Proto::Discovery => "IPv6 discovery".into(),
            Proto::Other(n) => format!("IP protocol {n}"),
        }
    }
}

/// An address and a port; the port is 0 where there is none.
pub type EndpointAddress = (IpAddr, u16);

/// Between which ends, and where in the packet that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// What they speak.
    pub proto: Proto,
    /// Who sent it; of a packet quoted in an ICMP error, who had sent that.
    pub src: EndpointAddress,
    /// To whom.
    pub dst: EndpointAddress,
    /// Whether it is quoted in an ICMP error.
    pub quoted: bool,
    /// Position of the layer that has the ports.
    pub layer: usize,
}

const IP: &[&str] = &["IP", "IP6"];
/// Types of ICMPv6 for neighbours and routers (RFC 4861).
const DISCOVERY: std::ops::RangeInclusive<u64> = 133..=137;

/// The ends of a packet; none if it is neither ARP nor IP, or cut before them.
pub fn ends(view: &RecordedPacketView) -> Option<Ends> {
    let Some(ip) = view.position(IP, 0) else {
        let layer = view.position(&["ARP"], 0)?;
        let end = |field| view.address(layer, field).map(|address| (address, 0));
        return Some(Ends {
            proto: Proto::Arp,
            src: end("spa")?,
            dst: end("tpa")?,
            quoted: false,
            layer,
        });
    };
    let icmp = view.position(&["ICMP", "ICMP6"], ip);
    let quote = icmp.and_then(|icmp| view.position(IP, icmp).filter(|inner| *inner == icmp + 1));
    let quoted = quote
        .and_then(|inner| datagram(view, inner))
        .map(|ends| Ends {
            quoted: true,
            ..ends
        });
    quoted.or_else(|| datagram(view, ip))
}

fn datagram(view: &RecordedPacketView, ip: usize) -> Option<Ends> {
    let (src, dst) = (view.address(ip, "src")?, view.address(ip, "dst")?);
    let layer = (ip + 1..view.decoded.layers.len())
        .find(|at| !is_extension(view.name(*at)))
        .unwrap_or(ip);
    let port = |field: &str| view.number(layer, field).map(|n| n as u16);
    let (proto, ports) = match view.name(layer) {
        "TCP" => (Proto::Tcp, (port("src")?, port("dst")?)),
        "UDP" => (Proto::Udp, (port("src")?, port("dst")?)),
        "ICMP" | "ICMP6" if is_echo(view, layer) => (Proto::Echo, (port("id")?, port("id")?)),
        "ICMP6"
            if view
                .number(layer, "type")
                .is_some_and(|n| DISCOVERY.contains(&n)) =>
        {
            (Proto::Discovery, (0, 0))
        }
        _ => (
            Proto::Other(next(view, layer.saturating_sub(1).max(ip))?),
            (0, 0),
        ),
    };
    Some(Ends {
        proto,
        src: (src, ports.0),
        dst: (dst, ports.1),
        quoted: false,
        layer,
    })
}

fn is_echo(view: &RecordedPacketView, layer: usize) -> bool {
    view.has(layer, "type", "echo_request") || view.has(layer, "type", "echo_reply")
}

fn is_extension(name: &str) -> bool {
    matches!(
        name,
        "HopByHop" | "Routing" | "Fragment" | "DestOpts" | "AH"
    )
}

fn next(view: &RecordedPacketView, ip: usize) -> Option<u8> {
    view.number(ip, "proto")
        .or_else(|| view.number(ip, "next"))
        .map(|n| n as u8)
}
