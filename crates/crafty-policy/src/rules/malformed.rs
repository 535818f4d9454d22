//! Lengths, versions and checksums are true.

use super::{GateRule, denied, refuse};
use crate::{Power, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "malformed",
    doc: "lengths, versions and checksums are correct, and nothing follows the end of the datagram, without the power `malformed`",
    judge: |case| match case.frame.lie {
        Some(lie) if !case.policy.powers.has(Power::Malformed) => {
            refuse(&MALFORMED, Subject::Text(lie))
        }
        _ => Ok(()),
    },
};

static MALFORMED: RefusalReason = denied(
    "malformed",
    "{}",
    "correct it, or add `malformed` to `powers` in PERMISSIONS",
);
