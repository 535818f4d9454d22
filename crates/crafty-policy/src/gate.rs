//! The only door out.

use crate::{Host, Policy, Reason, Reserved};
use alloc::vec::Vec;
use core::net::IpAddr;
use crafty_value::{Mac, Time};

/// What a frame begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// An Ethernet header (loopback too).
    Ethernet,
    /// An IP header: tunnel interfaces.
    RawIp,
}

/// Who sends: decides which pool of the totals pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A statement of the main line whose worst case was set aside; first pays from `Reserved`.
    Main,
    /// A handler, or a statement of the main line whose count was not known.
    Handler,
    /// The automatic stacks: acknowledgements, retransmissions, neighbour resolution, replies.
    Stack,
    /// The automatic stacks before program time 0: neighbour resolution only, three frames a neighbour, paid from the totals
    /// but not from the first second.
    Start,
}

/// Where a frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Who.
    pub author: Author,
    /// Number of the send statement, for the report.
    pub site: u32,
    /// Whether something received decided that it is sent, or when: metered as reaction bits.
    pub reactive: bool,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Send it now. It is charged.
    Send,
    /// Send it at `until`, 20 ms after `now` at most, and do not ask again. It is charged. Later frames come no earlier.
    Hold {
        /// When.
        until: Time,
    },
    /// Do not send it. Nothing is charged.
    Drop(Reason),
}

/// What the gate did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Frames let through.
    pub packets: u64,
    /// Their octets, as the budget counts them.
    pub bytes: u64,
    /// Those that open a connection.
    pub syns: u64,
    /// Those of them with a source that is not the host's.
    pub spoofed_syns: u64,
    /// Different destination addresses.
    pub destinations: u64,
    /// Frames that were held back.
    pub held: u64,
    /// Most frames, octets and SYNs in any one second.
    pub worst_second: (u64, u64, u64),
    /// Bits that reactions can have carried.
    pub leak_bits: u64,
    /// Refusals by reason, with how often.
    pub drops: Vec<(Reason, u64)>,
}

/// The reference monitor of one run on one interface.
pub struct Gate {
    policy: Policy,
    host: Host,
}

impl Gate {
    /// A gate for the effective policy, open from `start` for `max_duration`.
    pub fn new(policy: Policy, host: Host, start: Time, reserved: Reserved) -> Gate {
        let _ = (start, reserved);
        Gate { policy, host }
    }

    /// Tells the gate a neighbour's MAC address that the resolver found.
    pub fn learn(&mut self, address: IpAddr, mac: Mac) {
        self.host.neighbours.insert(address, mac);
    }

    /// Judges one frame that is about to leave at `now`.
    pub fn judge(&mut self, now: Time, frame: &[u8], link: LinkKind, origin: Origin) -> Verdict {
        self.judge_cut(now, frame, &[frame], link, origin)
    }

    /// Judges a whole datagram (as one frame, however long) that leaves as `pieces`, frames in order of offset. Each piece is
    /// charged; that the pieces are a cut of the whole, the gate sees for itself.
    pub fn judge_cut(&mut self, now: Time, whole: &[u8], pieces: &[&[u8]], link: LinkKind, origin: Origin) -> Verdict {
        let _ = (now, whole, pieces, link, origin);
        unreadable()
    }

    /// Whether the program may see a frame that was received at `now`; takes note of conversations that peers open.
    pub fn may_hear(&mut self, now: Time, frame: &[u8], link: LinkKind) -> bool {
        let _ = (now, frame, link);
        false
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What happened so far.
    pub fn report(&self) -> Report {
        Report::default()
    }
}

fn unreadable() -> Verdict {
    static WHY: crate::Why =
        crate::Why { name: "unreadable", kind: crate::Kind::Permission, sentence: "the frame cannot be read", fix: "send IP" };
    Verdict::Drop(Reason { why: &WHY, subject: crate::Subject::Nothing })
}
