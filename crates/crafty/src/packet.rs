//! A packet as text and as JSON: the same facts in the same words, from the tables. Nothing is shown that is not on the wire.

use crafty_capture::Direction;
use crafty_lang::eval::show;
use crafty_value::{Mac, Time};
use crafty_wire::{Auto, ChecksumStatus, Decoded, Field, FieldValue, Kind, OptionValue, Shape, Tlv};
use serde_json::{Map, Value, json};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Octets of a field that text shows.
const SHOWN: usize = 64;

/// Octets of a comment that are shown.
const MOST_COMMENT: usize = 1024;

/// What is known of a packet beside its layers.
#[derive(Clone, Copy, Debug, Default)]
pub struct About<'a> {
    /// Its number, from 1.
    pub index: u64,
    /// When, if known.
    pub time: Option<Time>,
    /// Octets on the wire.
    pub wire_len: usize,
    /// The interface that saw it, if the file names it.
    pub interface: Option<&'a str>,
    /// Which way it went, if the file says so.
    pub direction: Option<Direction>,
    /// What whoever captured it said of it.
    pub comments: &'a [String],
}

/// A comment of a file without what would steer a terminal.
fn comment(text: &String) -> String {
    show::escaped(text.as_bytes(), MOST_COMMENT)
}

/// The document of a packet (`crafty schema packet` tells its schema).
pub fn document(about: About, octets: &[u8], decoded: &Decoded) -> Value {
    let layers: Vec<Value> = (0..decoded.layers.len()).map(|i| layer(octets, decoded, i)).collect();
    let mut row = json!({
        "index": about.index,
        "ts": about.time.map(|t| t.0.to_string()),
        "len": about.wire_len,
        "caplen": octets.len(),
    });
    if let Some(name) = about.interface {
        row["interface"] = show::escaped(name.as_bytes(), MOST_COMMENT).into();
    }
    if let Some(direction) = about.direction {
        row["direction"] = direction.word().into();
    }
    if !about.comments.is_empty() {
        row["comments"] = about.comments.iter().map(comment).collect::<Vec<_>>().into();
    }
    row["layers"] = layers.into();
    row
}

fn layer(octets: &[u8], decoded: &Decoded, i: usize) -> Value {
    let found = &decoded.layers[i];
    let mut fields = Map::new();
    for (k, field) in found.layer.fields.iter().enumerate() {
        if let Some(value) = decoded.read(octets, i, k) {
            fields.insert(field.name.into(), field_json(field, &value));
        }
    }
    let mut row = json!({ "layer": found.layer.name, "offset": found.start, "len": found.payload - found.start, "fields": fields });
    if let Some(status) = checksum(octets, decoded, i) {
        row["checksum_status"] = status_word(status).into();
    }
    let remarks: Vec<String> = decoded.remarks(i).map(|r| r.to_string()).collect();
    if !remarks.is_empty() {
        row["remarks"] = remarks.into();
    }
    row
}

/// What can be said of the checksum of a layer, if it has one.
fn checksum(octets: &[u8], decoded: &Decoded, i: usize) -> Option<ChecksumStatus> {
    let fields = decoded.layers[i].layer.fields;
    let at = fields.iter().position(|f| matches!(f.auto, Auto::Checksum(_)))?;
    Some(decoded.checksum(octets, i, at))
}

/// What can be said of a checksum.
pub const STATUS_WORDS: [&str; 5] = ["good", "bad", "absent", "not_computed", "not_verifiable"];

fn status_word(status: ChecksumStatus) -> &'static str {
    let at = match status {
        ChecksumStatus::Good => 0,
        ChecksumStatus::Bad { .. } => 1,
        ChecksumStatus::Absent => 2,
        ChecksumStatus::NotComputed => 3,
        ChecksumStatus::NotVerifiable => 4,
    };
    STATUS_WORDS[at]
}

/// How the value of a field stands in JSON. `crafty schema packet` is made from it too.
#[derive(Clone, Copy)]
pub enum Form {
    /// Checksums: `0x`, then digits for the whole width.
    Hexadecimal,
    /// A list of the names of the bits that are set; what has no name as one hexadecimal number.
    Flags(&'static [&'static str]),
    /// A name, or the number where it has none.
    Name(&'static [(u64, &'static str)]),
    /// An address as text, of this format.
    Address(&'static str),
    /// A number.
    Number,
    /// Text with what is not printable ASCII escaped; two hexadecimal digits an octet where it is no UTF-8.
    Text,
    /// Two hexadecimal digits an octet.
    Octets,
    /// A list of options.
    Options(&'static Tlv),
}

/// How this field's value stands in JSON.
pub fn form(field: &Field) -> Form {
    match field.kind {
        _ if matches!(field.auto, Auto::Checksum(_)) => Form::Hexadecimal,
        Kind::Flags(names) => Form::Flags(names),
        Kind::Named(names) => Form::Name(names),
        Kind::Ip4 => Form::Address("ipv4"),
        Kind::Ip6 => Form::Address("ipv6"),
        Kind::Mac => Form::Address("mac"),
        Kind::Uint => Form::Number,
        Kind::Text => Form::Text,
        Kind::Bytes | Kind::Custom(_) => Form::Octets,
        Kind::Options(tlv) => Form::Options(tlv),
    }
}

fn field_json(field: &Field, value: &FieldValue) -> Value {
    match (form(field), value) {
        (Form::Hexadecimal, FieldValue::Uint(n)) => hexadecimal(field, *n).into(),
        (Form::Flags(names), FieldValue::Uint(n)) => flag_names(*n, names).into(),
        (Form::Name(_), FieldValue::Uint(n)) => field.name_of(*n).map_or_else(|| Value::from(*n), Value::from),
        (Form::Address(_), _) => text(field, value).into(),
        (_, FieldValue::Uint(n)) => (*n).into(),
        (_, FieldValue::Wide(n)) => n.to_string().into(),
        (_, FieldValue::Bytes(octets)) => show::hex(octets).into(),
        (_, FieldValue::Text(text)) => show::escaped(text.as_bytes(), usize::MAX).into(),
        (_, FieldValue::Options(options)) => options.iter().map(option_json).collect::<Vec<_>>().into(),
    }
}

fn hexadecimal(field: &Field, n: u64) -> String {
    format!("{n:#0width$x}", width = 2 + usize::from(field.width()).div_ceil(4))
}

fn flag_names(bits: u64, names: &[&str]) -> Vec<String> {
    let text = show::flags(bits, names);
    if bits == 0 { Vec::new() } else { text.split('+').map(str::to_string).collect() }
}

/// What comes once stands beside the name; a group that comes again and again is a list.
fn option_json(option: &OptionValue) -> Value {
    let (option, values) = match option {
        OptionValue::Raw(octets) => return json!({ "raw": show::hex(octets) }),
        OptionValue::Named { option, values } => (option, values),
    };
    let one = |(field, value): (&'static Field, &FieldValue)| (field.name.to_string(), field_json(field, value));
    let mut row = Map::from_iter([("option".to_string(), Value::from(option.name))]);
    let (once, again) = parts(option.shape);
    row.extend(once.iter().zip(values).map(one));
    if !again.is_empty() {
        let groups = values.get(once.len()..).unwrap_or_default().chunks(again.len());
        row.insert("values".into(), groups.map(|group| Value::from(Map::from_iter(again.iter().zip(group).map(one)))).collect());
    }
    row.into()
}

/// The fields of an option that come once, and those of the group that comes again and again.
pub fn parts(shape: Shape) -> (&'static [Field], &'static [Field]) {
    match shape {
        Shape::Bare => (&[], &[]),
        Shape::Fields(once) => (once, &[]),
        Shape::Repeat(once, again) => (once, again),
    }
}

/// A field's value as the language writes it; octets are cut for the eye.
fn text(field: &Field, value: &FieldValue) -> String {
    match (&field.kind, value) {
        (Kind::Ip4, FieldValue::Uint(n)) => Ipv4Addr::from_bits(*n as u32).to_string(),
        (Kind::Ip6, FieldValue::Wide(n)) => Ipv6Addr::from_bits(*n).to_string(),
        (Kind::Mac, FieldValue::Uint(n)) => {
            let b = n.to_be_bytes();
            Mac([b[2], b[3], b[4], b[5], b[6], b[7]]).to_string()
        }
        (Kind::Flags(names), FieldValue::Uint(n)) => show::flags(*n, names),
        (_, FieldValue::Uint(n)) if matches!(field.auto, Auto::Checksum(_)) => hexadecimal(field, *n),
        (_, FieldValue::Uint(n)) => field.name_of(*n).map_or_else(|| n.to_string(), str::to_string),
        (_, FieldValue::Wide(n)) => n.to_string(),
        (_, FieldValue::Bytes(octets)) if octets.len() > SHOWN => format!("#{}… ({} bytes)", show::hex(&octets[..SHOWN]), octets.len()),
        (_, FieldValue::Bytes(octets)) => format!("#{}", show::hex(octets)),
        (_, FieldValue::Text(text)) => format!("\"{}\"", show::escaped(text.as_bytes(), SHOWN)),
        (_, FieldValue::Options(options)) => format!("[{}]", options.iter().map(option_text).collect::<Vec<_>>().join(", ")),
    }
}

fn option_text(option: &OptionValue) -> String {
    match option {
        OptionValue::Raw(octets) => format!("raw(#{})", show::hex(octets)),
        OptionValue::Named { option, values } if values.is_empty() => option.name.to_string(),
        OptionValue::Named { option, values } => {
            let args = values.iter().enumerate().filter_map(|(i, value)| option.field(i).map(|field| text(field, value)));
            format!("{}({})", option.name, args.collect::<Vec<_>>().join(", "))
        }
    }
}

/// One line: layers from the outside in, with what one looks for first.
pub fn summary(about: About, octets: &[u8], decoded: &Decoded) -> String {
    let time = about.time.map_or_else(|| "-".to_string(), |t| t.to_string());
    let stack: Vec<&str> = decoded.layers.iter().map(|f| f.layer.name).collect();
    let mut line = format!("{:>6} {time} {:>5} /{}", about.index, about.wire_len, stack.join("/"));
    for (i, found) in decoded.layers.iter().enumerate() {
        let of = |name: &str| field_text(octets, decoded, i, name);
        match (of("src"), of("dst")) {
            (Some(src), Some(dst)) if found.layer.name != "Eth" => line += &format!(" {src} > {dst}"),
            _ => {}
        }
        for name in ["type", "op", "flags"] {
            if let Some(value) = of(name).filter(|_| !matches!(found.layer.name, "Eth" | "VLAN" | "IP")) {
                line += &format!(" {value}");
            }
        }
    }
    let remarks = decoded.all_remarks().count();
    if remarks > 0 {
        line += &format!(" [{remarks} remarks]");
    }
    line
}

fn field_text(octets: &[u8], decoded: &Decoded, i: usize, name: &str) -> Option<String> {
    let (k, field) = decoded.layers[i].layer.field(name)?;
    decoded.read(octets, i, k).map(|value| text(field, &value))
}

/// The file's comments, then all layers with all their fields, as the language would write them, remarks beneath.
pub fn listing(about: About, octets: &[u8], decoded: &Decoded) -> String {
    let mut out: String = about.comments.iter().map(|text| format!("  # {}\n", comment(text))).collect();
    for (i, found) in decoded.layers.iter().enumerate() {
        let fields = found.layer.fields.iter().enumerate();
        let args = fields.filter_map(|(k, f)| decoded.read(octets, i, k).map(|v| format!("{}={}", f.name, text(f, &v))));
        out += &format!("  /{}({})", found.layer.name, args.collect::<Vec<_>>().join(", "));
        if let Some(status) = checksum(octets, decoded, i).filter(|s| *s != ChecksumStatus::Good) {
            out += &format!("  # checksum {}", status_word(status));
        }
        out.push('\n');
        for remark in decoded.remarks(i) {
            out += &format!("    # {remark}\n");
        }
    }
    out
}
