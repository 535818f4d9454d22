//! A frame that is ready except for the fields that change.

use crate::receiving::field_values;
use crate::receiving::layers;
use core::net::IpAddr;
use core::ops::Range;
use crafty_lang::ir::{self, ExprKind, Literal, Send};
use crafty_value::{Mac, Value};
use crafty_wire::{Auto, Field, FieldKind, FieldValue, Layer, Slot, Template, When};

/// A send whose frame is ready except for what changes.
#[derive(Debug)]
pub(crate) struct PreparedFrame {
    pub template: Template,
    pub spots: Vec<ChangingField>,
    /// The identifications that are ours to count, and for whom.
    pub ids: Vec<((usize, Slot), IpAddr)>,
    pub hop: Option<(IpAddr, Mac)>,
    pub bytes: Option<Range<usize>>,
    /// Of the block that it goes through: a block opened again is another one.
    pub generation: Option<u64>,
    /// Bytes of the datagram, if a driven IP would cut it where the path takes less.
    pub cut_from: Option<usize>,
    pub payload: i64,
}

/// A field that changes: which literal layer, which of its fields as written, and where its bytes
/// lie.
#[derive(Debug)]
pub(crate) struct ChangingField {
    pub literal: usize,
    pub field: usize,
    pub place: FieldLocation,
}

#[derive(Debug)]
pub(crate) enum FieldLocation {
    Number((usize, Slot)),
    Octets(Range<usize>),
}

/// Whether a literal layer may be part of a prepared frame: segments have live state, other lists
/// no fixed place.
pub(crate) fn is_plain(literal: &Literal) -> bool {
    let changes = |value: &ir::FieldSetting| !matches!(value, ir::FieldSetting::Value(e) if matches!(e.kind, ExprKind::Constant(_)));
    let fixed = |(index, value): &(usize, ir::FieldSetting)| {
        !changes(value) || is_fixed(literal.layer, &literal.layer.fields[*index], value)
    };
    literal.layer.name != "TCP" && literal.fields.iter().all(fixed)
}

/// Whether changing a field changes its own bytes only.
pub(crate) fn is_fixed(layer: &'static Layer, field: &Field, value: &ir::FieldSetting) -> bool {
    let number = matches!(
        field.kind,
        FieldKind::Uint
            | FieldKind::Named(_)
            | FieldKind::Flags(_)
            | FieldKind::Ip4
            | FieldKind::Mac
    );
    let decides = layer.fields.iter().any(|f| match f.when {
        When::Always => false,
        When::In(by, _) | When::NotIn(by, _) | When::Has(by, _) => by == field.name,
    });
    let plain =
        matches!(field.auto, Auto::Default(_)) && !decides && !layer.pseudo.contains(&field.name);
    matches!(value, ir::FieldSetting::Value(_)) && (layers::is_bytes(layer) || number && plain)
}

pub(crate) fn spots(template: &Template, send: &Send, first: usize) -> Option<Vec<ChangingField>> {
    let mut spots = Vec::new();
    for (literal, layer) in send.layers.iter().enumerate() {
        for (field, (index, value)) in layer.fields.iter().enumerate() {
            if matches!(value, ir::FieldSetting::Value(e) if matches!(e.kind, ExprKind::Constant(_)))
            {
                continue;
            }
            let place = match layers::is_bytes(layer.layer) {
                true => FieldLocation::Octets(template.span(first + literal, *index)?),
                false => FieldLocation::Number(template.place(first + literal, *index)?),
            };
            spots.push(ChangingField {
                literal,
                field,
                place,
            });
        }
    }
    Some(spots)
}

pub(crate) fn write(
    template: &mut Template,
    place: &FieldLocation,
    field: &Field,
    value: &Value,
) -> bool {
    match (place, value) {
        (FieldLocation::Octets(range), Value::Bytes(octets)) if range.len() == octets.len() => {
            template.patch_bytes(range.start, octets)
        }
        (FieldLocation::Number(place), value) => match field_values::to_wire(field, value) {
            Ok(FieldValue::Uint(bits)) => template.patch(*place, bits),
            _ => return false,
        },
        _ => return false,
    }
    true
}
