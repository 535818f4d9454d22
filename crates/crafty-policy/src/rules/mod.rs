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

use crate::case::Case;
use crate::{Kind, Reason, Subject, Why};

/// One rule.
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it holds to, in one sentence.
    pub doc: &'static str,
    pub(crate) judge: fn(&Case) -> Result<(), Reason>,
}

/// Every rule, in the order in which they are asked.
pub static RULES: &[&Rule] = &[
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

const fn denied(name: &'static str, sentence: &'static str, fix: &'static str) -> Why {
    Why {
        name,
        kind: Kind::Permission,
        sentence,
        fix,
    }
}

fn refuse(why: &'static Why, subject: Subject) -> Result<(), Reason> {
    Err(Reason { why, subject })
}
