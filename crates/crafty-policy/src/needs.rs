//! Which powers a frame wants, asked of the rules themselves: nobody who checks programs needs a
//! table of them.

use crate::case::{CandidateFrame, GateHistory};
use crate::flows::Flows;
use crate::fragments::Fragments;
use crate::frame::ParsedFrame;
use crate::resolution::AddressResolution;
use crate::rules::RULES;
use crate::{
    AddressSet, Author, HostAddresses, LinkKind, POWERS, Policy, Ports, Power, PowerSet, Reason,
};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// A frame and where it would leave, with nothing sent before it.
pub struct Sample<'a> {
    /// Its bytes.
    pub frame: &'a [u8],
    /// What they begin with.
    pub link: LinkKind,
    /// The host that it would leave from.
    pub host: &'a HostAddresses,
    /// Who is declared as destination.
    pub destinations: &'a AddressSet,
    /// Who is declared as source.
    pub sources: &'a AddressSet,
    /// Which ports the program owns.
    pub ports: &'a Ports,
}

impl Sample<'_> {
    /// Powers that the frame wants beside `granted`, each with what the gate says without it. Where
    /// more than one way would do, one of them. What no power helps against is not told.
    pub fn missing_powers(&self, granted: PowerSet) -> Vec<(Power, Reason)> {
        let best = self.refusal(PowerSet::all());
        if self.refusal(granted) == best {
            return Vec::new();
        }
        let missing = || {
            POWERS
                .iter()
                .map(|row| row.power)
                .filter(|&p| !granted.has(p))
        };
        let wanted = missing().fold(PowerSet::all(), |wanted, power| {
            let less = wanted.without(power);
            if self.refusal(less) == best {
                less
            } else {
                wanted
            }
        });
        missing()
            .filter(|&power| wanted.has(power))
            .filter_map(|power| Some((power, self.refusal(wanted.without(power))?)))
            .collect()
    }

    /// Why the rules refuse the frame with these powers, if they do.
    fn refusal(&self, powers: PowerSet) -> Option<Reason> {
        let policy = Policy {
            powers,
            destinations: self.destinations.clone(),
            sources: self.sources.clone(),
            ports: self.ports.clone(),
            ..Policy::everything()
        };
        let frame = ParsedFrame::read(self.frame, self.link);
        let case = CandidateFrame {
            frame: &frame,
            pieces: &[self.frame],
            resolution: AddressResolution::of(&frame, self.host),
            author: Author::Main,
            policy: &policy,
            host: self.host,
            memory: &GateHistory {
                sent: Flows::new(1),
                peers: Flows::new(1),
                fragments: Fragments::default(),
                destinations: BTreeSet::new(),
                asked: BTreeSet::new(),
            },
        };
        RULES.iter().find_map(|rule| (rule.judge)(&case).err())
    }
}
