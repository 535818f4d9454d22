//! Powers that a stack needs for certain, so that the program hears it before the gate says it.

use super::destination::field;
use crate::ir::{FieldValue, Literal, Span};
use crafty_policy::Power;
use crafty_value::Value;
use crafty_wire::LayerRole;

/// Layers that always need a power, by name; tunnels tell by their role.
const LAYERS: &[(&str, Power)] = &[
    ("VLAN", Power::Link),
    ("LLC", Power::Link),
    ("ARP", Power::Infrastructure),
    ("IGMP", Power::Infrastructure),
    ("OSPF", Power::Infrastructure),
    ("PIM", Power::Infrastructure),
    ("VRRP", Power::Infrastructure),
    ("HSRP", Power::Infrastructure),
    ("RIP", Power::Infrastructure),
    ("BGP", Power::Infrastructure),
    ("DHCP", Power::Infrastructure),
    ("LLDP", Power::Infrastructure),
    ("STP", Power::Infrastructure),
    ("LLDP", Power::AnyNeighbour),
    ("STP", Power::AnyNeighbour),
    ("ESP", Power::Opaque),
    ("HopByHop", Power::IpOptions),
    ("DestOpts", Power::IpOptions),
    ("Routing", Power::IpOptions),
    ("Fragment", Power::Fragments),
];

/// ICMP types that are errors or redirects.
const CONTROL: &[(&str, &[i64])] = &[("ICMP", &[3, 4, 5, 11, 12]), ("ICMP6", &[1, 2, 3, 4, 137])];

/// What a stack needs: the power, where, and why in words. `known` gives the value of a field where
/// it is known.
pub(super) fn needed(
    literals: &[&Literal],
    networks: usize,
    span: Span,
    known: &dyn Fn(&FieldValue) -> Option<Value>,
) -> Vec<(Power, Span, String)> {
    let mut found = Vec::new();
    for literal in literals {
        let name = literal.layer.name;
        let listed = LAYERS.iter().filter(|(layer, _)| *layer == name);
        for (_, power) in listed.clone() {
            found.push((*power, literal.span, format!("`{name}`")));
        }
        // PPPoE in its discovery stage carries nothing (RFC 2516 §5): the gate tells them apart.
        let carries = literal.layer.role == LayerRole::Tunnel && name != "PPPoE";
        if carries && listed.count() == 0 {
            found.push((Power::Tunnels, literal.span, format!("`{name}`")));
        }
        if let Some((power, why)) = of_fields(literal, known) {
            found.push((power, literal.span, why));
        }
    }
    if networks > 1 && found.iter().all(|(power, ..)| *power != Power::Tunnels) {
        found.push((Power::Tunnels, span, "a packet inside a packet".into()));
    }
    found.sort_by_key(|(power, ..)| *power as u8);
    found.dedup_by_key(|(power, ..)| *power as u8);
    found
}

fn of_fields(
    literal: &Literal,
    known: &dyn Fn(&FieldValue) -> Option<Value>,
) -> Option<(Power, String)> {
    let value = |name: &str| field(literal, name).and_then(known);
    let name = literal.layer.name;
    let types: &[i64] = CONTROL
        .iter()
        .find(|(layer, _)| *layer == name)
        .map_or(&[], |(_, types)| types);
    if matches!(value("type"), Some(Value::Int(n)) if types.contains(&n)) {
        return Some((Power::Control, "an ICMP error or redirect".into()));
    }
    if name != "IP" {
        return None;
    }
    if field(literal, "options").is_some() {
        return Some((Power::IpOptions, "`options` of IP".into()));
    }
    let more = match value("flags") {
        Some(Value::Flags(bits, _)) => bits & 1 != 0,
        Some(Value::Int(bits)) => bits & 1 != 0,
        _ => false,
    };
    let offset = matches!(value("frag"), Some(Value::Int(1..)));
    (more || offset).then(|| (Power::Fragments, "a hand-made fragment".into()))
}
