//! Netlink messages: written attribute by attribute, read without trust in any length. Knows no
//! family's meaning.

use crate::sys;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};

/// Header of every message (`struct nlmsghdr`), in bytes.
const HEADER: usize = 16;
/// Most bytes that are read for one request: far above any sane routing table of a host.
const MOST_BYTES: usize = 64 << 20;

/// A request under construction.
pub(crate) struct Message {
    octets: Vec<u8>,
}

impl Message {
    /// A message of a type with flags, opened by its family's fixed header.
    pub(crate) fn new(kind: u16, flags: u16, fixed: &[u8]) -> Message {
        let mut octets = vec![0; HEADER];
        octets[4..6].copy_from_slice(&kind.to_ne_bytes());
        octets[6..8].copy_from_slice(&flags.to_ne_bytes());
        octets.extend_from_slice(fixed);
        Message { octets }.aligned()
    }

    /// Adds an attribute.
    pub(crate) fn attribute(mut self, kind: u16, value: &[u8]) -> Message {
        self.octets
            .extend_from_slice(&((value.len() + 4) as u16).to_ne_bytes());
        self.octets.extend_from_slice(&kind.to_ne_bytes());
        self.octets.extend_from_slice(value);
        self.aligned()
    }

    /// Adds an attribute that holds attributes.
    pub(crate) fn nested(mut self, kind: u16, inside: impl FnOnce(Message) -> Message) -> Message {
        let start = self.octets.len();
        self.octets.extend_from_slice(&[0; 2]);
        self.octets
            .extend_from_slice(&(kind | NESTED).to_ne_bytes());
        let mut all = inside(self);
        let len = (all.octets.len() - start) as u16;
        all.octets[start..start + 2].copy_from_slice(&len.to_ne_bytes());
        all
    }

    fn aligned(mut self) -> Message {
        self.octets.resize(self.octets.len().next_multiple_of(4), 0);
        self
    }

    /// The bytes to send, with length and sequence number filled in.
    pub(crate) fn finish(mut self, sequence: u32) -> Vec<u8> {
        let len = self.octets.len() as u32;
        self.octets[0..4].copy_from_slice(&len.to_ne_bytes());
        self.octets[8..12].copy_from_slice(&sequence.to_ne_bytes());
        self.octets
    }
}

/// `NLA_F_NESTED`.
const NESTED: u16 = 1 << 15;
/// What is left of an attribute's type without its two flag bits.
const TYPE_MASK: u16 = (1 << 14) - 1;

/// Type and body of each answer.
pub(crate) type NetlinkAnswers = Vec<(u16, Vec<u8>)>;

/// A socket to one part of the kernel.
pub(crate) struct Netlink {
    fd: OwnedFd,
    sequence: u32,
}

impl Netlink {
    /// Opens a socket of a netlink family (`NETLINK_ROUTE`, …).
    pub(crate) fn open(family: i32) -> io::Result<Netlink> {
        let fd = sys::socket(libc::AF_NETLINK, libc::SOCK_RAW, family)?;
        let mut address = <libc::sockaddr_nl as sys::Plain>::zeroed();
        address.nl_family = libc::AF_NETLINK as u16;
        sys::bind(fd.as_fd(), &address)?;
        let patience = libc::timeval {
            tv_sec: 2,
            tv_usec: 0,
        };
        sys::set_option(fd.as_fd(), libc::SOL_SOCKET, libc::SO_RCVTIMEO, &patience)?;
        Ok(Netlink { fd, sequence: 1 })
    }

    /// Sends one request and gives the body of every answer until its end or acknowledgement, with
    /// the type of each.
    pub(crate) fn request(&mut self, message: Message) -> io::Result<NetlinkAnswers> {
        let mut answers = Vec::new();
        self.exchange(vec![message], 1, &mut answers)?;
        Ok(answers)
    }

    /// Sends several messages as one datagram (an nfnetlink batch), `acks` of which ask for
    /// acknowledgement.
    pub(crate) fn transact(&mut self, messages: Vec<Message>, acks: usize) -> io::Result<()> {
        self.exchange(messages, acks, &mut Vec::new())
    }

    fn exchange(
        &mut self,
        messages: Vec<Message>,
        acks: usize,
        answers: &mut NetlinkAnswers,
    ) -> io::Result<()> {
        let first = self.sequence;
        let mut datagram = Vec::new();
        for message in messages {
            datagram.extend(message.finish(self.sequence));
            self.sequence = self.sequence.wrapping_add(1);
        }
        sys::send(self.fd.as_fd(), &datagram, 0)?;
        self.until_acknowledged(first..self.sequence, acks, answers)
    }

    /// Reads until `acks` acknowledgements, the end of a dump, or an error; passes over what an
    /// earlier request left.
    fn until_acknowledged(
        &self,
        ours: Range<u32>,
        mut acks: usize,
        answers: &mut NetlinkAnswers,
    ) -> io::Result<()> {
        let mut buffer = vec![0; 64 << 10];
        let mut total = 0;
        while acks > 0 {
            let len = sys::retry(|| sys::receive(self.fd.as_fd(), &mut buffer, 0))?;
            total += len;
            if len == 0 || total > MOST_BYTES {
                return Err(io::ErrorKind::InvalidData.into());
            }
            for ((kind, _), body) in messages(&buffer[..len]).filter(|((_, n), _)| ours.contains(n))
            {
                match i32::from(kind) {
                    libc::NLMSG_DONE => acks = 0,
                    libc::NLMSG_ERROR => match error_number(body) {
                        0 => acks = acks.saturating_sub(1),
                        number => return Err(io::Error::from_raw_os_error(number)),
                    },
                    _ => answers.push((kind, body.to_vec())),
                }
            }
        }
        Ok(())
    }
}

fn error_number(body: &[u8]) -> i32 {
    u32_at(body, 0).map_or(libc::EBADMSG, |raw| (raw as i32).saturating_neg())
}

/// The messages of a datagram: type, sequence number and body of each. Stops at the first length
/// that is impossible.
fn messages(octets: &[u8]) -> impl Iterator<Item = ((u16, u32), &[u8])> {
    records(
        octets,
        |head| {
            Some((
                u32_at(head, 0)? as usize,
                (u16_at(head, 4)?, u32_at(head, 8)?),
            ))
        },
        HEADER,
    )
}

/// The attributes of a message's tail: type and value of each. Stops at the first length that is
/// impossible.
pub(crate) fn attributes(octets: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    records(
        octets,
        |head| Some((u16_at(head, 0)?.into(), u16_at(head, 2)? & TYPE_MASK)),
        4,
    )
}

/// The value of the first attribute of a type.
pub(crate) fn attribute(octets: &[u8], kind: u16) -> Option<&[u8]> {
    attributes(octets)
        .find(|(k, _)| *k == kind)
        .map(|(_, value)| value)
}

/// Records that start with their own length, padded to four bytes.
fn records<K>(
    mut rest: &[u8],
    head: impl Fn(&[u8]) -> Option<(usize, K)>,
    head_len: usize,
) -> impl Iterator<Item = (K, &[u8])> {
    std::iter::from_fn(move || {
        let (len, kind) = head(rest)?;
        let body = rest.get(head_len..len)?;
        rest = rest.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, body))
    })
}

/// Two bytes in the machine's order.
pub(crate) fn u16_at(octets: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*octets.get(at..)?.first_chunk()?))
}

/// Four bytes in the machine's order.
pub(crate) fn u32_at(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*octets.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let message = Message::new(26, 1, &[7, 7])
            .attribute(1, b"abc")
            .nested(2, |m| m.attribute(3, &[9]));
        let octets = message.finish(5);
        let (head, body) = messages(&octets).next().unwrap();
        assert_eq!((head, &body[..2]), ((26, 5), &[7, 7][..]));
        let all: Vec<_> = attributes(&body[4..]).collect();
        assert_eq!(all[0], (1, &b"abc"[..]));
        assert_eq!(attribute(all[1].1, 3), Some(&[9][..]));
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn false_lengths_end_the_reading() {
        for bad in [
            &[][..],
            &[3, 0],
            &[0, 0, 1, 0],
            &[3, 0, 1, 0],
            &[200, 0, 1, 0, 5],
            &[255; 40],
        ] {
            assert_eq!(attributes(bad).count(), 0, "{bad:?}");
            assert_eq!(messages(bad).count(), 0, "{bad:?}");
        }
    }
}
