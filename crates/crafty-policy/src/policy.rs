//! What a program asks for or an operator allows: a record of sets and limits with a meet.

use crate::{AddressSet, Budget, HostQuotas, PortSet, PowerSet};
use alloc::collections::BTreeSet;
use alloc::string::String;

/// Which received data may reach or steer what is sent (`exfiltration:`), narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExfiltrationMode {
    /// Nothing received.
    None,
    /// That something matched, when, and how long it was.
    False,
    /// Everything.
    True,
}

impl ExfiltrationMode {
    /// Every mode with its name in programs, narrowest first.
    pub const NAMES: &'static [(ExfiltrationMode, &'static str)] = &[
        (ExfiltrationMode::None, "none"),
        (ExfiltrationMode::False, "false"),
        (ExfiltrationMode::True, "true"),
    ];

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        ExfiltrationMode::NAMES[self as usize].1
    }
}

/// A set of names; `None` is any name.
pub type NameSet = Option<BTreeSet<String>>;

/// Port sets by protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ports {
    /// TCP ports.
    pub tcp: PortSet,
    /// UDP ports.
    pub udp: PortSet,
    /// ICMP echo identifiers, both families.
    pub icmp: PortSet,
}

impl Ports {
    fn all() -> Ports {
        Ports {
            tcp: PortSet::all(),
            udp: PortSet::all(),
            icmp: PortSet::all(),
        }
    }

    fn meet(&self, other: &Ports) -> Ports {
        Ports {
            tcp: self.tcp.meet(&other.tcp),
            udp: self.udp.meet(&other.udp),
            icmp: self.icmp.meet(&other.icmp),
        }
    }
}

/// Everything that the gate grants. `Policy::default()` is a program that writes no setting: it may
/// send nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How much.
    pub budget: Budget,
    /// To whom, and from whom it may hear.
    pub destinations: AddressSet,
    /// To which TCP and UDP ports of them (`icmp` unused); `None` is any.
    pub destination_ports: Option<Ports>,
    /// From which addresses besides the host's own.
    pub sources: AddressSet,
    /// Local ports and identifiers that the program owns.
    pub ports: Ports,
    /// By which interfaces.
    pub interfaces: NameSet,
    /// Abilities.
    pub powers: PowerSet,
    /// Whose traffic the power `observe` shows; `None` is anybody's.
    pub observe: Option<AddressSet>,
    /// What may leak.
    pub exfiltration: ExfiltrationMode,
    /// How many bits reactions may carry in all; `u64::MAX` is not a cap.
    pub max_leak_bits: u64,
    /// Public keys of those who must have approved what runs on a real network; `None` is that
    /// nobody must. Only an operator states them.
    pub require_approval: NameSet,
    /// What all runs of a user may send together. Only root's file states it.
    pub host_quotas: HostQuotas,
    /// Exceptions to the never-list (own addresses, loopback, metadata services). Only an operator
    /// states them: a program leaves them as `AddressSet::all()`, which narrows nothing.
    pub opened: AddressSet,
}

impl Policy {
    /// A program without settings.
    pub fn program() -> Policy {
        Policy {
            budget: Budget::DEFAULT,
            destinations: AddressSet::none(),
            destination_ports: None,
            sources: AddressSet::none(),
            ports: Ports::default(),
            interfaces: None,
            powers: PowerSet::NONE,
            observe: None,
            exfiltration: ExfiltrationMode::False,
            max_leak_bits: u64::MAX,
            require_approval: None,
            host_quotas: HostQuotas::UNLIMITED,
            opened: AddressSet::all(),
        }
    }

    /// The greatest policy: it narrows nothing. Layers of an operator's policy start from it.
    pub fn everything() -> Policy {
        Policy {
            budget: Budget::UNLIMITED,
            destinations: AddressSet::all(),
            destination_ports: None,
            sources: AddressSet::all(),
            ports: Ports::all(),
            interfaces: None,
            powers: PowerSet::all(),
            observe: None,
            exfiltration: ExfiltrationMode::True,
            max_leak_bits: u64::MAX,
            require_approval: None,
            host_quotas: HostQuotas::UNLIMITED,
            opened: AddressSet::all(),
        }
    }

    /// What holds where no operator said anything: all that a program declares, but the never-list
    /// stays shut.
    pub fn builtin() -> Policy {
        Policy {
            opened: AddressSet::none(),
            ..Policy::everything()
        }
    }

    /// The meet of an operator's layers: `root`'s file, and what comes later (more files, the
    /// environment, the command line). Only `root` can open addresses; if it says nothing of
    /// `opened`, nothing is.
    pub fn operator(root: Option<Policy>, later: impl IntoIterator<Item = Policy>) -> Policy {
        let mut sum = root.unwrap_or_else(Policy::everything);
        if sum.opened == AddressSet::all() {
            sum.opened = AddressSet::none();
        }
        later.into_iter().fold(sum, |sum, layer| sum.meet(&layer))
    }

    /// What both allow. Commutative, associative, idempotent.
    pub fn meet(&self, other: &Policy) -> Policy {
        Policy {
            budget: self.budget.meet(&other.budget),
            destinations: self.destinations.meet(&other.destinations),
            destination_ports: meet_optional(
                &self.destination_ports,
                &other.destination_ports,
                Ports::meet,
            ),
            sources: self.sources.meet(&other.sources),
            ports: self.ports.meet(&other.ports),
            interfaces: meet_optional(&self.interfaces, &other.interfaces, |a, b| a & b),
            powers: self.powers.meet(other.powers),
            observe: meet_optional(&self.observe, &other.observe, AddressSet::meet),
            exfiltration: self.exfiltration.min(other.exfiltration),
            max_leak_bits: self.max_leak_bits.min(other.max_leak_bits),
            require_approval: meet_optional(
                &self.require_approval,
                &other.require_approval,
                |a, b| a & b,
            ),
            host_quotas: self.host_quotas.meet(other.host_quotas),
            opened: self.opened.meet(&other.opened),
        }
    }

    /// Whether this grants nothing that `other` does not grant.
    pub fn within(&self, other: &Policy) -> bool {
        self.meet(other) == *self
    }
}

impl Default for Policy {
    fn default() -> Policy {
        Policy::program()
    }
}

fn meet_optional<T: Clone>(
    a: &Option<T>,
    b: &Option<T>,
    meet: impl FnOnce(&T, &T) -> T,
) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(meet(a, b)),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}
