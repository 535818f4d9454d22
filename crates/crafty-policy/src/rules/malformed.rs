//! Lengths, versions and checksums are true.

use super::{Rule, denied, refuse};
use crate::{Power, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "malformed",
    doc: "lengths, versions and checksums are true, and nothing follows the end of the datagram, without the power `malformed`",
    judge: |case| match case.frame.lie {
        Some(lie) if !case.policy.powers.has(Power::Malformed) => {
            refuse(&MALFORMED, Subject::Text(lie))
        }
        _ => Ok(()),
    },
};

static MALFORMED: Why = denied(
    "malformed",
    "{}",
    "correct it, or add `malformed` to `powers` in PERMISSIONS",
);
