//! Packets for the eye: one line, and all layers with all their fields.

use super::digits::aligned;
use super::text::{borrowed, comment, listed, warning as warning_text};
use super::{PacketContext, checksum, status_word};
use crafty_wire::{ChecksumStatus, Decoded, Field, Layer, all};
use std::io::Write;
use std::sync::LazyLock;

/// What one looks for in a layer: positions of fields.
#[derive(Clone, Copy, Default)]
struct Looked {
    ends: Option<(usize, usize)>,
    more: [Option<usize>; 3],
}

/// Of each layer, by its number.
static LOOKED: LazyLock<Vec<Looked>> = LazyLock::new(|| {
    let mut rows = vec![Looked::default(); 256];
    all()
        .iter()
        .for_each(|layer| rows[usize::from(layer.id)] = looked(layer));
    rows
});

fn looked(layer: &Layer) -> Looked {
    let at = |name: &str| layer.field(name).map(|(position, _)| position);
    let quiet = matches!(layer.name, "Eth" | "VLAN" | "IP");
    Looked {
        ends: at("src").zip(at("dst")).filter(|_| layer.name != "Eth"),
        more: ["type", "op", "flags"].map(|name| at(name).filter(|_| !quiet)),
    }
}

/// One line, without its end: layers from the outside in, with what one looks for first.
pub fn summary(about: PacketContext, octets: &[u8], decoded: &Decoded, out: &mut Vec<u8>) {
    aligned(out, about.index, 6, b' ');
    match about.time {
        Some(time) => {
            out.extend_from_slice(if time.0 < 0 { b" -" } else { b" " });
            aligned(out, time.0.unsigned_abs() / 1_000_000_000, 0, b' ');
            out.push(b'.');
            aligned(out, time.0.unsigned_abs() % 1_000_000_000, 9, b'0');
        }
        None => out.extend_from_slice(b" -"),
    }
    out.push(b' ');
    aligned(out, about.wire_len as u64, 5, b' ');
    out.push(b' ');
    gist(octets, decoded, out);
}

/// Layers from the outside in, who speaks to whom, and what kind of message it is.
pub fn gist(octets: &[u8], decoded: &Decoded, out: &mut Vec<u8>) {
    if decoded.layers.is_empty() {
        out.push(b'/');
    }
    for found in &decoded.layers {
        out.push(b'/');
        out.extend_from_slice(found.layer.name.as_bytes());
    }
    for i in 0..decoded.layers.len() {
        looked_for(octets, decoded, i, out);
    }
    let warnings = decoded.all_warnings().count();
    if warnings > 0 {
        let s = if warnings == 1 { "" } else { "s" };
        let _ = write!(out, " [{warnings} warning{s}]");
    }
}

fn looked_for(octets: &[u8], decoded: &Decoded, i: usize, out: &mut Vec<u8>) {
    let looked = LOOKED[usize::from(decoded.layers[i].layer.id)];
    let start = out.len();
    if let Some((src, dst)) = looked.ends
        && !(field(octets, decoded, i, src, b" ", out)
            && field(octets, decoded, i, dst, b" > ", out))
    {
        out.truncate(start);
    }
    for position in looked.more.into_iter().flatten() {
        field(octets, decoded, i, position, b" ", out);
    }
}

/// Appends a field behind `before`; whether it is there.
fn field(
    octets: &[u8],
    decoded: &Decoded,
    i: usize,
    position: usize,
    before: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    let row: &Field = &decoded.layers[i].layer.fields[position];
    let Some(seen) = decoded.see(octets, i, position) else {
        return false;
    };
    out.extend_from_slice(before);
    borrowed(row, &seen, out);
    true
}

/// The file's comments, then all layers with all their fields, as the language would write them,
/// warnings beneath.
pub fn listing(about: PacketContext, octets: &[u8], decoded: &Decoded, out: &mut Vec<u8>) {
    for text in about.comments {
        out.extend_from_slice(b"  # ");
        comment(text, out);
        out.push(b'\n');
    }
    lines(octets, decoded, b"  ", out);
}

/// All layers, a line each behind `indent`, with warnings beneath.
pub fn lines(octets: &[u8], decoded: &Decoded, indent: &[u8], out: &mut Vec<u8>) {
    for (i, found) in decoded.layers.iter().enumerate() {
        out.extend_from_slice(indent);
        out.push(b'/');
        out.extend_from_slice(found.layer.name.as_bytes());
        listed(
            out,
            b"()",
            decoded.fields(octets, i),
            |out, (_, field, seen)| {
                out.extend_from_slice(field.name.as_bytes());
                out.push(b'=');
                borrowed(field, &seen, out);
            },
        );
        if let Some(status) = checksum(octets, decoded, i).filter(|s| *s != ChecksumStatus::Good) {
            let _ = write!(out, "  # checksum {}", status_word(status));
        }
        if found.by_content {
            out.extend_from_slice(b"  # by content");
        }
        out.push(b'\n');
        for warning in decoded.warnings(i) {
            out.extend_from_slice(indent);
            out.extend_from_slice(b"  # ");
            warning_text(octets, warning, out);
            out.push(b'\n');
        }
    }
}
