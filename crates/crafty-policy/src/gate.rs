//! The only door out.

use crate::account::{Account, Charge};
use crate::case::{CandidateFrame, GateHistory};
use crate::flows::{Flows, LocalFlow};
use crate::frame::ParsedFrame;
use crate::hearing::ObservationRights;
use crate::resolution::AddressResolution;
use crate::rules::{RULES, reflection};
use crate::send_limits::Toll;
use crate::{HostAddresses, Policy, Reason, RefusalKind, RefusalReason, Reserved, Subject};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;
use crafty_value::{Duration, Mac, Time};

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
    /// A statement of the main program whose worst case was set aside; first pays from `Reserved`.
    Main,
    /// A handler, or a statement of the main program whose count was not known.
    Handler,
    /// The automatic stacks: acknowledgements, retransmissions, neighbour resolution, replies.
    Stack,
    /// The automatic stacks before program time 0: neighbour resolution only, three frames a
    /// neighbour, paid from the totals; `SendLimits` counts them in their second.
    Start,
}

/// Where a frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameOrigin {
    /// Who.
    pub author: Author,
    /// Number of the send statement, for the report.
    pub site: u32,
    /// Whether something received decided that it is sent, when, or what is in it: metered as
    /// reaction bits.
    pub reactive: bool,
    /// Bits of it that events chose, beside its being sent and when.
    pub chosen_bits: u64,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Send it now. It is charged.
    Send,
    /// Send it at `until`, `HOLD` after `now` at most, and do not ask again. It is charged. Later
    /// frames come no earlier.
    Hold {
        /// When.
        until: Time,
    },
    /// Do not send it. Nothing is charged.
    Drop(Reason),
}

/// What the gate did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateReport {
    /// Frames let through.
    pub packets: u64,
    /// Their bytes, as the budget counts them.
    pub bytes: u64,
    /// Those that open a connection.
    pub syns: u64,
    /// Those of them with a source that is not the host's.
    pub spoofed_syns: u64,
    /// Different destination addresses.
    pub destinations: u64,
    /// Frames that were held back.
    pub held: u64,
    /// Most frames, bytes and SYNs in any one second.
    pub worst_second: (u64, u64, u64),
    /// Bits that reactions can have carried.
    pub leak_bits: u64,
    /// Bits by which received content became events that sends depend on.
    pub declassified_bits: u64,
    /// Refusals by reason, with how often.
    pub drops: Vec<(Reason, u64)>,
    /// Refusals beyond the first 256 different ones.
    pub other_drops: u64,
}

/// Frames before program time 0 for each neighbour.
const RESOLUTIONS: u32 = 3;

/// Flows remembered each way.
const FLOWS: usize = 4_096;

/// Different refusals that the report tells apart; the others count in `GateReport::other_drops`.
const REASONS: usize = 256;

/// Send statements that are assumed to react.
const SITES: u32 = 256;

/// Bytes that a frame on Ethernet takes at least, without its check sequence.
const SHORTEST: usize = 60;

/// The reference monitor of one run on one interface.
pub struct Gate {
    policy: Policy,
    host: HostAddresses,
    account: Account,
    memory: GateHistory,
    sites: u32,
    toll: Toll,
    resolutions: BTreeMap<IpAddr, u32>,
    drops: BTreeMap<Reason, u64>,
    other_drops: u64,
    held: u64,
}

impl Gate {
    /// A gate for the effective policy, open from `start` for `max_duration`.
    pub fn new(policy: Policy, host: HostAddresses, start: Time, reserved: Reserved) -> Gate {
        let account = Account::new(&policy.budget, policy.max_leak_bits, start, reserved);
        let memory = GateHistory {
            sent: Flows::new(FLOWS),
            peers: Flows::new(FLOWS),
            fragments: crate::fragments::Fragments::default(),
            destinations: BTreeSet::new(),
            asked: BTreeSet::new(),
        };
        Gate {
            policy,
            host,
            account,
            memory,
            sites: SITES,
            toll: Toll::default(),
            resolutions: BTreeMap::new(),
            drops: BTreeMap::new(),
            other_drops: 0,
            held: 0,
        }
    }

    /// Says between how many send statements the program chooses when it reacts; without it, 256
    /// are assumed.
    #[must_use]
    pub fn with_reactive_sites(mut self, sites: u32) -> Gate {
        self.sites = sites;
        self
    }

    /// Sets program time 0, from which `max_duration` counts, once the neighbours are resolved.
    /// Without effect after the first frame that was not `Author::Start`'s.
    pub fn begin(&mut self, start: Time) {
        self.account.begin(start);
    }

    /// Counts received content that became an event which sends depend on, in thousandths of a bit:
    /// reactions have so much less of `max_leak_bits`.
    pub fn declassify(&mut self, millibits: u64) {
        self.account.declassify(millibits);
    }

    /// What the frame that was let through last costs at the send call, as `SendLimits` counts.
    pub fn toll(&self) -> Toll {
        self.toll
    }

    /// Tells the gate a neighbour's MAC address that the resolver found.
    pub fn learn(&mut self, address: IpAddr, mac: Mac) {
        self.host.neighbours.insert(address, mac);
    }

    /// Judges one frame that is about to leave at `now`.
    pub fn judge(
        &mut self,
        now: Time,
        frame: &[u8],
        link: LinkKind,
        origin: FrameOrigin,
    ) -> Verdict {
        self.judge_cut(now, frame, &[frame], link, origin)
    }

    /// Judges a whole datagram (as one frame, however long) that leaves as `pieces`, frames in
    /// order of offset. Each piece is charged; that the pieces are a cut of the whole, the gate
    /// sees for itself.
    pub fn judge_cut(
        &mut self,
        now: Time,
        whole: &[u8],
        pieces: &[&[u8]],
        link: LinkKind,
        origin: FrameOrigin,
    ) -> Verdict {
        let frame = ParsedFrame::read(whole, link);
        match self.admit(now, &frame, pieces, origin) {
            Ok(Duration::ZERO) => Verdict::Send,
            Ok(wait) => {
                self.held += 1;
                Verdict::Hold {
                    until: now.after(wait),
                }
            }
            Err(reason) => {
                self.count_drop(reason);
                Verdict::Drop(reason)
            }
        }
    }

    /// Whether the program may see a frame that was received; takes note of conversations that
    /// peers open.
    pub fn may_hear(&mut self, frame: &[u8], link: LinkKind) -> bool {
        let frame = ParsedFrame::read(frame, link);
        let ear = ObservationRights {
            policy: &self.policy,
            host: &self.host,
            memory: &self.memory,
        };
        let hears = ear.hears(&frame);
        if let Some(flow) = ear.conversation(&frame) {
            self.memory.peers.insert(flow);
        }
        hears
    }

    /// Why the program may not see a frame that was received, and what would let it, in words: for
    /// the operator.
    pub fn why_unheard(&self, frame: &[u8], link: LinkKind) -> String {
        let ear = ObservationRights {
            policy: &self.policy,
            host: &self.host,
            memory: &self.memory,
        };
        ear.why_unheard(&ParsedFrame::read(frame, link))
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// From when on nothing leaves.
    pub fn deadline(&self) -> Time {
        self.account.deadline()
    }

    /// What happened so far.
    pub fn report(&self) -> GateReport {
        let [packets, bytes, syns] = self.account.used();
        GateReport {
            packets,
            bytes,
            syns,
            spoofed_syns: self.account.spoofed_syns(),
            destinations: self.memory.destinations.len() as u64,
            held: self.held,
            worst_second: self.account.worst_second().into(),
            leak_bits: self.account.leak_bits(),
            declassified_bits: self.account.declassified_bits(),
            drops: self
                .drops
                .iter()
                .map(|(&reason, &count)| (reason, count))
                .collect(),
            other_drops: self.other_drops,
        }
    }

    fn admit(
        &mut self,
        now: Time,
        frame: &ParsedFrame,
        pieces: &[&[u8]],
        origin: FrameOrigin,
    ) -> Result<Duration, Reason> {
        let case = CandidateFrame {
            frame,
            pieces,
            resolution: AddressResolution::of(frame, &self.host),
            author: origin.author,
            policy: &self.policy,
            host: &self.host,
            memory: &self.memory,
        };
        RULES.iter().try_for_each(|rule| (rule.judge)(&case))?;
        let charge = charge(&case);
        let asked = case.resolution.map(|resolution| resolution.target);
        if origin.author == Author::Start {
            self.check_start(asked)?;
        }
        let origin = FrameOrigin {
            // An answer goes back to who asked, and tells nobody else that somebody did.
            reactive: origin.reactive && !charge.answers,
            ..origin
        };
        let wait = self.account.reserve(now, charge, origin, self.sites)?;
        self.remember(frame, origin, asked);
        self.toll = Toll {
            bytes: charge.bytes,
            syns: charge.syns,
        };
        Ok(wait)
    }

    /// Before the start only next hops are asked for, three times each.
    fn check_start(&self, asked: Option<IpAddr>) -> Result<(), Reason> {
        let Some(target) = asked else {
            return Err(Reason {
                why: &START,
                subject: Subject::Nothing,
            });
        };
        let times = self.resolutions.get(&target).copied().unwrap_or(0);
        let room = self.resolutions.len() < DESTINATIONS || times > 0;
        (times < RESOLUTIONS && room).then_some(()).ok_or(Reason {
            why: &RESOLUTION,
            subject: Subject::Address(target),
        })
    }

    fn remember(&mut self, frame: &ParsedFrame, origin: FrameOrigin, asked: Option<IpAddr>) {
        if let Some(target) = asked {
            if origin.author == Author::Start {
                *self.resolutions.entry(target).or_default() += 1;
            } else if self.memory.asked.len() < FLOWS {
                self.memory.asked.insert(target);
            }
            return;
        }
        for packet in frame.packets() {
            self.memory.destinations.insert(packet.destination);
            self.memory.sent.insert(LocalFlow::sent(packet));
        }
        if let Some((packet, fragment)) = frame
            .outer()
            .and_then(|packet| Some((packet, packet.fragment?)))
            && (fragment.offset > 0 || fragment.more)
        {
            self.memory.fragments.sent(packet, &fragment);
        }
    }

    fn count_drop(&mut self, reason: Reason) {
        if self.drops.len() < REASONS || self.drops.contains_key(&reason) {
            *self.drops.entry(reason).or_default() += 1;
        } else {
            self.other_drops += 1;
        }
    }
}

/// Neighbours that may be resolved before the start.
const DESTINATIONS: usize = 65_536;

static START: RefusalReason = RefusalReason {
    name: "early",
    kind: RefusalKind::Permission,
    sentence: "before the start only neighbours may be resolved",
    fix: "please report this: it is a bug in Crafty",
};

static RESOLUTION: RefusalReason = RefusalReason {
    name: "resolution",
    kind: RefusalKind::Budget,
    sentence: "the neighbour `{}` was already asked for three times before the start",
    fix: "see that {} is up and on this network",
};

/// What the pieces cost: whole frames after padding, amplified if a victim pays.
fn charge(case: &CandidateFrame) -> Charge {
    let shortest = if case.frame.link.is_some() {
        SHORTEST
    } else {
        0
    };
    let octets: u64 = case
        .pieces
        .iter()
        .map(|piece| piece.len().max(shortest) as u64)
        .sum();
    let syns = case.frame.openings();
    Charge {
        packets: case.pieces.len() as u64,
        bytes: octets.saturating_mul(reflection::factor(case)),
        syns,
        spoofed_syns: if case.is_spoofed() { syns } else { 0 },
        answers: case.is_answer(),
    }
}
