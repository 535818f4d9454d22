//! Who owns a neighbour's address: ARP and Neighbour Discovery behind one table.
//!
//! Learns only answers to its own questions, so that nobody can put an entry in; answers only for
//! its own addresses. An address that nobody answers for is an error; it never becomes a broadcast.

use crate::{arp, nd};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr};
use crafty_value::{Duration, Mac, Time};

/// Questions asked before a neighbour counts as absent (RFC 4861 §10, MAX_MULTICAST_SOLICIT).
pub const TRIES: u8 = 3;
/// Between two questions (RFC 4861 §10, RETRANS_TIMER).
pub const RETRY: Duration = Duration::seconds(1);
/// How long an answer is believed.
pub const VALID: Duration = Duration::seconds(600);
/// Entries at most; a look-up beyond it fails.
pub const MAX_ENTRIES: usize = 4096;
/// Answers of our own that wait to be sent, at most.
const MAX_ANSWERS: usize = 16;

/// What is known of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighbourResolution {
    /// Its link address.
    Known(Mac),
    /// It has been asked.
    Pending,
    /// It did not answer, or there is no address of its family to ask from.
    Failed,
}

/// A question or answer on the link, of either protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Who sent it.
    pub sender: IpAddr,
    /// Its link address; zeros if it does not tell.
    pub mac: Mac,
    /// The address it is about: the one asked for, or the one answered for.
    pub target: IpAddr,
    /// Whether it is an answer.
    pub answer: bool,
}

#[derive(Clone, Copy, Debug)]
enum NeighbourEntry {
    Known { mac: Mac, until: Time },
    Asking { from: IpAddr, sent: u8, due: Time },
    Failed,
}

/// The neighbours on one link.
#[derive(Clone, Debug)]
pub struct Neighbours {
    mac: Mac,
    own: Vec<IpAddr>,
    tags: Vec<u8>,
    entries: BTreeMap<IpAddr, NeighbourEntry>,
    answers: VecDeque<(Notice, Mac)>,
    /// For which addresses it answers.
    answered: Vec<IpAddr>,
    /// Between two questions, whomever they are for; and when the next may be.
    spacing: Duration,
    next_question: Time,
}

impl Neighbours {
    /// An empty table of a host with this link address and these addresses, its own and declared
    /// ones.
    pub fn new(mac: Mac, own: Vec<IpAddr>) -> Neighbours {
        Neighbours {
            mac,
            answered: own.clone(),
            own,
            tags: Vec::new(),
            entries: BTreeMap::new(),
            answers: VecDeque::new(),
            spacing: Duration::ZERO,
            next_question: Time(i64::MIN),
        }
    }

    /// The same behind VLAN tags: the bytes between the source address and the EtherType, `81 00 00
    /// 05` for VLAN 5.
    pub fn with_tags(self, tags: &[u8]) -> Neighbours {
        Neighbours {
            tags: tags.to_vec(),
            ..self
        }
    }

    /// The same, answering nobody: a frame that leaves because one came would tell that it came.
    pub fn silent(self) -> Neighbours {
        self.answering_for(Vec::new())
    }

    /// The same, answering only for these of its addresses: somebody else answers for the others.
    pub fn answering_for(self, answered: Vec<IpAddr>) -> Neighbours {
        Neighbours { answered, ..self }
    }

    /// Leaves at least this long between two questions from now on, so that many neighbours are not
    /// asked for at once.
    pub fn pace(&mut self, spacing: Duration) {
        self.spacing = spacing;
        self.next_question = Time(i64::MIN);
    }

    /// Adds a neighbour that is known from elsewhere, for good.
    pub fn insert(&mut self, address: IpAddr, mac: Mac) {
        self.entries.insert(
            address,
            NeighbourEntry::Known {
                mac,
                until: Time(i64::MAX),
            },
        );
    }

    /// What is known of `address`; asks if nothing is. A group has its link address by rule (RFC
    /// 1112 §6.4, RFC 2464 §7).
    pub fn lookup(&mut self, now: Time, address: IpAddr) -> NeighbourResolution {
        if let Some(mac) = group_mac(address) {
            return NeighbourResolution::Known(mac);
        }
        match self.entries.get(&address) {
            Some(NeighbourEntry::Known { mac, until }) if now < *until => {
                NeighbourResolution::Known(*mac)
            }
            Some(NeighbourEntry::Asking { .. }) => NeighbourResolution::Pending,
            Some(NeighbourEntry::Failed) => NeighbourResolution::Failed,
            _ => self.ask(now, address),
        }
    }

    /// Forgets a failure, so that the next look-up asks again.
    pub fn retry(&mut self, address: IpAddr) {
        if let Some(NeighbourEntry::Failed) = self.entries.get(&address) {
            self.entries.remove(&address);
        }
    }

    /// Takes a frame as it was on the wire. True if it is ARP or Neighbour Discovery of this link.
    pub fn handle_frame(&mut self, now: Time, frame: &[u8]) -> bool {
        let Some(body) = self.untagged(frame) else {
            return false;
        };
        let Some(notice) = arp::parse(body).or_else(|| nd::parse(body)) else {
            return false;
        };
        if notice.answer {
            self.learn(now, &notice);
        } else {
            self.answer(&notice);
        }
        true
    }

    /// The next frame to send, if one is due; `out` is replaced.
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        out.clear();
        if let Some((notice, to)) = self.answers.pop_front() {
            self.write(notice, to, out);
            return true;
        }
        if now < self.next_question {
            return false;
        }
        let due = self
            .entries
            .iter_mut()
            .find_map(|(target, entry)| match entry {
                NeighbourEntry::Asking { from, sent, due } if *due <= now && *sent < TRIES => {
                    Some((*target, *from, sent, due))
                }
                _ => None,
            });
        let Some((target, sender, sent, due)) = due else {
            return false;
        };
        *sent += 1;
        *due = now.after(RETRY);
        self.next_question = now.after(self.spacing);
        self.write(
            Notice {
                sender,
                mac: self.mac,
                target,
                answer: false,
            },
            Mac::default(),
            out,
        );
        true
    }

    /// When something is due next.
    pub fn poll_timeout(&self) -> Option<Time> {
        if !self.answers.is_empty() {
            return Some(Time(i64::MIN));
        }
        let asking = self.entries.values().filter_map(|entry| match entry {
            // Who was asked often enough is given up in time; for questions there is a pace.
            NeighbourEntry::Asking { sent, due, .. } if *sent >= TRIES => Some(*due),
            NeighbourEntry::Asking { due, .. } => Some((*due).max(self.next_question)),
            _ => None,
        });
        asking.min()
    }

    /// Gives up neighbours that have been asked often enough.
    pub fn handle_timeout(&mut self, now: Time) {
        for entry in self.entries.values_mut() {
            if matches!(entry, NeighbourEntry::Asking { sent, due, .. } if *sent >= TRIES && *due <= now)
            {
                *entry = NeighbourEntry::Failed;
            }
        }
    }

    fn ask(&mut self, now: Time, address: IpAddr) -> NeighbourResolution {
        let from = self
            .own
            .iter()
            .copied()
            .find(|own| own.is_ipv4() == address.is_ipv4());
        let room = self.entries.len() < MAX_ENTRIES || self.entries.contains_key(&address);
        let Some(from) = from.filter(|_| room) else {
            return NeighbourResolution::Failed;
        };
        self.entries.insert(
            address,
            NeighbourEntry::Asking {
                from,
                sent: 0,
                due: now,
            },
        );
        NeighbourResolution::Pending
    }

    /// Only what was asked for is learnt, and only once (safety A13).
    fn learn(&mut self, now: Time, notice: &Notice) {
        let asked = self.entries.get_mut(&notice.target);
        if let Some(entry @ NeighbourEntry::Asking { sent: 1.., .. }) = asked
            && !notice.mac.is_group()
            && notice.mac != Mac::default()
        {
            *entry = NeighbourEntry::Known {
                mac: notice.mac,
                until: now.after(VALID),
            };
        }
    }

    fn answer(&mut self, asked: &Notice) {
        let for_us = self.answered.contains(&asked.target) && !self.own.contains(&asked.sender);
        let usable =
            !asked.sender.is_unspecified() && !asked.mac.is_group() && asked.mac != Mac::default();
        if for_us && usable && self.answers.len() < MAX_ANSWERS {
            let answer = Notice {
                sender: asked.target,
                mac: self.mac,
                target: asked.sender,
                answer: true,
            };
            self.answers.push_back((answer, asked.mac));
        }
    }

    /// The frame from its EtherType on, if it has our tags.
    fn untagged<'a>(&self, frame: &'a [u8]) -> Option<&'a [u8]> {
        frame.get(12..)?.strip_prefix(self.tags.as_slice())
    }

    fn write(&self, notice: Notice, to: Mac, out: &mut Vec<u8>) {
        let to = if notice.answer {
            to
        } else {
            question_mac(notice.target)
        };
        out.extend_from_slice(&to.0);
        out.extend_from_slice(&self.mac.0);
        out.extend_from_slice(&self.tags);
        match (notice.sender, notice.target) {
            (IpAddr::V4(sender), IpAddr::V4(target)) => {
                arp::write(&notice, sender, target, to, out)
            }
            (IpAddr::V6(sender), IpAddr::V6(target)) => nd::write(&notice, sender, target, out),
            _ => out.clear(),
        }
    }
}

/// Where a question goes: to all for ARP, to the solicited-node group for IPv6 (RFC 4861 §4.3).
fn question_mac(target: IpAddr) -> Mac {
    match target {
        IpAddr::V4(_) => Mac::BROADCAST,
        IpAddr::V6(target) => {
            let [.., a, b, c] = target.octets();
            Mac([0x33, 0x33, 0xff, a, b, c])
        }
    }
}

fn group_mac(address: IpAddr) -> Option<Mac> {
    match address {
        IpAddr::V4(Ipv4Addr::BROADCAST) => Some(Mac::BROADCAST),
        IpAddr::V4(group) if group.is_multicast() => {
            let [_, a, b, c] = group.octets();
            Some(Mac([0x01, 0x00, 0x5e, a & 0x7f, b, c]))
        }
        IpAddr::V6(group) if group.is_multicast() => {
            let [.., a, b, c, d] = group.octets();
            Some(Mac([0x33, 0x33, a, b, c, d]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
