//! The JSON document of a packet (`crafty schema packet` tells its schema), written as it is read:
//! no tree is built.

use super::digits::{decimal, escaped, hex, hexadecimal, ip6};
use super::text::{self, comment};
use super::{JsonForm, PacketContext, checksum, form, parts, status_word};
use crafty_wire::{Decoded, Field, FieldValue, FieldView, OptionValue, options};
use std::io::Write;

/// Appends the document, without an end of line.
pub fn document(about: PacketContext, octets: &[u8], decoded: &Decoded, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"index\":");
    decimal(out, about.index);
    match about.time {
        Some(time) => drop(write!(out, ",\"ts\":\"{}\"", time.0)),
        None => out.extend_from_slice(b",\"ts\":null"),
    }
    out.extend_from_slice(b",\"len\":");
    decimal(out, about.wire_len as u64);
    out.extend_from_slice(b",\"caplen\":");
    decimal(out, octets.len() as u64);
    beside(about, out);
    out.extend_from_slice(b",\"layers\":");
    layers(octets, decoded, out);
    out.push(b'}');
}

/// Appends the list of all layers; places are bytes from the first one on.
pub fn layers(octets: &[u8], decoded: &Decoded, out: &mut Vec<u8>) {
    list(out, b"[]", 0..decoded.layers.len(), |out, i| {
        layer(octets, decoded, i, out)
    });
}

/// What the file says of the packet, where it does.
fn beside(about: PacketContext, out: &mut Vec<u8>) {
    if let Some(name) = about.interface {
        out.extend_from_slice(b",\"interface\":");
        string(out, |out| comment(name, out));
    }
    if let Some(direction) = about.direction {
        out.extend_from_slice(b",\"direction\":");
        word(out, direction.word());
    }
    if !about.comments.is_empty() {
        out.extend_from_slice(b",\"comments\":");
        list(out, b"[]", about.comments.iter(), |out, text| {
            string(out, |out| comment(text, out))
        });
    }
}

/// Items between two brackets, with commas between them.
fn list<T>(
    out: &mut Vec<u8>,
    brackets: &[u8; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(brackets[0]);
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(brackets[1]);
}

/// Words of the tables: letters, digits and underscores.
fn word(out: &mut Vec<u8>, word: &str) {
    quoted(out, |out| out.extend_from_slice(word.as_bytes()));
}

fn key(out: &mut Vec<u8>, name: &str) {
    word(out, name);
    out.push(b':');
}

/// A string of what `write` appends, which holds no quotation mark and no reverse solidus.
fn quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}

/// A string of printable ASCII that `write` appends.
fn string(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    let start = out.len();
    write(out);
    if out[start..]
        .iter()
        .any(|octet| matches!(octet, b'"' | b'\\'))
    {
        for octet in out.split_off(start) {
            if matches!(octet, b'"' | b'\\') {
                out.push(b'\\');
            }
            out.push(octet);
        }
    }
    out.push(b'"');
}

fn layer(octets: &[u8], decoded: &Decoded, i: usize, out: &mut Vec<u8>) {
    let found = &decoded.layers[i];
    out.extend_from_slice(b"{\"layer\":");
    word(out, found.layer.name);
    out.extend_from_slice(b",\"offset\":");
    decimal(out, found.start as u64);
    out.extend_from_slice(b",\"len\":");
    decimal(out, (found.payload - found.start) as u64);
    out.extend_from_slice(b",\"fields\":");
    list(
        out,
        b"{}",
        decoded.fields(octets, i),
        |out, (_, field, seen)| {
            key(out, field.name);
            value(field, &seen, out);
        },
    );
    if let Some(status) = checksum(octets, decoded, i) {
        out.extend_from_slice(b",\"checksum_status\":");
        word(out, status_word(status));
    }
    if found.by_content {
        out.extend_from_slice(b",\"by_content\":true");
    }
    if decoded.warnings(i).next().is_some() {
        out.extend_from_slice(b",\"warnings\":");
        list(out, b"[]", decoded.warnings(i), |out, warning| {
            string(out, |out| text::warning(octets, warning, out))
        });
    }
    out.push(b'}');
}

fn value(field: &Field, seen: &FieldView, out: &mut Vec<u8>) {
    match seen {
        FieldView::Uint(n) => number(field, *n, out),
        FieldView::Wide(n) if matches!(form(field), JsonForm::Address(_)) => {
            quoted(out, |out| ip6(out, *n))
        }
        FieldView::Wide(n) => quoted(out, |out| drop(write!(out, "{n}"))),
        FieldView::Bytes(octets) => quoted(out, |out| hex(out, octets)),
        FieldView::Text(text) => string(out, |out| escaped(out, text.as_bytes())),
        FieldView::Options(tlv, octets) => {
            list(out, b"[]", options(tlv, octets), |out, row| {
                option(&row, out)
            });
        }
        FieldView::Made(made) => owned(field, made, out),
    }
}

/// A value that was taken out of its packet.
fn owned(field: &Field, made: &FieldValue, out: &mut Vec<u8>) {
    match made {
        FieldValue::Options(options) => {
            list(out, b"[]", options.iter(), |out, row| option(row, out))
        }
        other => value(field, &text::lent(other), out),
    }
}

fn number(field: &Field, n: u64, out: &mut Vec<u8>) {
    match form(field) {
        JsonForm::Hexadecimal => quoted(out, |out| hexadecimal(out, n, field.width())),
        JsonForm::Flags(names) => list(out, b"[]", text::flag_names(n, names), word),
        JsonForm::Address(_) => quoted(out, |out| text::number(field, n, out)),
        _ => match field.name_of(n) {
            Some(name) => word(out, name),
            None => text::digits(field, n, out),
        },
    }
}

/// What comes once is beside the name; a group that comes again and again is a list.
fn option(option: &OptionValue, out: &mut Vec<u8>) {
    let (option, values) = match option {
        OptionValue::Raw(octets) => {
            out.extend_from_slice(b"{\"raw\":");
            quoted(out, |out| hex(out, octets));
            return out.push(b'}');
        }
        OptionValue::Named { option, values } => (option, values),
    };
    out.extend_from_slice(b"{\"option\":");
    word(out, option.name);
    let (once, again) = parts(option.shape);
    for pair in once.iter().zip(values) {
        out.push(b',');
        part(out, pair);
    }
    if !again.is_empty() {
        out.extend_from_slice(b",\"values\":");
        let groups = values
            .get(once.len()..)
            .unwrap_or_default()
            .chunks(again.len());
        list(out, b"[]", groups, |out, group| {
            list(out, b"{}", again.iter().zip(group), part)
        });
    }
    out.push(b'}');
}

/// A value of an option after the name of its field.
fn part(out: &mut Vec<u8>, (field, value): (&'static Field, &FieldValue)) {
    key(out, field.name);
    owned(field, value, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_wire::{Auto, FieldKind, all, decode};
    use serde_json::Value;

    /// Bytes of every kind as every layer: a document that a JSON reader takes, with the numbers
    /// and bytes that the fields have.
    #[test]
    fn documents_are_json_of_the_fields() {
        let (mut out, mut decoded, mut dice, mut compared) = (Vec::new(), Decoded::new(), 7_u64, 0);
        for (layer, len) in all()
            .iter()
            .flat_map(|layer| [8, 60, 200].map(|len| (layer, len)))
        {
            let octets: Vec<u8> = (0..len).map(|_| roll(&mut dice)).collect();
            decode(layer, &octets, octets.len(), &mut decoded);
            out.clear();
            document(
                PacketContext {
                    index: 3,
                    wire_len: len,
                    ..PacketContext::default()
                },
                &octets,
                &decoded,
                &mut out,
            );
            let row: Value = serde_json::from_slice(&out)
                .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out)));
            for (i, found) in decoded.layers.iter().enumerate() {
                let shown = &row["layers"][i];
                assert_eq!(
                    (shown["layer"].as_str(), shown["offset"].as_u64()),
                    (Some(found.layer.name), Some(found.start as u64))
                );
                let seen: Vec<_> = decoded.fields(&octets, i).collect();
                assert_eq!(
                    shown["fields"].as_object().map(serde_json::Map::len),
                    Some(seen.len()),
                    "{shown}"
                );
                compared += seen
                    .iter()
                    .filter(|(_, field, seen)| same(field, seen, &shown["fields"][field.name]))
                    .count();
            }
        }
        assert!(compared > 400, "only {compared} values");
    }

    fn roll(dice: &mut u64) -> u8 {
        *dice = dice
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        if *dice >> 60 == 0 {
            b'"'
        } else {
            (*dice >> 33) as u8
        }
    }

    /// Whether the value was compared; it panics where it differs.
    fn same(field: &Field, seen: &FieldView, shown: &Value) -> bool {
        match (field.kind, seen) {
            (FieldKind::Uint, FieldView::Uint(n)) if !matches!(field.auto, Auto::Checksum(_)) => {
                match field.signed {
                    true => assert_eq!(shown.as_i64(), Some(field.signed_value(*n))),
                    false => assert_eq!(shown.as_u64(), Some(*n)),
                }
            }
            (_, FieldView::Bytes(octets)) => assert_eq!(
                shown.as_str(),
                Some(crafty_lang::eval::show::hex(octets).as_str())
            ),
            _ => return false,
        }
        true
    }

    #[test]
    fn a_string_is_escaped_twice() {
        let mut out = Vec::new();
        string(&mut out, |out| escaped(out, b"a\"b\\c\xff\n"));
        assert_eq!(
            serde_json::from_slice::<String>(&out).expect("JSON"),
            "a\"b\\\\c\\xff\\n"
        );
    }
}
