//! What a packet is and does, in words for somebody who knows networks and not the language.

use super::layers::SentLayer;
use super::values::KnownSets;
use crate::ir::FieldSetting;
use core::net::IpAddr;
use crafty_value::{Mac, Value};
use crafty_wire::{Field, FieldKind, LayerRole};

/// What a message does to whoever receives it.
struct Effect {
    layer: &'static str,
    /// The field that tells, and its values; none: every message of the layer does it.
    when: Option<(&'static str, &'static [&'static str])>,
    does: &'static str,
}

const fn effect(
    layer: &'static str,
    when: Option<(&'static str, &'static [&'static str])>,
    does: &'static str,
) -> Effect {
    Effect { layer, when, does }
}

/// Messages that change what other hosts or routers do.
static EFFECTS: &[Effect] = &[
    effect("ARP", Some(("op", &["reply"])), "claims an address"),
    effect(
        "ICMP6",
        Some(("type", &["neighbor_advertisement"])),
        "claims an address",
    ),
    effect(
        "ICMP6",
        Some(("type", &["router_advertisement"])),
        "tells hosts which router and which addresses to use",
    ),
    effect(
        "ICMP",
        Some(("type", &["router_advertisement"])),
        "tells hosts which router to use",
    ),
    effect(
        "ICMP",
        Some(("type", &["redirect"])),
        "tells a host to use another router",
    ),
    effect(
        "ICMP6",
        Some(("type", &["redirect"])),
        "tells a host to use another router",
    ),
    effect(
        "ICMP",
        Some(("type", &["dest_unreachable", "source_quench"])),
        "tells a host that its packets do not arrive",
    ),
    effect(
        "ICMP6",
        Some(("type", &["dest_unreachable", "packet_too_big"])),
        "tells a host that its packets do not arrive",
    ),
    effect("TCP", Some(("flags", &["rst"])), "resets a connection"),
    effect("DHCP", Some(("op", &["reply"])), "answers as a DHCP server"),
    effect("VRRP", None, "takes part in the election of the router"),
    effect("HSRP", None, "takes part in the election of the router"),
    effect("OSPF", None, "takes part in routing"),
    effect("OSPF3", None, "takes part in routing"),
    effect("ISIS", None, "takes part in routing"),
    effect("BGP", None, "takes part in routing"),
    effect("RIP", None, "takes part in routing"),
    effect("RIPng", None, "takes part in routing"),
    effect("PIM", None, "takes part in routing"),
    effect(
        "IGMP",
        None,
        "joins or leaves groups, or asks who is in them",
    ),
    effect("STP", None, "takes part in the spanning tree of switches"),
    effect("LLDP", None, "announces a device to its neighbours"),
    effect("CDP", None, "announces a device to its neighbours"),
    effect("LACP", None, "takes part in link aggregation"),
];

/// Addresses that stand for many hosts.
static GROUPS: &[(&str, &str)] = &[
    ("255.255.255.255", "all hosts on the link"),
    ("224.0.0.1", "all hosts on the link"),
    ("224.0.0.2", "all routers on the link"),
    ("224.0.0.5", "all OSPF routers on the link"),
    ("224.0.0.9", "all RIP routers on the link"),
    ("224.0.0.18", "all VRRP routers on the link"),
    ("224.0.0.251", "all hosts on the link that speak mDNS"),
    ("ff02::1", "all IPv6 hosts on the link"),
    ("ff02::2", "all IPv6 routers on the link"),
    ("ff02::5", "all OSPF routers on the link"),
    ("ff02::fb", "all hosts on the link that speak mDNS"),
    ("ff02::1:2", "all DHCPv6 servers on the link"),
];

/// The hosts that a group address stands for; none for the address of one host.
pub fn group(address: IpAddr) -> Option<&'static str> {
    let text = address.to_string();
    let listed = GROUPS.iter().find(|(group, _)| *group == text);
    match (listed, address.is_multicast()) {
        (Some((_, who)), _) => Some(who),
        (None, true) => Some("a group of hosts"),
        (None, false) => None,
    }
}

/// The hosts that a group address of the link stands for (RFC 1112 §6.4, RFC 2464 §7).
pub fn link_group(mac: Mac) -> Option<&'static str> {
    match mac.0 {
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff] => Some("all hosts on the link"),
        [0x33, 0x33, 0, 0, 0, 1] => Some("all IPv6 hosts on the link"),
        [0x33, 0x33, 0, 0, 0, 2] => Some("all IPv6 routers on the link"),
        [first, ..] if first & 1 == 1 => Some("a group of hosts on the link"),
        _ => None,
    }
}

/// What a packet is: its innermost layer that means something, with the kind of message, and what
/// carries it.
pub fn what(known: &KnownSets, layers: &[SentLayer]) -> String {
    let meaning = |layer: &&SentLayer| {
        !matches!(
            layer.role(),
            LayerRole::Data | LayerRole::Link | LayerRole::Extension
        )
    };
    let Some(inner) = layers.iter().rev().find(meaning) else {
        return match layers.first() {
            Some(layer) if layer.name() == "Eth" => ethernet(known, *layer),
            Some(layer) => format!("{} frame", layer.name()),
            None => "frame".into(),
        };
    };
    let mut words = match inner.role() {
        LayerRole::Network => format!("{} packet", inner.name()),
        _ => named(known, *inner),
    };
    let carriers = layers
        .iter()
        .filter(|layer| layer.role() == LayerRole::Tunnel && !std::ptr::eq(*layer, inner));
    for carrier in carriers {
        words.push_str(&format!(" inside {}", carrier.name()));
    }
    words
}

/// `Ethernet frame of type 0x894f`.
fn ethernet(known: &KnownSets, layer: SentLayer) -> String {
    match layer.value("type").map(|value| known.value(value)) {
        None => "Ethernet frame".into(),
        Some(Some(Value::Int(n))) => format!("Ethernet frame of type {n:#06x}"),
        Some(_) => "Ethernet frame of a type decided at run time".into(),
    }
}

/// `ICMP echo request`, `TCP segment (syn)`, `UDP datagram`.
fn named(known: &KnownSets, layer: SentLayer) -> String {
    match layer.name() {
        "TCP" => format!("TCP segment{}", flags(known, layer)),
        "UDP" => "UDP datagram".into(),
        name => match kind(known, layer) {
            Some(Ok(kind)) => format!("{name} {kind}"),
            Some(Err(())) => format!("{name} message of a kind decided at run time"),
            None => format!("{name} message"),
        },
    }
}

fn flags(known: &KnownSets, layer: SentLayer) -> String {
    match layer.value("flags").map(|value| known.possible(value)) {
        None => String::new(),
        Some(None) => " with flags decided at run time".into(),
        Some(Some(values)) => {
            let shown: Vec<String> = values.iter().map(crate::eval::show::shown).collect();
            format!(" ({})", shown.join(" or "))
        }
    }
}

/// The kind of message: the names of its first field with names that is not an address or port.
fn kind(known: &KnownSets, layer: SentLayer) -> Option<Result<String, ()>> {
    let row = layer.layer()?;
    let named = |field: &&Field| {
        matches!(field.kind, FieldKind::Named(_))
            && ["type", "op", "mode", "message"].contains(&field.name)
    };
    let field = row.fields.iter().find(named)?;
    let Some(expr) = layer.value(field.name) else {
        return default_kind(layer, field).map(Ok);
    };
    Some(match known.possible(expr) {
        Some(values) => Ok(values
            .iter()
            .map(|value| name_of(field, value))
            .collect::<Vec<_>>()
            .join(" or ")),
        None => Err(()),
    })
}

/// What is sent where the field is left out, if tables alone tell.
fn default_kind(layer: SentLayer, field: &Field) -> Option<String> {
    let SentLayer::Literal(literal) = layer else {
        return None;
    };
    let set = |(at, _): &(usize, FieldSetting)| literal.layer.fields[*at].name == field.name;
    match field.auto {
        crafty_wire::Auto::Default(n) if !literal.fields.iter().any(set) => {
            Some(name_of(field, &Value::Int(i64::try_from(n).ok()?)))
        }
        _ => None,
    }
}

fn name_of(field: &Field, value: &Value) -> String {
    let name = match value {
        Value::Int(n) => u64::try_from(*n).ok().and_then(|n| field.name_of(n)),
        _ => None,
    };
    name.map_or_else(
        || format!("{} {}", field.name, crate::eval::show::shown(value)),
        |name| name.replace('_', " "),
    )
}

/// What a packet does to whoever receives it, each once; what a field that the run decides may do
/// is reported too.
pub fn effects(known: &KnownSets, layers: &[SentLayer]) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    // What is quoted is not said.
    let quoting = layers
        .iter()
        .position(|layer| layer.role() == LayerRole::Control)
        .map_or(layers.len(), |at| at + 1);
    for layer in &layers[..quoting] {
        let rows = EFFECTS.iter().filter(|row| row.layer == layer.name());
        for row in rows.filter(|row| applies(known, *layer, row)) {
            if !found.contains(&row.does) {
                found.push(row.does);
            }
        }
    }
    found
}

fn applies(known: &KnownSets, layer: SentLayer, row: &Effect) -> bool {
    let Some((name, values)) = row.when else {
        return matches!(layer, SentLayer::Literal(_));
    };
    let Some((field, expr)) = layer
        .layer()
        .and_then(|row| row.field(name))
        .and_then(|(_, field)| Some((field, layer.value(name)?)))
    else {
        return false;
    };
    let wanted: Vec<u64> = values.iter().filter_map(|name| field.named(name)).collect();
    let is = |value: &Value| match value {
        Value::Int(n) => wanted.contains(&(*n as u64)),
        Value::Flags(bits, _) => wanted.iter().any(|bit| bits & bit != 0),
        _ => false,
    };
    known
        .possible(expr)
        .is_none_or(|values| values.iter().any(is))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_of_layers_fields_and_values_that_are_there() {
        for row in EFFECTS {
            let layer = crafty_wire::layer(row.layer).expect("a layer");
            let Some((name, values)) = row.when else {
                continue;
            };
            let (_, field) = layer.field(name).expect("a field");
            for value in values {
                assert!(field.named(value).is_some(), "{}.{name} {value}", row.layer);
            }
        }
    }

    #[test]
    fn groups_are_groups() {
        for (address, _) in GROUPS {
            let address: IpAddr = address.parse().expect("an address");
            assert!(address.is_multicast() || address.to_string() == "255.255.255.255");
        }
        assert_eq!(group("192.0.2.1".parse().expect("an address")), None);
    }
}
