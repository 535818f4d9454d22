//! What cannot be read cannot be judged.

use super::{GateRule, denied, refuse};
use crate::{RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "unreadable",
    doc: "a frame whose addresses cannot be read is never sent, whatever is granted",
    judge: |case| {
        case.frame
            .refused
            .map_or(Ok(()), |why| refuse(&UNREADABLE, Subject::Text(why)))
    },
};

static UNREADABLE: RefusalReason = denied(
    "unreadable",
    "the frame cannot be judged: {}",
    "send complete IP or ARP headers, nested at most 4 deep",
);
