//! Powers that a packet may need. Where a value that only the run knows could make the difference it
//! counts as needed: a grant that is called unused is unused for certain.

use super::layers::{SentLayer, SentStack};
use super::parties::{Party, destination, source};
use super::values::KnownSets;
use super::words::group;
use crate::ir::Literal;
use core::net::IpAddr;
use crafty_policy::{POWERS, Power, PowerSet};
use crafty_value::Value;
use crafty_wire::{Auto, LayerRole};

/// A power, and whether these layers may need it.
type PowerRule = (Power, fn(&KnownSets, &SentStack) -> bool);

/// What may need a power; a power without a row may be needed by every literal layer.
static ROWS: &[PowerRule] = &[
    (Power::Malformed, |_, stack| {
        literals(stack).any(sets_what_is_computed)
    }),
    (Power::Fragments, |_, stack| {
        literals(stack).any(|literal| {
            literal.layer.name == "Fragment" || sets(literal, &["flags", "frag", "offset"])
        })
    }),
    (Power::Link, |_, stack| has_role(stack, LayerRole::Link)),
    (Power::Tunnels, |_, stack| {
        let networks = stack
            .layers
            .iter()
            .filter(|layer| layer.role() == LayerRole::Network);
        has_role(stack, LayerRole::Tunnel)
            || has_role(stack, LayerRole::Authentication)
            || networks.count() > 1
            || names_next(stack)
    }),
    (Power::IpOptions, |_, stack| {
        has_role(stack, LayerRole::Extension)
            || names_next(stack)
            || literals(stack).any(|literal| {
                literal.layer.role == LayerRole::Network && sets(literal, &["options"])
            })
    }),
    (Power::Control, may_be_error),
    (Power::Inject, |_, stack| {
        literals(stack).any(|literal| literal.layer.role == LayerRole::Transport)
    }),
    (Power::Reflection, |known, stack| {
        source(known, stack) != Party::ThisHost && has_role(stack, LayerRole::Transport)
    }),
    (Power::Broadcast, |known, stack| {
        match destination(known, stack) {
            Party::Addresses(addresses) => addresses.iter().any(|a| may_be_broadcast(*a)),
            _ => true,
        }
    }),
    (Power::Observe, |_, _| false),
    (Power::AnyNeighbour, |known, stack| {
        matches!(
            destination(known, stack),
            Party::Link(_) | Party::EverybodyOnLink
        ) || has_role(stack, LayerRole::Link)
    }),
];

/// The powers that sending these layers may need.
pub(super) fn may_need(known: &KnownSets, stack: &SentStack) -> PowerSet {
    let needed = |power: &Power| {
        let row = ROWS.iter().find(|(of, _)| of == power);
        row.map_or_else(
            || literals(stack).next().is_some(),
            |(_, test)| test(known, stack),
        )
    };
    POWERS.iter().map(|row| row.power).filter(needed).collect()
}

fn literals<'a>(stack: &'a SentStack) -> impl Iterator<Item = &'a Literal> {
    stack.layers.iter().filter_map(|layer| match layer {
        SentLayer::Literal(literal) => Some(*literal),
        SentLayer::Driven(..) => None,
    })
}

fn has_role(stack: &SentStack, role: LayerRole) -> bool {
    stack.layers.iter().any(|layer| layer.role() == role)
}

fn sets(literal: &Literal, names: &[&str]) -> bool {
    let fields = literal.fields.iter();
    let mut set = fields.map(|(at, _)| literal.layer.fields[*at].name);
    set.any(|name| names.contains(&name))
}

fn names_next(stack: &SentStack) -> bool {
    literals(stack).any(|literal| sets(literal, &["proto", "next", "type"]))
}

fn sets_what_is_computed(literal: &Literal) -> bool {
    let mut fields = literal
        .fields
        .iter()
        .map(|(at, _)| &literal.layer.fields[*at]);
    fields.any(|field| {
        field.name == "version" || !matches!(field.auto, Auto::Default(_) | Auto::NextLayer(_))
    })
}

/// Echo requests and replies need none.
fn may_be_error(known: &KnownSets, stack: &SentStack) -> bool {
    let echo = |value: &Value| matches!(value, Value::Int(0 | 8 | 128 | 129));
    literals(stack)
        .filter(|literal| literal.layer.role == LayerRole::Control)
        .any(|literal| match SentLayer::Literal(literal).value("type") {
            None => false,
            Some(expr) => known
                .possible(expr)
                .is_none_or(|values| !values.iter().all(echo)),
        })
}

/// A group, or what may be the broadcast address of a net.
fn may_be_broadcast(address: IpAddr) -> bool {
    let last = match address {
        IpAddr::V4(address) => address.octets()[3] % 4,
        IpAddr::V6(_) => 1,
    };
    group(address).is_some() || last == 3 || last == 0
}
