//! How the person who starts the server sets it up.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// What agents may do. By default: everything in the lab, nothing on a real network.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// Whether programs may run on this host's network at all.
    pub live: bool,
    /// A policy file: what it leaves runs live without being asked for.
    pub standing: Option<PathBuf>,
    /// Digests of runs that a person has approved.
    pub approved: Vec<String>,
    /// Where programs wait for a person to sign them, and where the approvals are then looked for.
    pub approvals: Option<PathBuf>,
    /// Public keys of those whose approvals count, where the operator's policy names none.
    pub approvers: BTreeSet<String>,
    /// One more policy file, which narrows everything.
    pub policy: Option<PathBuf>,
}
