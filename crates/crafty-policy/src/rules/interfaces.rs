//! By which interface.

use super::{GateRule, denied, refuse};
use crate::{RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "interfaces",
    doc: "frames are sent on a listed interface; without a list, on any",
    judge: |case| match &case.policy.interfaces {
        Some(names) if !names.contains(&case.host.interface) => {
            refuse(&INTERFACE, Subject::Nothing)
        }
        _ => Ok(()),
    },
};

static INTERFACE: RefusalReason = denied(
    "interface",
    "this interface is not in `interfaces`",
    "add it to `interfaces` in PERMISSIONS",
);
