//! From whom.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::{Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "sources",
    doc: "every source address is the host's own, declared in `sources`, or unspecified (RFC 1122 §3.2.1.3)",
    judge,
};

static SOURCE: RefusalReason = denied(
    "source",
    "the source `{}` is neither the host's own nor declared",
    "add {} to `sources` in PERMISSIONS",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    match case
        .packets()
        .map(|packet| packet.source)
        .find(|&source| !source.is_unspecified() && !case.speaks_as(source))
    {
        Some(source) => refuse(&SOURCE, Subject::Address(source)),
        None => Ok(()),
    }
}
