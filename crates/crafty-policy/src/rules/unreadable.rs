//! What cannot be read cannot be judged.

use super::{Rule, denied, refuse};
use crate::{Subject, Why};

pub(super) static RULE: Rule = Rule {
    name: "unreadable",
    doc: "a frame that cannot be read down to its addresses does not leave, whatever is granted",
    judge: |case| {
        case.frame
            .refused
            .map_or(Ok(()), |why| refuse(&UNREADABLE, Subject::Text(why)))
    },
};

static UNREADABLE: Why = denied(
    "unreadable",
    "the frame cannot be judged: {}",
    "send whole headers, IP or ARP, nested 4 deep at most",
);
