//! What the tables of layers say, in the terms of the checker: names, types, what lies on what.

use super::hint::Hint;
use super::shape::{Family, SeenLayer};
use super::words;
use crate::driven;
use crate::ir::{DrivenKind, FieldRef, Literal, Span, StackLayer, Type};
use crafty_syntax::diagnostic::Occurrence;
use crafty_value::Value;
use crafty_wire::{Auto, Field, FieldKind, Layer, NextLayer, OptionRow, Tlv};

/// Fields that both families of IP have: as the language calls them, in `IP`, in `IP6`.
const BOTH: &[(&str, &str)] = &[
    ("src", "src"),
    ("dst", "dst"),
    ("ttl", "ttl"),
    ("dscp", "dscp"),
    ("ecn", "ecn"),
    ("proto", "next"),
    ("len", "len"),
];

/// Names that other tools have for layers.
const LAYERS_ELSEWHERE: &[(&str, &str)] = &[
    ("Ether", "Eth"),
    ("Ethernet", "Eth"),
    ("Raw", "Bytes"),
    ("Payload", "Bytes"),
    ("Data", "Bytes"),
    ("IPv4", "IP"),
    ("IPv6", "IP6"),
    ("ICMPv6", "ICMP6"),
    ("ICMPv4", "ICMP"),
    ("Dot1Q", "VLAN"),
];

/// Names that other tools have for fields.
const FIELDS_ELSEWHERE: &[(&str, &str)] = &[
    ("sport", "src"),
    ("dport", "dst"),
    ("source", "src"),
    ("destination", "dst"),
    ("tos", "dscp"),
    ("hlim", "ttl"),
    ("hop_limit", "ttl"),
    ("chksum", "checksum"),
    ("sum", "checksum"),
    ("protocol", "proto"),
    ("length", "len"),
    ("payload", "data"),
    ("load", "data"),
    ("identification", "id"),
    ("sequence", "seq"),
    ("win", "window"),
    ("nh", "next"),
];

pub fn find(name: &str) -> Option<&'static Layer> {
    crafty_wire::layer(name)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    crafty_wire::all().iter().map(|l| l.name)
}

/// The layer of that name in other tools, or with other capitals.
pub fn elsewhere(name: &str) -> Option<&'static str> {
    let known = LAYERS_ELSEWHERE
        .iter()
        .find(|(from, _)| *from == name)
        .map(|(_, to)| *to);
    known.or_else(|| names().find(|known| known.eq_ignore_ascii_case(name)))
}

/// The field of that name in other tools.
pub fn field_elsewhere(layer: &str, name: &str) -> Option<&'static str> {
    FIELDS_ELSEWHERE
        .iter()
        .find(|(from, to)| *from == name && has_field(layer, to))
        .map(|(_, to)| *to)
}

pub fn has_field(layer: &str, name: &str) -> bool {
    find(layer).is_some_and(|l| l.field(name).is_some())
}

/// Whether the word is an option of the driven layer of that name.
pub fn driven_option(layer: &str, name: &str) -> bool {
    driven::named(layer).is_some_and(|kind| kind.option(name).is_some())
}

/// Adds to a report which of these words may be meant, or all of them.
pub fn offer(report: Occurrence, span: Span, written: &str, names: &[&str]) -> Occurrence {
    match words::nearest(written, names.iter().copied()) {
        Some(near) => report.suggest(format!("did you mean `{near}`?"), span, near),
        None if names.is_empty() => report,
        None => report.help(format!("there are {}", listed(names))),
    }
}

fn listed(names: &[&str]) -> String {
    let shown: Vec<&str> = names.iter().copied().take(30).collect();
    let rest = if names.len() > 30 { " and more" } else { "" };
    format!("{}{rest}", shown.join(", "))
}

pub fn type_of(field: &Field) -> Type {
    match field.kind {
        FieldKind::Uint | FieldKind::Named(_) => Type::Int,
        FieldKind::Flags(names) => Type::Flags(names),
        FieldKind::Ip4 | FieldKind::Ip6 => Type::Ip,
        FieldKind::Mac => Type::Mac,
        FieldKind::Text => Type::Str,
        FieldKind::Bytes | FieldKind::Options(_) | FieldKind::Custom(_) => Type::Bytes,
    }
}

/// Bits of a field that holds a number, raw flags included.
pub fn number_width(field: &Field) -> Option<u16> {
    matches!(
        field.kind,
        FieldKind::Uint | FieldKind::Named(_) | FieldKind::Flags(_)
    )
    .then(|| field.width())
    .filter(|w| *w > 0)
}

pub fn family(field: &Field) -> Option<Family> {
    match field.kind {
        FieldKind::Ip4 => Some(Family::V4),
        FieldKind::Ip6 => Some(Family::V6),
        _ => None,
    }
}

/// A named value of a field; a named number is an int.
pub fn named_value(field: &Field, name: &str) -> Option<(Value, Type)> {
    let n = field.named(name)?;
    match field.kind {
        FieldKind::Flags(names) => Some((Value::Flags(n, names), Type::Flags(names))),
        _ => i64::try_from(n).ok().map(|n| (Value::Int(n), Type::Int)),
    }
}

pub fn value_names(field: &Field) -> Vec<&'static str> {
    match field.kind {
        FieldKind::Named(names) => names.iter().map(|(_, name)| *name).collect(),
        FieldKind::Flags(names) => names.to_vec(),
        _ => Vec::new(),
    }
}

/// The layers that have a value of that name.
pub fn layers_of_named(name: &str) -> impl Iterator<Item = &'static str> {
    crafty_wire::all()
        .iter()
        .filter(move |l| l.fields.iter().any(|f| f.named(name).is_some()))
        .map(|l| l.name)
}

/// The layer that a field of that name is most likely meant of.
pub fn layer_of_field(name: &str) -> Option<&'static str> {
    ["IP", "TCP", "UDP", "ICMP", "Bytes", "Eth"]
        .into_iter()
        .find(|layer| has_field(layer, name))
}

pub fn is_checksum(field: &Field) -> bool {
    matches!(field.auto, Auto::Checksum(_))
}

fn tlv(field: &Field) -> Option<&'static Tlv> {
    match field.kind {
        FieldKind::Options(tlv) => Some(tlv),
        _ => None,
    }
}

pub fn holds_options(field: &Field) -> bool {
    tlv(field).is_some()
}

pub fn option(field: &Field, name: &str) -> Option<&'static OptionRow> {
    tlv(field)?.named(name)
}

pub fn option_name(field: &Field, name: &str) -> Option<&'static str> {
    option(field, name).map(|o| o.name)
}

pub fn option_names(field: &Field) -> Vec<&'static str> {
    tlv(field).map_or_else(Vec::new, |t| t.options.iter().map(|o| o.name).collect())
}

/// Whether any header has an option of that name.
pub fn is_option(name: &str) -> bool {
    name == "raw"
        || crafty_wire::all()
            .iter()
            .any(|l| l.fields.iter().any(|f| option(f, name).is_some()))
}

/// Whether a layer belongs to the link, so that patterns skip it.
pub fn is_link(layer: &Layer) -> bool {
    let tag = layer.like == Some("Eth")
        && layer
            .under
            .iter()
            .any(|u| matches!(u.parent, "Eth" | "LLC"));
    tag || !layer.link_types.is_empty() && layer.pseudo.is_empty()
}

pub fn seen(layer: &StackLayer) -> SeenLayer {
    match layer {
        StackLayer::Literal(literal) => SeenLayer::Wire(literal.layer),
        StackLayer::Driven(driven) => SeenLayer::Driven(driven.kind, None),
    }
}

fn tables(seen: SeenLayer) -> Vec<&'static Layer> {
    match seen {
        SeenLayer::Wire(layer) => vec![layer],
        SeenLayer::Driven(DrivenKind::Ip, _) => {
            ["IP", "IP6"].into_iter().filter_map(find).collect()
        }
        SeenLayer::Driven(kind, _) => find(kind.name()).into_iter().collect(),
    }
}

/// Whether a literal layer takes the place of a driven one.
pub fn replaces(first: SeenLayer, driven: SeenLayer) -> bool {
    let (SeenLayer::Wire(layer), SeenLayer::Driven(kind, _)) = (first, driven) else {
        return false;
    };
    if kind.is_session() {
        return false;
    }
    tables(driven).iter().any(|table| table.name == layer.name)
}

/// Whether `above` may lie directly on `below`.
pub fn carries(below: SeenLayer, above: SeenLayer) -> bool {
    let ends = |seen: SeenLayer| matches!(seen, SeenLayer::Wire(layer) if matches!(layer.name, "Bytes" | "End"));
    match (below, above) {
        (_, SeenLayer::Driven(above, _)) if above.is_session() => {
            return matches!(below, SeenLayer::Driven(below, _) if above.layer().runs_on.contains(&below));
        }
        (SeenLayer::Driven(below, _), _) if below.is_session() && !below.is_stream() => {
            return false;
        }
        _ => {}
    }
    if ends(below) {
        return false;
    }
    if ends(above) {
        return true;
    }
    if let (SeenLayer::Driven(stream, _), SeenLayer::Wire(layer)) = (below, above)
        && stream.is_stream()
    {
        return crafty_wire::framed_by(layer).is_some();
    }
    tables(below)
        .into_iter()
        .any(|b| tables(above).into_iter().any(|a| lies_on(a, b)))
}

fn lies_on(above: &Layer, below: &Layer) -> bool {
    match below.next {
        NextLayer::Always(next) => return next.name == above.name,
        NextLayer::Peek(_) if below.quotes.is_none() => return true,
        _ => {}
    }
    let like = std::iter::successors(Some(below.name), |name| find(name)?.like).take(4);
    like.into_iter()
        .any(|name| above.under.iter().any(|u| u.parent == name))
}

/// Whether `below` may quote a packet that begins with `above`.
pub fn quotes(below: SeenLayer, above: SeenLayer) -> bool {
    tables(below).iter().any(|b| b.quotes.is_some())
        && tables(above).iter().any(|a| !a.pseudo.is_empty())
}

/// Whether a stack may begin with it: what lies below is filled in.
pub fn at_bottom(seen: SeenLayer) -> bool {
    tables(seen).iter().any(|l| {
        !l.link_types.is_empty() || is_link(l) || l.under.iter().any(|u| u.parent == "Eth")
    })
}

/// The layers that a layer may lie on, in backticks.
pub fn carriers(name: &str) -> Vec<String> {
    let mut parents: Vec<&str> =
        find(name).map_or_else(Vec::new, |l| l.under.iter().map(|u| u.parent).collect());
    parents.dedup();
    parents.truncate(4);
    parents.into_iter().map(|p| format!("`{p}`")).collect()
}

/// Whether a literal says by number what follows it.
pub fn says_next(literal: &Literal) -> bool {
    let set = |name: &str| {
        literal
            .fields
            .iter()
            .any(|(n, _)| literal.layer.fields[*n].name == name)
    };
    match literal.layer.next {
        NextLayer::Field(by) => set(by),
        NextLayer::Either(a, b) => set(a) || set(b),
        _ => false,
    }
}

/// A field of both families: its numbers and its name.
pub fn both(name: &str) -> Option<FieldRef> {
    let (name, other) = BOTH.iter().find(|(word, _)| *word == name)?;
    let (v4, _) = find("IP")?.field(name)?;
    let (v6, _) = find("IP6")?.field(other)?;
    Some(FieldRef::Either { v4, v6, name })
}

pub fn both_names() -> Vec<&'static str> {
    BOTH.iter().map(|(name, _)| *name).collect()
}

/// The table that a reference reads, for names of values.
pub fn hint(field: &FieldRef) -> Option<Hint> {
    match field {
        FieldRef::Wire { layer, field } => Some(Hint {
            layer,
            field: &layer.fields[*field],
        }),
        FieldRef::Either { v4, .. } => find("IP").map(|layer| Hint {
            layer,
            field: &layer.fields[*v4],
        }),
        FieldRef::Option {
            layer,
            field,
            option,
            part,
            inner,
        } => {
            let step = |list: &'static Field, option: &str, part: Option<&str>| {
                tlv(list)?
                    .named(option)?
                    .shape
                    .fields()
                    .find(|f| part.is_none_or(|p| p == f.name))
            };
            let outer = step(&layer.fields[*field], option, *part)?;
            let field = inner
                .iter()
                .try_fold(outer, |list, (option, part)| step(list, option, *part))?;
            Some(Hint { layer, field })
        }
        FieldRef::OptionList { .. } | FieldRef::Meta(_) => None,
    }
}
