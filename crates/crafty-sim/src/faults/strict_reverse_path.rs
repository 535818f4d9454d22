//! Sources that would be answered another way are dropped.

use super::{Fault, PlaceKind};
use crate::router::ReversePath;

pub static FAULT: Fault = Fault {
    name: "strict_reverse_path",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers drop what comes from a source that they would not reach over the same interface: behind an asymmetric path nothing passes. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| {
            settings.reverse_path = ReversePath::Strict
        })
    },
};
