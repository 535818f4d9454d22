//! A router that takes marked traffic for forged.

use super::{Fault, PlaceKind};
use crate::filter::{Action, Filter, Match};

/// The code point of expedited forwarding (RFC 3246 §2.7).
const EXPEDITED: u8 = 46;

pub static FAULT: Fault = Fault {
    name: "expedited_dropped",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers drop packets marked for expedited forwarding (DSCP 46). `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| {
            settings.filters.push(Filter {
                of: Match {
                    dscp: Some(EXPEDITED),
                    ..Match::default()
                },
                action: Action::Drop,
            });
        })
    },
};
