//! Which fields of a matched packet are surely there: reading them cannot fail, so it decides over
//! nothing.

use super::FlowRule;
use super::walk::Pass;
use crate::ir::{
    Element, FieldRef, FieldTest, Label, Operand, Pattern, RelOp, VarId, VariableKind,
};
use crafty_wire::{Field, Layer, LayerRole, Part, When};

/// Bytes of a quoted packet's payload that every ICMP error carries (RFC 792).
const QUOTED: usize = 8;

impl Pass<'_> {
    /// Whether reading this field can raise `absent`.
    pub(super) fn may_be_absent(
        &self,
        packet: VarId,
        layer: &'static Layer,
        nth: i64,
        field: &FieldRef,
    ) -> bool {
        if matches!(field, FieldRef::Meta(_)) || !self.on(FlowRule::AbsenceTells) {
            return false;
        }
        if self.program.variables[packet.0 as usize].kind != VariableKind::Match {
            // A kept packet may be a received one, of other layers than its first value had.
            return matches!(field, FieldRef::Option { .. } | FieldRef::OptionList { .. })
                || self.variable(packet).all().label == Label::Content;
        }
        self.patterns
            .get(&packet)
            .is_none_or(|pattern| !surely_there(pattern, layer, nth, field))
    }
}

/// The element of the pattern that names this layer, if it is at a place that no `*` before it can
/// move.
fn named<'p>(
    pattern: &'p Pattern,
    layer: &'static Layer,
    nth: i64,
) -> Option<(usize, &'p Element)> {
    let fixed = pattern
        .elements
        .iter()
        .position(|e| matches!(e, Element::Any))
        .unwrap_or(pattern.elements.len());
    let nth = usize::try_from(nth).ok()?;
    pattern.elements[..fixed]
        .iter()
        .enumerate()
        .filter(|(_, e)| is_of(e, layer))
        .nth(nth)
}

fn is_of(element: &Element, layer: &'static Layer) -> bool {
    match element {
        Element::Layer { layer: named, .. } => named.name == layer.name,
        Element::Driven { kind, .. } => {
            use crate::ir::DrivenKind::{Ip, Tcp, Udp};
            matches!(
                (kind, layer.name),
                (Ip, "IP" | "IP6") | (Udp, "UDP") | (Tcp, "TCP")
            )
        }
        Element::Any | Element::End => false,
    }
}

fn surely_there(pattern: &Pattern, layer: &'static Layer, nth: i64, field: &FieldRef) -> bool {
    // The link's own header is there, or the link has none: a start condition. Of one in a tunnel
    // the packet decides.
    if layer.name == "Eth" && nth == 0 {
        return true;
    }
    let Some((at, element)) = named(pattern, layer, nth) else {
        return false;
    };
    let conditions = match element {
        Element::Layer { conditions, .. } | Element::Driven { conditions, .. } => conditions,
        Element::Any | Element::End => return false,
    };
    if conditions
        .iter()
        .any(|any| matches!(any.as_slice(), [one] if tells(one, field)))
    {
        return true;
    }
    let quoted = pattern.elements[..at]
        .iter()
        .any(|e| matches!(e, Element::Layer { layer, .. } if layer.role == LayerRole::Control));
    match field {
        FieldRef::Wire { layer, field } | FieldRef::OptionList { layer, field, .. } => {
            layer.name == "Bytes" || is_promised(layer, &layer.fields[*field], quoted)
        }
        FieldRef::Either { .. } => true,
        FieldRef::Option { .. } | FieldRef::Meta(_) => false,
    }
}

/// Whether a pattern that names a layer matches only packets whose header has this field: those of
/// fixed width that all such headers have. Of a header that an ICMP error quotes there may be no more
/// than its first bytes. The machine asks the same row when it matches.
pub fn is_promised(layer: &Layer, row: &Field, quoted: bool) -> bool {
    let near = !row.moves && fixed_end(row) <= QUOTED;
    let whole = !quoted || near || layer.role == LayerRole::Network;
    let always = matches!(row.when, When::Always) && row.part == Part::Header;
    always && row.width() != 0 && whole
}

/// Where a field that does not move ends, in bytes from the start of its header.
pub fn fixed_end(row: &Field) -> usize {
    usize::from(row.slot.byte) + usize::from(row.width()).div_ceil(8)
}

/// A test that held of this very field: an absent one makes every test false.
fn tells(test: &FieldTest, field: &FieldRef) -> bool {
    match (&test.field, field) {
        (
            FieldRef::Wire { layer: a, field: i },
            FieldRef::Wire { layer: b, field: k }
            | FieldRef::OptionList {
                layer: b, field: k, ..
            },
        ) => a.name == b.name && i == k,
        (
            FieldRef::Option {
                option: a,
                inner: i,
                ..
            },
            FieldRef::Option {
                option: b,
                inner: k,
                ..
            },
        ) => a == b && (k.is_empty() || i == k),
        (FieldRef::Wire { .. }, FieldRef::Option { option, inner, .. }) if inner.is_empty() => {
            test.op == RelOp::Has
                && !test.negated
                && matches!(test.operand, Operand::Option(named) if named == *option)
        }
        _ => false,
    }
}
