//! The few header fields that routers read and write. Knows no payload.

use crate::dice::mix;
use crafty_value::Mac;
use smoltcp::wire::checksum::data as ones_sum;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bytes of an Ethernet header.
pub(crate) const ETHERNET: usize = 14;
pub(crate) const TYPE_IP4: u16 = 0x0800;
pub(crate) const TYPE_ARP: u16 = 0x0806;
pub(crate) const TYPE_IP6: u16 = 0x86dd;

pub(crate) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;
pub(crate) const ICMP6: u8 = 58;

/// The bytes at `at`, if they are there.
pub(crate) fn octets<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    octets(bytes, at).map(u16::from_be_bytes)
}

/// The Internet checksum (RFC 1071) of bytes whose own checksum field is zero.
pub(crate) fn checksum(bytes: &[u8]) -> u16 {
    !ones_sum(bytes)
}

/// Source, destination and type of a frame.
pub(crate) fn ethernet(frame: &[u8]) -> Option<(Mac, Mac, u16)> {
    Some((
        Mac(octets(frame, 6)?),
        Mac(octets(frame, 0)?),
        u16_at(frame, 12)?,
    ))
}

/// Writes the header of a frame that has room for it.
pub(crate) fn address(frame: &mut [u8], src: Mac, dst: Mac, ether_type: u16) {
    if let Some(header) = frame.get_mut(..ETHERNET) {
        header[..6].copy_from_slice(&dst.0);
        header[6..12].copy_from_slice(&src.0);
        header[12..].copy_from_slice(&ether_type.to_be_bytes());
    }
}

/// A datagram behind room for an Ethernet header.
pub(crate) fn framed(datagram: &[u8]) -> Vec<u8> {
    [&[0; ETHERNET], datagram].concat()
}

/// What a router reads of an IP header, of either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub src: IpAddr,
    pub dst: IpAddr,
    pub ttl: u8,
    /// Protocol of the upper layer, behind extension headers.
    pub proto: u8,
    /// Where the upper layer begins.
    pub upper: usize,
    /// Bytes of the whole datagram.
    pub total: usize,
    /// May not be cut on the way.
    pub df: bool,
    /// Offset of a fragment, in bytes.
    pub offset: usize,
    /// A fragment, but not the last.
    pub more: bool,
}

impl Head {
    /// Reads the header, or says why no router would take the datagram (RFC 1812 §5.2.2).
    pub fn read(datagram: &[u8]) -> Result<Head, &'static str> {
        match datagram.first().map(|octet| octet >> 4) {
            Some(4) => Head::read4(datagram),
            Some(6) => Head::read6(datagram).ok_or("a cut-off IPv6 header"),
            _ => Err("an unknown IP version"),
        }
    }

    fn read4(datagram: &[u8]) -> Result<Head, &'static str> {
        let fixed: [u8; 20] = octets(datagram, 0).ok_or("a cut-off IPv4 header")?;
        let upper = usize::from(fixed[0] & 15) * 4;
        let total = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
        if upper < 20 || total < upper || total > datagram.len() {
            return Err("an impossible IPv4 length");
        }
        if checksum(&datagram[..upper]) != 0 {
            return Err("a wrong IPv4 header checksum");
        }
        let cut = u16::from_be_bytes([fixed[6], fixed[7]]);
        Ok(Head {
            src: Ipv4Addr::new(fixed[12], fixed[13], fixed[14], fixed[15]).into(),
            dst: Ipv4Addr::new(fixed[16], fixed[17], fixed[18], fixed[19]).into(),
            ttl: fixed[8],
            proto: fixed[9],
            upper,
            total,
            df: cut & 0x4000 != 0,
            offset: usize::from(cut & 0x1fff) * 8,
            more: cut & 0x2000 != 0,
        })
    }

    fn read6(datagram: &[u8]) -> Option<Head> {
        let total = 40 + usize::from(u16_at(datagram, 4)?);
        let datagram = datagram.get(..total)?;
        let mut head = Head {
            src: Ipv6Addr::from(octets(datagram, 8)?).into(),
            dst: Ipv6Addr::from(octets(datagram, 24)?).into(),
            ttl: datagram[7],
            proto: datagram[6],
            upper: 40,
            total,
            df: true,
            offset: 0,
            more: false,
        };
        head.pass_extensions(datagram);
        Some(head)
    }

    /// Goes past hop-by-hop options, routing, fragment and destination options headers (RFC 8200
    /// §4.1).
    fn pass_extensions(&mut self, datagram: &[u8]) {
        while let (0 | 43 | 44 | 60, Some([next, length, high, low])) =
            (self.proto, octets(datagram, self.upper))
        {
            if self.proto == 44 {
                let cut = u16::from_be_bytes([high, low]);
                (self.offset, self.more) = (usize::from(cut & 0xfff8), cut & 1 != 0);
                self.upper += 8;
            } else {
                self.upper += (usize::from(length) + 1) * 8;
            }
            self.proto = next;
            if self.offset > 0 {
                break;
            }
        }
    }

    /// The upper layer's bytes; none if the extension headers run past the end.
    pub fn upper<'a>(&self, datagram: &'a [u8]) -> &'a [u8] {
        datagram.get(self.upper..self.total).unwrap_or_default()
    }

    /// Source and destination port, of a whole datagram or the first fragment of TCP or UDP.
    pub fn ports(&self, datagram: &[u8]) -> Option<[u8; 4]> {
        let has_ports = matches!(self.proto, TCP | UDP) && self.offset == 0;
        has_ports.then(|| octets(datagram, self.upper)).flatten()
    }

    /// Type of an ICMP message of either version.
    pub fn icmp_type(&self, datagram: &[u8]) -> Option<u8> {
        let is_icmp = self.proto == if self.dst.is_ipv4() { ICMP } else { ICMP6 };
        (is_icmp && self.offset == 0)
            .then(|| datagram.get(self.upper).copied())
            .flatten()
    }
}

/// Type of service or traffic class: six bits of code point, two of congestion.
pub(crate) fn tos(datagram: &[u8]) -> Option<u8> {
    match datagram {
        [first, tos, ..] if first >> 4 == 4 => Some(*tos),
        [first, second, ..] if first >> 4 == 6 => Some(first << 4 | second >> 4),
        _ => None,
    }
}

/// Sets type of service or traffic class; IPv4's checksum follows (RFC 1624 §3).
pub(crate) fn set_tos(datagram: &mut [u8], tos: u8) {
    match datagram.first().map(|byte| byte >> 4) {
        Some(4) if datagram.len() >= 20 => {
            datagram[1] = tos;
            seal_ip4(datagram);
        }
        Some(6) if datagram.len() >= 40 => {
            datagram[0] = 0x60 | tos >> 4;
            datagram[1] = tos << 4 | datagram[1] & 0x0f;
        }
        _ => {}
    }
}

/// Fills in the header checksum of IPv4; other datagrams have none.
pub(crate) fn seal_ip4(datagram: &mut [u8]) {
    let length = datagram
        .first()
        .map_or(0, |byte| usize::from(byte & 15) * 4);
    if datagram.first().is_some_and(|byte| byte >> 4 == 4)
        && length >= 20
        && let Some(header) = datagram.get_mut(..length)
    {
        header[10..12].fill(0);
        let sum = checksum(header).to_be_bytes();
        header[10..12].copy_from_slice(&sum);
    }
}

/// Fills in the checksum of TCP, UDP or ICMP of a datagram that is not in pieces.
pub(crate) fn seal_upper(datagram: &mut [u8], head: &Head) {
    let at = match head.proto {
        TCP => 16,
        UDP => 6,
        ICMP | ICMP6 => 2,
        _ => return,
    };
    if head.offset > 0 || head.more || head.upper + at + 2 > head.total {
        return;
    }
    datagram[head.upper + at..head.upper + at + 2].fill(0);
    let upper = &datagram[head.upper..head.total];
    let sum = match (head.src, head.dst) {
        (IpAddr::V4(_), IpAddr::V4(_)) if head.proto == ICMP => checksum(upper),
        (IpAddr::V4(src), IpAddr::V4(dst)) => {
            let front = [0, head.proto, (upper.len() >> 8) as u8, upper.len() as u8];
            checksum(&[&src.octets()[..], &dst.octets(), &front, upper].concat())
        }
        (src, dst) => {
            let (src, dst) = (bits(src).to_be_bytes(), bits(dst).to_be_bytes());
            let length = (upper.len() as u32).to_be_bytes();
            checksum(&[&src[..], &dst, &length, &[0, 0, 0, head.proto], upper].concat())
        }
    };
    // A sum of zero means that there is none (RFC 768).
    let sum = if sum == 0 && head.proto == UDP {
        0xffff
    } else {
        sum
    };
    datagram[head.upper + at..head.upper + at + 2].copy_from_slice(&sum.to_be_bytes());
}

/// A number for a flow: of addresses and protocol, and of ports unless the datagram is in pieces.
pub(crate) fn flow_hash(seed: u64, head: &Head, datagram: &[u8]) -> u64 {
    let ports = head.ports(datagram).filter(|_| !head.more);
    let ports = ports.map_or(0, u32::from_be_bytes);
    hash(seed, [head.src, head.dst], head.proto, ports)
}

/// A number for what a flow is identified by.
pub(crate) fn hash(seed: u64, ends: [IpAddr; 2], proto: u8, ports: u32) -> u64 {
    let fold = |state: u64, word: u128| mix(mix(state ^ word as u64) ^ (word >> 64) as u64);
    let ports = u128::from(proto) << 32 | u128::from(ports);
    [bits(ends[0]), bits(ends[1]), ports]
        .into_iter()
        .fold(seed, fold)
}

/// Takes one hop from the time to live; IPv4's checksum follows (RFC 1624 §3).
pub(crate) fn lower_ttl(datagram: &mut [u8]) {
    match datagram {
        [first, ..] if *first >> 4 == 6 => {
            if let Some(hops) = datagram.get_mut(7) {
                *hops = hops.saturating_sub(1);
            }
        }
        [_, _, _, _, _, _, _, _, ttl, _, high, low, ..] => {
            *ttl = ttl.saturating_sub(1);
            // One less in the high byte of a word is 0x0100 more in the sum's complement, with the
            // carry brought round.
            let sum = u32::from(u16::from_be_bytes([*high, *low])) + 0x0100;
            [*high, *low] = ((sum & 0xffff) as u16 + (sum >> 16) as u16).to_be_bytes();
        }
        _ => {}
    }
}

/// A datagram of our own, of the version of its addresses: class CS6 for network control, like
/// routers' own traffic.
pub(crate) fn datagram(
    src: IpAddr,
    dst: IpAddr,
    proto: u8,
    ttl: u8,
    id: u16,
    payload: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(40 + payload.len());
    match (src, dst) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => {
            let total = (20 + payload.len()).min(65_535) as u16;
            bytes.extend([0x45, 0xc0]);
            bytes.extend(total.to_be_bytes());
            bytes.extend(id.to_be_bytes());
            bytes.extend([0, 0, ttl, proto, 0, 0]);
            bytes.extend(src.octets());
            bytes.extend(dst.octets());
            let sum = checksum(&bytes);
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        (src, dst) => {
            bytes.extend([0x6c, 0, 0, 0]);
            bytes.extend((payload.len().min(65_535) as u16).to_be_bytes());
            bytes.extend([proto, ttl]);
            bytes.extend(bits(src).to_be_bytes());
            bytes.extend(bits(dst).to_be_bytes());
        }
    }
    bytes.extend_from_slice(payload);
    bytes
}

/// An address as 128 bits; IPv4 as mapped (RFC 4291 §2.5.5.2).
pub(crate) fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Fills in the checksum of an ICMP message; that of IPv6 counts the addresses (RFC 4443 §2.3).
pub(crate) fn seal_icmp(src: IpAddr, dst: IpAddr, message: &mut [u8]) {
    message[2..4].fill(0);
    let sum = match (src, dst) {
        (IpAddr::V6(src), IpAddr::V6(dst)) => {
            let length = (message.len() as u32).to_be_bytes();
            let next = [0, 0, 0, ICMP6];
            checksum(&[&src.octets()[..], &dst.octets(), &length, &next, message].concat())
        }
        _ => checksum(message),
    };
    message[2..4].copy_from_slice(&sum.to_be_bytes());
}

/// An ARP packet in its frame (RFC 826): operation 1 asks, 2 answers.
pub(crate) fn arp(operation: u8, sender: (Mac, Ipv4Addr), target: (Mac, Ipv4Addr)) -> Vec<u8> {
    let mut frame = vec![0; ETHERNET];
    let to = if operation == 1 {
        Mac::BROADCAST
    } else {
        target.0
    };
    address(&mut frame, sender.0, to, TYPE_ARP);
    frame.extend([0, 1, 8, 0, 6, 4, 0, operation]);
    for (mac, ip) in [sender, target] {
        frame.extend(mac.0);
        frame.extend(ip.octets());
    }
    frame
}

/// What an ARP packet says: operation, sender, address asked for.
pub(crate) fn read_arp(packet: &[u8]) -> Option<(u8, (Mac, Ipv4Addr), Ipv4Addr)> {
    let fixed: [u8; 28] = octets(packet, 0)?;
    let known = fixed[..7] == [0, 1, 8, 0, 6, 4, 0];
    let ip = |at| octets(&fixed, at).map(Ipv4Addr::from);
    known.then(|| Some((fixed[7], (Mac(octets(&fixed, 8)?), ip(14)?), ip(24)?)))?
}

/// A neighbour message of IPv6 in its frame (RFC 4861 §4.3, §4.4): type 135 asks, 136 answers;
/// `named` is the link address it tells.
pub(crate) fn neighbour(
    kind: u8,
    from: (Mac, Ipv6Addr),
    to: (Mac, Ipv6Addr),
    target: Ipv6Addr,
    named: Mac,
) -> Vec<u8> {
    let (flags, option) = if kind == 135 { (0, 1) } else { (0xe0, 2) };
    let mut message = vec![kind, 0, 0, 0, flags, 0, 0, 0];
    message.extend(target.octets());
    message.extend([option, 1]);
    message.extend(named.0);
    seal_icmp(from.1.into(), to.1.into(), &mut message);
    let mut frame = framed(&datagram(
        from.1.into(),
        to.1.into(),
        ICMP6,
        255,
        0,
        &message,
    ));
    address(&mut frame, from.0, to.0, TYPE_IP6);
    frame
}

/// Target and told link address of a neighbour message.
pub(crate) fn read_neighbour(message: &[u8]) -> Option<(Ipv6Addr, Option<Mac>)> {
    let target = Ipv6Addr::from(octets::<16>(message, 8)?);
    let mut at = 24;
    while let Some([kind, units]) = octets(message, at).filter(|[_, units]| *units > 0) {
        if matches!(kind, 1 | 2) && units == 1 {
            return Some((target, octets(message, at + 2).map(Mac)));
        }
        at += usize::from(units) * 8;
    }
    Some((target, None))
}

/// The group in which a node with `address` listens for solicitations (RFC 4291 §2.7.1), with its
/// link address (RFC 2464 §7).
pub(crate) fn solicited_node(address: Ipv6Addr) -> (Mac, Ipv6Addr) {
    let [.., a, b, c] = address.octets();
    let group = Ipv6Addr::new(
        0xff02,
        0,
        0,
        0,
        0,
        1,
        0xff00 | u16::from(a),
        u16::from_be_bytes([b, c]),
    );
    (Mac([0x33, 0x33, 0xff, a, b, c]), group)
}

/// Cuts an IPv4 datagram without DF into datagrams of at most `mtu` bytes (RFC 791 §3.2).
pub(crate) fn fragments(datagram: &[u8], head: &Head, mtu: usize) -> Vec<Vec<u8>> {
    let later = later_header(&datagram[..head.upper]);
    let mut pieces = Vec::new();
    let mut at = head.upper;
    while at < head.total {
        let header = if at == head.upper {
            &datagram[..head.upper]
        } else {
            &later
        };
        let room = mtu.saturating_sub(header.len()) & !7;
        if room == 0 {
            return Vec::new();
        }
        let end = (at + room).min(head.total);
        let offset = head.offset + at - head.upper;
        pieces.push(piece(
            header,
            &datagram[at..end],
            offset,
            head.more || end < head.total,
        ));
        at = end;
    }
    pieces
}

fn piece(header: &[u8], payload: &[u8], offset: usize, more: bool) -> Vec<u8> {
    let mut bytes = [header, payload].concat();
    let total = bytes.len() as u16;
    let cut = (offset / 8) as u16 & 0x1fff | if more { 0x2000 } else { 0 };
    bytes[2..4].copy_from_slice(&total.to_be_bytes());
    bytes[6..8].copy_from_slice(&cut.to_be_bytes());
    bytes[10..12].fill(0);
    let sum = checksum(&bytes[..header.len()]);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// The header of every fragment but the first: only options with the copied flag (RFC 791 §3.1).
fn later_header(header: &[u8]) -> Vec<u8> {
    let mut copied = header[..20].to_vec();
    let mut at = 20;
    while let Some(&kind) = header.get(at).filter(|kind| **kind != 0) {
        let length = if kind == 1 {
            1
        } else {
            header.get(at + 1).map_or(0, |length| usize::from(*length))
        };
        let Some(option) = header.get(at..at + length).filter(|_| length > 0) else {
            break;
        };
        if kind & 0x80 != 0 {
            copied.extend_from_slice(option);
        }
        at += length;
    }
    copied.resize(copied.len().next_multiple_of(4), 0);
    copied[0] = 0x40 | (copied.len() / 4) as u8;
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A datagram of `size` bytes after a header with an option that is copied and one that is not.
    fn datagram_with_options(size: usize) -> Vec<u8> {
        let mut bytes = datagram([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), UDP, 9, 77, &[]);
        bytes.extend([7, 3, 0, 1, 0x94, 4, 0, 0]);
        bytes[0] = 0x47;
        bytes.extend((0..size).map(|n| n as u8));
        let total = bytes.len() as u16;
        bytes[2..4].copy_from_slice(&total.to_be_bytes());
        bytes[10..12].fill(0);
        let sum = checksum(&bytes[..28]);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes
    }

    /// Cuts, and joins again by offset; fragments of fragments too.
    fn check_fragments(size: usize, mtus: &[usize], count: usize) {
        let whole = datagram_with_options(size);
        let mut pieces = vec![whole.clone()];
        for mtu in mtus {
            pieces = pieces
                .iter()
                .flat_map(|it| fragments(it, &Head::read(it).unwrap(), *mtu))
                .collect();
            assert!(pieces.iter().all(|it| it.len() <= *mtu));
        }
        let mut joined = vec![0; size];
        for (n, piece) in pieces.iter().enumerate() {
            let head = Head::read(piece).unwrap();
            assert_eq!(
                (head.upper, head.more),
                (if n == 0 { 28 } else { 24 }, n + 1 < pieces.len())
            );
            joined[head.offset..head.offset + head.total - head.upper]
                .copy_from_slice(head.upper(piece));
        }
        assert!(joined == whole[28..]);
        assert_eq!(pieces.len(), count);
    }

    #[test]
    fn fragments_join_to_what_was_cut() {
        check_fragments(1472, &[1400], 2);
        check_fragments(1472, &[1400, 600, 68], 39);
        assert!(
            fragments(
                &datagram_with_options(100),
                &Head::read(&datagram_with_options(100)).unwrap(),
                30
            )
            .is_empty()
        );
    }

    #[test]
    fn a_hop_less_keeps_the_checksum_right() {
        for id in 0..=u16::MAX {
            let mut bytes = datagram(
                [10, 0, 0, 1].into(),
                [10, 0, 0, 2].into(),
                UDP,
                (id % 255) as u8 + 1,
                id,
                &[],
            );
            lower_ttl(&mut bytes);
            let head = Head::read(&bytes).unwrap();
            assert_eq!(head.ttl, (id % 255) as u8);
        }
    }

    #[test]
    fn extension_headers_are_passed() {
        let rows: [(&[u8], u8, u8, usize, usize); 5] = [
            (&[], 17, 17, 40, 0),
            (&[17, 0, 1, 4, 0, 0, 0, 0], 0, 17, 48, 0),
            (
                &[
                    60, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 58, 0, 1, 4, 0, 0, 0, 0,
                ],
                43,
                58,
                64,
                0,
            ),
            (&[17, 0, 0, 0x51, 0, 0, 0, 1, 0, 0, 0, 0], 44, 17, 48, 80),
            (&[17, 255, 0, 0, 0, 0, 0, 0], 60, 17, 40 + 2048, 0),
        ];
        for (payload, next, proto, upper, offset) in rows {
            let one = IpAddr::V6(1.into());
            let bytes = datagram(one, one, next, 64, 0, payload);
            let head = Head::read(&bytes).unwrap();
            assert_eq!(
                (head.proto, head.upper, head.offset),
                (proto, upper, offset),
                "{payload:?}"
            );
            assert!(head.upper(&bytes).len() <= 12);
        }
    }

    #[test]
    fn questions_read_as_they_were_written() {
        let (mac, ip) = (Mac([2, 0, 0, 0, 0, 1]), Ipv4Addr::new(10, 0, 0, 1));
        let asked = Ipv4Addr::new(10, 0, 0, 2);
        assert_eq!(
            read_arp(&arp(1, (mac, ip), (Mac([0; 6]), asked))[ETHERNET..]),
            Some((1, (mac, ip), asked))
        );
        let target: Ipv6Addr = "2001:db8::1:2:3".parse().unwrap();
        let (group_mac, group) = solicited_node(target);
        assert_eq!(
            (group_mac.to_string().as_str(), group.to_string().as_str()),
            ("33:33:ff:02:00:03", "ff02::1:ff02:3")
        );
        let frame = neighbour(135, (mac, 1.into()), (group_mac, group), target, mac);
        assert_eq!(
            read_neighbour(&frame[ETHERNET + 40..]),
            Some((target, Some(mac)))
        );
    }
}
