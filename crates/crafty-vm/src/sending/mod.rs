//! From a frame to the wire: routes, neighbours, the gate, and rules about what stacks send.

pub(crate) mod dispatch;
pub(crate) mod out_rules;
pub(crate) mod outbox;
pub(crate) mod routing;
pub(crate) mod rules;
pub(crate) mod uplink;
