//! The rules, one file each, asked in this order; a frame leaves if none objects. Each is a
//! function of the case: none keeps anything, none asks anything else.

mod control;
mod destinations;
mod flows;
mod fragments;
mod groups;
mod infrastructure;
mod interfaces;
mod length;
mod link;
mod malformed;
mod neighbours;
mod never;
mod options;
mod pieces;
mod ports;
pub(crate) mod reflection;
mod sources;
mod tunnels;
mod unreadable;

use crate::case::CandidateFrame;
use crate::{Reason, RefusalKind, RefusalReason, Subject};

/// One rule.
pub struct GateRule {
    /// Its name.
    pub name: &'static str,
    /// What it holds to, in one sentence.
    pub doc: &'static str,
    pub(crate) judge: fn(&CandidateFrame) -> Result<(), Reason>,
}

/// Every rule, in the order in which they are asked.
pub static RULES: &[&GateRule] = &[
    &unreadable::RULE,
    &interfaces::RULE,
    &length::RULE,
    &pieces::RULE,
    &never::RULE,
    &groups::RULE,
    &destinations::RULE,
    &sources::RULE,
    &infrastructure::RULE,
    &neighbours::RULE,
    &link::RULE,
    &options::RULE,
    &malformed::RULE,
    &tunnels::RULE,
    &fragments::RULE,
    &control::RULE,
    &ports::RULE,
    &flows::RULE,
    &reflection::RULE,
];

const fn denied(name: &'static str, sentence: &'static str, fix: &'static str) -> RefusalReason {
    RefusalReason {
        name,
        kind: RefusalKind::Permission,
        sentence,
        fix,
    }
}

fn refuse(why: &'static RefusalReason, subject: Subject) -> Result<(), Reason> {
    Err(Reason { why, subject })
}
