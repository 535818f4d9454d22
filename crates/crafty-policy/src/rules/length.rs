//! How long a frame may be.

use super::{GateRule, denied, refuse};
use crate::case::CandidateFrame;
use crate::{Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "length",
    doc: "no frame holds more than the interface's MTU after its link header, so that one write is one frame on the wire",
    judge,
};

static LENGTH: RefusalReason = denied(
    "length",
    "the frame is longer than the interface's MTU of {}",
    "send less, or let `IP!` fragment the datagram",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    let most = case
        .host
        .mtu
        .saturating_add(case.frame.link.map_or(0, |link| link.len));
    if case.pieces.iter().any(|piece| piece.len() > most) {
        return refuse(&LENGTH, Subject::Number(case.host.mtu as u64));
    }
    Ok(())
}
