//! Sources that would be answered another way are dropped.

use super::{Fault, PlaceKind};
use crate::router::ReversePath;

pub static FAULT: Fault = Fault {
    name: "strict_reverse_path",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers drop packets from a source that they would reach through another interface: with asymmetric routing nothing passes. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| {
            settings.reverse_path = ReversePath::Strict
        })
    },
};
