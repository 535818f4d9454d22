//! Redundant links without a spanning tree.

use super::{Fault, PlaceKind};
use crate::node::Node;

pub static FAULT: Fault = Fault {
    name: "layer2_loop",
    parameters: &[],
    place: PlaceKind::Switch,
    doc: "The spanning tree is off: a broadcast frame circulates forever, with an unchanged TTL. Needs switches with redundant links.",
    plant: |lab, planting| {
        let switches = lab.switches_of(planting)?;
        let mut trees: Vec<_> = switches.into_iter().map(|node| (node, None)).collect();
        lab.change(planting.schedule, move |lab, _| {
            for (node, tree) in &mut trees {
                if let Node::Station(station) = &mut lab.elements[*node].node
                    && let Some(switch) = station.as_switch()
                {
                    *tree = switch.set_tree(tree.take());
                }
            }
        });
        Ok(())
    },
};
