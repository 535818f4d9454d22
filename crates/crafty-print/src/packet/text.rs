//! A field's value as the language writes it.

use super::digits::{decimal, escaped, hex, hexadecimal, ip4, ip6, mac, signed};
use crafty_wire::{
    Auto, DecodeWarning, Field, FieldKind, FieldValue, FieldView, OptionValue, options,
};
use std::io::Write;

/// Bytes of a field that text shows.
const SHOWN: usize = 64;

/// Bytes of a comment that are shown.
const MOST_COMMENT: usize = 1024;

/// The value as it is read from a packet; that of a list is [`borrowed`]'s only.
pub fn lent(value: &FieldValue) -> FieldView<'_> {
    match value {
        FieldValue::Uint(n) => FieldView::Uint(*n),
        FieldValue::Wide(n) => FieldView::Wide(*n),
        FieldValue::Bytes(octets) => FieldView::Bytes(octets),
        FieldValue::Text(text) => FieldView::Text(text),
        FieldValue::Options(_) => FieldView::Made(value.clone()),
    }
}

/// Appends the value; bytes are cut for the eye.
pub fn borrowed(field: &Field, seen: &FieldView, out: &mut Vec<u8>) {
    match (&field.kind, seen) {
        (FieldKind::Ip6, FieldView::Wide(n)) => ip6(out, *n),
        (_, FieldView::Uint(n)) => number(field, *n, out),
        (_, FieldView::Wide(n)) => drop(write!(out, "{n}")),
        (_, FieldView::Bytes(octets)) => {
            out.push(b'#');
            hex(out, &octets[..octets.len().min(SHOWN)]);
            if octets.len() > SHOWN {
                let _ = write!(out, "… ({} bytes)", octets.len());
            }
        }
        (_, FieldView::Text(text)) => {
            out.push(b'"');
            cut(out, text.as_bytes(), SHOWN);
            out.push(b'"');
        }
        (_, FieldView::Options(tlv, octets)) => {
            listed(out, b"[]", options(tlv, octets), |out, row| {
                option(&row, out)
            })
        }
        (_, FieldView::Made(FieldValue::Options(options))) => {
            listed(out, b"[]", options.iter(), |out, row| option(row, out))
        }
        (_, FieldView::Made(made)) => borrowed(field, &lent(made), out),
    }
}

/// Appends a number: an address, names of flags, a name, or digits.
pub fn number(field: &Field, n: u64, out: &mut Vec<u8>) {
    match field.kind {
        FieldKind::Ip4 => ip4(out, n),
        FieldKind::Mac => mac(out, n),
        FieldKind::Flags(names) => flags(n, names, out),
        _ if matches!(field.auto, Auto::Checksum(_)) => hexadecimal(out, n, field.width()),
        _ => match field.name_of(n) {
            Some(name) => out.extend_from_slice(name.as_bytes()),
            None => digits(field, n, out),
        },
    }
}

/// Appends the digits of a number, with its sign where the field has one.
pub fn digits(field: &Field, n: u64, out: &mut Vec<u8>) {
    if field.signed {
        signed(out, field.signed_value(n));
    } else {
        decimal(out, n);
    }
}

/// Text of which at most so many bytes are shown.
fn cut(out: &mut Vec<u8>, text: &[u8], most: usize) {
    escaped(out, &text[..text.len().min(most)]);
    if text.len() > most {
        let _ = write!(out, "… ({} bytes)", text.len());
    }
}

/// A comment of a file, without what would steer a terminal.
pub fn comment(text: &str, out: &mut Vec<u8>) {
    cut(out, text.as_bytes(), MOST_COMMENT);
}

/// Names of the bits that are set, the lowest first.
pub fn flag_names(bits: u64, names: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    names
        .iter()
        .rev()
        .enumerate()
        .filter(move |(i, _)| bits >> i & 1 == 1)
        .map(|(_, name)| *name)
}

fn flags(bits: u64, names: &'static [&'static str], out: &mut Vec<u8>) {
    if bits == 0 {
        return out.push(b'0');
    }
    for (i, name) in flag_names(bits, names).enumerate() {
        if i > 0 {
            out.push(b'+');
        }
        out.extend_from_slice(name.as_bytes());
    }
}

/// Items between two brackets, with commas and spaces between them.
pub fn listed<T>(
    out: &mut Vec<u8>,
    brackets: &[u8; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(brackets[0]);
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        write(out, item);
    }
    out.push(brackets[1]);
}

fn option(option: &OptionValue, out: &mut Vec<u8>) {
    match option {
        OptionValue::Raw(octets) => {
            out.extend_from_slice(b"raw(#");
            hex(out, octets);
            out.push(b')');
        }
        OptionValue::Named { option, values } => {
            out.extend_from_slice(option.name.as_bytes());
            if !values.is_empty() {
                let known = values
                    .iter()
                    .enumerate()
                    .filter_map(|(i, value)| Some((option.field(i)?, value)));
                listed(out, b"()", known, |out, (field, value)| {
                    borrowed(field, &lent(value), out)
                });
            }
        }
    }
}

/// What is odd, with the bytes of padding.
pub fn warning(octets: &[u8], warning: DecodeWarning, out: &mut Vec<u8>) {
    let _ = write!(out, "{warning}");
    if let DecodeWarning::Padding { at, octets: count } = warning
        && let Some(padding) = octets.get(at..octets.len().min(at + count))
        && !padding.is_empty()
    {
        out.extend_from_slice(b": #");
        hex(out, &padding[..padding.len().min(SHOWN)]);
        if padding.len() > SHOWN {
            out.extend_from_slice("…".as_bytes());
        }
    }
}
