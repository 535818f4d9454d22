//! Who sends and who is reached: addresses and ports, as far as they are known before the start.

use super::layers::{SentLayer, SentStack};
use super::values::KnownSets;
use crate::ir::{Expr, ExprKind, FieldRef};
use core::net::IpAddr;
use crafty_value::{Mac, Value};
use crafty_wire::LayerRole;

/// Whom a packet goes to or comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Party {
    /// These addresses.
    Addresses(Vec<IpAddr>),
    /// This host, by an address of its own.
    ThisHost,
    /// Whoever sent what the block or handler received.
    Asker,
    /// An address that the run computes: anything within the permissions.
    Computed,
    /// There is no address of IP in it: these addresses of the link; none: the run decides.
    Link(Option<Vec<Mac>>),
    /// Every host on the link.
    EverybodyOnLink,
}

/// Ports of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortsUsed {
    /// The protocol has none.
    Without,
    /// These.
    Ports(Vec<u16>),
    /// One of the program's own ports, chosen by the stack.
    Own,
    /// The port of whoever asked.
    Asker,
    /// Computed by the run.
    Computed,
    /// The default of the layer above.
    Default,
}

/// Whom the packet is addressed to.
pub fn destination(known: &KnownSets, stack: &SentStack) -> Party {
    if stack.layer(LayerRole::Network).is_none() {
        return match stack.layer(LayerRole::Link).map(|link| link.value("dst")) {
            Some(Some(dst)) => Party::Link(macs(known, dst)),
            _ => Party::EverybodyOnLink,
        };
    }
    match stack.value(LayerRole::Network, "dst") {
        Some(dst) => addresses(known, dst),
        None => Party::Asker,
    }
}

/// Whom it says that it comes from.
pub fn source(known: &KnownSets, stack: &SentStack) -> Party {
    match stack.value(LayerRole::Network, "src") {
        Some(src) => addresses(known, src),
        None => Party::ThisHost,
    }
}

/// The address of the link that a packet names beside that of IP.
pub fn link_destination(known: &KnownSets, stack: &SentStack) -> Option<Vec<Mac>> {
    macs(known, stack.value(LayerRole::Link, "dst")?)
}

fn macs(known: &KnownSets, expr: &Expr) -> Option<Vec<Mac>> {
    let values = known.possible(expr)?;
    let mac = |value: &Value| match value {
        Value::Mac(mac) => Some(*mac),
        _ => None,
    };
    values.iter().map(mac).collect()
}

fn addresses(known: &KnownSets, expr: &Expr) -> Party {
    if let ExprKind::Field { field, .. } = &expr.kind
        && is_source(field)
    {
        return Party::Asker;
    }
    let address = |value: &Value| match value {
        Value::Ip(address) => Some(*address),
        _ => None,
    };
    let values = known.possible(expr);
    let known: Option<Vec<IpAddr>> = values.and_then(|values| values.iter().map(address).collect());
    known.map_or(Party::Computed, Party::Addresses)
}

/// `MATCH[IP].src`.
fn is_source(field: &FieldRef) -> bool {
    match field {
        FieldRef::Wire { layer, field } => {
            layer.role == LayerRole::Network && layer.fields[*field].name == "src"
        }
        FieldRef::Either { name, .. } => *name == "src",
        _ => false,
    }
}

/// The ports of one side: `src` or `dst`.
pub fn ports(known: &KnownSets, stack: &SentStack, side: &str) -> PortsUsed {
    let Some(transport) = stack.layer(LayerRole::Transport) else {
        return PortsUsed::Without;
    };
    let live =
        matches!(transport, SentLayer::Driven(..)) || stack.live(LayerRole::Transport).is_some();
    let Some(expr) = stack.value(LayerRole::Transport, side) else {
        return match (live, side) {
            (true, "dst") => PortsUsed::Asker,
            (true, _) => PortsUsed::Own,
            (false, _) => PortsUsed::Default,
        };
    };
    let port = |value: &Value| match value {
        Value::Int(n) => u16::try_from(*n).ok(),
        _ => None,
    };
    let values = known.possible(expr);
    let ports: Option<Vec<u16>> = values.and_then(|values| values.iter().map(port).collect());
    ports.map_or(PortsUsed::Computed, PortsUsed::Ports)
}
