//! Fields on the wire as values of the language, and back.

use crate::receiving::layers::layer_named;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
pub(crate) use crafty_lang::wire_values::{
    address_to_wire, mac_to_wire, option_part, option_row, raw_option, to_wire,
};
use crafty_value::{Mac, Value};
use crafty_wire::{Field, FieldKind, FieldValue, OptionValue};

/// What a field on the wire is in the language.
pub(crate) fn from_wire(field: &Field, value: FieldValue) -> Option<Value> {
    Some(match (&field.kind, value) {
        (FieldKind::Ip4, FieldValue::Uint(n)) => {
            Value::Ip(IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(n).ok()?)))
        }
        (FieldKind::Ip6, FieldValue::Wide(n)) => Value::Ip(IpAddr::V6(Ipv6Addr::from_bits(n))),
        (FieldKind::Mac, FieldValue::Uint(n)) => {
            let [_, _, a, b, c, d, e, f] = n.to_be_bytes();
            Value::Mac(Mac([a, b, c, d, e, f]))
        }
        (FieldKind::Flags(names), FieldValue::Uint(n)) => Value::Flags(n, names),
        // A number of 64 bits above what an int holds is shown as the negative one of the same
        // bits.
        (_, FieldValue::Uint(n)) if field.signed => Value::Int(field.signed_value(n)),
        (_, FieldValue::Uint(n)) => Value::Int(n as i64),
        (_, FieldValue::Wide(n)) => Value::bytes(n.to_be_bytes().to_vec()),
        (_, FieldValue::Bytes(octets)) => Value::bytes(octets),
        (_, FieldValue::Text(text)) => Value::text(text),
        (FieldKind::Options(tlv), FieldValue::Options(list)) => {
            let mut octets = Vec::new();
            crafty_wire::encode_options(tlv, &list, &mut octets);
            Value::bytes(octets)
        }
        (_, FieldValue::Options(_)) => return None,
    })
}

/// An option of a layer by its name, with numbers.
pub(crate) fn option_of(layer: &str, name: &str, numbers: &[u64]) -> Option<OptionValue> {
    let (_, field) = layer_named(layer).field("options")?;
    let FieldKind::Options(tlv) = field.kind else {
        return None;
    };
    let values = numbers.iter().map(|n| FieldValue::Uint(*n)).collect();
    Some(OptionValue::Named {
        option: tlv.named(name)?,
        values,
    })
}

/// The field of an option called so, or its first one.
pub(crate) fn part_of(
    option: OptionValue,
    part: Option<&str>,
) -> Option<(&'static Field, FieldValue)> {
    let OptionValue::Named {
        option: row,
        values,
    } = option
    else {
        return None;
    };
    row.shape
        .fields()
        .zip(values)
        .find(|(field, _)| part.is_none_or(|part| part == field.name))
}
