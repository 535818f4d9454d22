//! What cannot be read cannot be judged.

use super::{GateRule, denied, refuse};
use crate::{RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "unreadable",
    doc: "a frame that cannot be read down to its addresses does not leave, whatever is granted",
    judge: |case| {
        case.frame
            .refused
            .map_or(Ok(()), |why| refuse(&UNREADABLE, Subject::Text(why)))
    },
};

static UNREADABLE: RefusalReason = denied(
    "unreadable",
    "the frame cannot be judged: {}",
    "send whole headers, IP or ARP, nested 4 deep at most",
);
