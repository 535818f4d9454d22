//! What a rule of a router or a middlebox fits, and what it does.

use crate::packet::{self, Head};
use crafty_value::Net;

/// Conditions on a datagram; those that are absent fit everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Match {
    pub src: Option<Net>,
    pub dst: Option<Net>,
    pub proto: Option<u8>,
    pub source_ports: Option<(u16, u16)>,
    pub destination_ports: Option<(u16, u16)>,
    /// Code point of differentiated services.
    pub dscp: Option<u8>,
    /// Fragments with an offset (`true`), or whatever is not in pieces (`false`).
    pub fragment: Option<bool>,
    /// Type and code of ICMP.
    pub icmp: Option<(u8, u8)>,
    /// Flags of TCP: those looked at, and what they must be.
    pub tcp_flags: Option<(u8, u8)>,
    /// Bytes that a datagram must be longer than.
    pub longer_than: Option<usize>,
}

/// What becomes of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Permit,
    /// Dropped silently.
    Drop,
    /// Refused in ICMP (type 3 code 13; type 1 code 1).
    Prohibit,
}

/// A rule.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub of: Match,
    pub action: Action,
}

impl Match {
    pub fn fits(&self, head: &Head, datagram: &[u8]) -> bool {
        let within = |net: &Option<Net>, address| net.is_none_or(|net| net.contains(address));
        within(&self.src, head.src)
            && within(&self.dst, head.dst)
            && self.proto.is_none_or(|proto| proto == head.proto)
            && self.fragment.is_none_or(|it| it == (head.offset > 0))
            && self.longer_than.is_none_or(|size| head.total > size)
            && self
                .dscp
                .is_none_or(|dscp| packet::tos(datagram).map(|it| it >> 2) == Some(dscp))
            && self.ports_fit(head, datagram)
            && self.message_fits(head, datagram)
    }

    fn ports_fit(&self, head: &Head, datagram: &[u8]) -> bool {
        if self.source_ports.is_none() && self.destination_ports.is_none() {
            return true;
        }
        let Some([a, b, c, d]) = head.ports(datagram) else {
            return false;
        };
        let within =
            |range: Option<(u16, u16)>, port| range.is_none_or(|(a, b)| a <= port && port <= b);
        within(self.source_ports, u16::from_be_bytes([a, b]))
            && within(self.destination_ports, u16::from_be_bytes([c, d]))
    }

    fn message_fits(&self, head: &Head, datagram: &[u8]) -> bool {
        let upper = head.upper(datagram);
        let icmp = self.icmp.is_none_or(|(kind, code)| {
            head.icmp_type(datagram) == Some(kind) && upper.get(1) == Some(&code)
        });
        let flags = self.tcp_flags.is_none_or(|(mask, value)| {
            let flags = (head.proto == packet::TCP && head.offset == 0).then(|| upper.get(13));
            flags.flatten().is_some_and(|it| it & mask == value)
        });
        icmp && flags
    }
}

/// What the first rule that fits says.
pub(crate) fn decide(filters: &[Filter], head: &Head, datagram: &[u8]) -> Action {
    let fits = filters.iter().find(|it| it.of.fits(head, datagram));
    fits.map_or(Action::Permit, |it| it.action)
}
