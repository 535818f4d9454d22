//! From whom.

use super::{Rule, denied, refuse};
use crate::case::Case;
use crate::{Reason, Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "sources",
    doc: "every source address is the host's own or declared in `sources`",
    judge,
};

static SOURCE: Why = denied(
    "source",
    "the source `{}` is neither the host's own nor declared",
    "add {} to `sources` in PERMISSIONS",
);

fn judge(case: &Case) -> Result<(), Reason> {
    match case
        .packets()
        .map(|packet| packet.source)
        .find(|&source| !case.speaks_as(source))
    {
        Some(source) => refuse(&SOURCE, Subject::Address(source)),
        None => Ok(()),
    }
}
