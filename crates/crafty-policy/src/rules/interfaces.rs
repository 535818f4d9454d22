//! By which interface.

use super::{Rule, denied, refuse};
use crate::{Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "interfaces",
    doc: "frames leave by a listed interface; without a list by any",
    judge: |case| match &case.policy.interfaces {
        Some(names) if !names.contains(&case.host.interface) => {
            refuse(&INTERFACE, Subject::Nothing)
        }
        _ => Ok(()),
    },
};

static INTERFACE: Why = denied(
    "interface",
    "this interface is not among the interfaces",
    "add it to `interfaces` in PERMISSIONS",
);
