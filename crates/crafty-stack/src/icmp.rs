//! What an ICMP or ICMPv6 error says, and of which flow (RFC 792, RFC 4443). Believes nothing: the
//! flow's owner decides.

use crate::ip::{Datagram, ICMP, ICMP6, TCP, UDP, be16, be32};
use core::net::IpAddr;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IcmpErrorKind {
    /// The destination cannot be reached; the code as on the wire of its family.
    Unreachable {
        /// RFC 792 or RFC 4443 §3.1.
        code: u8,
    },
    /// The datagram is larger than the next link takes.
    TooBig {
        /// MTU of that link in bytes; 0 if the router does not tell (RFC 1191 §5).
        mtu: u32,
    },
    /// Hop limit (code 0) or reassembly time (code 1) ran out.
    TimeExceeded {
        /// Which of them.
        code: u8,
    },
    /// A header field is not understood.
    ParameterProblem {
        /// RFC 792 or RFC 4443 §3.4.
        code: u8,
    },
    /// Any other type, among them source quench.
    Other {
        /// ICMP type.
        kind: u8,
        /// ICMP code.
        code: u8,
    },
}

/// The datagram that an error quotes; it went from `source` to `destination`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotedDatagram {
    /// Who sent what is quoted.
    pub source: IpAddr,
    /// Where it was to go.
    pub destination: IpAddr,
    /// Its protocol number.
    pub protocol: u8,
    /// Ports of TCP and UDP, source first.
    pub ports: Option<(u16, u16)>,
    /// Identifier and sequence number of an echo.
    pub echo: Option<(u16, u16)>,
    /// Sequence number of a TCP segment.
    pub seq: Option<u32>,
}

/// A received error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpError {
    /// Who says so.
    pub reporter: IpAddr,
    /// What went wrong.
    pub kind: IcmpErrorKind,
    /// About which flow.
    pub flow: QuotedDatagram,
}

/// Reads a received IP datagram; `None` if it is not an ICMP error or quotes too little to name a
/// flow.
pub fn parse(datagram: &[u8]) -> Option<IcmpError> {
    let outer = Datagram::parse(datagram).filter(|d| d.piece.is_none())?;
    let message = outer.payload;
    let (kind, code) = (*message.first()?, *message.get(1)?);
    let kind = match outer.protocol {
        ICMP if outer.source.is_ipv4() => kind_v4(kind, code, be16(message, 6)?)?,
        ICMP6 if outer.source.is_ipv6() => kind_v6(kind, code, be32(message, 4)?)?,
        _ => return None,
    };
    Some(IcmpError {
        reporter: outer.source,
        kind,
        flow: flow(message.get(8..)?)?,
    })
}

fn kind_v4(kind: u8, code: u8, mtu: u16) -> Option<IcmpErrorKind> {
    match kind {
        3 if code == 4 => Some(IcmpErrorKind::TooBig {
            mtu: u32::from(mtu),
        }),
        3 => Some(IcmpErrorKind::Unreachable { code }),
        11 => Some(IcmpErrorKind::TimeExceeded { code }),
        12 => Some(IcmpErrorKind::ParameterProblem { code }),
        4 | 5 => Some(IcmpErrorKind::Other { kind, code }),
        _ => None,
    }
}

fn kind_v6(kind: u8, code: u8, mtu: u32) -> Option<IcmpErrorKind> {
    match kind {
        1 => Some(IcmpErrorKind::Unreachable { code }),
        2 => Some(IcmpErrorKind::TooBig { mtu }),
        3 => Some(IcmpErrorKind::TimeExceeded { code }),
        4 => Some(IcmpErrorKind::ParameterProblem { code }),
        // Errors are all types below 128 (RFC 4443 §2.1).
        5..128 => Some(IcmpErrorKind::Other { kind, code }),
        _ => None,
    }
}

/// Which flow a quoted datagram is of, as far as it is there.
pub fn flow(quoted: &[u8]) -> Option<QuotedDatagram> {
    let inner = Datagram::parse(quoted)?;
    let start = inner.piece.is_none_or(|p| p.offset == 0);
    let at = |at| be16(inner.payload, at).filter(|_| start);
    let pair = |a, b| Some((at(a)?, at(b)?));
    let ports = if matches!(inner.protocol, TCP | UDP) {
        pair(0, 2)
    } else {
        None
    };
    let echo = if is_echo(&inner) { pair(4, 6) } else { None };
    let seq = be32(inner.payload, 4).filter(|_| start && inner.protocol == TCP);
    Some(QuotedDatagram {
        source: inner.source,
        destination: inner.destination,
        protocol: inner.protocol,
        ports,
        echo,
        seq,
    })
}

fn is_echo(inner: &Datagram<'_>) -> bool {
    matches!(
        (inner.protocol, inner.payload.first()),
        (ICMP, Some(0 | 8)) | (ICMP6, Some(128 | 129))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn octets(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex
            .bytes()
            .filter_map(|c| char::from(c).to_digit(16))
            .map(|d| d as u8)
            .collect();
        digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect()
    }

    const V4: &str = "45000038 00010000 40010000 c0000201 0a000001";
    const V4_TCP: &str = "4500002c 00014000 01060000 0a000001 c0000250 afc80050 01020304";
    const V6: &str =
        "60000000 00383a40 20010db8000000000000000000000001 20010db8000000000000000000000002";
    const V6_UDP: &str = "60000000 00081101 20010db8000000000000000000000002 20010db8000000000000000000000003 9c40829b 00080000";

    #[test]
    fn errors_name_the_flow_and_what_is_wrong() {
        let tcp = Some((45000, 80));
        type Row<'a> = (
            &'a [&'a str],
            IcmpErrorKind,
            Option<(u16, u16)>,
            Option<u32>,
        );
        let rows: &[Row<'_>] = &[
            (
                &[V4, "0b000000 00000000", V4_TCP],
                IcmpErrorKind::TimeExceeded { code: 0 },
                tcp,
                Some(0x0102_0304),
            ),
            (
                &[V4, "03040000 000005dc", V4_TCP],
                IcmpErrorKind::TooBig { mtu: 1500 },
                tcp,
                Some(0x0102_0304),
            ),
            (
                &[V4, "03010000 00000000", V4_TCP],
                IcmpErrorKind::Unreachable { code: 1 },
                tcp,
                Some(0x0102_0304),
            ),
            (
                &[V6, "02000000 00000500", V6_UDP],
                IcmpErrorKind::TooBig { mtu: 1280 },
                Some((40000, 33435)),
                None,
            ),
            (
                &[V6, "01040000 00000000", V6_UDP],
                IcmpErrorKind::Unreachable { code: 4 },
                Some((40000, 33435)),
                None,
            ),
        ];
        for (parts, kind, ports, seq) in rows {
            let error = parse(&octets(&parts.concat())).unwrap();
            assert_eq!(
                (error.kind, error.flow.ports, error.flow.seq),
                (*kind, *ports, *seq)
            );
        }
    }

    #[test]
    fn what_is_no_error_or_quotes_nothing_is_none() {
        let echo = [V4, "08000000 004d0001", "00"].concat();
        for hex in [
            &echo,
            V4,
            "",
            &[V4, "0b000000 00000000"].concat(),
            &[V6, "80000000 00000000", V6_UDP].concat(),
        ] {
            assert_eq!(parse(&octets(hex)), None, "{hex}");
        }
    }
}
