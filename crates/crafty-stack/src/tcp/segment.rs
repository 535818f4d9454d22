//! One segment: reading the header, writing it (RFC 9293 §3.1).

use super::options::ReceivedOptions;
use super::seq::Seq;
use crate::checksum::Sum;
use crate::ip::{self, be16, be32};
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};

/// Bits of the flags byte.
pub mod flags {
    /// No more data from the sender.
    pub const FIN: u8 = 0x01;
    /// Sequence numbers are to be synchronised.
    pub const SYN: u8 = 0x02;
    /// The connection is gone.
    pub const RST: u8 = 0x04;
    /// Data should be handed up now.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement field counts.
    pub const ACK: u8 = 0x10;
    /// The urgent field counts.
    pub const URG: u8 = 0x20;
    /// Congestion was seen (RFC 3168).
    pub const ECE: u8 = 0x40;
    /// The congestion window was reduced (RFC 3168).
    pub const CWR: u8 = 0x80;
}

/// A segment as received, between the addresses of its datagram.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    /// Who sent it.
    pub source: IpAddr,
    /// Who it is for.
    pub destination: IpAddr,
    /// TCP header and payload, without link padding.
    pub octets: &'a [u8],
    /// ECN codepoint of the IP header, 0 to 3.
    pub ecn: u8,
    /// Whether its checksum is filled in; false for local traffic that an adapter would complete.
    pub checksum_ready: bool,
}

impl<'a> Segment<'a> {
    /// The segment that a whole IP datagram carries; `None` if it is a fragment or no TCP.
    pub fn of_datagram(octets: &'a [u8], checksum_ready: bool) -> Option<Segment<'a>> {
        let d = ip::Datagram::parse(octets)
            .filter(|d| d.protocol == ip::TCP && d.piece.is_none() && !d.cut)?;
        Some(Segment {
            source: d.source,
            destination: d.destination,
            octets: d.payload,
            ecn: d.ecn,
            checksum_ready,
        })
    }

    /// Both ends, sender first; `None` if there are no ports.
    pub fn ends(&self) -> Option<(SocketAddr, SocketAddr)> {
        let (source, destination) = (be16(self.octets, 0)?, be16(self.octets, 2)?);
        Some((
            SocketAddr::new(self.source, source),
            SocketAddr::new(self.destination, destination),
        ))
    }

    /// Whether it asks for a new connection: SYN without ACK or RST.
    pub fn opens(&self) -> bool {
        self.octets
            .get(13)
            .is_some_and(|f| f & (flags::SYN | flags::ACK | flags::RST) == flags::SYN)
    }

    /// Whether the checksum is right, or need not be.
    pub fn checksum_holds(&self) -> bool {
        !self.checksum_ready
            || Sum::pseudo(self.source, self.destination, ip::TCP, self.octets.len())
                .with(self.octets)
                .holds()
    }

    pub(crate) fn header(&self) -> Option<TcpHeader<'a>> {
        let offset = usize::from(self.octets.get(12)? >> 4) * 4;
        let options = self
            .octets
            .get(20..offset.max(20))
            .filter(|_| offset >= 20)?;
        Some(TcpHeader {
            seq: Seq(be32(self.octets, 4)?),
            ack: Seq(be32(self.octets, 8)?),
            flags: self.octets[13],
            window: be16(self.octets, 14)?,
            options: ReceivedOptions::parse(options),
            payload: &self.octets[offset..],
            ecn: self.ecn,
        })
    }
}

/// The fields that a connection reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpHeader<'a> {
    pub seq: Seq,
    pub ack: Seq,
    pub flags: u8,
    pub window: u16,
    pub options: ReceivedOptions,
    pub payload: &'a [u8],
    pub ecn: u8,
}

impl TcpHeader<'_> {
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Length in sequence numbers.
    pub fn len(&self) -> u32 {
        self.payload.len() as u32
            + u32::from(self.has(flags::SYN))
            + u32::from(self.has(flags::FIN))
    }

    pub fn end(&self) -> Seq {
        self.seq.plus(self.len())
    }
}

/// A segment to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draft<'a> {
    pub seq: Seq,
    pub ack: Seq,
    pub flags: u8,
    pub window: u16,
    /// A multiple of 4 bytes, 40 at most.
    pub options: &'a [u8],
    /// Up to two parts, as a ring holds them.
    pub payload: [&'a [u8]; 2],
}

impl Draft<'_> {
    /// Replaces `out` by header and payload, the checksum being right for these ends.
    pub fn write(&self, local: SocketAddr, remote: SocketAddr, out: &mut Vec<u8>) {
        out.clear();
        out.reserve(20 + self.options.len() + self.payload[0].len() + self.payload[1].len());
        let mut header = [0; 20];
        header[0..2].copy_from_slice(&local.port().to_be_bytes());
        header[2..4].copy_from_slice(&remote.port().to_be_bytes());
        header[4..8].copy_from_slice(&self.seq.0.to_be_bytes());
        header[8..12].copy_from_slice(&self.ack.0.to_be_bytes());
        header[12] = ((20 + self.options.len()) / 4) as u8 * 16;
        header[13] = self.flags;
        header[14..16].copy_from_slice(&self.window.to_be_bytes());
        for part in [&header, self.options, self.payload[0], self.payload[1]] {
            out.extend_from_slice(part);
        }
        let sum = Sum::pseudo(local.ip(), remote.ip(), ip::TCP, out.len())
            .with(out)
            .field();
        out[16..18].copy_from_slice(&sum.to_be_bytes());
    }
}

/// A segment between these ends as two, the first with so many bytes of the payload: both with its
/// options and its acknowledgement, what stands for the end of the data (FIN, PSH) on the second
/// alone. `None` if there are not more bytes, or if it carries SYN or RST.
pub fn cut(octets: &[u8], at: usize, source: IpAddr, destination: IpAddr) -> Option<[Vec<u8>; 2]> {
    let flags = *octets.get(13)?;
    let offset = usize::from(octets.get(12)? >> 4) * 4;
    let payload = octets.get(offset..).filter(|_| offset >= 20)?;
    if at == 0 || at >= payload.len() || flags & (flags::SYN | flags::RST) != 0 {
        return None;
    }
    let (header, (front, back)) = (&octets[..offset], payload.split_at(at));
    let seq = Seq(be32(octets, 4)?).plus(u32::try_from(at).ok()?);
    let mut first = [header, front].concat();
    first[13] &= !(flags::FIN | flags::PSH);
    let mut second = [header, back].concat();
    second[4..8].copy_from_slice(&seq.0.to_be_bytes());
    for segment in [&mut first, &mut second] {
        segment[16..18].fill(0);
        let sum = Sum::pseudo(source, destination, ip::TCP, segment.len())
            .with(segment)
            .field();
        segment[16..18].copy_from_slice(&sum.to_be_bytes());
    }
    Some([first, second])
}

/// The reset that answers a segment for which there is no connection (RFC 9293 §3.10.7.1); nothing
/// answers a reset.
pub fn reset_for(segment: &Segment<'_>, out: &mut Vec<u8>) -> bool {
    out.clear();
    let (Some(header), Some((source, destination))) = (segment.header(), segment.ends()) else {
        return false;
    };
    if header.has(flags::RST) || !segment.checksum_holds() {
        return false;
    }
    let (seq, ack, flags) = match header.has(flags::ACK) {
        true => (header.ack, Seq(0), flags::RST),
        false => (Seq(0), header.end(), flags::RST | flags::ACK),
    };
    Draft {
        seq,
        ack,
        flags,
        window: 0,
        options: &[],
        payload: [&[], &[]],
    }
    .write(destination, source, out);
    true
}
