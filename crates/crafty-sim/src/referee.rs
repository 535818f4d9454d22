//! The referee of a lab, as every test has it (feature `referee`): it sees what each host sends and
//! hears, at the host itself, and panics as the lab goes away if one did what TCP may never do.
//! Without the feature there is none, and nothing is seen.

use crate::node::NodeId;
#[cfg(feature = "referee")]
use crafty_referee::harness::{SMOLTCP_BREAKS, TraceGuard, datagram_in};
use crafty_value::Time;
use std::net::IpAddr;

/// A guard for each host that is judged.
#[derive(Default)]
pub(crate) struct LabReferee {
    #[cfg(feature = "referee")]
    guards: std::collections::BTreeMap<NodeId, TraceGuard>,
}

#[cfg(feature = "referee")]
impl LabReferee {
    /// A host is judged from now on; smoltcp is let off for what it is known for.
    pub fn judges(&mut self, node: NodeId, case: &str, own: &[IpAddr], is_smoltcp: bool) {
        let mut guard = TraceGuard::of(case);
        own.iter().for_each(|address| guard.only(*address));
        let known = SMOLTCP_BREAKS.iter().filter(|_| is_smoltcp);
        known.for_each(|(rule, _)| guard.knows(None, rule));
        self.guards.insert(node, guard);
    }

    pub fn sent(&mut self, node: NodeId, now: Time, frame: &[u8]) {
        let guard = self.guards.get_mut(&node);
        if let Some((guard, datagram)) = guard.zip(datagram_in(frame)) {
            guard.sent(now, datagram);
        }
    }

    pub fn heard(&mut self, node: NodeId, now: Time, frame: &[u8]) {
        let guard = self.guards.get_mut(&node);
        if let Some((guard, datagram)) = guard.zip(datagram_in(frame)) {
            guard.heard(now, datagram);
        }
    }

    pub fn until(&mut self, now: Time) {
        self.guards.values_mut().for_each(|guard| guard.until(now));
    }
}

#[cfg(not(feature = "referee"))]
impl LabReferee {
    pub fn judges(&mut self, _: NodeId, _: &str, _: &[IpAddr], _: bool) {}
    pub fn sent(&mut self, _: NodeId, _: Time, _: &[u8]) {}
    pub fn heard(&mut self, _: NodeId, _: Time, _: &[u8]) {}
    pub fn until(&mut self, _: Time) {}
}
