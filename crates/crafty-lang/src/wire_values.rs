//! Values of the language as fields on the wire.

use crate::eval::Raise;
use crate::ir::ErrorKind;
use core::net::IpAddr;
use crafty_value::{Mac, Value};
use crafty_wire::{Field, FieldKind, FieldValue, OptionRow, OptionValue};

/// An address as the tables have it.
pub fn address_to_wire(address: IpAddr) -> FieldValue {
    match address {
        IpAddr::V4(a) => FieldValue::Uint(a.to_bits().into()),
        IpAddr::V6(a) => FieldValue::Wide(a.to_bits()),
    }
}

/// A link address as the tables have it.
pub fn mac_to_wire(mac: Mac) -> FieldValue {
    let [a, b, c, d, e, f] = mac.0;
    FieldValue::Uint(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
}

/// The row of an option by its name.
///
/// # Errors
/// If the field has no such option.
pub fn option_row(field: &Field, name: &str) -> Result<&'static OptionRow, Raise> {
    let FieldKind::Options(tlv) = field.kind else {
        return Err(no_option(field, name));
    };
    tlv.named(name).ok_or_else(|| no_option(field, name))
}

/// The field of value number `i` of an option.
///
/// # Errors
/// If it has fewer.
pub fn option_part(option: &'static OptionRow, i: usize) -> Result<&'static Field, Raise> {
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
///
/// # Errors
/// If the value is anything else.
pub fn raw_option(value: &Value) -> Result<OptionValue, Raise> {
    match value {
        Value::Bytes(octets) => Ok(OptionValue::Raw(octets.to_vec())),
        _ => Err(Raise::new(
            ErrorKind::Range,
            "`raw` takes bytes".to_string(),
        )),
    }
}

/// What a value of the language is in a field.
///
/// # Errors
/// If it does not fit, by type or by size.
pub fn to_wire(field: &Field, value: &Value) -> Result<FieldValue, Raise> {
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
        (Value::Ip(IpAddr::V4(_)), FieldKind::Ip6) | (Value::Ip(IpAddr::V6(_)), FieldKind::Ip4) => {
            Err(Raise::new(
                ErrorKind::Range,
                format!("`{}` takes an address of the other family", field.name),
            ))
        }
        (Value::Ip(address), _) => Ok(address_to_wire(*address)),
        (Value::Mac(mac), _) => Ok(mac_to_wire(*mac)),
        (Value::Bytes(octets), _) => Ok(FieldValue::Bytes(octets.to_vec())),
        (Value::Str(text), FieldKind::Text) => Ok(FieldValue::Text(text.to_string())),
        (Value::Str(text), _) => Ok(FieldValue::Bytes(text.as_bytes().to_vec())),
        _ => Err(Raise::new(
            ErrorKind::Range,
            format!("`{}` cannot be set to this", field.name),
        )),
    }
}

fn no_option(field: &Field, name: &str) -> Raise {
    Raise::new(
        ErrorKind::Range,
        format!("`{}` has no option `{name}`", field.name),
    )
}
