//! What middleboxes read and write of TCP (RFC 9293 §3.1).

use crate::packet::{self, ETHERNET, Head, octets};
use std::net::IpAddr;

/// Kind of the option for the window's scale (RFC 7323 §2.2).
pub(crate) const WINDOW_SCALE: u8 = 3;
/// Kind of the option that permits selective acknowledgements (RFC 2018 §2).
pub(crate) const SACK_PERMITTED: u8 = 4;
const MSS: u8 = 2;
const TIMESTAMPS: u8 = 8;
const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// Addresses and ports: source, destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FourTuple {
    pub ends: [(IpAddr, u16); 2],
}

impl FourTuple {
    pub fn reversed(self) -> FourTuple {
        let [a, b] = self.ends;
        FourTuple { ends: [b, a] }
    }
}

/// A segment as it was seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObservedSegment {
    pub flow: FourTuple,
    pub flags: u8,
    pub has_ack: bool,
    pub sequence: u32,
    pub acknowledgement: u32,
    /// Bytes of data.
    pub data: usize,
}

impl ObservedSegment {
    /// The segment in a frame, if there is one and it is not in pieces.
    pub fn of(frame: &[u8]) -> Option<ObservedSegment> {
        let (head, segment) = segment(frame)?;
        let header = usize::from(segment.get(12)? >> 4) * 4;
        let flags = *segment.get(13)?;
        Some(ObservedSegment {
            flow: flow_of(&head, segment)?,
            flags,
            has_ack: flags & ACK != 0,
            sequence: u32::from_be_bytes(octets(segment, 4)?),
            acknowledgement: u32::from_be_bytes(octets(segment, 8)?),
            data: segment.len().checked_sub(header)?,
        })
    }

    fn is(&self, looked_at: u8, set: u8) -> bool {
        self.flags & looked_at == set
    }
}

fn segment(frame: &[u8]) -> Option<(Head, &[u8])> {
    let datagram = frame.get(ETHERNET..)?;
    let head = Head::read(datagram).ok()?;
    let is_whole = head.proto == packet::TCP && head.offset == 0 && !head.more;
    is_whole.then(|| (head, head.upper(datagram)))
}

fn flow_of(head: &Head, segment: &[u8]) -> Option<FourTuple> {
    let port = |at| packet::u16_at(segment, at);
    Some(FourTuple {
        ends: [(head.src, port(0)?), (head.dst, port(2)?)],
    })
}

pub(crate) fn flow(frame: &[u8]) -> Option<FourTuple> {
    ObservedSegment::of(frame).map(|it| it.flow)
}

/// Bytes of data in a segment.
pub(crate) fn data_length(frame: &[u8]) -> Option<usize> {
    ObservedSegment::of(frame).map(|it| it.data)
}

/// The data of a segment.
pub(crate) fn data(frame: &[u8]) -> Option<&[u8]> {
    let (_, segment) = segment(frame)?;
    segment.get(usize::from(segment.get(12)? >> 4) * 4..)
}

/// Whether a segment asks for a connection.
pub(crate) fn is_first_syn(frame: &[u8]) -> bool {
    ObservedSegment::of(frame).is_some_and(|it| it.is(SYN | ACK | RST, SYN))
}

/// Whether a segment accepts a connection.
pub(crate) fn is_accepting(frame: &[u8]) -> bool {
    ObservedSegment::of(frame).is_some_and(|it| it.is(SYN | ACK | RST, SYN | ACK))
}

/// Whether a segment does nothing but acknowledge.
pub(crate) fn is_pure_ack(frame: &[u8]) -> bool {
    ObservedSegment::of(frame).is_some_and(|it| it.is(SYN | FIN | RST | ACK, ACK) && it.data == 0)
}

/// The time stamp of a segment.
pub(crate) fn timestamp(frame: &[u8]) -> Option<u32> {
    let mut copy = frame.to_vec();
    let mut stamp = None;
    edit(&mut copy, |segment| {
        stamp = segment
            .option(TIMESTAMPS)
            .and_then(|at| octets(segment.datagram, at + 2))
            .map(u32::from_be_bytes);
    });
    stamp
}

/// Changes a segment in its frame; its checksum follows. Other frames stay as they are.
pub(crate) fn edit(frame: &mut [u8], change: impl FnOnce(&mut MutableSegment<'_>)) {
    let Some((head, _)) = segment(frame) else {
        return;
    };
    let datagram = &mut frame[ETHERNET..];
    let header = usize::from(datagram.get(head.upper + 12).copied().unwrap_or(0) >> 4) * 4;
    if header < 20 || head.upper + header > head.total {
        return;
    }
    let mut segment = MutableSegment {
        datagram,
        begin: head.upper,
        data: head.upper + header,
        is_changed: false,
    };
    change(&mut segment);
    if segment.is_changed {
        packet::seal_upper(datagram, &head);
    }
}

/// A segment that may be changed.
pub(crate) struct MutableSegment<'a> {
    datagram: &'a mut [u8],
    begin: usize,
    data: usize,
    is_changed: bool,
}

impl MutableSegment<'_> {
    fn flags(&self) -> u8 {
        self.datagram[self.begin + 13]
    }

    /// Whether it accepts a connection.
    pub fn accepts(&self) -> bool {
        self.flags() & (SYN | ACK) == SYN | ACK
    }

    /// Where an option of a kind begins.
    fn option(&self, kind: u8) -> Option<usize> {
        let mut at = self.begin + 20;
        while at < self.data {
            match self.datagram[at] {
                0 => return None,
                1 => at += 1,
                it => {
                    let length = usize::from(*self.datagram.get(at + 1)?);
                    if length < 2 || at + length > self.data {
                        return None;
                    }
                    if it == kind {
                        return Some(at);
                    }
                    at += length;
                }
            }
        }
        None
    }

    /// Writes no-operations over an option.
    pub fn strip(&mut self, kind: u8) {
        if let Some(at) = self.option(kind) {
            let length = usize::from(self.datagram[at + 1]);
            self.datagram[at..at + length].fill(1);
            self.is_changed = true;
        }
    }

    /// Announces this segment size, if it announces one.
    pub fn set_mss(&mut self, size: u16) {
        if let Some(at) = self.option(MSS).filter(|at| at + 4 <= self.data) {
            self.datagram[at + 2..at + 4].copy_from_slice(&size.to_be_bytes());
            self.is_changed = true;
        }
    }

    /// Announces no more than this segment size.
    pub fn clamp_mss(&mut self, size: u16) {
        let told = self
            .option(MSS)
            .and_then(|at| packet::u16_at(self.datagram, at + 2));
        if told.is_some_and(|told| told > size) {
            self.set_mss(size);
        }
    }

    /// Offers no larger window; that of a SYN and of a reset stays.
    pub fn limit_window(&mut self, bytes: u16) {
        let at = self.begin + 14;
        let window = packet::u16_at(self.datagram, at).unwrap_or(0);
        if self.flags() & (SYN | RST) == 0 && window > bytes {
            self.datagram[at..at + 2].copy_from_slice(&bytes.to_be_bytes());
            self.is_changed = true;
        }
    }

    pub fn shift_sequence(&mut self, by: u32) {
        self.shift(4, by);
    }

    pub fn shift_acknowledgement(&mut self, by: u32) {
        if self.flags() & ACK != 0 {
            self.shift(8, by);
        }
    }

    fn shift(&mut self, at: usize, by: u32) {
        let at = self.begin + at;
        if let Some(number) = octets(self.datagram, at).map(u32::from_be_bytes) {
            let shifted = number.wrapping_add(by).to_be_bytes();
            self.datagram[at..at + 4].copy_from_slice(&shifted);
            self.is_changed = true;
        }
    }
}

/// The frame that accepts what a frame asks for, in the name of its destination.
pub(crate) fn acceptance(frame: &[u8]) -> Option<Vec<u8>> {
    let seen = ObservedSegment::of(frame).filter(|_| is_first_syn(frame))?;
    let next = seen.sequence.wrapping_add(1);
    Some(answer(
        frame,
        &seen,
        next.wrapping_mul(0x9e37_79b1),
        next,
        SYN | ACK,
    ))
}

/// The frame that refuses what a frame says, in the name of its destination.
pub(crate) fn refusal(frame: &[u8]) -> Option<Vec<u8>> {
    let seen = ObservedSegment::of(frame).filter(|it| it.flags & RST == 0)?;
    let extra = usize::from(seen.flags & SYN != 0) + usize::from(seen.flags & FIN != 0);
    let next = seen.sequence.wrapping_add((seen.data + extra) as u32);
    let own = if seen.has_ack {
        seen.acknowledgement
    } else {
        0
    };
    Some(answer(frame, &seen, own, next, RST | ACK))
}

/// A segment without data back to the sender of a frame.
fn answer(
    frame: &[u8],
    seen: &ObservedSegment,
    sequence: u32,
    acknowledgement: u32,
    flags: u8,
) -> Vec<u8> {
    let [(src, from), (dst, to)] = seen.flow.ends;
    let mut segment = [to.to_be_bytes(), from.to_be_bytes()].concat();
    segment.extend(sequence.to_be_bytes());
    segment.extend(acknowledgement.to_be_bytes());
    segment.extend([0x50, flags, 0x20, 0, 0, 0, 0, 0]);
    let mut datagram = packet::datagram(dst, src, packet::TCP, 64, 0, &segment);
    if let Ok(head) = Head::read(&datagram) {
        packet::seal_upper(&mut datagram, &head);
    }
    let mut reply = packet::framed(&datagram);
    if let Some((from, to, kind)) = packet::ethernet(frame) {
        packet::address(&mut reply, to, from, kind);
    }
    reply
}
