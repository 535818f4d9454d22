//! What a lab tells of what happened in it: frames that were given up, and what its links carried.

use crate::lab::{Giver, Lab};
use crate::link::Link;
use std::collections::BTreeMap;

/// A fault that is in a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedFault {
    /// Its kind.
    pub fault: &'static str,
    /// Where, in a name of the network; nothing where it is everywhere.
    pub place: Option<String>,
}

/// What a link has carried so far, by the side that sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTraffic {
    /// Its name.
    pub name: String,
    /// Bits, with all that a frame costs on the line.
    pub carried: [u64; 2],
    /// Bits a second that it could carry.
    pub rate: [i64; 2],
    /// Frames that it gave up, in both directions.
    pub dropped: u64,
}

impl Lab {
    /// How many frames were given up, by element and reason.
    pub fn drops(&self) -> BTreeMap<(String, &'static str), u64> {
        let name = |giver: &Giver| match giver {
            Giver::Node(node) => self.elements[*node].name.clone(),
            Giver::Link(link) => self.links[*link].name.clone(),
        };
        let rows = self.drops.iter();
        rows.map(|((giver, reason), count)| ((name(giver), *reason), *count))
            .collect()
    }

    /// What each link has carried so far.
    pub fn link_traffic(&self) -> Vec<LinkTraffic> {
        let traffic = |(number, link): (usize, &Link)| LinkTraffic {
            name: link.name.clone(),
            carried: link.ways.each_ref().map(|it| it.carried),
            rate: link.ways.each_ref().map(|it| it.medium.rate),
            dropped: self.dropped_by(Giver::Link(number)),
        };
        self.links.iter().enumerate().map(traffic).collect()
    }

    fn dropped_by(&self, giver: Giver) -> u64 {
        let rows = self.drops.range((giver, "")..);
        rows.take_while(|((it, _), _)| *it == giver)
            .map(|(_, count)| count)
            .sum()
    }

    /// The faults that are in the lab: not for eyes that are to find them.
    pub fn planted(&self) -> &[PlantedFault] {
        &self.planted
    }

    /// Frames that are on a wire or wait in a queue.
    pub fn frames_under_way(&self) -> usize {
        self.links
            .iter()
            .flat_map(|it| &it.ways)
            .map(|it| it.held())
            .sum()
    }
}
