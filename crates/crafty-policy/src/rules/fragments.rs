//! Fragments made by hand.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::{Power, Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "fragments",
    doc: "a fragment needs the power `fragments`; the first goes first and holds the whole transport header (RFC 1858 §3, RFC 7112 §5); with the power `malformed` they may overlap if they agree on ports, flags and type",
    judge,
};

static FRAGMENT: RefusalReason = denied(
    "fragment",
    "the packet is a fragment",
    "let `IP!` fragment it, or add `fragments` to `powers` in PERMISSIONS",
);

static BAD_FRAGMENT: RefusalReason = denied(
    "bad_fragment",
    "the fragment cannot be judged: {}",
    "send the fragments of one correct datagram, starting with the first",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    for (depth, packet) in case.frame.packets().enumerate() {
        let Some(fragment) = packet.fragment else {
            continue;
        };
        if !case.policy.powers.has(Power::Fragments) {
            return refuse(&FRAGMENT, Subject::Nothing);
        }
        let whole = fragment.offset == 0 && !fragment.more;
        let bad = if depth > 0 {
            Some("it is inside a tunnel")
        } else {
            case.memory.fragments.refuses(
                packet,
                &fragment,
                case.policy.powers.has(Power::Malformed),
            )
        };
        if let Some(why) = bad.filter(|_| !whole || depth > 0) {
            return refuse(&BAD_FRAGMENT, Subject::Text(why));
        }
    }
    Ok(())
}
