//! The only way of an action, and of what answers neighbours, to the interface: the gate that guards
//! programs, with a policy of the endpoint's own. Beside it one more rule: an answer goes to who asked.

use crate::decision::Decision;
use crate::far_end::{FAR_MAC, FarEnd};
use crate::option::EndpointMode;
use crafty_policy::{
    AddressSet, Author, Budget, ExfiltrationMode, FrameOrigin, Gate, HostAddresses, LinkKind,
    Policy, PortSet, Ports, Power, PowerSet, RefusalKind, Reserved, Verdict,
};
use crafty_run::Time;
use std::net::IpAddr;

/// What an endpoint may write where nobody says less: no limit in all, since it runs for days.
const BUDGET: Budget = Budget {
    max_packets_per_secs: 1_000,
    max_bytes_per_secs: 10_000_000,
    max_syns_per_secs: 100,
    ..Budget::UNLIMITED
};

/// The gate of the endpoint itself.
pub struct Door {
    gate: Gate,
    link: LinkKind,
}

/// Why something is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Which of the decisions that is.
    pub decision: Decision,
    /// In words, with the fix.
    pub why: String,
}

impl Door {
    /// A door that is open from `start` on, for what the operator allows and these powers.
    pub fn new(far: &FarEnd, operator: &Policy, powers: PowerSet, start: Time) -> Door {
        let policy = policy(far, powers).meet(operator);
        Door {
            gate: Gate::new(policy, host(far), start, Reserved::default()),
            link: match far.mode {
                EndpointMode::Tun => LinkKind::RawIp,
                EndpointMode::Tap => LinkKind::Ethernet,
            },
        }
    }

    /// Lets an answer pass, to be written at the time that is given back; `asker` is who may get it.
    pub fn admit_answer(
        &mut self,
        now: Time,
        frame: &[u8],
        destination: IpAddr,
        asker: impl Fn(IpAddr) -> bool,
    ) -> Result<Time, Closed> {
        if !asker(destination) {
            return Err(Closed {
                decision: Decision::Permission,
                why: format!("`{destination}` did not ask: an answer goes to who asked"),
            });
        }
        self.admit(now, frame, Author::Handler)
    }

    /// Lets an answer to a question for a link address pass.
    pub fn admit_neighbour(&mut self, now: Time, frame: &[u8]) -> Result<Time, Closed> {
        self.admit(now, frame, Author::Stack)
    }

    /// Until when anything may be written.
    pub fn deadline(&self) -> Time {
        self.gate.deadline()
    }

    fn admit(&mut self, now: Time, frame: &[u8], author: Author) -> Result<Time, Closed> {
        let origin = FrameOrigin {
            author,
            site: 0,
            reactive: true,
            chosen_bits: 0,
        };
        match self.gate.judge(now, frame, self.link, origin) {
            Verdict::Send => Ok(now),
            Verdict::Hold { until } => Ok(until),
            Verdict::Drop(reason) => Err(Closed {
                decision: match reason.why.kind {
                    RefusalKind::Permission => Decision::Permission,
                    RefusalKind::Budget | RefusalKind::Deadline | RefusalKind::Courtesy => {
                        Decision::Budget
                    }
                },
                why: format!("{reason} ({})", reason.name()),
            }),
        }
    }
}

fn policy(far: &FarEnd, powers: PowerSet) -> Policy {
    Policy {
        budget: BUDGET,
        destinations: AddressSet::all(),
        sources: far.addresses(),
        // Every flow of the far end is the endpoint's.
        ports: Ports {
            tcp: PortSet::all(),
            udp: PortSet::all(),
            icmp: PortSet::all(),
        },
        powers: powers.with(Power::Inject).with(Power::Control),
        exfiltration: ExfiltrationMode::True,
        max_leak_bits: u64::MAX,
        ..Policy::program()
    }
}

fn host(far: &FarEnd) -> HostAddresses {
    let near = far.near.iter();
    HostAddresses {
        interface: far.interface.clone(),
        macs: match far.mode {
            EndpointMode::Tun => Vec::new(),
            EndpointMode::Tap => vec![FAR_MAC],
        },
        addresses: far.first_addresses(),
        gateways: near.clone().map(|(address, _)| *address).collect(),
        neighbours: near
            .filter_map(|(address, _)| Some((*address, far.near_mac?)))
            .collect(),
        mtu: far.mtu as usize,
        ..HostAddresses::default()
    }
}
