//! Fields on the wire as values of the language, and back.

use crate::receiving::layers::layer_named;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use crafty_lang::eval::Raise;
use crafty_lang::ir::ErrorKind;
use crafty_value::{Mac, Value};
use crafty_wire::{Field, FieldValue, Kind, OptionRow, OptionValue};

/// An address as the tables have it.
pub(crate) fn address_to_wire(address: IpAddr) -> FieldValue {
    match address {
        IpAddr::V4(a) => FieldValue::Uint(a.to_bits().into()),
        IpAddr::V6(a) => FieldValue::Wide(a.to_bits()),
    }
}

/// A link address as the tables have it.
pub(crate) fn mac_to_wire(mac: Mac) -> FieldValue {
    let [a, b, c, d, e, f] = mac.0;
    FieldValue::Uint(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
}

/// What a field on the wire is in the language.
pub(crate) fn from_wire(field: &Field, value: FieldValue) -> Option<Value> {
    Some(match (&field.kind, value) {
        (Kind::Ip4, FieldValue::Uint(n)) => {
            Value::Ip(IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(n).ok()?)))
        }
        (Kind::Ip6, FieldValue::Wide(n)) => Value::Ip(IpAddr::V6(Ipv6Addr::from_bits(n))),
        (Kind::Mac, FieldValue::Uint(n)) => {
            let [_, _, a, b, c, d, e, f] = n.to_be_bytes();
            Value::Mac(Mac([a, b, c, d, e, f]))
        }
        (Kind::Flags(names), FieldValue::Uint(n)) => Value::Flags(n, names),
        // A number of 64 bits above what an int holds is shown as the negative one of the same
        // bits.
        (_, FieldValue::Uint(n)) if field.signed => Value::Int(field.signed_value(n)),
        (_, FieldValue::Uint(n)) => Value::Int(n as i64),
        (_, FieldValue::Wide(n)) => Value::bytes(n.to_be_bytes().to_vec()),
        (_, FieldValue::Bytes(octets)) => Value::bytes(octets),
        (_, FieldValue::Text(text)) => Value::text(text),
        (Kind::Options(tlv), FieldValue::Options(list)) => {
            let mut octets = Vec::new();
            crafty_wire::encode_options(tlv, &list, &mut octets);
            Value::bytes(octets)
        }
        (_, FieldValue::Options(_)) => return None,
    })
}

/// The row of an option by its name.
pub(crate) fn option_row(field: &Field, name: &str) -> Result<&'static OptionRow, Raise> {
    let Kind::Options(tlv) = field.kind else {
        return Err(no_option(field, name));
    };
    tlv.named(name).ok_or_else(|| no_option(field, name))
}

/// The field of value number `i` of an option.
pub(crate) fn option_part(option: &'static OptionRow, i: usize) -> Result<&'static Field, Raise> {
    option.field(i).ok_or_else(|| {
        Raise::new(
            ErrorKind::Range,
            format!(
                "the option `{}` has no argument number {}",
                option.name,
                i + 1
            ),
        )
    })
}

/// An option that is written as bytes.
pub(crate) fn raw_option(value: &Value) -> Result<OptionValue, Raise> {
    match value {
        Value::Bytes(octets) => Ok(OptionValue::Raw(octets.to_vec())),
        _ => Err(Raise::new(
            ErrorKind::Range,
            "`raw` takes bytes".to_string(),
        )),
    }
}

/// An option of a layer by its name, with numbers.
pub(crate) fn option_of(layer: &str, name: &str, numbers: &[u64]) -> Option<OptionValue> {
    let (_, field) = layer_named(layer).field("options")?;
    let Kind::Options(tlv) = field.kind else {
        return None;
    };
    let values = numbers.iter().map(|n| FieldValue::Uint(*n)).collect();
    Some(OptionValue::Named {
        option: tlv.named(name)?,
        values,
    })
}

/// What a value of the language is in a field.
pub(crate) fn to_wire(field: &Field, value: &Value) -> Result<FieldValue, Raise> {
    let width = u32::from(field.width());
    let wide = |n: i64| {
        Raise::new(
            ErrorKind::Range,
            format!("`{}` holds {width} bits, {n} does not fit", field.name),
        )
    };
    match (value, &field.kind) {
        (Value::Int(n), _) if field.modular => Ok(FieldValue::Uint(
            *n as u64 & (u64::MAX >> (64 - width.clamp(1, 64))),
        )),
        (Value::Int(n), _) if field.signed && *n < 0 => {
            let bits = *n as u64 & (u64::MAX >> (64 - width.clamp(1, 64)));
            match field.signed_value(bits) == *n {
                true => Ok(FieldValue::Uint(bits)),
                false => Err(wide(*n)),
            }
        }
        (Value::Int(n), _) => match u64::try_from(*n) {
            Ok(bits) if width >= 64 || bits >> width == 0 => Ok(FieldValue::Uint(bits)),
            _ => Err(wide(*n)),
        },
        (Value::Bool(b), _) => Ok(FieldValue::Uint((*b).into())),
        (Value::Flags(bits, _), _) => Ok(FieldValue::Uint(*bits)),
        (Value::Ip(IpAddr::V4(_)), Kind::Ip6) | (Value::Ip(IpAddr::V6(_)), Kind::Ip4) => {
            Err(Raise::new(
                ErrorKind::Range,
                format!("`{}` takes an address of the other family", field.name),
            ))
        }
        (Value::Ip(address), _) => Ok(address_to_wire(*address)),
        (Value::Mac(mac), _) => Ok(mac_to_wire(*mac)),
        (Value::Bytes(octets), _) => Ok(FieldValue::Bytes(octets.to_vec())),
        (Value::Str(text), Kind::Text) => Ok(FieldValue::Text(text.to_string())),
        (Value::Str(text), _) => Ok(FieldValue::Bytes(text.as_bytes().to_vec())),
        _ => Err(Raise::new(
            ErrorKind::Range,
            format!("`{}` cannot be set to this", field.name),
        )),
    }
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

fn no_option(field: &Field, name: &str) -> Raise {
    Raise::new(
        ErrorKind::Range,
        format!("`{}` has no option `{name}`", field.name),
    )
}
